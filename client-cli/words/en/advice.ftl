### What to type after a refusal. The text follows the server's sentence.

advice-signup = To turn your guest into an account and keep your games: flagfall signup NAME
advice-webhook = To set one: flagfall webhook set URL
