### What the page tells when nobody looks at it, and its life without a server.

## Sounds and notifications

# $rules: the title of the ruleset.
notice-turn = { $rules }: your turn.
notice-start = { $rules }: a game has started.
notice-challenge = { $rules }: a challenge for you.
notice-time = { $rules }: your time is running low.

## Long games

# $count: lines of the list.
moves-all = Show all { $count }

## Chat

chat-muted = You no longer see what this player says, here or in other games.
chat-heard = This player is no longer muted.

## Without a server, and after an upgrade

module-gone = A part of the page could not be loaded. Reload the page when your game is over.
module-offline = You are offline, and this part of the page is not on your device yet.
