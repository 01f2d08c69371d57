### The connection to the server, its store, and what is saved on this machine.

# $server: its address.
connecting = Connecting to { $server } …
# $server: its address; $player: a name.
connected = Connected to { $server } as { $player }.
connected-again = Connected again.
# $server: its address; $why; $advice: a sentence.
cannot-reach = Cannot reach { $server }: { $why }. { $advice }
# $why.
no-server-yet = No server yet ({ $why }). The client keeps trying.
# $why.
connection-lost = The connection is lost ({ $why }). Reconnecting.
# $why; $code: a number.
connection-closed = The server closed the connection: { $why } (code { $code }).
# $server: its address; $why.
connection-closed-early = { $server } closed the connection before the session began: { $why }.
connection-has-no-seat = The connection is lost, and another connection of yours has the seat. This one ends.
guest-replaced = The server no longer knows the guest that was saved here. You are a new guest.
# $server: an option of the command line.
login-expired = Your saved login has expired. Log in again: flagfall login{ $server } NAME. To play as a guest instead: flagfall logout{ $server }
# $game.
seat-gone = The server no longer knows you, and your seat in game { $game } is gone. The next command makes you a new guest.
no-new-guest = The server takes no new guest now. Try again in a moment.
# $why.
message-not-understood = The server sent something that this client does not understand ({ $why }).
answer-not-understood = The server's answer is not one that this client understands.
outbox-full = Not sent: too many commands wait for the server already.
outbox-waits = The connection is down. This goes out when it is back.
# $why: a sentence.
retrying = Not now: { $why } The client keeps trying.
store-away = The server cannot reach its store, so games stand still. Your commands are carried out when it is back.
store-back = The server reaches its store again.

# $why.
seat-unsaved = Your seat cannot be saved on this machine ({ $why }). You can play on, but if this client ends, you cannot come back to your game.
seat-saved = Your seat is saved now. You can come back to your game.
