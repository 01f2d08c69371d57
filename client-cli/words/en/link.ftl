### The connection to the server, the server's store, and what is saved on this machine.

# $server: its address.
connecting = Connecting to { $server } …
# $server: its address; $player: a name.
connected = Connected to { $server } as { $player }.
connected-again = Connected again.
# $server: its address; $why; $advice: a sentence.
cannot-reach = Cannot reach { $server }: { $why }. { $advice }
# $why.
no-server-yet = No server has answered yet ({ $why }). The client keeps trying.
# $why.
connection-lost = The connection is lost ({ $why }). Reconnecting.
# $why; $code: a number.
connection-closed = The server closed the connection: { $why } (code { $code }).
# $server: its address; $why.
connection-closed-early = { $server } closed the connection before the session began: { $why }.
connection-has-no-seat = The connection is lost. You are now playing this game on another connection, so this client ends.
guest-replaced = The server no longer knows the guest that was saved on this machine. You are now a new guest.
# $server: an option of the command line.
login-expired = Your saved login has expired. Log in again: flagfall login{ $server } NAME. To play as a guest instead: flagfall logout{ $server }
# $game.
seat-gone = The server no longer knows you, and your seat in game { $game } is gone. The next command makes you a new guest.
no-new-guest = The server does not accept new guests at the moment. Try again in a moment.
# $why.
message-not-understood = The server sent something that this client does not understand ({ $why }).
answer-not-understood = This client does not understand the server's answer.
outbox-full = Not sent, because too many commands are already waiting for the server.
outbox-waits = The connection is down. Your command will be sent when the connection is back.
# $why: a sentence.
retrying = The server cannot do this now. { $why } The client keeps trying.
store-away = The server cannot reach its store, so games are paused. Your commands will be carried out when the store is back.
store-game-away = The server cannot save the moves of this game right now, so the game is paused. Your commands will be carried out when the game continues.
store-game-back = The game goes on.
store-back = The server can reach its store again.

# $why.
seat-unsaved = Your seat cannot be saved on this machine ({ $why }). You can play on, but you cannot come back to your game if this client ends.
seat-saved = Your seat is saved now. You can come back to your game.
