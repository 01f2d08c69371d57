### The help of options and arguments. The id of a text is `arg-`, the path of the command, and the
### name of the option. If several commands share the text, the path is left out. Every text may use
### $levels (the levels of the house players) and $level (the default level).

arg-help = Print help.
arg-version = Print the version.
arg-server = The server: https://host if it speaks TLS, host:port if not. A name such as play.example.org means https. Separate several servers of one service with commas. If one is down, the client connects to the next.
arg-ca = A PEM file with certificates of authorities to trust in addition to those that browsers trust.
arg-name = Your name on the server. A new name makes a new guest (2 to 20 letters, digits, - and _).
arg-plain = Print lines instead of the full screen: for screen readers and scripts.
arg-no-color = Use no colors.
arg-numbers = The figures on the pieces: us (1 Marshal to 9 Scout) or eu (10 Marshal to 2 Scout).
arg-noflip = Keep Red at the bottom instead of your own side.
arg-alerts = How the full screen alerts you when it is your turn, or when you have little time: bell, title (of the window), desktop (a notification, in terminals that know OSC 9), desktop-777 (the same with OSC 777), or none. Separate several with commas.
arg-no-mouse = Let the terminal handle the mouse, for example to select text.
arg-no-editing = Read lines as the terminal sends them, without line editing and history.
arg-config-dir = The folder for credentials, settings and saved deployments instead of the usual one (~/.config/flagfall).
arg-language = The language of the program: en (English) or ru (Russian). By default, the language of the system.

arg-json = Print JSON.
arg-out = Write into this file instead of the terminal.

arg-rules = The ruleset (see flagfall rules), classic by default. Casual games may change individual rules: classic,ties=attacker,quiet=off.
arg-time = The clock: 10+5 (10 minutes, and 5 seconds more for each move), 90s+2 (90 seconds, and 2 more for each move), 10d5 (10 minutes; the first 5 seconds of each turn are free), 3days (3 days for each move), or none. The default for offers is 10+5.
arg-side = Your side. It is drawn at random by default.
arg-private = Only the two players can see the game.
arg-secret = Your deployment and the full record stay private after the end.
arg-rated = The game changes both ratings. It needs two accounts (or two bots), a clock, and a ruleset without changes.
arg-rating = Only opponents with these ratings: 1400-1600, 1400- (or more), -1600 (or less), or a range around your own, as in +-200 or -100+300. Guests have no rating.
arg-bot = Play against a house player of this level ({ $levels }), { $level } by default.
arg-challenge = Make a game for a friend and print its code.
arg-accept = Accept a friend's challenge.
arg-game = Return to a game in which you have a seat.
arg-setup = A deployment to submit at once: random, suggested, the name of a saved one, a file, or its text.
arg-watch-game = The game. If you leave it out, you can choose one from a list.

arg-source = The id of a game, or a file with a record; - for standard input.
arg-scope = Whose record to show: what Red, Blue or the public saw during the game, or everything. By default, everything that you are allowed to know now.
arg-text = Print text, which is the default.
arg-step = Step through the game on the board with the arrow keys.
arg-records = Files of records, folders with them (*.json, *.jsonl), or - for standard input.
arg-check-json = Print a JSON line for each record, with all findings.
arg-key = A public key of the server that must have signed every record: 64 hexadecimal digits, a file of such keys, or the answer of /api/keys. May be repeated.
arg-input = The file to read, or - for standard input.
arg-output = The file to write, the terminal by default. An existing file is not overwritten.
arg-from = The format to read: json, text, strados or pbm. By default it is detected from the file's content.
arg-to = The format to write: text by default if json is read, otherwise json.
arg-convert-rules = The ruleset, for formats that do not name it. For strados, the default is classic.
arg-ruleset = The ruleset's id.
arg-rules-ruleset = The ruleset's id, with or without changes: classic, or classic,ties=attacker.

arg-umpire-rules = The ruleset (see flagfall rules).
arg-red = The program that plays Red.
arg-blue = The program that plays Blue.
arg-red-name = The name of Red's program. By default, the name of its file.
arg-blue-name = The name of Blue's program. By default, the name of its file.
arg-all = Play a round robin of all programs in a folder: every executable file, and every subfolder that contains an executable named run.
arg-games = The number of games, 1 by default. With --all, the number of games for each pair, 2 by default. The two programs change sides after each game.
arg-swap = The programs change sides after each game.
arg-parallel = The number of games to play at the same time.
arg-turn-time = Seconds that a program has for each answer when it is its turn.
arg-deploy-time = Seconds for the deployment. By default, the same as for a turn.
arg-record = Write a record of each game into this folder (see flagfall check).
arg-log = The folder for the moves of each game and for what the programs print to standard error. By default, the folder of --record.
arg-format = The format of the results: text, markdown or csv. A csv file has one line for each program.
arg-umpire-out = Write the results into this file, in the format that --format names. The terminal shows them as text.
arg-exec = Let this program play on the server: a file, or a command quoted as in a shell.
arg-bot-games = The number of games for --exec, one after another; 0 for no limit.
arg-bot-turn-time = Seconds that the program has for each answer. By default, only the game's clock limits it; without a clock, it has 2 seconds.
arg-bot-log = Write the program's standard error into this folder, one file for each game.
arg-line = Play over standard input and output as a house player of this level.
arg-nodes = How many positions the house player may examine for one move.
arg-seed = The seed of the house player, random by default. With the same seed it plays the same game.

arg-setup-name = The name of the deployment.
arg-deployments-save-setup-name = A name: letters, digits, - and _.
arg-deployments-save-setup = A file, or the text itself.
arg-deployments-export-out = The file to write, the terminal by default.
arg-file = The file, or - for standard input.

arg-account = The account's name.
arg-signup-account = The account's name: 2 to 20 letters, digits, - and _.
arg-signup-bot = Make a bot account, for a program. Everyone sees that it is a bot, and this cannot be changed.
arg-new = Make a new account, even if you have played here as a guest.
arg-token = Log in with a token from another machine (flagfall tokens new) instead of a name and password.
arg-label = The name of this login in the list of tokens.
arg-leaderboard-rules = The ruleset.
arg-leaderboard-speed = The speed: bullet, blitz, rapid, classical or correspondence.
arg-bots = Show the best bots.
arg-player = The player's name.
arg-profile-rules = The ruleset of the chart.
arg-profile-speed = The speed of the chart.
arg-history-player = The player's name. Without it, your own games.
arg-opponent = Only games against this player, with the score between the two players.
arg-after = Continue an earlier list. The last line of that list shows the value to use.
arg-url = An https address.
arg-address = An e-mail address.
arg-remove = Remove the feed instead of making one.
arg-tokens-new-label = The name of the token in the list.
arg-tokens-new-scope = What the token allows: play allows everything, bot only allows playing as a bot account.
arg-listing = How dumps show you: name, under a pseudonym (the default), or none to leave out your games. Without it, the current choice is shown.
arg-id = The token's id in the list.

arg-settings-set-key = The setting, as flagfall settings lists it.
arg-value = The value of the setting: yes or no for switches, a list with commas for alerts.
arg-settings-unset-key = The setting, as flagfall settings lists it.
arg-shell = The shell.
arg-folder = The folder. It is created if it does not exist.

value-alerts-bell = the terminal's bell
value-alerts-title = the title of the window
value-alerts-desktop = a desktop notification (OSC 9)
value-alerts-desktop-777 = a desktop notification (OSC 777)
value-alerts-none = no alerts
value-numbers-us = 1 Marshal to 9 Scout
value-numbers-eu = 10 Marshal to 2 Scout
value-scope-play = everything
value-listing-name = with your name
value-listing-pseudonym = under a pseudonym that changes each year
value-listing-none = not at all
value-scope-bot = only playing as a bot account
value-format-text = for a terminal
value-format-markdown = for a page
value-format-csv = for a spreadsheet

## Errors in values. $text: what was typed.

not-seconds = "{ $text }" is not a number of seconds: write, for example, 2 or 0.5
seconds-out-of-bounds = the time must be between 0.001 and 86400 seconds
not-a-side = "{ $text }" is not a side: write red or blue
not-a-scope = "{ $text }" is not an audience: write red, blue, public or all
not-a-switch = write yes or no, not "{ $text }"
not-a-record-source = this is neither the id of a game (12 letters and digits) nor an existing file
