### What to type after a refusal. The text follows the server's sentence.

advice-signup = Чтобы превратить гостя в учётную запись и сохранить свои партии: flagfall signup NAME
advice-webhook = Чтобы задать его: flagfall webhook set URL
