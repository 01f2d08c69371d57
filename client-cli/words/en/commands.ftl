### What commands print. $server in a command line is empty, or the options that name the server,
### with a space before them.

# A message of the program about an error. $message.
error-line = flagfall: { $message }
# $path: a file; $why: from the system.
file-error = { $path }: { $why }
# $path: a file.
file-written = Written to { $path }.
# $why: what is wrong with the file.
ca-error = --ca { $why }

## Accounts

# $server.
no-identity = You are not known on this server yet. flagfall signup{ $server } NAME makes an account, flagfall login{ $server } NAME logs in to one.
# $player: the new guest.
guest-new = The server no longer knows the guest that was kept here. You are now { $player }, a new guest.
# $why: from the system; $server; $name: the account.
login-not-saved = The login cannot be saved on this machine ({ $why }). Make room, then: flagfall login{ $server } { $name }
login-unknown = Your saved login has expired. Log in again: flagfall login NAME
# $code: the code.
recovery-code =
    Your recovery code is  { $code }

    Write it down. It replaces a lost password (flagfall recover NAME), and it is not shown again.
# $name: the account; $server.
already-logged-in = You are logged in as { $name }. Log out first (flagfall logout{ $server }), or use another --name.
# $player: the account; $guest: yes if a guest became the account.
signed-up =
    { $guest ->
        [yes] Welcome, { $player }. This is your account now. The games you played as a guest stay yours.
       *[no] Welcome, { $player }. This is your account now.
    }
# $server.
no-token-sent = The server made the account but sent no token. Log in: flagfall login{ $server } NAME
token-unknown = The server does not know this token. It was mistyped or revoked, or belongs to another server.
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
recovered = You are { $player } on { $server } again. All other logins have ended.
password-changed = The password is changed. All other logins have ended.
# $name: the account.
delete-warning = This deletes the account { $name } for good: name, password and tokens. Its games stay, without the name.
# $message: the server's refusal.
delete-games-running = { $message } flagfall games lists them.
# $name: the account.
account-deleted = The account { $name } is deleted.

## Secrets that are typed. A question is followed by a colon.

# $what: the name of a secret.
secret-prompt = { $what }:{" "}
# $what: the name of a secret.
secret-wanted = standard input must have a line with this: { $what }
secret-password = Password
# $name: the account.
secret-password-of = Password of { $name }
secret-first-password = Password, 8 characters or more
secret-new-password = New password
secret-old-password = Current password
secret-recovery-code = Recovery code
secret-token = Token
secret-again = The same again
# $min and $max: numbers.
password-length = A password has { $min } to { $max } characters.
passwords-differ = The two are not the same. Try again, or press Ctrl-C to stop.
secret-interrupted = Interrupted. Nothing was done.

## Players

# $name: a player.
player-blocked = { $name } is blocked. You are not paired with each other, cannot play each other, and do not see what { $name } says.
player-unblocked = { $name } is no longer blocked.
no-blocks = You have blocked no one.
bad-name = There is nothing with this name. Names have letters, digits, - and _.
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

    This is token { $id } with scope { $scope }. It is not shown again; keep it secret. flagfall login --token logs in with it on another machine.
token-revoked = Revoked. Its user is logged out.

## Webhook and feed

# $url; $secret.
webhook-set =
    Notices of your turns in games with days per move are sent to { $url }.

    The secret that signs them is  { $secret }

    It is not shown again. flagfall webhook test sends a test.
webhook-removed = Removed. No more notices are sent.
# $result: the server's answer.
webhook-tested = It works. The test was { $result }.
webhook-test-failed = The test did not arrive: { $result }.
# $url; $made: a date.
webhook-address = { $url }, set { $made }.
# $count: lost notices.
webhook-off =
    { $count ->
        [one] It is off: { $count } notice could not be delivered. Set it again, or test it.
       *[other] It is off: { $count } notices in a row could not be delivered. Set it again, or test it.
    }
webhook-unused = Nothing has been sent yet.
# $at: a date; $delivered: yes or no; $result: the server's words.
webhook-last =
    { $delivered ->
        [yes] Latest notice: { $at }, delivered: { $result }.
       *[no] Latest notice: { $at }, not delivered: { $result }.
    }
# $count: waiting notices.
webhook-waiting =
    { $count ->
        [one] { $count } notice is waiting to be sent.
       *[other] { $count } notices are waiting to be sent.
    }
feed-removed = Removed. The address no longer works.
# $url.
feed-made =
    { $url }

    This is your feed, in the format JSON Feed. Keep the address secret: it shows your games. It is not shown again. flagfall feed makes a new address, and this one stops working.

## Deployments

bad-deployment-name = A name has 1 to 30 letters, digits, - and _, and is not random or suggested.
# $place: a path; $ruleset; $name.
deployment-saved-here = Saved as { $place }. Play it with: flagfall play --rules { $ruleset } --setup { $name }
# $ruleset; $name.
deployment-saved-online = Saved as { $name } with your account. Play it with: flagfall play --rules { $ruleset } --setup { $name }
# $name: what was typed; $ruleset.
deployment-missing = No deployment "{ $name }" is saved for { $ruleset }.
# $meant: a similar name.
deployment-meant = No deployment "{ $name }" is saved for { $ruleset }. Did you mean { $meant }?
deployment-removed = Deleted.
no-deployments = No deployment is saved. See flagfall deployments save --help.
# $ruleset: its title.
deployments-of = { $ruleset }:
# $path: a file; $line: a number.
not-an-export = { $path } is not an export of deployments: see line { $line }.
# $ruleset; $name; $why: a refusal.
import-refused = Nothing is saved. { $ruleset } { $name }: { $why }
# $count: deployments.
imported =
    { $count ->
        [one] { $count } deployment is saved.
       *[other] { $count } deployments are saved.
    }

## A deployment that the command line names

# $ruleset.
setup-none = { $ruleset } is played without deployments. Leave --setup out.
# $name: what was typed; $ruleset.
setup-unknown = No deployment "{ $name }" is saved for { $ruleset }, and it is neither a file nor a text of one.
# $meant: a similar name.
setup-meant = No deployment "{ $name }" is saved for { $ruleset }, and it is neither a file nor a text of one. Did you mean `{ $meant }`?
# $other: the ruleset for which it is saved.
setup-elsewhere = No deployment "{ $name }" is saved for { $ruleset }. It is saved for { $other }: add --rules { $other }.
# $ruleset; $why: a refusal.
setup-bad = This is not a deployment for { $ruleset }. { $why }
# $server.
rated-guest = Rated games are for accounts. flagfall signup{ $server } NAME makes one, and your games stay yours.
rated-custom = Custom rules have no ratings. Name the ruleset without changes, or leave --rated out.
rated-no-clock = Games without a clock are not rated. Name a clock, as in --time 10+5.

## Games and records

# $request: an example.
referee-hint = Type a JSON request on each line, for example { $request }. The end of the input (Ctrl-D) ends the referee.
record-as-file = --as needs the id of a game on a server. A file has one record.
record-as-public = The server no longer knows the guest that was kept here. This is the public record.
# $why: from the parser.
record-not-understood = This client does not understand the server's record: { $why }
# $format and $own: numbers.
record-other-format = The record has format { $format }. This client reads { $own }.
