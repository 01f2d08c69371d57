// Made from server/openapi.json by `npm run make-api`. Do not edit.

import type {
  Audience,
  Code,
  GameCommand,
  GameId,
  GameSummary,
  GameView,
  HexBytes,
  Invitation,
  MoveText,
  PerSide,
  Player,
  RatingPoint,
  RefusalArgs,
  Secret,
  Side,
  Speed,
  Time,
} from "./messages";

/** Everything that the server keeps of an account, without its secrets. `GET /api/account`. */
export type AccountExport = {
  /** The players that they have blocked. */
  blocks?: Player[];
  /** The challenges that wait for their answer. */
  challenges?: Invitation[];
  /** What follows from games that they left. */
  conduct?: Conduct;
  /** When they first came, in milliseconds since 1970. */
  created: number;
  /** The deployments that they keep. */
  deployments?: SavedDeployment[];
  /** The running games. */
  games: GameId[];
  /** True if they have a feed. Its address is not shown. */
  has_feed?: boolean;
  /** True if the player has a password. Guests have none. */
  has_password: boolean;
  /** The games that have ended, latest first, at most 1,000. `GET /api/players/NAME/games` has the rest, page by page. */
  played?: PlayedGame[];
  /** The player. */
  player: Player;
  /** The moves that they have queued in running games. */
  queues?: MoveQueue[];
  /** The current ratings. */
  ratings?: RatingInfo[];
  /** The player's own statistics. */
  statistics?: Statistics;
  /** The tokens. */
  tokens: TokenInfo[];
  /** Their webhook, without its secret. */
  webhook?: WebhookInfo | null;
};

/** The players that this player has blocked. `GET /api/blocks`. */
export type BlockList = {
  /** The players. */
  players: Player[];
};

/** What follows from leaving games. Players who leave games, or do not deploy, wait longer and longer for the next opponent. Only the player can see it. */
export type Conduct = {
  /** How many games they left, or did not deploy in, within a day. */
  left_games: number;
  /** Seconds until they can be paired, and play rated games, again. */
  wait_s: number;
};

/** Confirms an action with the password. `DELETE /api/account`, `POST /api/account/recovery_code`. */
export type Confirmation = {
  /** The account's password. */
  password: Secret;
};

/** A deployment, and how often it won, drew and lost. */
export type DeploymentTally = {
  /** The deployment's text (§P4), without blanks. */
  setup: Secret;
  /** The games won, drawn and lost. */
  tally: Tally;
};

/** An error as its JSON body. */
export type ErrorBody = {
  /** Numbers and keys that the message mentions. */
  args: RefusalArgs;
  /** Why, as a stable code for programs. */
  code: Code;
  /** Why and what to do, for people. */
  message: string;
  /** The id of the request, as in the header `x-request-id`. Operators find it in the server's log. */
  request: string;
};

/** A feed in the format JSON Feed 1.1. `GET /api/feeds/SECRET`. */
export type Feed = {
  /** The games in which it is the player's turn, then the games that ended last. */
  items: FeedItem[];
  /** The feed's name in a reader. */
  title: string;
  /** The address of the format's version. */
  version: string;
};

/** An entry of a feed. */
export type FeedItem = {
  /** A few more words. */
  content_text: string;
  /** When this came about, if known: RFC 3339, UTC. */
  date_published?: string | null;
  /** The entry's id. It stays the same as long as the entry means the same. */
  id: string;
  /** The entry in one line. */
  title: string;
};

export type Format = string;

/** A game as the caller may know it. Made of a view, like everything that leaves. */
export type Game = {
  audience: Audience;
  game: GameSummary;
  view: GameView;
};

/** How a game ended for a player. */
export type GameScore = 
  /** The player won. */
  | "won"
  /** No one won. */
  | "drawn"
  /** The player lost. */
  | "lost";

export type Games = {
  games: GameSummary[];
};

/** Two players' games against each other, latest first. `GET /api/players/NAME/against/OTHER`. */
export type HeadToHead = {
  /** The games of this page. */
  games: PlayedGame[];
  /** The `?after=` of the next page. Absent on the last page. */
  next?: string | null;
  /** The opponent. */
  opponent: Player;
  /** The player. */
  player: Player;
  /** How often the player won, drew and lost, by ruleset. Only the two players see private games counted. */
  tallies: RulesetTally[];
};

/** The answer of `/health`. */
export type Health = {
  /** Open connections. */
  connections: number;
  /** What is wrong, for a person. */
  problem?: string | null;
  /** The program and its version. */
  server: string;
  /** `ok`, `failing` or `stopping`. */
  status: string;
  /** Milliseconds the store took. */
  store_ms?: number | null;
  /** Seconds since the start. */
  uptime_s: number;
};

/** The challenges addressed to the player, those that expire first at the top. `GET /api/me/challenges`. */
export type Invitations = {
  /** The challenges. */
  challenges: Invitation[];
};

/** Addresses the player's own open challenge to another player. `POST /api/me/challenges`. */
export type Invite = {
  /** The code of the challenge. */
  challenge: string;
  /** The player's name. */
  name: string;
};

/** The best players in one ruleset at one speed, of those with a deviation of 75 or less. `GET /api/leaderboards/RULESET/SPEED`. */
export type Leaderboard = {
  /** True for the leaderboard of bots, who have their own. */
  bots: boolean;
  /** The entries, best first. */
  entries: LeaderboardEntry[];
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** A place on a leaderboard. */
export type LeaderboardEntry = {
  /** How many rated games they have played. */
  games: number;
  /** Their current rating. */
  now: RatingPoint;
  /** The place; the first is 1. */
  place: number;
  /** The player. */
  player: Player;
};

/** The player who logged in, with a new token. */
export type LoggedIn = {
  /** The player. */
  player: Player;
  /** The new token, which is sent only once. */
  token: Secret;
};

/** Logs in with a name and its password. `POST /api/login`. */
export type Login = {
  /** The account's name. */
  name: string;
  /** The account's password. */
  password: Secret;
  /** A name for the new token in the list of tokens, at most 40 characters. */
  token_name?: string | null;
};

/** A player's new feed. `POST /api/me/feed`. */
export type MadeFeed = {
  /** The feed's path on this server, which is sent only once. Anyone who has it can read the feed. */
  path: Secret;
};

/** A new token. */
export type MadeToken = {
  /** The token as lists show it. */
  info: TokenInfo;
  /** The token itself, which is sent only once. */
  token: Secret;
};

/** The player who makes the request. `GET /api/me`. */
export type Me = {
  /** What follows from games that the player left. */
  conduct: Conduct;
  /** The player. */
  player: Player;
  /** The token of the request. */
  token: TokenInfo;
};

/** A player's queue in a game. Only the player can see it. `GET /api/games/ID/queue`. */
export type MoveQueue = {
  /** The game. */
  game: GameId;
  /** The queued turns, one for each of the player's next plies. Empty if nothing is queued. */
  moves: QueuedMove[];
  /** The ply of the first queued turn. */
  ply: number;
};

/** Changes the password and revokes all other tokens. `POST /api/account/password`. */
export type NewPassword = {
  /** The new password: 8 to 256 characters. */
  new_password: Secret;
  /** The current password. */
  password: Secret;
};

/** Replaces the queue with turns for the player's next plies, in order. `PUT /api/games/ID/queue`. */
export type NewQueue = {
  /** The epoch of the view in which the turns were planned, as in `game`. The request is refused as stale in a later epoch. */
  epoch?: number | null;
  /** 1 to 20 turns. */
  moves: QueuedMove[];
  /** The game's current ply. The request is refused as stale if the game has moved on. */
  ply: number;
};

/** A new recovery code. The previous one is void. */
export type NewRecoveryCode = {
  /** The code, which is sent only once. */
  recovery_code: Secret;
};

/** Makes another token. `POST /api/tokens`. */
export type NewToken = {
  /** The token's name, at most 40 characters. */
  name: string;
  /** What the token may do. Only bot accounts can have `bot`. */
  scope?: Scope;
};

/** Sets the address that receives notices of the player's turns. `PUT /api/me/webhook`. */
export type NewWebhook = {
  /** An `https` address of at most 500 characters, without user and password. */
  url: string;
};

/** A running game of the player. */
export type OwnGame = {
  /** When the time of the side that has to act runs out, in milliseconds since 1970. Absent without a clock, and while clocks are stopped. */
  deadline?: number | null;
  /** True if the opponent offers a draw. */
  draw_offered?: boolean;
  /** The game. */
  game: GameSummary;
  /** The player's side. */
  side: Side;
  /** True if the player has to act: deploy, move, or choose. */
  to_act: boolean;
};

/** The player's running games, most urgent first: those in which they have to act, by deadline, then the others. `GET /api/me/games`. */
export type OwnGames = {
  /** The games. */
  games: OwnGame[];
  /** The server's time in milliseconds since 1970. */
  server_time: number;
  /** Games that cannot be shown now: their logs are damaged or cannot be reached. */
  unavailable?: GameId[];
};

/** An ended game of a player. */
export type PlayedGame = {
  /** When it ended, in milliseconds since 1970. */
  ended: number;
  /** The game. */
  game: GameId;
  /** The opponent. */
  opponent: Player;
  /** Turns taken. */
  plies: number;
  /** True if only its players can see it. */
  private?: boolean;
  /** True if the game was rated. */
  rated?: boolean;
  /** Why it ended, as in outcomes. */
  reason: string;
  /** The ruleset's id. */
  ruleset: string;
  /** How it ended for the player. */
  score: GameScore;
  /** The player's side. */
  side: Side;
  /** The clock. */
  time: Time;
};

/** A page of a player's ended games, latest first. `GET /api/players/NAME/games`. */
export type PlayedGames = {
  /** The games of this page. */
  games: PlayedGame[];
  /** The `?after=` of the next page. Absent on the last page. */
  next?: string | null;
  /** The player. */
  player: Player;
};

/** What anyone may know of a player. `GET /api/players/NAME`. */
export type Profile = {
  /** When they first came, in milliseconds since 1970. */
  created: number;
  /** The player. */
  player: Player;
  /** Their current ratings. */
  ratings?: RatingInfo[];
};

/** A queued turn. */
export type QueuedMove = {
  /** The turn: a move, a removal or a placing. */
  command: GameCommand;
  /** Make the turn only if the opponent's turn before it is this move. */
  if?: MoveText | null;
};

/** A rated game of a player. */
export type RatedGame = {
  /** The player's rating after it. */
  after: RatingPoint;
  /** When it ended, in milliseconds since 1970. */
  at: number;
  /** The player's rating before it. */
  before: RatingPoint;
  /** The game. */
  game: GameId;
  /** The opponent. */
  opponent: Player;
  /** How it ended. */
  score: GameScore;
  /** True if the server's operators have reversed the game's rating change. */
  undone?: boolean;
};

/** A player's latest rated games in one ruleset at one speed. `GET /api/players/NAME/ratings/RULESET/SPEED`. */
export type RatingHistory = {
  /** The games, latest first. */
  games: RatedGame[];
  /** The player. */
  player: Player;
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** A player's current rating in one ruleset at one speed. */
export type RatingInfo = {
  /** How many rated games they have played. */
  games: number;
  /** When the last rated game ended, in milliseconds since 1970. */
  last: number;
  /** The rating. It becomes less certain with time since the last game. */
  now: RatingPoint;
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** The answer of `/ready`. */
export type Ready = {
  /** `ok` or `stopping`. */
  status: string;
  /** Whether the store answered this server last. */
  store_available: boolean;
};

/** Which record of a game is requested. */
export type RecordScope = 
  /** As Red saw the game live. */
  | "red"
  /** As Blue saw the game live. */
  | "blue"
  /** As the public saw the game live. */
  | "public"
  /** With everything open. */
  | "all";

/** Replaces a lost password with the recovery code. `POST /api/recover`. */
export type Recover = {
  /** The account's name. */
  name: string;
  /** The new password: 8 to 256 characters. */
  password: Secret;
  /** The code from sign-up or from the last recovery. */
  recovery_code: Secret;
};

/** The account after a recovery. All earlier tokens are revoked, and the recovery code that was used is void. */
export type Recovered = {
  /** The player. */
  player: Player;
  /** The next recovery code, which is sent only once. */
  recovery_code: Secret;
  /** The new token, which is sent only once. */
  token: Secret;
};

/** A rule that a custom game may change: in `classic,ties=attacker`, the ruleset is `classic` and its option `ties` is set to `attacker`. */
export type RuleOptionInfo = {
  /** The name of the option. */
  name: string;
  /** The value in the unchanged ruleset. Leave it out when you offer a game. */
  value: string;
  /** The possible values. */
  values: RuleValueInfo[];
};

/** A value of an option. */
export type RuleValueInfo = {
  /** The meaning, for people. */
  meaning: string;
  /** The name of the value. */
  name: string;
};

/** A ruleset, as `/api/rulesets` lists it. */
export type RulesetInfo = {
  /** The ruleset's id. */
  id: string;
  /** What a custom game may change. */
  options: RuleOptionInfo[];
  /** A summary in one sentence. */
  summary: string;
  /** The name for people. */
  title: string;
};

/** A player's own statistics in one ruleset. Aborted games do not count. */
export type RulesetStatistics = {
  /** By deployment, most played first. If there are many, only the latest. */
  by_deployment: DeploymentTally[];
  /** By the side that the player had. */
  by_side: PerSide<Tally>;
  /** The ruleset's id. */
  ruleset: string;
};

/** How often a player won, drew and lost in one ruleset. */
export type RulesetTally = {
  /** The ruleset's id. */
  ruleset: string;
  /** The games won, drawn and lost. */
  tally: Tally;
};

export type Rulesets = {
  rulesets: RulesetInfo[];
};

/** Keeps a deployment under its ruleset and name. It replaces one that is there. `PUT /api/me/deployments/RULESET/NAME`. */
export type SaveDeployment = {
  /** The deployment's text (§P4). */
  setup: Secret;
};

/** A deployment that a player keeps. Only the player can see it. */
export type SavedDeployment = {
  /** The name that its owner gave it: 1 to 30 letters, digits, `-` and `_`. */
  name: string;
  /** The ruleset's id. */
  ruleset: string;
  /** The deployment's text (§P4), without blanks. */
  setup: Secret;
};

/** The player's kept deployments, by ruleset and name. `GET /api/me/deployments`. */
export type SavedDeployments = {
  /** The deployments. */
  deployments: SavedDeployment[];
};

/** A schema and where it is. */
export type SchemaLink = {
  name: string;
  /** Its path on this server. */
  path: string;
};

/** The schemas that the server has. */
export type SchemaList = {
  schemas: SchemaLink[];
};

/** What a token may do. */
export type Scope = 
  /** Everything that its player may do: play, and manage tokens and the account. */
  | "play"
  /** Only play, as a bot account. */
  | "bot";

/** Makes an account: of the guest whose token comes with the request, or a new one. `POST /api/account`. */
export type SignUp = {
  /** True if a program plays the account. This never changes, and everyone can see it. */
  bot?: boolean;
  /** The account's name: 2 to 20 letters, digits, `-` and `_`. Names that differ only in case are the same. */
  name: string;
  /** The password: 8 to 256 characters. */
  password: Secret;
};

/** A new account. Store the recovery code: it replaces a lost password. */
export type SignedUp = {
  /** The player. */
  player: Player;
  /** The recovery code, which is sent only once. */
  recovery_code: Secret;
  /** A token. Absent if a guest signed up: their token stays valid. */
  token?: Secret | null;
};

/** A public key that a server signs or has signed finished games with. */
export type SigningKeyInfo = {
  /** The id of the key: the first 16 hexadecimal digits of its SHA-256. */
  id: string;
  /** The Ed25519 public key. */
  public: HexBytes;
  /** When a server first used it, in milliseconds since 1970. */
  since: number;
};

/** All public keys that the servers of a store sign or have signed finished games with. */
export type SigningKeys = {
  /** The keys, in the order of their ids. */
  keys: SigningKeyInfo[];
};

/** A player's own statistics, which only the player can see. `GET /api/me/statistics`. */
export type Statistics = {
  /** The statistics of each ruleset. */
  rulesets: RulesetStatistics[];
};

/** How often a player won, drew and lost. */
export type Tally = {
  /** Games without a winner. */
  drawn: number;
  /** Games lost. */
  lost: number;
  /** Games won. */
  won: number;
};

/** A token as its owner sees it in lists, without the token itself. */
export type TokenInfo = {
  /** When it was made, in milliseconds since 1970. */
  created: number;
  /** True for the token of this request. */
  current?: boolean;
  /** The id with which it can be revoked. */
  id: string;
  /** The name that its owner gave it. */
  name: string;
  /** What it may do. */
  scope: Scope;
};

/** A player's tokens, oldest first. `GET /api/tokens`. */
export type TokenList = {
  /** The tokens. */
  tokens: TokenInfo[];
};

/** An attempt to deliver a notice. */
export type WebhookAttempt = {
  /** When, in milliseconds since 1970. */
  at: number;
  /** True if the answer's status was in the 200s. */
  delivered: boolean;
  /** The result, for people. */
  result: string;
};

/** A webhook as its owner sees it. `GET /api/me/webhook`. */
export type WebhookInfo = {
  /** True while the server sends notices. After several failures in a row it stops, until the webhook is set again. */
  active: boolean;
  /** When it was set, in milliseconds since 1970. */
  created: number;
  /** The result of the last attempt. */
  last?: WebhookAttempt | null;
  /** How many notices in a row could not be delivered. */
  lost: number;
  /** The address. */
  url: string;
  /** How many notices wait to be delivered. */
  waiting: number;
};

/** A webhook that was just set, with the secret that signs its notices. */
export type WebhookSet = {
  /** The Standard Webhooks secret, `whsec_` and Base64, which is sent only once. The same text is the key of the older header `Flagfall-Signature`. */
  secret: Secret;
  /** The address. */
  url: string;
};
