// Made from shared/protocol/schema by `npm run make-messages`. Do not edit.


/** One value for each side. */
export interface PerSide<T> {
  red: T;
  blue: T;
}

/** A message from a client. The server refuses messages with unknown fields. */
export type ClientMessage = 
  /** The first message of every connection. The client must send it within ten seconds. */
  | {
    /** The name and version of the client program, for the operator's log. The server keeps at most 64 characters. */
    client?: string | null;
    /** The requested name for a new guest: 2 to 20 letters, digits, `-` and `_`. */
    name?: string | null;
    /** The version of the protocol, which is 1. */
    protocol: number;
    /** True for a page in a browser. If `token` is absent, the browser's session cookie then identifies the player. If there is no valid cookie either, the client is anonymous. */
    session?: boolean;
    /** The token from an earlier `welcome`. If absent, the server creates a new guest. */
    token?: Secret | null;
    type: "hello";
  }
  /** The reply to a `ping`. */
  | {
    /** The `id` of the ping. */
    id: number;
    type: "pong";
  }
  /** Asks for the open seeks and the running public games. From then on, the server also sends updates. */
  | {
    /** True for updates as `lobby_changed`. Otherwise, each update is a `lobby` with the complete lists. Only servers whose `welcome` has `lobby_changes` accept this field. */
    changes?: boolean;
    /** The seeks to list. If absent, all seeks are listed. Only servers whose `welcome` has `lobby_changes` accept this field. */
    filter?: LobbyFilter;
    type: "open_lobby";
  }
  /** Asks the server to stop sending lobby updates. */
  | {
    type: "close_lobby";
  }
  /** Offers a game to anyone. A player can have three open seeks. A seek closes soon after the player's last connection closes. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The ratings with which a player may accept the seek. If absent, any player may accept it. */
    rating?: RatingWish | null;
    /** The side that the seeker wants. If absent, the server chooses it at random. */
    side?: Side | null;
    /** The terms of the game. */
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
  /** Accepts a seek, which starts the game. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** True if the player who accepts wants their deployment and the full record to stay private after the game. */
    secret?: boolean;
    /** The id of the seek. */
    seek: string;
    type: "accept_seek";
  }
  /** Offers a game to anyone who has the code that the server returns. The challenge expires after a day. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The side that the challenger wants. If absent, the server chooses it at random. */
    side?: Side | null;
    /** The terms of the game. */
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
  /** Asks for the terms of a challenge before the player accepts it. The server answers with `challenge`. */
  | {
    /** The code of the challenge. */
    challenge: string;
    type: "show_challenge";
  }
  /** Accepts a challenge, which starts the game. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** True if the player who accepts wants their deployment and the full record to stay private after the game. */
    secret?: boolean;
    type: "accept_challenge";
  }
  /** Starts a game against a house player. */
  | {
    /** The level of the house player: `random`, `simple` or `good`. */
    bot: string;
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The side that the client wants. If absent, the server chooses it at random. */
    side?: Side | null;
    /** The terms of the game. */
    terms: Terms;
    type: "play_bot";
  }
  /** Enters the pool. The server pairs players of similar strength who want a game on the same terms, and starts their game. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The terms of the game that the player wants. The server chooses the sides. */
    terms: Terms;
    type: "enter_pool";
  }
  /** Leaves the pool. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    type: "leave_pool";
  }
  /** Offers a rematch with the sides swapped, after a game has ended. The new game starts when both players have offered a rematch. */
  | {
    /** The client's id for this command. */
    cmd_id: CommandId;
    /** The game that ended. */
    game: GameId;
    type: "rematch";
  }
  /** Opens a game, as one of its players or as a spectator. The server answers with `game` and then sends the game's events. */
  | {
    /** The game. */
    game: GameId;
    /** The last event of the game that the client has seen. If present, the answer includes all later events. */
    since?: EventPosition | null;
    type: "open_game";
  }
  /** Closes a game. The server then stops sending the game's events. */
  | {
    /** The game. */
    game: GameId;
    type: "close_game";
  }
  /** A command in a game in which the client is a player. */
  | {
    /** The client's id for this command. If the client repeats an accepted command with the same id, over any connection, the server returns the first outcome and does nothing else. */
    cmd_id: CommandId;
    /** The command itself. */
    command: GameCommand;
    /** The epoch of the view on which the client based the command. Clients should send it. If the game's epoch is later, the server refuses the command as `stale_epoch`, unless the command is a deployment or was already accepted. */
    epoch?: number | null;
    /** The game. */
    game: GameId;
    /** The ply at which the client issued the command. If the game is at a different ply, the server refuses the command as `stale_ply`. */
    ply: number;
    type: "command";
  }
  /** Sends a chat message to the opponent, during a game or after it. Only the two players receive the message, and the server does not store it. */
  | {
    /** The client's id for this message. */
    cmd_id: CommandId;
    /** The game. */
    game: GameId;
    /** The chat message. */
    said: Said;
    type: "say";
  }
  /** Reports the opponent's behavior in a game to the operators of the server. A player can report a game only once, and can report at most ten games a day. */
  | {
    /** The client's id for this message. */
    cmd_id: CommandId;
    /** The game. */
    game: GameId;
    /** A description of the opponent's behavior, in 1 to 300 characters. */
    reason: string;
    type: "report";
  }
  /** Asks for the player's running games. */
  | {
    type: "my_games";
  };

/** A message from the server. Clients must ignore unknown fields. */
export type ServerMessage = 
  /** The reply to `hello`. */
  | {
    /** True if `/api/about` has text from the server's operator. */
    about?: boolean;
    /** The number of seconds that a player must be absent before the opponent can claim a short game. The time is halved if the player left on purpose, and it is longer in longer games. Correspondence games cannot be claimed. Servers of version 0.1 do not send this field. */
    claim_seconds?: number | null;
    /** The player's running games. */
    games: GameSummary[];
    /** True if `open_lobby` may have `changes` and `filter`. */
    lobby_changes?: boolean;
    /** The hash of the page that this server serves. Sent only to clients that sent `session`. If a client's page has a different hash, that page is out of date. */
    page?: string | null;
    /** The public address of the server's page, such as `https://play.example.org`. The page of a challenge is at `/challenge#CODE` below this address, and the page of a game is at `/game/ID`. Absent if the server has no page or does not know its public address. */
    page_url?: string | null;
    /** The player whose token the client sent, or the new guest. Absent for an anonymous client, which sent `session` without a valid session cookie. Such a client can only watch. */
    player?: Player | null;
    /** The protocol version of the server. */
    protocol: number;
    /** The name and version of the server program. */
    server: string;
    /** The server's time, in milliseconds since 1970. The clocks of games follow it. */
    server_time: number;
    /** The token of a new guest. The client should store it and keep it secret, because the server sends it only once. */
    token?: Secret | null;
    type: "welcome";
  }
  /** A command was carried out, and its effects are stored. */
  | {
    /** The id of the command. */
    cmd_id: CommandId;
    /** The outcome. */
    outcome: Accepted;
    type: "accepted";
  }
  /** A command or message was refused and changed nothing. However, after the codes `store_unavailable` and `stopping`, the command may have been carried out, so the client should repeat it with the same id. */
  | {
    /** The values that appear in `message`, such as a limit or a waiting time. With these values and the code, a client can compose its own message. Servers of version 0.1 do not send this field. */
    args?: RefusalArgs;
    /** The id of the command, if it could be read. */
    cmd_id?: CommandId | null;
    /** The reason for the refusal, as a stable code for programs. */
    code: Code;
    /** The game that the refused message was about, if any. */
    game?: GameId | null;
    /** An explanation for people, with advice on what to do. */
    message: string;
    /** The id of the request. Operators can use the id to find the request in the server's log. Servers of version 0.1 do not send this field. */
    request?: string | null;
    /** The game's current sequence number for this client, if the refused message was about a game. */
    seq?: number | null;
    type: "refused";
  }
  /** The complete lobby. The server sends it again whenever the lobby changes, except to clients that asked for changes. */
  | {
    /** The most recently created public games that are still running. */
    games: GameSummary[];
    /** The number of this state of the lobby, for clients that asked for changes. */
    number?: number | null;
    /** The number of connected players. */
    players_online: number;
    /** The open seeks, oldest first. */
    seeks: Seek[];
    type: "lobby";
  }
  /** A change to the lobby, for clients that asked for changes. If `number` is not one more than the number of the client's state, the client should send `open_lobby` again. */
  | {
    /** The change. */
    change: LobbyChange;
    /** The number of the state after the change. */
    number: number;
    /** The number of connected players. */
    players_online: number;
    type: "lobby_changed";
  }
  /** The terms of a challenge, in reply to `show_challenge`. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The player who made the challenge. */
    challenger: Player;
    /** The time at which the challenge expires, in milliseconds since 1970. */
    expires: number;
    /** The terms of the game. */
    terms: Terms;
    type: "challenge";
    /** The side of the player who accepts the challenge. If absent, the server chooses the side at random. */
    your_side?: Side | null;
  }
  /** A game was created in which the client is a player. */
  | {
    /** The game. */
    game: GameSummary;
    /** The side that the client plays. */
    side: Side;
    type: "game_started";
  }
  /** The player's running games. */
  | {
    /** The games, newest first. */
    games: GameSummary[];
    type: "my_games";
  }
  /** A complete game, in reply to `open_game`. It contains only what this client may see. */
  | {
    /** The cause of the abort, if the game was aborted. */
    abort?: Abort | null;
    /** The audience that the client belongs to. */
    audience: Audience;
    /** For each player who is gone, the time from which the opponent can claim the game, in milliseconds since 1970. */
    claimable_at?: PerSide<number | null>;
    /** True if this connection may send commands for the player. Only the newest connection on which a player has opened the game may do so. */
    driving: boolean;
    /** The epoch of the game's log. It changes when the store has lost events. */
    epoch: number;
    /** The events after the one that the client sent as `since`, oldest first. Empty if the client did not send `since`, or if the server has discarded these events. */
    events?: GameEvent[];
    /** The game. */
    game: GameSummary;
    /** For each player who is gone, true if they closed the game or the connection, and false if the connection was lost. */
    left?: PerSide<boolean>;
    /** Each player's presence. */
    presence: PerSide<Presence>;
    /** The sides that have offered a rematch. */
    rematch?: Side[];
    /** The sequence number of the last event that the view includes. */
    seq: number;
    type: "game";
    /** The view of the game after the event `seq`. */
    view: GameView;
  }
  /** An event in a game that the client has opened. */
  | {
    /** The cause of the abort, if this event aborted the game. */
    abort?: Abort | null;
    /** The part of the view's change that cannot be derived from the event itself. */
    change: ViewChange;
    /** The event in the game. */
    event: GameEvent;
    /** The game. */
    game: GameId;
    /** The sequence number of the event. It is one more than the number of the previous event. */
    seq: number;
    type: "event";
  }
  /** A player's presence in a game has changed. */
  | {
    /** The game. */
    game: GameId;
    /** True if the player is gone because they closed the game or the connection. */
    left?: boolean;
    /** The new presence of the player. */
    presence: Presence;
    /** The player. */
    side: Side;
    type: "presence";
  }
  /** A player is gone, and the opponent can claim the game from the given time. If the opponent loses this right, the server sends the message without a time. */
  | {
    /** The time from which the opponent can claim the game, in milliseconds since 1970. Absent if they can no longer claim it. */
    at?: number | null;
    /** The game. */
    game: GameId;
    /** The side that is gone. */
    gone: Side;
    type: "claimable";
  }
  /** A player has offered a rematch after the end of a game. */
  | {
    /** The game that has ended. */
    game: GameId;
    /** The side that has offered the rematch. */
    side: Side;
    type: "rematch_offered";
  }
  /** An offer of a rematch is no longer open: its player has left or is away, or the rematch could not be created. */
  | {
    /** The game that has ended. */
    game: GameId;
    /** The side that had offered the rematch. */
    side: Side;
    type: "rematch_withdrawn";
  }
  /** The same player has opened the game on a newer connection. The connection that receives this message can only watch from now on. */
  | {
    /** The game. */
    game: GameId;
    type: "superseded";
  }
  /** A chat message in one of the client's games. Only the two players receive it. */
  | {
    /** The game. */
    game: GameId;
    /** The chat message. */
    said: Said;
    /** The side that wrote the message. */
    side: Side;
    type: "said";
  }
  /** One of the client's rated games has changed both players' ratings. */
  | {
    /** The game and the change in both ratings. */
    change: RatingChange;
    type: "rated";
  }
  /** A game cannot be played on this server, because the game's log is damaged or was written by a newer version of the server. Other games are not affected. */
  | {
    /** The reason, as a stable code for programs: `game_quarantined` or `server_too_old`. Servers of version 0.1 do not send this field. */
    code?: Code | null;
    /** The game. */
    game: GameId;
    /** An explanation for people. */
    message: string;
    /** The id of the request that tried to open the game. Absent if the damage was found later. Servers of version 0.1 do not send this field. */
    request?: string | null;
    type: "game_unavailable";
  }
  /** The server has lost its connection to the store or has restored it. While the store is unreachable, the server refuses commands, but clients can still watch open games. */
  | {
    /** True if the server can reach its store. Until the first such message, clients should assume that it is true. */
    available: boolean;
    /** If present, the message is only about the part of the store that has this game. The game stands still while this part or the whole store is unreachable. Servers of version 0.1 do not send this field. */
    game?: GameId | null;
    type: "store_state";
  }
  /** Another player has addressed a challenge to this player. `/api/me/challenges` lists it until it is answered. */
  | {
    /** The challenge. */
    invitation: Invitation;
    type: "challenged";
  }
  /** A challenge that this player made was accepted or declined. */
  | {
    /** True if the challenge was accepted. In that case, `game_started` follows. */
    accepted: boolean;
    /** The player who answered. */
    by: Player;
    /** The code of the challenge. */
    challenge: string;
    type: "challenge_answered";
  }
  /** A challenge that was addressed to this player is no longer open, because it was withdrawn, or someone else accepted or declined it. */
  | {
    /** The code of the challenge. */
    challenge: string;
    /** The player who made the challenge. */
    challenger: Player;
    /** The reason: `taken` (someone else accepted it), `withdrawn` or `declined` (by someone else). Clients must also accept unknown reasons. Servers of version 0.1 do not send this field. */
    reason?: string | null;
    type: "challenge_gone";
  }
  /** A check of the connection. The client must answer with a `pong` that has the same id. */
  | {
    /** The current sequence numbers of the games that the client has opened. A client that has missed events should open the game again. */
    heads: GameHead[];
    /** The id of the ping. */
    id: number;
    /** The player's state in the pool. Absent if the player is not in the pool. */
    pool?: PoolStatus | null;
    /** The server's time, in milliseconds since 1970. The clocks of games follow it. */
    server_time: number;
    type: "ping";
  };

/** A complete game, from the point of view of one audience. Until the game ends, the record hides the ranks that the audience may not see. */
export type GameRecord = {
  /** The audience that the record is for. */
  audience: Audience;
  /** Each side's commitment to its deployment. */
  commitments: PerSide<HexBytes | null>;
  /** The time at which the game was created, in milliseconds since 1970. */
  created: number;
  /** The deadline for deployments, in milliseconds after `created`. Absent in old records. */
  deploy_ms?: number | null;
  /** The deployments that this client may see. */
  deployments: PerSide<Opened | null>;
  /** The events, oldest first. */
  events: RecordedEvent[];
  /** The audience's view before the first event. Each event and its `change` turn one view into the next. */
  first_view?: GameView | null;
  /** The version of the record format, which is 1. */
  format: number;
  /** The game. */
  game: GameId;
  /** The source of the record, if it was imported. */
  imported?: Imported | null;
  /** The kind of record: `live` or `opened`. Absent if the events have no `change`. */
  kind?: RecordKind | null;
  /** The limits of the compensation for network delay. If absent, the server does not compensate for network delay. */
  lag_quota?: LagQuota | null;
  /** The lakes, if they were drawn at random for this game. */
  lakes?: Square[] | null;
  /** The outcome of the game. */
  outcome?: Outcome | null;
  /** The players. */
  players: PerSide<Player>;
  /** The server's signature of the game's digest, after the end of the game. Absent if the server has no key, or if the game ended before servers signed games. */
  signature?: RecordSignature | null;
  /** The starting position in the one-line notation of positions, if the game started without deployments. A rank that is hidden from this client is written `?`. Servers never write this field. */
  start?: string | null;
  /** The terms. */
  terms: Terms;
  /** True if each turn begins with its whole days or free seconds, even if the side has used some of that time to choose a rank in the other side's turn. */
  whole_turns?: boolean;
};

/** The cause of an abort. It is empty if a game without a clock ended because nothing happened in it for many days. */
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
    /** The sequence number of the command's last event that this client may see. */
    seq: number;
  }
  /** A game was created in which the sender is a player. */
  | {
    /** The game. */
    game: GameId;
    kind: "started";
    /** The side that the sender plays. */
    side: Side;
  }
  /** A seek was opened. */
  | {
    kind: "seek";
    /** The id of the seek. */
    seek: string;
  }
  /** A challenge was opened. */
  | {
    /** The code of the challenge. Anyone who has the code can accept the challenge. */
    challenge: string;
    /** The time at which the challenge expires, in milliseconds since 1970. */
    expires: number;
    kind: "challenge";
  }
  /** The command was carried out, and there is nothing else to report. */
  | {
    kind: "done";
  };

/** How a client sees a game. */
export type Audience = 
  /** The player with the red pieces. */
  | "red"
  /** The player with the blue pieces. */
  | "blue"
  /** A spectator, who can see only what both players can see. */
  | "public";

/** A seek that can take its seeker and its terms from other seeks in the list. Places in this type refer to the list after all removals and all earlier insertions. */
export type BriefSeek = {
  /** The number of seeks before this one. If absent, this seek is the last one. */
  at?: number | null;
  /** The id of the seek. */
  id: string;
  /** The ratings with which a player may accept the seek, as in a `Seek`. */
  rating?: RatingRange | null;
  /** The player who opened the seek. If absent, it is the seeker of the seek at `seeker_of`. */
  seeker?: Player | null;
  /** The place of a seek with the same seeker. */
  seeker_of?: number | null;
  /** The seeker's rating, as in a `Seek`. */
  seeker_rating?: RatingPoint | null;
  /** The side that the seeker wants, as in a `Seek`. */
  side?: Side | null;
  /** The terms of the game. If absent, they are those of the seek at `terms_of`. */
  terms?: Terms | null;
  /** The place of a seek with the same terms. */
  terms_of?: number | null;
};

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

/** The result that a player claims in a game that the opponent has left. */
export type ClaimedResult = 
  /** A win. */
  | "win"
  /** A draw. */
  | "draw";

/** The clocks of both sides at one moment. */
export type Clock = {
  /** The moment at which the clocks were read, in milliseconds since 1970. */
  at: number;
  /** The free time that each side has left in the current turn, in milliseconds. It is used up before `remaining_ms`. Present only if the time control has a delay. */
  free_ms?: PerSide<number>;
  /** The time that each side had left at that moment, in milliseconds. */
  remaining_ms: PerSide<number>;
  /** The sides whose clocks are running. Absent if both clocks are stopped. */
  running?: Running | null;
};

/** The reason for a refusal. Codes never change, so programs may branch on them. The codes of the rules engine are used unchanged. */
export type Code = string;

/** An id that the client chooses for a command: 1 to 36 letters, digits, `-` and `_`. A UUID is a valid id. */
export type CommandId = string;

/** The last event of a game that a client has seen. */
export type EventPosition = {
  /** The `epoch` of the message `game`. */
  epoch: number;
  /** The last sequence number that the client has seen. */
  seq: number;
};

/** A command in a game. */
export type GameCommand = 
  /** Submits a deployment. The player can submit another one until both sides have deployed. */
  | {
    kind: "deploy";
    /** The deployment: one character for each home square, beginning with the row nearest the enemy. Within a row, the characters go from left to right as the player sees it. */
    setup: string;
  }
  /** Takes a turn: moves a piece, which may strike an enemy piece. */
  | {
    /** The color of the chip to lay on the target square. Required in rulesets with chips, unless the move is a flash. */
    color?: ChipColor | null;
    kind: "move";
    /** The starting square and the target square, as in `a4a5`. */
    move: MoveText;
    /** The choice between two paths, on boards whose opposite edges are joined: `+` leads toward higher rows or columns, `-` toward lower ones. If absent, the piece takes the shorter legal path. */
    path?: Sign | null;
  }
  /** Takes a turn: moves one of the player's pieces from the board to the reserve. */
  | {
    kind: "remove";
    /** The square of the piece. */
    square: Square;
  }
  /** Takes a turn: moves a piece from the player's reserve to one of the player's home rows. */
  | {
    /** The color of the chip to lay on the target square. Required in rulesets with chips. */
    color?: ChipColor | null;
    kind: "place";
    /** True to place a labeled piece. */
    labeled?: boolean;
    /** The rank of the piece. */
    rank: Rank;
    /** The target square. */
    square: Square;
  }
  /** Chooses the color of a chip when the rules ask for it. */
  | {
    /** The color. */
    color: ChipColor;
    kind: "color";
  }
  /** Chooses the rank of the player's coin in the pending strike. The choice is final. */
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
  /** Aborts the game. Allowed until the player has taken their first turn. */
  | {
    kind: "abort";
  }
  /** Claims a result in a game that the opponent has left. Before the time given in the message `claimable`, the server refuses the claim. */
  | {
    kind: "claim";
    /** The claimed result. */
    result: ClaimedResult;
  };

/** An event of a game, reduced to the facts that a client may see. */
export type GameEvent = 
  /** The client's own deployment was accepted. */
  | {
    kind: "deployed";
    /** The deployment's text, without spaces. */
    setup: string;
  }
  /** A side has submitted its first deployment. Players receive this event only when the opponent deploys. Spectators receive it for both sides. */
  | {
    kind: "ready";
    /** The side that has submitted a deployment. */
    side: Side;
  }
  /** Both sides have deployed, and the game has started. */
  | {
    /** Each side's commitment to its deployment. */
    commitments: PerSide<HexBytes | null>;
    kind: "started";
  }
  /** A side moved a piece, which may have struck another piece. This is a turn. */
  | {
    kind: "moved";
  } & SeenMove
  /** A side struck, and at least one of the two pieces is a coin. After every side with a coin in the strike has chosen a rank, the event `moved` completes the turn. */
  | {
    kind: "struck";
  } & PendingStrike
  /** The client's own choice of a rank for its coin was accepted. Other clients do not learn that a choice was made. The record of a finished game includes the choices of all resolved strikes. */
  | {
    kind: "chosen";
    /** The rank that the side chose for its coin. */
    rank: Rank;
    /** The side that chose. */
    side: Side;
  }
  /** A side moved a piece from the board to its reserve. This is a turn. */
  | {
    kind: "removed";
    /** The side that removed a piece. */
    side: Side;
    /** The square that the piece left. */
    square: Square;
  }
  /** A side moved a piece from its reserve to the board. This is a turn. */
  | {
    kind: "placed";
  } & SeenPlacing
  /** A side named the color of the chip under its piece, which had won as the defender and moved. This is not a turn. */
  | {
    /** The color of the chip. */
    color: ChipColor;
    kind: "colored";
    /** The side that named the color. */
    side: Side;
    /** The square of the chip. */
    square: Square;
  }
  /** A side offered a draw. */
  | {
    kind: "draw_offered";
    /** The side that offered the draw. */
    side: Side;
  }
  /** A side declined the opponent's draw offer. */
  | {
    kind: "draw_declined";
    /** The side that declined the offer. */
    side: Side;
  }
  /** The clocks stopped. */
  | {
    kind: "paused";
    /** The time at which the clocks stopped, in milliseconds since 1970. */
    since: number;
  }
  /** The clocks are running again. */
  | {
    kind: "resumed";
    /** The time at which the clocks started again, in milliseconds since 1970, if that was before this event. If absent, the clocks start with this event. */
    since?: number | null;
  }
  /** The game has ended. */
  | {
    kind: "ended";
    /** The deployments that this client may see after the end of the game. */
    opened: PerSide<Opened | null>;
    /** The outcome of the game. */
    outcome: Outcome;
  };

/** The id of a game, and the game's current sequence number. */
export type GameHead = {
  /** The game. */
  game: GameId;
  /** The game's current sequence number for this client. */
  seq: number;
};

/** A game's id. */
export type GameId = string;

/** The progress of a game. */
export type GameProgress = {
  /** The game. */
  game: GameId;
  /** The phase of the game: deploying, playing or over. */
  phase: Phase;
  /** The number of turns taken so far. */
  ply: number;
  /** The side to move, while the game is played. */
  turn?: Side | null;
};

/** A summary of a game. */
export type GameSummary = {
  /** The time at which the game was created, in milliseconds since 1970. */
  created: number;
  /** The game's id. */
  id: GameId;
  /** The outcome of the game, after its end. */
  outcome?: Outcome | null;
  /** The phase of the game: deploying, playing or over. */
  phase: Phase;
  /** The players. */
  players: PerSide<Player>;
  /** The number of turns taken so far. */
  ply: number;
  /** The terms. */
  terms: Terms;
  /** The side to move, while the game is played. */
  turn?: Side | null;
};

/** Everything that one client may see of a game. */
export type GameView = {
  /** The audience that the view is for. */
  audience: Audience;
  /** The number of pieces of each rank that each side has lost. Ranks without losses are left out. */
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
  /** The lakes: squares that no piece may enter. */
  lakes: Square[];
  /** The last turn, if it moved a piece between board and reserve. */
  last_exchange?: SeenExchange | null;
  /** The last turn, if it was a move. */
  last_move?: SeenMove | null;
  /** The moves in `refused_moves` that the more-squares rule forbids. The two-squares rule forbids the others. Present only if there are refused moves. */
  more_squares?: MoveText[] | null;
  /** The deployments that this client may see after the end of the game. */
  opened?: PerSide<Opened | null>;
  /** The outcome of the game, after its end. */
  outcome?: Outcome | null;
  /** The chip whose color the side to move must name before taking its turn. */
  owed_color?: OwedColor | null;
  /** The text of the deployment that the player has submitted. Present until the game starts. */
  own_deployment?: string | null;
  /** True while the clocks are stopped because the service is down or stopping. */
  paused?: boolean;
  /** The strike in which a side still has to choose the rank of its coin. */
  pending_strike?: PendingStrike | null;
  /** The phase of the game. */
  phase: Phase;
  /** The pieces on the board, ordered by row and then by column. */
  pieces: PieceText[];
  /** The number of plies until a limit makes the game a draw. Present only when a limit is near. */
  plies_to_limit?: number | null;
  /** The number of turns taken so far. */
  ply: number;
  /** For each side, the pieces that its coins can still become: the number of pieces of each rank, without ranks that have none left. Only in rulesets with coins. */
  pools?: PerSide<Record<string, number>> | null;
  /** For each side, true if it has submitted a deployment. */
  ready: PerSide<boolean>;
  /** The player's moves that a repetition rule forbids on this turn. */
  refused_moves?: MoveText[];
  /** Each side's reserve, in rulesets with a reserve. */
  reserve?: PerSide<Reserve> | null;
  /** The ruleset's id. */
  ruleset: string;
  /** The side to move, while the game is played. */
  turn?: Side | null;
};

/** 32 bytes, written as 64 hexadecimal digits. */
export type HexBytes = string;

/** The viewer's knowledge of a piece's rank. Its text form is the rank's letter, `?` for an unknown rank, a list such as `[9P]` if one of several ranks is possible, or `o` for a coin, which has no rank yet. */
export type IdentityText = string;

/** The source of an imported record. The record's times are all zero, and only the names of its players are known. If the source format has no commitments, the commitments are null and each salt is 32 zero bytes. */
export type Imported = {
  /** The name of the format: `text`, `strados` or `pbm`. */
  from: string;
};

/** A challenge to this player that they have not answered yet. */
export type Invitation = {
  /** The code that the player needs to accept the challenge. */
  challenge: string;
  /** The player who made the challenge. */
  challenger: Player;
  /** The time at which the challenge expires, in milliseconds since 1970. */
  expires: number;
  /** The terms of the game. */
  terms: Terms;
  /** The side that this player gets. If absent, the server chooses the side at random. */
  your_side?: Side | null;
};

/** The limits of lag compensation, in milliseconds. The server gives each side time back for the network delay of its connection, until the side's stock of compensation is used up. */
export type LagQuota = {
  /** The amount by which each turn of a side refills the side's stock. It is also the longest time that the server waits for a late move before the side loses on time. */
  per_ply_ms: number;
  /** The stock of each side at the start of the game, which is also the maximum. */
  stock_ms: number;
};

/** The chips that a move changed: their squares and the letter of their new color (`r`, `y`, `b`, `g`), as in `a7a8=g`. */
export type LaidText = string;

/** Changes to the lobby's lists. To apply them, first remove the seeks in `removed` and the games in `gone`. Then insert the new seeks and games in order, each at its place. Finally, update the games in `progress`. */
export type LobbyChange = {
  /** The seeks to insert. */
  added?: BriefSeek[];
  /** The games to insert. */
  came?: PlacedGame[];
  /** The ids of the games to remove. */
  gone?: GameId[];
  /** The progress of games that stay in the list. */
  progress?: GameProgress[];
  /** The places of the seeks to remove, in the list before the change. */
  removed?: number[];
};

/** Selects seeks by their terms. A filter without fields selects all seeks. */
export type LobbyFilter = {
  /** True for rated games only, false for casual games only. */
  rated?: boolean | null;
  /** The id of a ruleset. Games with custom rules based on this ruleset are also selected. */
  ruleset?: string | null;
  /** The speed of the game. Games without a clock have no speed. */
  speed?: Speed | null;
};

/** A move from one square to another, written as in `a4a5`. */
export type MoveText = string;

/** A deployment that was opened at the end of the game, with the salt of its commitment. */
export type Opened = {
  /** The 32 random bytes that were hashed together with the deployment. */
  salt: HexBytes;
  /** The deployment's text, without spaces. */
  setup: string;
};

/** The outcome of a game. The reason is a code rather than the engine's enum, because newer versions may have more reasons. Older versions must still be able to read such an outcome. */
export type Outcome = {
  /** Why the game ended, as a code. */
  reason: string;
  /** The winner. Absent after a draw and in an aborted game. */
  winner?: Side | null;
};

/** A chip whose color a side must name before taking its turn. */
export type OwedColor = {
  /** The side that must name the color. */
  side: Side;
  /** The square of the chip. One of the side's pieces stands on this square. */
  square: Square;
};

/** A strike in which one or both sides still have to choose the rank of their coin. */
export type PendingStrike = {
  /** The starting square and the target square, as in `a4a5`. */
  move: MoveText;
  /** For each side, true if it has a coin in the strike. If both sides have one, these values do not change when the first side has chosen. */
  owes: PerSide<boolean>;
  /** The rank that this client has already chosen. */
  own_choice?: Rank | null;
  /** The side that struck. */
  side: Side;
};

/** The phase of a game. */
export type Phase = 
  /** Both sides deploy. */
  | "deploying"
  /** Both sides have deployed, and the game is not over. */
  | "playing"
  /** The game has ended. */
  | "over";

/** A standard phrase, which every client can translate. */
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

/** A piece on the board. As text, it is the square, the side (`r` or `b`) and the rank, then `'` if the piece has moved, `*` if its rank is public, and `^` if it is labeled. For example, `a4r9'*` is Red's Scout on a4, which has moved and whose rank is public. `j7b?` is a blue piece that has not moved and whose rank is unknown. */
export type PieceText = string;

/** A game, and its place in the list. */
export type PlacedGame = {
  /** The number of games before this one. */
  at: number;
  /** The game. */
  game: GameSummary;
};

/** A player. */
export type Player = {
  /** The player's id, which never changes. */
  id: string;
  /** The kind of player. */
  kind: PlayerKind;
  /** The name that other players see. */
  name: string;
};

/** The kind of a player. */
export type PlayerKind = 
  /** A guest: a player with a name and a token, but no password. */
  | "guest"
  /** A person with an account, who has a password. */
  | "account"
  /** A program that plays with its own account. */
  | "bot"
  /** A house player, which is a program that the server runs. */
  | "house";

/** The state of a player who waits in the pool. */
export type PoolStatus = {
  /** The ratings with which an opponent can currently be paired with this player. The range assumes that the opponent has just entered the pool and that both ratings are equally uncertain. It grows while the player waits. Absent if games on these terms have no ratings. */
  range?: RatingRange | null;
  /** The time at which the player entered the pool, in milliseconds since 1970. */
  since: number;
  /** The number of players who wait for a game on the same terms, including this player. */
  waiting: number;
};

/** The presence of a player in a game. */
export type Presence = 
  /** The player is connected and has the game open. */
  | "present"
  /** The player's connection closed less than half a minute ago. */
  | "reconnecting"
  /** The player has been gone for half a minute or more, or was never connected. */
  | "away";

/** The rank of a piece. */
export type Rank = 
  /** The piece to protect: a side loses the game when its Flag is captured. A Flag never moves. */
  | "flag"
  /** A rank that never moves. A Bomb beats every attacker except the Miner. */
  | "bomb"
  /** A rank that beats the highest rank, but only as the attacker. */
  | "spy"
  /** A rank that moves any distance in a straight line. */
  | "scout"
  /** A rank that captures Bombs. */
  | "miner"
  /** Number 7 in the US numbering and 4 in the EU numbering. */
  | "sergeant"
  /** Number 6 in the US numbering and 5 in the EU numbering. */
  | "lieutenant"
  /** Number 5 in the US numbering and 6 in the EU numbering. */
  | "captain"
  /** Number 4 in the US numbering and 7 in the EU numbering. */
  | "major"
  /** Number 3 in the US numbering and 8 in the EU numbering. */
  | "colonel"
  /** Number 2 in the US numbering and 9 in the EU numbering. */
  | "general"
  /** Number 1 in the US numbering and 10 in the EU numbering. */
  | "marshal"
  /** A rank whose strikes label enemy pieces instead of capturing them. */
  | "phoenix";

/** The change that a rated game made to both players' ratings. */
export type RatingChange = {
  /** Each side's rating after the game. */
  after: PerSide<RatingPoint>;
  /** Each side's rating before the game. */
  before: PerSide<RatingPoint>;
  /** The advantage of moving first, in points, as assumed by the calculation. */
  first_move?: number;
  /** The game. */
  game: GameId;
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** A rating as other players see it. */
export type RatingPoint = {
  /** The uncertainty of the rating: one standard deviation, in points. */
  deviation: number;
  /** True if the rating is too uncertain to mean much. Clients should show such a rating with a question mark. */
  provisional?: boolean;
  /** The rating, in points. */
  rating: number;
};

/** A range of ratings, with at least one bound. The range applies to ratings in the offer's ruleset at the offer's speed, including provisional ones. An account without rated games in this ruleset at this speed counts as 1500. */
export type RatingRange = {
  /** The highest rating in the range, in points. At most 4,000. */
  max?: number | null;
  /** The lowest rating in the range, in points. At most 4,000. */
  min?: number | null;
};

/** The range of ratings that a seeker asks for. */
export type RatingWish = 
  /** A range between two fixed ratings. */
  | {
    kind: "between";
    /** The highest rating in the range, in points. At most 4,000. */
    max?: number | null;
    /** The lowest rating in the range, in points. At most 4,000. */
    min?: number | null;
  }
  /** A range around the seeker's current rating. The server converts it to fixed bounds. */
  | {
    /** The distance from the seeker's rating up to the upper bound, in points. If absent, there is no upper bound. */
    above?: number | null;
    /** The distance from the seeker's rating down to the lower bound, in points. If absent, there is no lower bound. */
    below?: number | null;
    kind: "around";
  };

/** The kind of a record. It determines which facts the changes show. */
export type RecordKind = 
  /** The changes show the facts that the audience saw during play. */
  | "live"
  /** All changes, including the earliest, show every rank that the audience may see after the end. */
  | "opened";

/** A server's Ed25519 signature of the digest of a finished game. docs/protocol/RECORDS.md defines the digest. */
export type RecordSignature = {
  /** The id of the public key: the first 16 hexadecimal digits of its SHA-256. */
  key: string;
  /** The signature. */
  value: SignatureText;
};

/** An event and its time. */
export type RecordedEvent = {
  /** The time at which the event happened, in milliseconds since 1970. */
  at: number;
  /** The side that resigned, if this event ended the game by resignation. Absent in old records. */
  by?: Side | null;
  /** The part of the view's change that cannot be derived from the event itself. Absent in old records and in records imported from text. */
  change?: ViewChange | null;
  /** The event. */
  event: GameEvent;
  /** The time that the acting side got back as lag compensation, in milliseconds. */
  lag_ms?: number;
};

/** A value to insert into a refusal's text. */
export type RefusalArg = number | string;

/** The values to insert into a refusal's text, by name. docs/protocol/messages.md lists them. */
export type RefusalArgs = Record<string, RefusalArg>;

/** A side's reserve, reduced to the facts that a client may see. */
export type Reserve = {
  /** The number of face-up pieces of each rank. Ranks without pieces are left out. */
  labeled?: Record<string, number>;
  /** The number of pieces in the reserve. */
  size: number;
  /** The number of face-down pieces of each rank. Present only if the client may see the hidden ranks of this side. */
  unlabeled?: Record<string, number> | null;
};

/** The sides whose clocks are running. */
export type Running = 
  /** Red's clock. */
  | "red"
  /** Blue's clock. */
  | "blue"
  /** Both clocks, because each side has to choose the rank of its coin in a strike. */
  | "both";

/** A chat message from a player to the opponent. */
export type Said = 
  /** A standard phrase, which every client can translate. */
  | {
    kind: "phrase";
    /** The phrase. */
    phrase: Phrase;
  }
  /** Text that the player wrote. */
  | {
    kind: "text";
    /** The text, which has 1 to 200 printable characters. */
    text: string;
  };

/** A secret: a token, a password or a recovery code. */
export type Secret = string;

/** An open seek. */
export type Seek = {
  /** The id of the seek. */
  id: string;
  /** The ratings with which a player may accept the seek. If absent, any player may accept it. */
  rating?: RatingRange | null;
  /** The player who opened the seek. */
  seeker: Player;
  /** The seeker's rating for games on these terms, at the time when they opened the seek. Absent for guests and for games without ratings. */
  seeker_rating?: RatingPoint | null;
  /** The side that the seeker wants. If absent, the server chooses it at random. */
  side?: Side | null;
  /** The terms of the game. */
  terms: Terms;
};

/** A turn that moves a piece between the board and a reserve. */
export type SeenExchange = 
  /** A piece was moved from the board to a reserve. */
  | {
    kind: "removed";
    /** The side that removed the piece. */
    side: Side;
    /** The square that the piece left. */
    square: Square;
  }
  /** A piece was moved from a reserve to the board. */
  | {
    kind: "placed";
  } & SeenPlacing;

/** A move, reduced to the facts that a client may see. */
export type SeenMove = {
  /** The squares whose chips changed and their new color, as in `a7a8=g`. */
  laid?: LaidText | null;
  /** The starting square and the target square, as in `a4a5`. */
  move: MoveText;
  /** The client's knowledge of the piece's rank after the move. */
  piece: IdentityText;
  /** The side that moved. */
  side: Side;
  /** The strike, if the piece struck another piece. */
  strike?: SeenStrike | null;
};

/** A placement of a piece from a reserve, reduced to the facts that a client may see. */
export type SeenPlacing = {
  /** The color of the chip under the piece. */
  color?: ChipColor | null;
  /** True if the piece is labeled, which means that it is face up. */
  labeled?: boolean;
  /** The rank of the piece. It is hidden from the other side and from spectators, unless the piece is labeled. */
  piece: IdentityText;
  /** The side that placed the piece. */
  side: Side;
  /** The square. */
  square: Square;
};

/** A strike, reduced to the facts that a client may see. */
export type SeenStrike = {
  /** The piece that struck. */
  attacker: IdentityText;
  /** The place of the attacker after the strike. */
  attacker_fate: StrikeFate;
  /** The piece that was struck. */
  defender: IdentityText;
  /** The place of the defender after the strike. */
  defender_fate: StrikeFate;
};

/** One of the two armies. Red moves first. */
export type Side = 
  /** The side whose home rows begin with row 1. It moves first. */
  | "red"
  /** The side whose home rows are at the opposite edge from Red's. It moves second. */
  | "blue";

/** One of the two directions along a row or column. If a joint connects the ends of the row or column, there are two paths from one square to another, and the sign selects one. */
export type Sign = 
  /** Toward higher columns or rows. */
  | "+"
  /** Toward lower columns or rows. */
  | "-";

/** An Ed25519 signature: 64 bytes, written as 128 hexadecimal digits. */
export type SignatureText = string;

/** The speed of a game, which depends on the time that the clock gives a side for forty turns. A player has a separate rating for each combination of ruleset and speed. */
export type Speed = 
  /** The clock gives a side less than three minutes for forty turns. */
  | "bullet"
  /** The clock gives a side less than eight minutes for forty turns. */
  | "blitz"
  /** The clock gives a side less than twenty-five minutes for forty turns. */
  | "rapid"
  /** The clock gives a side twenty-five minutes or more for forty turns. */
  | "classical"
  /** The clock gives a side a number of days for every turn. */
  | "correspondence";

/** A square, written as its column letter and its row number, as in `a4`. */
export type Square = string;

/** The place of a piece after a strike. */
export type StrikeFate = 
  /** The piece stays on its own square. */
  | "stays"
  /** The piece is on the other piece's square. */
  | "advances"
  /** The piece is off the board. */
  | "leaves";

/** The terms of a game. Both players must agree on them. */
export type Terms = {
  /** True if only the two players can see the game. */
  private?: boolean;
  /** True if the game changes the players' ratings. A rated game needs two accounts or two bots, a clock, and an unchanged ruleset. */
  rated?: boolean;
  /** The ruleset's id. The id of a custom game also lists its changes, as in `classic,ties=attacker,quiet=off`. */
  ruleset: string;
  /** True if the player who makes the offer wants their deployment and the full record to stay private after the game. */
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
  /** A base time, plus an increment for each of the player's turns. */
  | {
    /** The base time in seconds, 10 to 86,400. */
    base_s: number;
    /** The increment in seconds, 0 to 3,600. */
    increment_s: number;
    kind: "fischer";
  }
  /** A base time with a delay: the first seconds of every turn do not count. Unused free seconds are lost. */
  | {
    /** The base time in seconds, 10 to 86,400. */
    base_s: number;
    /** The number of free seconds in each turn, 1 to 3,600. */
    free_s: number;
    kind: "delay";
  }
  /** A fixed number of days for the deployment and for each turn. */
  | {
    /** The number of days, 1 to 14. */
    days: number;
    kind: "correspondence";
  };

/** The part of a view's change that a client cannot derive from the event itself. Every field holds the new value rather than a difference, so a client can simply store it. */
export type ViewChange = {
  /** All pieces that each side has lost so far. Present after a strike. */
  captured?: PerSide<Record<string, number>> | null;
  /** Both clocks after the event. */
  clock?: Clock | null;
  /** The deadline for deployments, in milliseconds since 1970. */
  deploy_deadline?: number | null;
  /** The moves in `refused_moves` that the more-squares rule forbids. The two-squares rule forbids the others. Present only if there are refused moves. */
  more_squares?: MoveText[] | null;
  /** The chip whose color the side to move must name before taking its turn. */
  owed_color?: OwedColor | null;
  /** The strike in which a side still has to choose the rank of its coin. */
  pending_strike?: PendingStrike | null;
  /** The pieces on the squares that a turn has affected. For a move, these squares are its starting square and its target square. After the start and the end of the game, the field contains all pieces on the board. */
  pieces?: PieceText[] | null;
  /** The number of plies until a limit makes the game a draw. Present only when a limit is near. */
  plies_to_limit?: number | null;
  /** Both pools, if they may have changed. */
  pools?: PerSide<Record<string, number>> | null;
  /** The player's moves that a repetition rule forbids on this turn. */
  refused_moves?: MoveText[];
  /** Both reserves, if they may have changed. */
  reserve?: PerSide<Reserve> | null;
  /** The side to move after the event. */
  turn?: Side | null;
};
