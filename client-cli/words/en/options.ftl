### The help of options and arguments. A text is `arg-`, the path of its command and its own name,
### or without the path if several commands share the text. Every text may use $levels (the levels of
### the house players) and $level (the default one).

arg-help = Print help.
arg-version = Print the version.
arg-server = The server: https://host if it speaks TLS, host:port if not. A name such as play.example.org means https. Separate several servers of one service by commas; the client goes on at the next one when a server is gone.
arg-ca = A file with certificates (PEM) of authorities to trust beside those that browsers trust.
arg-name = Who you are on the server. A new name is a new guest (2 to 20 letters, digits, - and _).
arg-plain = Print lines instead of the full screen: for screen readers and scripts.
arg-no-color = Use no colors.
arg-numbers = The figures on the pieces: us (1 Marshal to 9 Scout) or eu (10 Marshal to 2 Scout).
arg-noflip = Keep Red at the bottom instead of your own side.
arg-alerts = How the full screen calls you when it is your turn: bell, title (of the window), desktop (a notification, in terminals that know OSC 9), or none. Separate several by commas.
arg-no-mouse = Leave the mouse to the terminal, for example to select text.
arg-no-editing = Read lines as the terminal sends them, without line editing and history.
arg-config-dir = The folder for credentials, settings and saved deployments instead of the usual one (~/.config/flagfall).

arg-json = Print JSON.
arg-out = Write into this file instead of the terminal.

arg-rules = The ruleset (see flagfall rules), classic by default. Casual games may change single rules: classic,ties=attacker,quiet=off.
arg-time = The clock: minutes and seconds per move (10+5), seconds (90s+2), minutes and free seconds of each turn (10d5), days per move (3days), or none. Offers have 10+5 by default.
arg-side = Your side. It is drawn at random by default.
arg-private = Only the two players see the game.
arg-secret = Your deployment and the full record stay private after the end.
arg-rated = The game changes both ratings. It needs accounts (or bots), a clock, and a ruleset without changes.
arg-rating = Only opponents with these ratings: 1400-1600, 1400- (or more), -1600 (or less), or around your own: +-200, -100+300. Guests have no rating.
arg-bot = Play against a house player of this level ({ $levels }), { $level } by default.
arg-challenge = Make a game for a friend and print its code.
arg-accept = Accept a friend's challenge.
arg-game = Return to a game in which you have a seat.
arg-setup = A deployment to submit at once: random, suggested, the name of a saved one, a file, or its text.
arg-watch-game = The game. Without it, choose one from a list.

arg-source = The id of a game, or a file with a record; - for standard input.
arg-scope = Whose record: as Red, Blue or the public saw the game live, or everything. By default what you may know now.
arg-text = Print text, which is the default.
arg-step = Step through the game on the board with the arrow keys.
arg-records = Files of records, folders with them (*.json, *.jsonl), or - for standard input.
arg-check-json = Print a JSON line for each record, with all findings.
arg-key = A public key of the server that must have signed every record: 64 hexadecimal digits, a file of such keys, or the answer of /api/keys. May be repeated.
arg-input = The file to read, or - for standard input.
arg-output = The file to write, the terminal by default. An existing file is not overwritten.
arg-from = The format to read: json, text, strados or pbm. By default the file shows it.
arg-to = The format to write: text by default if json is read, otherwise json.
arg-convert-rules = The ruleset, for formats that do not name it; classic by default for strados.
arg-ruleset = The ruleset's id.
arg-rules-ruleset = The ruleset's id, with or without changes: classic, or classic,ties=attacker.

arg-umpire-rules = The ruleset (see flagfall rules).
arg-red = The program that plays Red.
arg-blue = The program that plays Blue.
arg-red-name = The name of Red's program, the name of its file by default.
arg-blue-name = The name of Blue's program, the name of its file by default.
arg-all = Play a round robin of all programs in a folder: every executable file, and every folder with an executable run.
arg-games = The number of games, 1 by default. With --all the games of each pair, 2 by default; the sides alternate.
arg-swap = The programs change sides after each game.
arg-parallel = The number of games at the same time.
arg-turn-time = Seconds for each answer at a turn.
arg-deploy-time = Seconds for the deployment, by default as for a turn.
arg-record = Write a record of each game into this folder (see flagfall check).
arg-log = Write the moves of each game and the programs' standard errors into this folder, by default that of --record.
arg-format = The format of the results: text, markdown, or csv with a line for each program.
arg-umpire-out = Write the results into this file in that format. The terminal gets them as text.
arg-exec = Let this program play on the server: a file, or words with quotes as in a shell.
arg-bot-games = The number of games for --exec, one after another; 0 for no limit.
arg-bot-turn-time = Seconds that the program has for each answer. By default the game's clock is the limit, or 2 seconds without a clock.
arg-bot-log = Write the program's standard error into this folder, one file for each game.
arg-line = Play over standard input and output as a house player of this level.
arg-nodes = How many positions the house player may look at for one move.
arg-seed = With the same seed the house player plays the same game. It is random by default.

arg-setup-name = The name of the deployment.
arg-deployments-save-setup-name = A name: letters, digits, - and _.
arg-deployments-save-setup = A file, or the text itself.
arg-deployments-export-out = The file to write, the terminal by default.
arg-file = The file, or - for standard input.

arg-account = The account's name.
arg-signup-account = The account's name: 2 to 20 letters, digits, - and _.
arg-signup-bot = Make a bot account, for a program. This never changes, and everyone sees it.
arg-new = Make a new account, even if you have played here as a guest.
arg-token = Log in with a token from another machine (flagfall tokens new) instead of name and password.
arg-label = The name of this login in the list of tokens.
arg-leaderboard-rules = The ruleset.
arg-leaderboard-speed = The speed: bullet, blitz, rapid, classical or correspondence.
arg-bots = Show the best bots.
arg-player = The player's name.
arg-profile-rules = The ruleset of the chart.
arg-profile-speed = The speed of the chart.
arg-history-player = The player's name. Without it, your own games.
arg-opponent = Only games against this player, with the score between the two.
arg-after = Continue after a page, as its last line says.
arg-url = An https address.
arg-remove = Remove the feed instead.
arg-tokens-new-label = The name of the token in the list.
arg-tokens-new-scope = What it may do: play is everything, bot is playing as a bot account only.
arg-id = The token's id in the list.

arg-settings-set-key = The setting, as flagfall settings lists it.
arg-value = Its value: yes or no for switches, a list with commas for alerts.
arg-settings-unset-key = The setting, as flagfall settings lists it.
arg-shell = The shell.
arg-folder = The folder. It is made if it does not exist.

value-alerts-bell = the terminal's bell
value-alerts-title = the title of the window
value-alerts-desktop = a notification of the desktop
value-alerts-none = not at all
value-numbers-us = 1 Marshal to 9 Scout
value-numbers-eu = 10 Marshal to 2 Scout
value-scope-play = everything
value-scope-bot = playing as a bot account
value-format-text = for a terminal
value-format-markdown = for a page
value-format-csv = for a spreadsheet

## What is wrong with a value. $text: what was typed.

not-seconds = "{ $text }" is not a number of seconds, as in 2 or 0.5
seconds-out-of-bounds = it must be 0.001 to 86400 seconds
not-a-side = "{ $text }" is not a side: write red or blue
not-a-scope = "{ $text }" is not an audience: write red, blue, public or all
not-a-switch = write yes or no, not "{ $text }"
not-a-record-source = this is neither the id of a game (12 letters and digits) nor an existing file
