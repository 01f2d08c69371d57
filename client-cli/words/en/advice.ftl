### What to type after a refusal. The server's sentence comes before it.

advice-signup = flagfall signup NAME makes an account of the guest you are, and your games stay yours.
advice-webhook = flagfall webhook set URL sets one.
