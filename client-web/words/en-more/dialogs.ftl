### The settings, and what is read in dialogs: the keys of the board.

## Settings

settings-language = Language
settings-language-system = Same as the browser
# Beside the choice: an open dialog keeps its language.
settings-language-later = The language changes when you close the settings.
# On the page of the settings.
settings-language-page = The language changes when you leave this page.
settings-language-now = Change it now
# $kept: account, device.
settings-lead =
    { $kept ->
        [account] Settings are kept in your account and on this device; notifications only on this device.
       *[device] Settings are kept on this device and take effect at once.
    }
settings-group-look = Look
settings-group-pieces = Pieces
settings-group-play = Playing
settings-premove = Let me plan a move on my opponent's turn
settings-letters = Use letters, numbers and symbols as keys on the board
settings-push = For notifications while this page is closed:
settings-theme = Light or dark
# $value: system, light or dark.
settings-theme-value =
    { $value ->
        [light] Light
        [dark] Dark
       *[system] Same as the system
    }
settings-board = Squares of the board
# $value: plain, green or checkered.
settings-board-value =
    { $value ->
        [green] Green
        [checkered] Light and dark
       *[plain] Plain
    }
settings-numbering = Numbers on pieces
# $value: us or eu.
settings-numbering-value =
    { $value ->
        [us] 1 is the Marshal, 9 the Scout
       *[eu] 10 is the Marshal, 2 the Scout
    }
settings-print = What pieces show
# $value: normal, large or glyphs.
settings-print-value =
    { $value ->
        [normal] Numbers
        [large] Large numbers
       *[glyphs] Symbols with small numbers
    }
settings-motion = Motion
# $value: system or none.
settings-motion-value =
    { $value ->
        [system] Same as the system
       *[none] None
    }
settings-confirm = Ask before a move
# $value: system, never, strikes or always.
settings-confirm-value =
    { $value ->
        [system] In games with days per move
        [never] Never
        [strikes] Before a strike
       *[always] Always
    }
settings-notices = Sounds and notifications
settings-sound = Sounds
settings-notify-turn = Notify me when it is my turn
settings-notify-start = Notify me when a game starts
settings-notify-challenge = Notify me when someone challenges me
settings-notify-time = Notify me when my time runs low
notify-refused = The browser does not allow notifications for this page. Allow them in the browser's settings.

## Keys

keys-title = Keys on the board
key-arrows = Arrows, Home, End, Page Up, Page Down
key-arrows-does = Move over the board.
key-enter = Enter or Space
key-enter-does = Take a piece, and put it on a square.
key-escape = Esc
key-escape-does = Let go of the piece.
key-n = N, P
key-n-does = Next and previous piece that can move.
key-m = M
key-m-does = Type a move.
key-i = I
key-i-does = Say what this square is.
key-g = G
key-g-does = Note what the enemy piece here may be.
key-l = L
key-l-does = Say the last move.
key-t = T
key-t-does = Say the clocks.
key-o = O
key-o-does = Say whether your opponent is here.
key-c = C
key-c-does = Say what was lost, and what is in the reserves.
key-delete = Delete
key-delete-does = Take a piece into the reserve, or off a deployment.
key-x = X
key-x-does = Mute your opponent, or unmute them.

## Keys of a record

key-n-replay = N, P
key-n-replay-does = Next and previous move.
key-f-replay = F, E
key-f-replay-does = To the start, to the end.
key-a-replay = A
key-a-replay-does = Play, or pause.
key-outside-replay = Left, Right, Home, End
key-outside-replay-does = Outside the board: previous and next move, start and end.

## Beside a game: talk, notes, and the moves that the server keeps

chat-text = Say something
chat-send = Send
chat-mute = Mute
chat-report = Report
# $square.
note-title = Your guess for { $square }
note-text = Only you see it. It follows the piece.
note-none = No note
# $square.
note-removed = The note on { $square } is gone.
# $square.
note-remove = Remove the note on { $square }
# $square; $guess: a rank, or weak, strong or watch in words.
note-on = { $square }: { $guess }
notes-empty = Nothing is noted. To note what an enemy piece may be, right-click it, press and hold it, or press G on its square.
deployment-keep = Save my deployment
deployment-none = You have no deployment in this game.
# $move: as in a4a5.
queue-offer = Queue { $move }?
queue-offer-text = The server makes this move as soon as your turn comes, if it is legal then.
queue-offer-yes = Queue the move
queue-condition = Only if your opponent plays (optional)
# $moves: a list.
queue-after = It comes after { $moves }.
# $move: as in a4a5; $if: the move before it, or none.
queue-back =
    { $if ->
        [none] Take back { $move }
       *[other] Take back { $move } if { $if }
    }
queue-cleared = Nothing is queued any more.
