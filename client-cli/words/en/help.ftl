### The help of commands. The id of a command's text is `help-` and the path of the command. A text
### with `-more` follows the options. Every text may use $request, an example request to the
### referee. The list of commands shows a text in one line, so it has at most 65 characters.

help-heading-usage = Usage:
help-heading-commands = Commands
help-heading-arguments = Arguments
help-heading-options = Options
help-heading-everywhere = Options of every command
help-heading-everywhere-colon = { help-heading-everywhere }:

help-group-play = Play:
help-group-watch = Watch and study:
help-group-deployments = Deployments:
help-group-players = Players:
help-group-account = Your account:
help-group-programs = Programs and settings:

help = Play and watch Stratego in the terminal.
help-more =
    Examples:
      flagfall play --bot                      play against the house
      flagfall play                            take an open offer, or make one
      flagfall play --rules barrage --time 5+3
      flagfall play --rated --rating 1400-1600
      flagfall play --challenge                make a game for a friend
      flagfall play --accept CODE              accept a friend's game
      flagfall watch                           choose a running game and follow it
      flagfall rules barrage                   explain a ruleset
      flagfall bot --exec ./ann --rules pbm    let a program play
      flagfall settings set server https://play.example.org

    Commands, rulesets, levels and speeds may be written in capitals.
    flagfall COMMAND --help explains a command.

    Exit codes:
      0    done
      1    refused: the server says no, or a record is false
      2    wrong usage: the command line or the settings
      3    network: no server answers, or the connection is lost
      4    storage: a file cannot be read or written
      130  interrupted

help-play = Play a game: take an open offer that fits, or make one and wait.
help-seek = Wait to be paired with a player of about your strength.
help-seek-more =
    Every few seconds the server pairs the players who are waiting for the same ruleset and clock, the
    closest ratings first. The longer you wait, the wider it searches. A lost connection keeps your
    place. Quit to leave the pool.

    Examples:
      flagfall seek --rated
      flagfall seek --rules barrage --time 5+3 --rated
help-watch = Follow a running game.
help-games = List your running games, open offers and public games.
help-games-more =
    Your games come first, the most urgent at the top, each with whose turn it is and the time left.
    An account's games are listed wherever they were started. --json adds the open offers.

    Examples:
      flagfall games
      flagfall games --json
      flagfall play --game ID
help-next = Open the most urgent game in which it is your turn.
help-mail = Play many games at one prompt, as in play by mail.
help-mail-more =
    Lines are read from the terminal or a script; help lists what you can type. Challenges and
    queued moves stay when you leave.

    Examples:
      flagfall mail
      echo 'challenge bob pbm 3days' | flagfall mail
      printf 'next\nmove a4a5\nqueue a5a6 if b7b6\n' | flagfall mail
help-record = Show the record of a game from a server or a file.
help-record-more =
    The record of a running game contains what you are allowed to know so far. A file can be in any
    format that `flagfall convert` reads. Showing a file needs no server. On a terminal, a file is
    shown step by step; otherwise, it is printed as text.

    Examples:
      flagfall record 0123456789ab --json --out final.json
      flagfall record 0123456789ab --as public --step
      flagfall record final.json
      flagfall record final.json --text
      flagfall record game.xml --step --plain
help-check = Verify records.
help-check-more =
    Prints a line for each record: good, partly (with what could not be checked) or FALSE (with the
    ply, a code and the reason). docs/protocol/RECORDS.md explains the codes.

    Exit codes: 0 nothing is false, 1 something is false, 4 something could not be read.

    Examples:
      flagfall record 0123456789ab --json | flagfall check -
      flagfall check games/ final.json
      curl -s https://play.example.org/api/keys > keys.json
      flagfall check --key keys.json final.json
help-convert = Convert a game to another format.
help-convert-more =
    The formats are json (our records), text, strados (Gravon's XML) and pbm (play-by-mail text).
    Games in other formats are replayed move by move. If a move is illegal, the game is refused with
    the move and the reason. docs/protocol/RECORDS.md lists what each format cannot express.

    Examples:
      flagfall convert final.json
      flagfall convert --to strados final.json game.xml
      flagfall convert game.xml game.json
      flagfall convert --rules tournament game.xml
help-rules = Explain a ruleset, or list them all.
help-umpire = Let programs play each other over the line protocol.
help-umpire-more =
    Each program must read standard input and write standard output without buffering; see
    docs/protocol/UMPIRE.md. --red and --blue take a file, or a command quoted as in a shell.
    Use --rules pbm for programs that do not support a repetition rule. If more games run at the
    same time than there are processors, programs may answer late. Ctrl-C ends all programs; the
    results then count only the games that are over.

    Examples:
      flagfall umpire --rules pbm --red ./ann --blue 'python3 bob.py' --games 20 --swap
      flagfall umpire --rules pbm --all class/ --games 4 --parallel 2 --record games/ --log logs/
      flagfall umpire --rules pbm --all class/ --format markdown --out table.md
      flagfall umpire --rules pbm --red ./ann --blue 'flagfall bot --line random --rules pbm'
help-bot = Let a program play on a server, or start a house player.
help-bot-more =
    With --exec a program plays on the server as a guest. The program is started for each game and
    uses the same protocol as under flagfall umpire (docs/protocol/UMPIRE.md). It does not notice
    lost connections. If the program fails, the game is resigned and no other game starts. Ctrl-C
    resigns the running game and ends the program. A second Ctrl-C ends everything at once.

    With --line a house player plays one game over standard input and output. Errors go to standard
    error.

    Exit codes of --exec in addition to those of every command: 130 stopped during a game,
    5 garbage, 6 illegal move, 7 illegal deployment, 8 late, 9 program ended.

    Examples:
      flagfall bot --exec ./ann --rules pbm --name ann --games 0 --server play.example
      flagfall bot --exec 'python3 -u bob.py' --rules barrage --time 5+3 --bot simple
      flagfall bot --exec ./ann --accept CODE
      flagfall bot --line random --rules pbm
help-deployments = List, save, show, remove, export and import deployments.
help-deployments-more =
    The deployments of an account are saved on the server, those of a guest on this machine. While
    you deploy, l loads a saved deployment and w saves one.

    Examples:
      flagfall deployments
      flagfall deployments save barrage corner '.9..1..... ..2......9 ..S.....8. ........FB'
      flagfall deployments show barrage corner
      flagfall deployments export mine.json
      flagfall play --rules barrage --setup corner

    A text has a letter for every home square, the row nearest the enemy first, each row from your
    left: 1-9 for Marshal to Scout, S Spy, B Bomb, F Flag, and . for an empty square.
help-deployments-list = List your saved deployments.
help-deployments-show = Print a saved deployment.
help-deployments-save = Save a deployment.
help-deployments-remove = Remove a saved deployment.
help-deployments-export = Write all saved deployments as JSON, with ruleset, name and text.
help-deployments-import = Save all deployments of an exported file. They replace deployments of the same name.
help-signup = Turn your guest into an account, or make a new account.
# For several commands.
-account-more =
    Passwords, recovery codes and tokens are not shown while you type. Without a terminal, each is
    read from a line of standard input. --name chooses between several accounts and guests on one
    machine. Without --name, the account that logged in last is used.
help-signup-more = { -account-more }
help-login = Log in to an account.
help-login-more = { -account-more }
help-logout = Log out and revoke the credential on this machine.
help-whoami = Show who you are on the server.
help-leaderboard = Show the best players of a ruleset and speed.
help-leaderboard-more =
    Every ruleset has a leaderboard for each speed. The speed depends on the time that the clock
    gives for forty plies: bullet is under 3 minutes, blitz under 8, rapid under 25, and classical
    25 or more. Games with days per move are correspondence. A player is listed once enough recent
    games make the rating certain (a deviation of 75 or less).
help-profile = Show a player's public profile with ratings.
help-profile-more =
    Without --rules and --speed the chart shows the rating with the most games.

    Examples:
      flagfall profile ann
      flagfall profile ann --rules barrage --speed blitz
help-history = List finished games of a player, or of two players.
help-history-more =
    Private games are listed only for their players. To see a listed game: flagfall record ID

    Examples:
      flagfall history
      flagfall history ann
      flagfall history ann bob
help-email = Get a mail when it is your turn.
help-email-more =
    Mails are sent for games with days per move, at most one every ten minutes, by servers whose
    operators have set this up. First confirm the address: open the link in the mail that set sends.
    Each mail has a link that ends the mails.

    Examples:
      flagfall email set ann@example.org
      flagfall email show
      flagfall email remove
help-email-set = Set the address. A confirmation mail is sent there.
help-email-show = Show the address, and whether it is confirmed.
help-email-again = Send another confirmation mail.
help-email-remove = Remove the address.
help-webhook = Send a signed notice to an address when it is your turn.
help-webhook-more =
    Notices are sent for games with days per move. A notice is JSON with an id, the game, the
    ruleset, the ply and the deadline. It contains no secret. The Flagfall-Signature header
    consists of sha256= and the HMAC-SHA256 of the body. The key of the HMAC is the secret that set
    prints once. If the answer to a notice has no status from 200 to 299, the notice is sent again
    with the same id, five times within three hours. After five lost notices in a row the webhook is
    off until you set it again.

    Examples:
      flagfall webhook set https://example.org/turns
      flagfall webhook test
      flagfall webhook show
help-webhook-set = Set the webhook and print its secret once.
help-webhook-show = Show the webhook and the result of the latest notice.
help-webhook-remove = Remove the webhook.
help-webhook-test = Send a test notice now.
help-feed = Make a feed of your turns and finished games.
help-feed-more = You can subscribe to the feed in a feed reader. A new feed makes the old address invalid.
help-stats = Show your own results by ruleset, side and deployment.
help-stats-more = Only you can see these statistics.
help-block = Block a player: no games, no pairing and no chat.
help-unblock = Unblock a player.
help-blocks = List the players you have blocked.
help-tokens = List, make and revoke the tokens of your account.
help-tokens-list = List your tokens.
help-tokens-new = Make a token for another machine or a program. The token is shown only once.
help-tokens-revoke = Revoke a token. Clients that use it are logged out at once.
help-recover = Set a new password with your recovery code.
help-recover-more = { -account-more }
help-account = Export or delete your account, or change its password.
help-account-export = Print everything that the server stores about the account, as JSON. Passwords and tokens are left out.
help-account-password = Change the password of the account. All other logins end.
help-account-recovery-code = Make a new recovery code. The old one becomes invalid.
help-account-dump = Show or set how the server's monthly dumps of public games show you.
help-account-delete = Delete the account permanently. Its games stay, but without its name.
help-referee = Answer requests about games as JSON lines, without a network.
help-referee-more =
    Reads a JSON request from each line of standard input and answers with a JSON line, in order,
    until the input ends. The answers show every rank. docs/protocol/REFEREE.md lists all requests.

    Example:
      echo '{ $request }' | flagfall referee
help-settings = Show or change your settings.
help-settings-more =
    Settings are saved in settings.toml in the folder of the client. An option on the command line
    overrides an environment variable, and both override the file. You can edit the file. Your
    comments stay when flagfall changes it.

    Examples:
      flagfall settings
      flagfall settings set server https://play.example.org
      flagfall settings set alerts bell,desktop
      flagfall settings unset alerts
help-settings-list = Show each setting and where its value comes from.
help-settings-set = Change a setting in the file.
help-settings-unset = Remove a setting from the file.
help-completions = Print completions for your shell.
help-completions-more =
    Examples:
      flagfall completions bash > ~/.local/share/bash-completion/completions/flagfall
      flagfall completions zsh > ~/.zfunc/_flagfall
      flagfall completions fish > ~/.config/fish/completions/flagfall.fish
help-man = Write the manual pages into a folder.
help-man-more =
    Example:
      flagfall man ~/.local/share/man/man1
