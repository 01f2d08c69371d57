// Made from shared/protocol/schema by `npm run make-messages`. Do not edit.


/** One value for each side. */
export interface PerSide<T> {
  red: T;
  blue: T;
}

/** A message from a client. Unknown fields are refused. */
export type ClientMessage = 
  /** The first message of every connection. It must come within ten seconds. */
  | {
    /** The client program and its version, for the operator's log. At most 64 characters are kept. */
    client?: string | null;
    /** The name that a new guest would like: 2 to 20 letters, digits, `-` and `_`. */
    name?: string | null;
    /** The protocol version, 1. */
    protocol: number;
    /** True for a page in a browser: without a `token`, the client is the player of the session cookie that the browser sent with the connection. Without a valid one it is anonymous. */
    session?: boolean;
    /** The token from an earlier `welcome`. Without one, the client becomes a new guest. */
    token?: Secret | null;
    type: "hello";
  }
  /** The answer to a `ping`. */
  | {
    /** The `id` of the ping. */
    id: number;
    type: "pong";
  }
  /** Asks for the open seeks and the running public games, and for updates from now on. */
  | {
    type: "open_lobby";
  }
  /** Ends the updates from the lobby. */
  | {
    type: "close_lobby";
  }
  /** Offers a game to anyone. A player can have three open seeks. A seek closes soon after its player's last connection does. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** Which ratings may accept. Without one, any player may. */
    rating?: RatingWish | null;
    /** The side that the seeker wants. Without one, it is drawn. */
    side?: Side | null;
    /** What to play. */
    terms: Terms;
    type: "seek";
  }
  /** Withdraws a seek. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The id of the seek. */
    seek: string;
    type: "cancel_seek";
  }
  /** Accepts a seek. The game starts. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** True to keep the acceptor's deployment and the full record private after the end. */
    secret?: boolean;
    /** The id of the seek. */
    seek: string;
    type: "accept_seek";
  }
  /** Offers a game to the person who is given the code in the answer. It expires after a day. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The side that the challenger wants. Without one, it is drawn. */
    side?: Side | null;
    /** What to play. */
    terms: Terms;
    type: "challenge";
  }
  /** Withdraws a challenge. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The client's id for this command. */
    cmd_id: CommandId;
    type: "cancel_challenge";
  }
  /** Asks what a challenge offers, before accepting it. The answer is `challenge`. */
  | {
    /** The code of the challenge. */
    challenge: string;
    type: "show_challenge";
  }
  /** Accepts a challenge. The game starts. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** True to keep the acceptor's deployment and the full record private after the end. */
    secret?: boolean;
    type: "accept_challenge";
  }
  /** Starts a game against a house player. */
  | {
    /** The level of the house player: `random`, `simple` or `good`. */
    bot: string;
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The side that the client wants. Without one, it is drawn. */
    side?: Side | null;
    /** What to play. */
    terms: Terms;
    type: "play_bot";
  }
  /** Enters the pool: the server pairs players of similar strength who want the same game, and starts it. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** What to play. The server decides the sides. */
    terms: Terms;
    type: "enter_pool";
  }
  /** Leaves the pool. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    type: "leave_pool";
  }
  /** Offers another game with the sides swapped, after a game has ended. It starts when both players have offered. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The game that ended. */
    game: GameId;
    type: "rematch";
  }
  /** Opens a game: as a player with a seat in it, or else as a spectator. The answer is `game`. Events follow. */
  | {
    /** The game. */
    game: GameId;
    /** What the client has seen already. The answer then includes the events since. */
    since?: Position | null;
    type: "open_game";
  }
  /** Ends the updates from a game. */
  | {
    /** The game. */
    game: GameId;
    type: "close_game";
  }
  /** A command in a game in which the client has a seat. */
  | {
    /** The client's id for this command. Repeating an accepted command, over any connection, returns its outcome again. */
    cmd_id: CommandId;
    /** The command itself. */
    command: GameCommand;
    /** The epoch of the view in which the command is made. Send it. In a later epoch the command is refused as `stale_epoch`, unless it is a deployment or was accepted before. */
    epoch?: number | null;
    /** The game. */
    game: GameId;
    /** The ply at which the command is made. It is refused as `stale_ply` once the game has moved on. */
    ply: number;
    type: "command";
  }
  /** Says something to the opponent, during a game or after it. No one else reads it, and it is not stored. */
  | {
    /** The client's id for this message. */
    cmd_id: CommandId;
    /** The game. */
    game: GameId;
    /** What to say. */
    said: Said;
    type: "say";
  }
  /** Reports the opponent's behavior in a game to the operators of the server: once for each game, ten times a day. */
  | {
    /** The client's id for this message. */
    cmd_id: CommandId;
    /** The game. */
    game: GameId;
    /** What happened, in 1 to 300 characters. */
    reason: string;
    type: "report";
  }
  /** Asks for the client's own running games. */
  | {
    type: "my_games";
  };

/** A message from the server. Clients ignore fields that they do not know. */
export type ServerMessage = 
  /** The answer to `hello`. */
  | {
    /** After how many seconds of an opponent's absence a short game can be claimed; half as many if they left on purpose. Servers of version 0.1 do not send it. */
    claim_seconds?: number | null;
    /** The player's running games. */
    games: GameSummary[];
    /** The hash of the page that this server serves, for a client that said `session`. A page with another hash is out of date. */
    page?: string | null;
    /** The player that the client is. Absent for an anonymous client, which said `session` and has none: it can only look on. */
    player?: Player | null;
    /** The server's protocol version. */
    protocol: number;
    /** The server's program and version. */
    server: string;
    /** The server's time, in milliseconds since 1970. */
    server_time: number;
    /** The token of a new guest. Store it and keep it secret: the server sends it only once. */
    token?: Secret | null;
    type: "welcome";
  }
  /** A command was carried out. What it changed is on disk. */
  | {
    /** The id of the command. */
    cmd_id: CommandId;
    /** The outcome. */
    outcome: Accepted;
    type: "accepted";
  }
  /** A command or message was refused. It changed nothing, except perhaps with the code `store_unavailable` or `stopping`: then repeat the command with the same id. */
  | {
    /** Numbers and keys that the message mentions, such as a limit or a time to wait. With the code they are enough to say it in other words. Servers of version 0.1 do not send them. */
    args?: RefusalArgs;
    /** The id of the command, if the message had a readable one. */
    cmd_id?: CommandId | null;
    /** Why, as a stable code for programs. */
    code: Code;
    /** The game, if the message was about one. */
    game?: GameId | null;
    /** Why and what to do, for people. */
    message: string;
    /** The id of the request. Operators find it in the server's log. Servers of version 0.1 do not send it. */
    request?: string | null;
    /** The game's current sequence number for this client, if the message was about a game. */
    seq?: number | null;
    type: "refused";
  }
  /** The whole lobby. The server sends it again when it changes. */
  | {
    /** The latest running public games. */
    games: GameSummary[];
    /** How many players are connected. */
    players_online: number;
    /** The open seeks, oldest first. */
    seeks: Seek[];
    type: "lobby";
  }
  /** What a challenge offers. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The player who made the challenge. */
    challenger: Player;
    /** When the challenge expires, in milliseconds since 1970. */
    expires: number;
    /** What to play. */
    terms: Terms;
    type: "challenge";
    /** The side of the player who accepts. Without one, it is drawn. */
    your_side?: Side | null;
  }
  /** A game was made in which the client has a seat. */
  | {
    /** The game. */
    game: GameSummary;
    /** The side that the client plays. */
    side: Side;
    type: "game_started";
  }
  /** The client's own running games. */
  | {
    /** The games, newest first. */
    games: GameSummary[];
    type: "my_games";
  }
  /** A whole game, as this client may see it. The answer to `open_game`. */
  | {
    /** Why the game was aborted, if it was. */
    abort?: Abort | null;
    /** How the client sees the game. */
    audience: Audience;
    /** When the game can be claimed because this player is gone, in milliseconds since 1970. */
    claimable_at?: PerSide<number | null>;
    /** True if the client may act. A player's newest connection to the game may. */
    driving: boolean;
    /** The epoch of the game's log. It changes if the store has lost events. */
    epoch: number;
    /** The events since the position that the client named, oldest first. Empty if it named none, or the server no longer has them. */
    events?: GameEvent[];
    /** The game. */
    game: GameSummary;
    /** True for a player who is gone because they closed the game or the connection. Otherwise the connection was lost. */
    left?: PerSide<boolean>;
    /** The presence of each player. */
    presence: PerSide<Presence>;
    /** The sides that have asked for a rematch. */
    rematch?: Side[];
    /** The sequence number of the last event in this view. */
    seq: number;
    type: "game";
    /** The game at `seq`. */
    view: GameView;
  }
  /** Something happened in an open game. */
  | {
    /** Why the game was aborted, if this event aborted it. */
    abort?: Abort | null;
    /** What else changes in the view. */
    change: ViewChange;
    /** What happened. */
    event: GameEvent;
    /** The game. */
    game: GameId;
    /** The sequence number: one more than the one before. */
    seq: number;
    type: "event";
  }
  /** A player came or went. */
  | {
    /** The game. */
    game: GameId;
    /** True if they are gone because they closed the game or the connection. */
    left?: boolean;
    /** The player's presence now. */
    presence: Presence;
    /** The player. */
    side: Side;
    type: "presence";
  }
  /** A player is gone and the opponent may claim the game from a certain time on, or no longer may. */
  | {
    /** When a claim is possible, in milliseconds since 1970. Absent if no claim is possible. */
    at?: number | null;
    /** The game. */
    game: GameId;
    /** The side that is gone. */
    gone: Side;
    type: "claimable";
  }
  /** A player offers a rematch of a game that has ended. */
  | {
    /** The game that has ended. */
    game: GameId;
    /** The side that offers. */
    side: Side;
    type: "rematch_offered";
  }
  /** A newer connection of the same player has taken the seat. This one can only watch. */
  | {
    /** The game. */
    game: GameId;
    type: "superseded";
  }
  /** A player in one of the client's games said something. Only the two players receive it. */
  | {
    /** The game. */
    game: GameId;
    /** What they said. */
    said: Said;
    /** The side that spoke. */
    side: Side;
    type: "said";
  }
  /** One of the client's rated games has changed both ratings. */
  | {
    /** The change. */
    change: RatingChange;
    type: "rated";
  }
  /** A game cannot be played on this server: its log is damaged, or of a newer version. Other games go on. */
  | {
    /** Why, as a stable code for programs: `game_quarantined` or `server_too_old`. Servers of version 0.1 do not send it. */
    code?: Code | null;
    /** The game. */
    game: GameId;
    /** An explanation for people. */
    message: string;
    /** The id of the request to open the game. Absent if the damage was found later, and from servers of version 0.1. */
    request?: string | null;
    type: "game_unavailable";
  }
  /** The server has lost its store or has it back. Without the store, commands are refused. Open games stay visible. */
  | {
    /** True if the server reaches its store. Assume true until told otherwise. */
    available: boolean;
    type: "store_state";
  }
  /** Another player has addressed a challenge to this player. It stays in `/api/me/challenges` until it is answered. */
  | {
    /** The challenge. */
    invitation: Invitation;
    type: "challenged";
  }
  /** The client's own challenge was accepted or declined. */
  | {
    /** True if it was accepted. Then `game_started` follows. */
    accepted: boolean;
    /** The player who answered. */
    by: Player;
    /** The code of the challenge. */
    challenge: string;
    type: "challenge_answered";
  }
  /** A challenge that was addressed to this player is no longer open: it was withdrawn, or someone else accepted it. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The player who made it. */
    challenger: Player;
    type: "challenge_gone";
  }
  /** Asks for a `pong` with the same id. */
  | {
    /** The current sequence numbers of the client's open games. A client that is behind opens the game again. */
    heads: GameHead[];
    /** The id of the ping. */
    id: number;
    /** The player's state in the pool. Absent if they are not waiting. */
    pool?: PoolStatus | null;
    /** The server's time, in milliseconds since 1970. */
    server_time: number;
    type: "ping";
  };

/** A game from start to end, as one client may know it: complete after the end, with hidden ranks before. */
export type GameRecord = {
  /** Who the record is for. */
  audience: Audience;
  /** Each side's commitment to its deployment. */
  commitments: PerSide<HexBytes | null>;
  /** When the game was made, in milliseconds since 1970. */
  created: number;
  /** The time for deployments after that, in milliseconds. Old records lack it. */
  deploy_ms?: number | null;
  /** The deployments that are open to this client. */
  deployments: PerSide<Opened | null>;
  /** The events, oldest first. */
  events: RecordedEvent[];
  /** The audience's view before the first event. Each event's change makes the next view of it. */
  first_view?: GameView | null;
  /** The version of this format, 1. */
  format: number;
  /** The game. */
  game: GameId;
  /** Where the record comes from, if no Flagfall game wrote it. */
  imported?: Imported | null;
  /** What its changes show. Records without changes do not say. */
  kind?: RecordKind | null;
  /** How much network delay is given back. If absent, none. */
  lag_quota?: LagQuota | null;
  /** The lakes, if they were drawn for this game. */
  lakes?: Square[] | null;
  /** How the game ended. */
  outcome?: Outcome | null;
  /** The players. */
  players: PerSide<Player>;
  /** The server's signature of the game's digest, after the end. Absent if the server has no key, or if the game ended before servers signed games. */
  signature?: RecordSignature | null;
  /** The position that a game started from, if it was set up rather than deployed, in the one-line notation of positions. Ranks hidden from this client are `?`. A server never writes it. */
  start?: string | null;
  /** The terms. */
  terms: Terms;
};

/** Why a game was aborted. */
export type Abort = {
  /** The side that aborted the game. */
  called_off_by?: Side | null;
  /** The sides that did not deploy in time. */
  not_deployed?: Side[];
};

/** The outcome of an accepted command. */
export type Accepted = 
  /** A game command was carried out. */
  | {
    /** The game. */
    game: GameId;
    kind: "game";
    /** The sequence number of its last event that this client may see. */
    seq: number;
  }
  /** A game was made in which the sender has a seat. */
  | {
    /** The game. */
    game: GameId;
    kind: "started";
    /** The side that the sender plays. */
    side: Side;
  }
  /** A seek is open. */
  | {
    kind: "seek";
    /** The id of the seek. */
    seek: string;
  }
  /** A challenge is open. */
  | {
    /** The code of the challenge. Anyone who has it may accept. */
    challenge: string;
    /** When the challenge expires, in milliseconds since 1970. */
    expires: number;
    kind: "challenge";
  }
  /** Done. There is nothing more to report. */
  | {
    kind: "done";
  };

/** How a client sees a game. */
export type Audience = 
  /** As the player with the red pieces. */
  | "red"
  /** As the player with the blue pieces. */
  | "blue"
  /** As a spectator, who knows what both players know. */
  | "public";

/** The color of a chip on a square. */
export type ChipColor = 
  /** Red. */
  | "red"
  /** Yellow. */
  | "yellow"
  /** Blue. */
  | "blue"
  /** Green. */
  | "green";

/** What a player claims of a game that the opponent has left. */
export type ClaimedResult = 
  /** A win. */
  | "win"
  /** A draw. */
  | "draw";

/** Both clocks at one moment. */
export type Clock = {
  /** The moment, in milliseconds since 1970. */
  at: number;
  /** The free time left in the current turn, in milliseconds. It runs before `remaining_ms`. Present only with a delay. */
  free_ms?: PerSide<number>;
  /** The time left to each side at that moment, in milliseconds. */
  remaining_ms: PerSide<number>;
  /** Whose clock runs. Absent if neither does. */
  running?: Running | null;
};

/** Why something was refused. Codes are stable, so programs may branch on them. The rules engine's codes are passed on unchanged. */
export type Code = string;

/** An id that the client makes for a command: 1 to 36 letters, digits, `-` and `_`. A UUID fits. */
export type CommandId = string;

/** A command in a game. */
export type GameCommand = 
  /** Hands in a deployment. It can be replaced until both sides are ready. */
  | {
    kind: "deploy";
    /** The deployment: a character for each home square, the row nearest the enemy first, each row from the player's own left to right. */
    setup: string;
  }
  /** Takes a turn: moves a piece, or strikes. */
  | {
    /** The color of the chip to lay on the target square. Required in rulesets with chips, except for a flash. */
    color?: ChipColor | null;
    kind: "move";
    /** From and to, as in `a4a5`. */
    move: MoveText;
    /** Which of two paths to take where lines join at the board's edges: `+` toward higher rows or columns, `-` toward lower ones. Without it, the shorter legal path. */
    path?: Sign | null;
  }
  /** Takes a turn: moves one of the player's own pieces from the board to the reserve. */
  | {
    kind: "remove";
    /** The square of the piece. */
    square: Square;
  }
  /** Takes a turn: brings a piece from the reserve onto the player's own home rows. */
  | {
    /** The color of the chip to lay there. Required in rulesets with chips. */
    color?: ChipColor | null;
    kind: "place";
    /** True to place a labeled piece. */
    labeled?: boolean;
    /** The rank of the piece. */
    rank: Rank;
    /** The target square. */
    square: Square;
  }
  /** Names the color of the chip that the player owes. */
  | {
    /** The color. */
    color: ChipColor;
    kind: "color";
  }
  /** Names the rank of the player's own coin in the pending strike. The choice is final. */
  | {
    kind: "choose";
    /** The rank. */
    rank: Rank;
  }
  /** Offers a draw, or accepts the opponent's offer. */
  | {
    kind: "offer_draw";
  }
  /** Accepts the opponent's draw offer. */
  | {
    kind: "accept_draw";
  }
  /** Declines the opponent's draw offer. */
  | {
    kind: "decline_draw";
  }
  /** Resigns. */
  | {
    kind: "resign";
  }
  /** Aborts the game, before the player's own first turn. */
  | {
    kind: "abort";
  }
  /** Claims a game that the opponent has left. It is refused before the time in `claimable`. */
  | {
    kind: "claim";
    /** What is claimed. */
    result: ClaimedResult;
  };

/** An event, as a client may see it. */
export type GameEvent = 
  /** The client's own deployment was accepted. */
  | {
    kind: "deployed";
    /** The deployment, without blanks. */
    setup: string;
  }
  /** Another side is ready. */
  | {
    kind: "ready";
    /** The side that is ready. */
    side: Side;
  }
  /** Both sides are ready and the game has started. */
  | {
    /** Each side's commitment to its deployment. */
    commitments: PerSide<HexBytes | null>;
    kind: "started";
  }
  /** A side moved a piece, or struck. This is a turn. */
  | {
    kind: "moved";
  } & SeenMove
  /** A strike with a coin in it. The turn completes with `moved`, after every side that owes a choice has made it. */
  | {
    kind: "struck";
  } & PendingStrike
  /** The client's own choice was accepted. Other clients are not told that it was made. The record of a finished game includes the choices of all resolved strikes. */
  | {
    kind: "chosen";
    /** The rank that it chose. */
    rank: Rank;
    /** The side that chose. */
    side: Side;
  }
  /** A side moved a piece from the board to its reserve. This is a turn. */
  | {
    kind: "removed";
    /** The side that removed a piece. */
    side: Side;
    /** The square it left. */
    square: Square;
  }
  /** A side brought a piece from its reserve onto the board. This is a turn. */
  | {
    kind: "placed";
  } & SeenPlacing
  /** A side named the color of the chip it owed. This is no turn. */
  | {
    /** The color of the chip. */
    color: ChipColor;
    kind: "colored";
    /** The side that named it. */
    side: Side;
    /** The square of the chip. */
    square: Square;
  }
  /** A side offered a draw. */
  | {
    kind: "draw_offered";
    /** The side that offered. */
    side: Side;
  }
  /** A side declined the opponent's draw offer. */
  | {
    kind: "draw_declined";
    /** The side that declined. */
    side: Side;
  }
  /** The clocks stopped. */
  | {
    kind: "paused";
    /** When they stopped, in milliseconds since 1970. */
    since: number;
  }
  /** The clocks run again. */
  | {
    kind: "resumed";
    /** When they started again, in milliseconds since 1970, if that was before the event. Absent if they start with the event. */
    since?: number | null;
  }
  /** The game has ended. */
  | {
    kind: "ended";
    /** The deployments that are open to this client from now on. */
    opened: PerSide<Opened | null>;
    /** How it ended. */
    outcome: Outcome;
  };

/** A game and its current sequence number. */
export type GameHead = {
  /** The game. */
  game: GameId;
  /** The sequence number for this client. */
  seq: number;
};

/** A game's id. */
export type GameId = string;

/** A game in short. */
export type GameSummary = {
  /** When the game was made, in milliseconds since 1970. */
  created: number;
  /** The game's id. */
  id: GameId;
  /** How the game ended. */
  outcome?: Outcome | null;
  /** Deploying, playing or over. */
  phase: Phase;
  /** The players. */
  players: PerSide<Player>;
  /** Turns taken so far. */
  ply: number;
  /** The terms. */
  terms: Terms;
  /** Whose turn it is, while the game is played. */
  turn?: Side | null;
};

/** Everything that a client may know of a game. */
export type GameView = {
  /** Who the view is for. */
  audience: Audience;
  /** How many pieces of each rank each side has lost. Ranks without losses are left out. */
  captured: PerSide<Record<string, number>>;
  /** The squares with chips, by color, in rulesets with chips. */
  chips?: Record<string, Square[]> | null;
  /** Both clocks. Absent if time is unlimited. */
  clock?: Clock | null;
  /** Each side's commitment to its deployment. */
  commitments: PerSide<HexBytes | null>;
  /** The deadline for deployments, in milliseconds since 1970. */
  deploy_deadline?: number | null;
  /** The side whose draw offer is open. */
  draw_offer?: Side | null;
  /** The lake squares, which no piece enters. */
  lakes: Square[];
  /** The last turn, if it went between board and reserve. */
  last_exchange?: SeenExchange | null;
  /** The last turn, if it was a move. */
  last_move?: SeenMove | null;
  /** The deployments opened to this client at the end. */
  opened?: PerSide<Opened | null>;
  /** How the game ended. */
  outcome?: Outcome | null;
  /** The chip whose color the side to move must name before anything else. */
  owed_color?: OwedColor | null;
  /** The player's own deployment as handed in, while deploying. */
  own_deployment?: string | null;
  /** True while the clocks are stopped because the service is down or stopping. */
  paused?: boolean;
  /** The strike that waits for choices. */
  pending_strike?: PendingStrike | null;
  /** How far the game is. */
  phase: Phase;
  /** The pieces on the board, by rising row and column. */
  pieces: PieceText[];
  /** Plies until a limit draws the game. Present only when a limit is near. */
  plies_to_limit?: number | null;
  /** Turns taken so far. */
  ply: number;
  /** What each side's coins can still become, in rulesets with coins. Ranks with none left are left out. */
  pools?: PerSide<Record<string, number>> | null;
  /** Which sides have handed in a deployment. */
  ready: PerSide<boolean>;
  /** The player's own moves that a repetition rule refuses this turn. */
  refused_moves?: MoveText[];
  /** Each side's reserve, in rulesets with one. */
  reserve?: PerSide<Reserve> | null;
  /** The ruleset's id. */
  ruleset: string;
  /** Whose turn it is, while the game is played. */
  turn?: Side | null;
};

/** 32 bytes as 64 hexadecimal digits. */
export type HexBytes = string;

/** What is known of a rank: its letter, `?` if nothing is known, `[9P]` for one of several ranks, `o` for a coin, which has no rank yet. */
export type IdentityText = string;

/** The source of an imported record. Its times are all zero, and its players have only names. Unless the format has commitments, they are null and the salts are 32 zero bytes. */
export type Imported = {
  /** The name of the format: `text`, `strados` or `pbm`. */
  from: string;
};

/** A challenge that waits for this player's answer. */
export type Invitation = {
  /** The code of the challenge, to accept it with. */
  challenge: string;
  /** The player who made the challenge. */
  challenger: Player;
  /** When the challenge expires, in milliseconds since 1970. */
  expires: number;
  /** What to play. */
  terms: Terms;
  /** The side that this player would have. Without one, it is drawn. */
  your_side?: Side | null;
};

/** How much network delay a side is given back: what the server measured on its connection, as long as its stock lasts. In milliseconds. */
export type LagQuota = {
  /** How much the stock grows with each of the side's turns. Also the longest that a flag waits for a move that may be on its way. */
  per_ply_ms: number;
  /** The stock at the start, and its maximum. */
  stock_ms: number;
};

/** Chips that changed in a move: their squares and the letter of their new color (`r`, `y`, `b`, `g`), as in `a7a8=g`. */
export type LaidText = string;

/** A move: two squares, as in `a4a5`. */
export type MoveText = string;

/** An opened deployment, with the salt of its commitment. */
export type Opened = {
  /** The 32 random bytes of the commitment. */
  salt: HexBytes;
  /** The deployment, without blanks. */
  setup: string;
};

/** How a game ended. */
export type Outcome = {
  /** Why the game ended: one of the end reasons. */
  reason: string;
  /** The winner. Absent after a draw and in an aborted game. */
  winner?: Side | null;
};

/** A chip whose color a side must name before anything else. */
export type OwedColor = {
  /** The side that owes it. */
  side: Side;
  /** The square on which its piece now stands. */
  square: Square;
};

/** A strike that waits for one or both sides to say what their coin is. */
export type PendingStrike = {
  /** From and to, as in `a4a5`. */
  move: MoveText;
  /** Which sides have a coin in the strike. It does not change when one of two sides has chosen. */
  owes: PerSide<boolean>;
  /** The client's own choice, once made. */
  own_choice?: Rank | null;
  /** The side that struck. */
  side: Side;
};

/** How far a game is. */
export type Phase = 
  /** Both sides deploy. */
  | "deploying"
  /** The game is played. */
  | "playing"
  /** The game has ended. */
  | "over";

/** A phrase that every client can translate. */
export type Phrase = 
  /** Hello. */
  | "hello"
  /** Good luck, have fun. */
  | "good_luck"
  /** Well played. */
  | "well_played"
  /** Thank you. */
  | "thanks"
  /** Sorry. */
  | "sorry"
  /** I have to be away for a moment. */
  | "away_for_a_moment"
  /** Good game. */
  | "good_game";

/** A piece on the board: its square, its side (`r` or `b`), its rank, then `'` if it has moved, `*` if its rank is public and `^` if it is labeled. `a4r9'*` is Red's Scout on a4, moved and known to all. `j7b?` is a blue piece that has not moved and whose rank is unknown. */
export type PieceText = string;

/** A player. */
export type Player = {
  /** The player's id. It never changes. */
  id: string;
  /** The kind of player. */
  kind: PlayerKind;
  /** The name that others see. */
  name: string;
};

/** The kind of a player. */
export type PlayerKind = 
  /** A player with a name and a token, but no password. */
  | "guest"
  /** A player with a password. */
  | "account"
  /** A program with an account of its own. */
  | "bot"
  /** A house player: a program that the server runs. */
  | "house";

/** The state of a player who waits in the pool. */
export type PoolStatus = {
  /** The ratings of opponents they can be paired with now, for opponents who have just entered and whose rating is as uncertain. The range grows with the time waited. Absent if the games have no rating. */
  range?: RatingRange | null;
  /** When they entered, in milliseconds since 1970. */
  since: number;
  /** How many players wait for the same game, including this one. */
  waiting: number;
};

/** How much of a game a client has seen. */
export type Position = {
  /** The epoch from `game`. */
  epoch: number;
  /** The last sequence number that the client has seen. */
  seq: number;
};

/** Whether a player is at the game. */
export type Presence = 
  /** Connected, with the game open. */
  | "present"
  /** The connection closed a moment ago. */
  | "reconnecting"
  /** Gone for half a minute or more, or never came. */
  | "away";

/** The rank of a piece. */
export type Rank = 
  /** Wins the game for the side that captures it. It never moves. */
  | "flag"
  /** Never moves. It beats every attacker except the Miner. */
  | "bomb"
  /** Beats the highest rank when it strikes. */
  | "spy"
  /** Moves any distance in a line. */
  | "scout"
  /** Captures Bombs. */
  | "miner"
  /** US 7, EU 4. */
  | "sergeant"
  /** US 6, EU 5. */
  | "lieutenant"
  /** US 5, EU 6. */
  | "captain"
  /** US 4, EU 7. */
  | "major"
  /** US 3, EU 8. */
  | "colonel"
  /** US 2, EU 9. */
  | "general"
  /** US 1, EU 10. */
  | "marshal"
  /** Its strikes label pieces instead of capturing them. */
  | "phoenix";

/** How a rated game changed both ratings. */
export type RatingChange = {
  /** Each side's rating after the game. */
  after: PerSide<RatingPoint>;
  /** Each side's rating before the game. */
  before: PerSide<RatingPoint>;
  /** The first mover's advantage that the expected result included, in points. */
  first_move?: number;
  /** The game. */
  game: GameId;
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** A rating, as others see it. */
export type RatingPoint = {
  /** How uncertain the rating is: one standard deviation, in points. */
  deviation: number;
  /** True while too little is known for the rating to mean much. Show it with a question mark. */
  provisional?: boolean;
  /** The rating, in points. */
  rating: number;
};

/** A range of ratings, with at least one bound. It counts ratings for the offer's ruleset and speed, also provisional ones. An account that has not played has 1500. */
export type RatingRange = {
  /** The highest rating, in points, up to 4,000. */
  max?: number | null;
  /** The lowest rating, in points, up to 4,000. */
  min?: number | null;
};

/** The range of ratings that a seeker asks for. */
export type RatingWish = 
  /** Between two ratings. */
  | {
    kind: "between";
    /** The highest rating, in points, up to 4,000. */
    max?: number | null;
    /** The lowest rating, in points, up to 4,000. */
    min?: number | null;
  }
  /** A range around the seeker's own rating now. The server turns it into fixed bounds. */
  | {
    /** How far above, in points. Without it, there is no upper bound. */
    above?: number | null;
    /** How far below, in points. Without it, there is no lower bound. */
    below?: number | null;
    kind: "around";
  };

/** What the changes of a record show. */
export type RecordKind = 
  /** What the audience was told while the game was played. */
  | "live"
  /** From the first event on, every rank that the end of the game opened to the audience. */
  | "opened";

/** A server's signature of a finished game: Ed25519 over the game's digest, which docs/protocol/RECORDS.md defines. */
export type RecordSignature = {
  /** The id of the public key: the first 16 hexadecimal digits of its SHA-256. */
  key: string;
  /** The signature. */
  value: SignatureText;
};

/** An event and its time. */
export type RecordedEvent = {
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** The side that resigned, at the end of a game that ended so. Old records lack it. */
  by?: Side | null;
  /** What else changed in the audience's view. Old records and records imported from texts have none. */
  change?: ViewChange | null;
  /** The event. */
  event: GameEvent;
  /** The network delay that was given back to the side that acted, in milliseconds. */
  lag_ms?: number;
};

/** An argument of a refusal's text. */
export type RefusalArg = number | string;

/** The arguments of a refusal's text, by their names. docs/protocol/messages.md lists them. */
export type RefusalArgs = Record<string, RefusalArg>;

/** A side's reserve, as a client may see it. */
export type Reserve = {
  /** How many pieces of each rank lie face up. Ranks with none are left out. */
  labeled?: Record<string, number>;
  /** How many pieces it has. */
  size: number;
  /** How many pieces of each rank lie face down. Present if the client may know that side's ranks. */
  unlabeled?: Record<string, number> | null;
};

/** Whose clock runs. */
export type Running = 
  /** Red's clock. */
  | "red"
  /** Blue's clock. */
  | "blue"
  /** Both clocks: each side owes a choice in a strike. */
  | "both";

/** Something that a player says to the opponent. */
export type Said = 
  /** One of the phrases that every client can translate. */
  | {
    kind: "phrase";
    /** The phrase. */
    phrase: Phrase;
  }
  /** The player's own words. */
  | {
    kind: "text";
    /** 1 to 200 printable characters. */
    text: string;
  };

/** A secret: a token, a password or a recovery code. */
export type Secret = string;

/** An open seek. */
export type Seek = {
  /** The id of the seek. */
  id: string;
  /** Which ratings may accept. Without one, any player may. */
  rating?: RatingRange | null;
  /** The player who made it. */
  seeker: Player;
  /** The seeker's own rating for such games when they opened the seek. Absent for guests and for games without ratings. */
  seeker_rating?: RatingPoint | null;
  /** The side that the seeker wants. Without one, it is drawn. */
  side?: Side | null;
  /** What to play. */
  terms: Terms;
};

/** A turn between board and reserve. */
export type SeenExchange = 
  /** A piece left the board. */
  | {
    kind: "removed";
    /** The side that removed a piece. */
    side: Side;
    /** The square it left. */
    square: Square;
  }
  /** A piece came onto the board. */
  | {
    kind: "placed";
  } & SeenPlacing;

/** A move, as a client may see it. */
export type SeenMove = {
  /** The squares whose chips changed and their new color, as in `a7a8=g`. */
  laid?: LaidText | null;
  /** From and to, as in `a4a5`. */
  move: MoveText;
  /** What is known of the piece after the move. */
  piece: IdentityText;
  /** The side that moved. */
  side: Side;
  /** The strike, if the move was one. */
  strike?: SeenStrike | null;
};

/** A piece that came from a reserve, as a client may see it. */
export type SeenPlacing = {
  /** The color of its chip. */
  color?: ChipColor | null;
  /** True if the piece is labeled. */
  labeled?: boolean;
  /** The rank. Only its owner knows it, unless the piece is labeled. */
  piece: IdentityText;
  /** The side that placed it. */
  side: Side;
  /** The square. */
  square: Square;
};

/** A strike, as a client may see it. */
export type SeenStrike = {
  /** The piece that moved. */
  attacker: IdentityText;
  /** Where the attacker is now. */
  attacker_fate: StrikeFate;
  /** The piece that was struck. */
  defender: IdentityText;
  /** Where the defender is now. */
  defender_fate: StrikeFate;
};

/** One of the two armies. Red moves first. */
export type Side = 
  /** The side with the home rows from 1 up. It moves first. */
  | "red"
  /** The side with the home rows at the far end. */
  | "blue";

/** A direction along a line. It names the path between two squares that are joined both over the board and across its edge. */
export type Sign = 
  /** Toward higher columns or rows. */
  | "+"
  /** Toward lower columns or rows. */
  | "-";

/** An Ed25519 signature: 64 bytes as 128 hexadecimal digits. */
export type SignatureText = string;

/** The speed of a game, by the time that its clock gives one side for forty turns. Each ruleset and speed has its own ratings. */
export type Speed = 
  /** Under three minutes. */
  | "bullet"
  /** Under eight minutes. */
  | "blitz"
  /** Under twenty-five minutes. */
  | "rapid"
  /** Longer. */
  | "classical"
  /** Days for every move. */
  | "correspondence";

/** A square: column letter, row number. */
export type Square = string;

/** Where a piece is after a strike. */
export type StrikeFate = 
  /** On its own square. */
  | "stays"
  /** On the other piece's square. */
  | "advances"
  /** Off the board. */
  | "leaves";

/** The terms of a game. */
export type Terms = {
  /** True if only the two players may see the game. */
  private?: boolean;
  /** True if the game changes ratings. That takes two accounts or two bots, a clock, and a ruleset without changes. */
  rated?: boolean;
  /** The ruleset's id. A custom game adds its changes: `classic,ties=attacker,quiet=off`. */
  ruleset: string;
  /** True to keep the offering player's deployment and the full record private after the end. */
  secret?: boolean;
  /** The time control. */
  time: Time;
};

/** The time control of a game. */
export type Time = 
  /** No clock. */
  | {
    kind: "unlimited";
  }
  /** Base time, with an increment for each of the player's own turns. */
  | {
    /** Base time in seconds, 10 to 86,400. */
    base_s: number;
    /** Increment in seconds, 0 to 3,600. */
    increment_s: number;
    kind: "fischer";
  }
  /** Base time, with a delay: the first seconds of every turn are free. Unused free time is lost. */
  | {
    /** Base time in seconds, 10 to 86,400. */
    base_s: number;
    /** Free seconds in each turn, 1 to 3,600. */
    free_s: number;
    kind: "delay";
  }
  /** Days for each turn, and for the deployment. */
  | {
    /** Days, 1 to 14. */
    days: number;
    kind: "correspondence";
  };

/** What an event changes in a view beyond the event itself. The values are absolute, so a client computes none of them. */
export type ViewChange = {
  /** What each side has lost in all. Present after a strike. */
  captured?: PerSide<Record<string, number>> | null;
  /** Both clocks after the event. */
  clock?: Clock | null;
  /** The deadline for deployments, in milliseconds since 1970. */
  deploy_deadline?: number | null;
  /** The chip whose color the side to move must name before anything else. */
  owed_color?: OwedColor | null;
  /** The strike that waits for choices. */
  pending_strike?: PendingStrike | null;
  /** After a turn, the pieces that now stand on its squares. After the start and the end, all pieces. */
  pieces?: PieceText[] | null;
  /** Plies until a limit draws the game. Present only when a limit is near. */
  plies_to_limit?: number | null;
  /** Both pools, if they may have changed. */
  pools?: PerSide<Record<string, number>> | null;
  /** The player's own moves that a repetition rule refuses this turn. */
  refused_moves?: MoveText[];
  /** Both reserves, if they may have changed. */
  reserve?: PerSide<Reserve> | null;
  /** Whose turn it is after the event. */
  turn?: Side | null;
};
