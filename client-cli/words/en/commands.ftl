### What commands print. In a command line, $server is a space and the options that name the server,
### or empty if none are needed.

# An error. $message: what is wrong.
error-line = flagfall: { $message }
# $path: a file; $why: from the system.
file-error = { $path }: { $why }
# $path: a file.
file-written = Written to { $path }.
# $why: what is wrong with the file.
ca-error = --ca { $why }

## Accounts

# $server.
no-identity = This server does not know you yet. To create an account: flagfall signup{ $server } NAME. To log in: flagfall login{ $server } NAME
# $player: the new guest.
guest-new = The server no longer knows the guest that was saved on this machine. You are now { $player }, a new guest.
# $why: from the system; $server; $name: the account.
login-not-saved = The login cannot be saved on this machine ({ $why }). Fix this problem, then log in again: flagfall login{ $server } { $name }
login-unknown = Your saved login has expired. Log in again: flagfall login NAME
# $code: the code.
recovery-code =
    Your recovery code is  { $code }

    Write it down, because it is not shown again.
    If you lose your password, set a new one with this code: flagfall recover NAME
# $name: the account; $server.
already-logged-in = You are logged in as { $name }. Log out first (flagfall logout{ $server }), or use another --name.
# $player: the account; $guest: yes if a guest became the account.
signed-up =
    { $guest ->
        [yes] Welcome, { $player }. This is your account now. The games that you played as a guest stay yours.
       *[no] Welcome, { $player }. This is your account now.
    }
# $server.
no-token-sent = The server created the account but sent no token. Log in: flagfall login{ $server } NAME
token-unknown = The server does not know this token. It was mistyped or revoked, or it belongs to another server.
# $player; $server: the server's address.
logged-in = You are { $player } on { $server }.
not-logged-in = You are not logged in on this server.
# $name: the account; $server: the server's address.
logged-out = { $name } is logged out on { $server }.
# $player; $server: the server's address; $id: the player's id; $token: the token's name; $scope;
# $made: a date.
who-am-i =
    You are { $player } on { $server }.
    Player { $id }; token "{ $token }" with scope { $scope }, made { $made }.
# $player; $server: the server's address.
recovered = You are logged in on { $server } as { $player }. All your other logins have ended.
password-changed = Your password has been changed. All your other logins have ended.
# $name: the account.
delete-warning = This permanently deletes the account { $name } with its name, password and tokens. The games stay, but without the name.
# $message: the server's refusal.
delete-games-running = { $message } To list the games: flagfall games
# $listing: name, pseudonym or none.
dump-listing =
    { $listing ->
        [name] The monthly dumps of public games show your name.
        [none] The monthly dumps of public games leave out your games.
       *[pseudonym] The monthly dumps of public games show you under a pseudonym that changes each year.
    }
# $name: the account.
account-deleted = The account { $name } is deleted.

## Secrets that a player types

# $what: the name of a secret.
secret-prompt = { $what }:{" "}
# $what: the name of a secret.
secret-wanted = standard input has no line for this secret: { $what }
# $name: the account.
secret-password-of = Password of { $name }
secret-first-password = Password, 8 characters or more
secret-token = Token
secret-again = Repeat the password
# $min and $max: numbers.
password-length = A password has { $min } to { $max } characters.
passwords-differ = The two passwords differ. Try again, or press Ctrl-C to stop.
secret-interrupted = Interrupted. Nothing was done.

## Players

# $name: a player.
player-blocked = { $name } is blocked. You will not be paired, and you cannot play or write to each other.
no-blocks = You have not blocked any players.
bad-name = This is not a valid name. Names consist of letters, digits, - and _.
leaderboard-custom = Custom rules have no ratings. Name a ruleset without changes.

## Tokens

token-column-id = id
token-column-scope = scope
token-column-made = made
token-column-name = name
# $name: a token; $own: yes for the token of this request.
token-name =
    { $own ->
        [yes] { $name } (this one)
       *[no] { $name }
    }
# $token: the secret; $id; $scope.
token-made =
    { $token }

    This is token { $id } with scope { $scope }. Keep it secret. It is not shown again. To log in with it on another machine: flagfall login --token
token-revoked = The token is revoked. Clients that use it are logged out.

## E-mail

email-none = No address is set. To set one: flagfall email set ADDRESS
# $address.
email-pending = { $address } is not confirmed yet. Open the link in the mail that the server has sent there; it is valid for 24 hours. To get another one: flagfall email again
email-active = Mails go to { $address } when it is your turn in a game with days per move.
email-suspended = The mail server of { $address } refuses mail for this address, so no more is sent. To confirm the address again: flagfall email again
email-again = If the address is not confirmed yet, another mail is on its way. Open the link in it.
email-removed = The address is removed. No more mail is sent.

## Webhook and feed

# $url; $secret.
webhook-set =
    When it is your turn in a game with days per move, a notice is sent to { $url }.

    The secret that signs the notices is  { $secret }

    The secret is not shown again. To send a test notice: flagfall webhook test
# $result: the server's answer.
webhook-tested = The webhook works. The test was { $result }.
webhook-test-failed = The test notice was not delivered: { $result }.
# $url; $made: a date.
webhook-address = Notices are sent to { $url }, which was set on { $made }.
# $url.
feed-made =
    { $url }

    This is the address of your feed, in the JSON Feed format. Keep the address secret, because anyone who has it can see your games. It is not shown again. If you run flagfall feed again, you get a new address, and this one stops working.

## Deployments

# $place: a path; $ruleset; $name.
deployment-saved-here = Saved as { $place }. Play it with: flagfall play --rules { $ruleset } --setup { $name }
# $ruleset; $name.
deployment-saved-online = Saved in your account as { $name }. Play it with: flagfall play --rules { $ruleset } --setup { $name }
# $name: what was typed; $ruleset.
deployment-missing = No deployment "{ $name }" is saved for { $ruleset }.
# $meant: a similar name.
deployment-meant = No deployment "{ $name }" is saved for { $ruleset }. Did you mean { $meant }?
deployment-removed = The deployment has been deleted.
no-deployments = You have no saved deployments. To find out how to save one: flagfall deployments save --help
# $ruleset: its title.
deployments-of = { $ruleset }:
# $path: a file; $line: the line with the error.
not-an-export = { $path } is not a file of exported deployments. The error is in line { $line }.
# $ruleset; $name; $why: a refusal.
import-refused = Nothing was saved, because one deployment has an error. { $ruleset } { $name }: { $why }

## A deployment that the command line names

# $ruleset.
setup-none = { $ruleset } is played without deployments, so leave out --setup.
# $name: what was typed; $ruleset.
setup-unknown = No deployment "{ $name }" is saved for { $ruleset }, and this is neither a file nor the text of a deployment.
# $meant: a similar name.
setup-meant = No deployment "{ $name }" is saved for { $ruleset }, and this is neither a file nor the text of a deployment. Did you mean `{ $meant }`?
# $other: the ruleset for which it is saved.
setup-elsewhere = No deployment "{ $name }" is saved for { $ruleset }. It is saved for { $other }, so add --rules { $other }.
# $ruleset; $why: a refusal.
setup-bad = This is not a deployment for { $ruleset }. { $why }
# $server.
rated-guest = Only players with an account can play rated games. Your games stay yours if you create an account: flagfall signup{ $server } NAME
rated-custom = Custom rules have no ratings. Name a ruleset without changes, or leave out --rated.
rated-no-clock = Games without a clock are not rated. Choose a clock, such as --time 10+5.

## Games and records

# $request: an example.
referee-hint = Type a JSON request on each line, for example { $request }. To end the referee, end the input (Ctrl-D).
record-as-file = --as needs the id of a game on a server, because a file contains only one record.
record-as-public = The server no longer knows the guest that was saved on this machine, so this is the public record.
# $why: from the parser.
record-not-understood = This client does not understand the server's record: { $why }
# $format and $own: numbers.
record-other-format = The record has format { $format }, but this client reads format { $own }.
