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
  Rank,
  RatingPoint,
  RefusalArgs,
  Secret,
  Side,
  Speed,
  Square,
  Time,
} from "./messages";

/** The operator's text about the server. */
export type AboutText = {
  /** Plain text. Blank lines separate paragraphs, and lines that begin with `# ` are headings. */
  text: string;
};

/** Everything that the server stores about a player, except secrets. `GET /api/account`. */
export type AccountExport = {
  /** The players whom this player has blocked. */
  blocks?: Player[];
  /** The challenges that other players have addressed to this player. */
  challenges?: Invitation[];
  /** The player's recent departures from games, and the wait that follows from them. */
  conduct?: Conduct;
  /** The time at which the player was created, in milliseconds since 1970. */
  created: number;
  /** The player's saved deployments. */
  deployments?: SavedDeployment[];
  /** How the monthly dumps show the player. */
  dump?: DumpListing;
  /** The address to which the server sends e-mail. */
  email?: EmailInfo | null;
  /** The running games. */
  games: GameId[];
  /** True if the player has a feed. The feed's address is secret and not included. */
  has_feed?: boolean;
  /** True if the player has a password. Guests have none. */
  has_password: boolean;
  /** The player's finished games, latest first, at most 1,000. `GET /api/players/NAME/games` returns the rest, page by page. */
  played?: PlayedGame[];
  /** The player. */
  player: Player;
  /** The player's preferences, which clients keep on the server. */
  preferences?: Record<string, string>;
  /** The browsers that are notified of the player's turns. */
  push?: PushInfo[];
  /** The moves that the player has queued in running correspondence games. */
  queues?: MoveQueue[];
  /** The current ratings. */
  ratings?: RatingInfo[];
  /** The player's latest reports to the operators, at most 50, latest first. */
  reports?: OwnReport[];
  /** The player's private statistics. */
  statistics?: Statistics;
  /** The tokens. */
  tokens: TokenInfo[];
  /** The player's webhook, without its secret. */
  webhook?: WebhookInfo | null;
};

/** The players whom this player has blocked. `GET /api/blocks`. */
export type BlockList = {
  /** The players. */
  players: Player[];
};

/** The fate of a Bomb that beats its attacker. */
export type BombsInfo = 
  /** The Bomb stays on its square. */
  | "stay"
  /** The Bomb leaves the board together with its attacker. */
  | "leave";

/** Changes some preferences of an account, and leaves the others as they are. `PATCH /api/me/preferences`. */
export type ChangePreferences = {
  /** New values by name. `null` removes a preference. A name has 1 to 32 of `a` to `z`, `0` to `9` and `_`. A value has at most 64 printable ASCII characters. */
  preferences: Record<string, string | null>;
};

/** A player's recent departures from games, and the wait that follows from them. Players who leave games or do not deploy must wait before they can be paired. The wait becomes longer each time. Only the player can see these values. */
export type Conduct = {
  /** The number of times within a day that the player left a game or did not deploy. */
  left_games: number;
  /** The number of seconds until the player can be paired and play rated games again. */
  wait_s: number;
};

/** Confirms an action with the account's password. `DELETE /api/account`, `POST /api/account/recovery_code`. */
export type Confirmation = {
  /** The account's password. */
  password: Secret;
};

/** A deployment, with the results of the games in which the player used it. */
export type DeploymentTally = {
  /** The deployment's text (§P4), without spaces. */
  setup: Secret;
  /** The numbers of games that the player won, drew and lost. */
  tally: Tally;
};

/** The sides whose ranks a strike reveals. */
export type DisclosureInfo = 
  /** A strike reveals both ranks. */
  | "both"
  /** A strike reveals the attacker's rank. It reveals the defender's rank only if the defender loses or the attacker is a Scout. */
  | "silent";

/** The only value of this type, which stands for randomly drawn lakes. */
export type DrawnLakes = 
  /** The lakes are drawn at random for each game. */
  | "drawn";

/** How the monthly dumps of public games show a player. */
export type DumpListing = 
  /** Dumps contain the player's id and name. */
  | "name"
  /** Dumps contain a pseudonym that changes each year. */
  | "pseudonym"
  /** Dumps leave out the player's games. */
  | "none";

/** How the monthly dumps show the caller. This is the answer from `GET /api/me/dump` and the body of `PUT /api/me/dump`. */
export type DumpSetting = {
  /** The player's choice. */
  dump: DumpListing;
};

/** The address to which the server sends e-mail. */
export type EmailInfo = {
  /** The address. */
  address: string;
  /** The time at which the address was set, in milliseconds since 1970. */
  created: number;
  /** The language of the mails. */
  language: MailLanguage;
  /** Whether the server sends mail to the address. */
  state: EmailState;
};

/** The player's e-mail address, if the player has set one. `GET /api/me/email`. */
export type EmailSetting = {
  /** The address. Absent if none is set. */
  email?: EmailInfo | null;
};

/** Whether the server sends mail to an address. */
export type EmailState = 
  /** The address gets no notices, because it has not been confirmed yet. */
  | "pending"
  /** The address is confirmed and gets notices. */
  | "active"
  /** The address gets no notices, because its mail server refused a mail permanently. */
  | "suspended";

/** The JSON body of an error. */
export type ErrorBody = {
  /** The values that the message contains, such as numbers and names. */
  args: RefusalArgs;
  /** The reason, as a stable code for programs. */
  code: Code;
  /** The reason, with advice on what to do, for people. */
  message: string;
  /** The id of the request, as in the header `x-request-id`. The server's log contains this id. */
  request: string;
};

/** A feed in JSON Feed 1.1 format. `GET /api/feeds/SECRET`. */
export type Feed = {
  /** The games in which it is the player's turn, followed by the player's latest finished games. */
  items: FeedItem[];
  /** The feed's title, which feed readers show. */
  title: string;
  /** The URL that identifies the version of JSON Feed. */
  version: string;
};

/** Whether the player has a feed. The feed's address is sent only when the feed is made. */
export type FeedInfo = {
  exists: boolean;
};

/** An entry of a feed. */
export type FeedItem = {
  /** A more detailed description of the entry. */
  content_text: string;
  /** The time of the reported event, if known, in UTC and RFC 3339 format. */
  date_published?: string | null;
  /** The entry's id. It changes only when the meaning of the entry changes. */
  id: string;
  /** A one-line summary of the entry. */
  title: string;
};

export type Format = string;

/** A game as the caller may see it. */
export type Game = {
  audience: Audience;
  game: GameSummary;
  view: GameView;
};

/** The result of a game for one player. */
export type GameScore = 
  /** The player won. */
  | "won"
  /** The game had no winner. */
  | "drawn"
  /** The player lost. */
  | "lost";

export type Games = {
  games: GameSummary[];
  /** True if finished games are missing, because a part of the server's store is away. They are listed again when it is back. */
  incomplete?: boolean;
};

/** The games of two players against each other, latest first. `GET /api/players/NAME/against/OTHER`. */
export type HeadToHead = {
  /** The games of this page. */
  games: PlayedGame[];
  /** The value of `?after=` for the next page. Absent on the last page. */
  next?: string | null;
  /** The opponent. */
  opponent: Player;
  /** The player. */
  player: Player;
  /** The first player's results in each ruleset. Private games are counted only if the requester is one of the two players. */
  tallies: RulesetTally[];
};

/** The answer from `/health`. */
export type Health = {
  /** The number of open connections. */
  connections: number;
  /** A description of the problem, for people. */
  problem?: string | null;
  /** The name and version of the server program. */
  server: string;
  /** `ok`, `failing` or `stopping`. */
  status: string;
  /** The duration of the store check, in milliseconds. */
  store_ms?: number | null;
  /** The number of seconds since the server started. */
  uptime_s: number;
};

/** A house player, as listed by `/api/rulesets`. */
export type HousePlayerInfo = {
  /** The level, as in `play_bot`. Weaker levels come first in the list. */
  level: string;
  /** The ids of the rulesets that the house player can play. It can also play custom games based on them. */
  rulesets: string[];
};

/** The challenges that are addressed to the player, sorted by the time at which they expire. `GET /api/me/challenges`. */
export type Invitations = {
  /** The challenges. */
  challenges: Invitation[];
};

/** Addresses one of the player's open challenges to another player. `POST /api/me/challenges`. */
export type Invite = {
  /** The code of the challenge. */
  challenge: string;
  /** The name of the other player. */
  name: string;
};

/** The lakes of a ruleset. */
export type LakesInfo = Square[] | DrawnLakes;

/** The best players in one ruleset at one speed. Only players with a deviation of 75 or less are listed. `GET /api/leaderboards/RULESET/SPEED`. */
export type Leaderboard = {
  /** True for the leaderboard of bots. People and bots have separate leaderboards. */
  bots: boolean;
  /** The entries, best first. */
  entries: LeaderboardEntry[];
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** An entry of a leaderboard. */
export type LeaderboardEntry = {
  /** The number of rated games that the player has played. */
  games: number;
  /** The player's current rating. */
  now: RatingPoint;
  /** The player's position on the leaderboard, starting at 1. */
  place: number;
  /** The player. */
  player: Player;
};

export type ListedPhase = string;

/** The player who logged in, with a new token. */
export type LoggedIn = {
  /** The player. */
  player: Player;
  /** The new token, which is sent only once. */
  token: Secret;
};

/** Logs in with a name and a password. `POST /api/login`. */
export type Login = {
  /** The account's name. */
  name: string;
  /** The account's password. */
  password: Secret;
  /** The name of the new token, at most 40 characters. It appears in the list of tokens. */
  token_name?: string | null;
};

/** A player's new feed. `POST /api/me/feed`. */
export type MadeFeed = {
  /** The feed's path on this server, which is sent only once. Anyone who has the path can read the feed. */
  path: Secret;
};

/** A new token. */
export type MadeToken = {
  /** The token's entry in lists, which does not contain the token itself. */
  info: TokenInfo;
  /** The token itself, which is sent only once. */
  token: Secret;
};

/** The language of mails. */
export type MailLanguage = 
  /** English. */
  | "en"
  /** Russian. */
  | "ru";

/** The player who makes the request, with their token. `GET /api/me`. */
export type Me = {
  /** The player's recent departures from games, and the wait that follows from them. */
  conduct: Conduct;
  /** The player. */
  player: Player;
  /** The token that was used for the request. */
  token: TokenInfo;
};

/** A player's queue of turns in a game. Only the player can see it. `GET /api/games/ID/queue`. */
export type MoveQueue = {
  /** The game. */
  game: GameId;
  /** The queued turns, one for each of the player's next plies, in order. */
  moves: QueuedMove[];
  /** The ply of the first queued turn. */
  ply: number;
};

/** Sets the address to which the server sends e-mail when it is the player's turn. `PUT /api/me/email`. */
export type NewEmail = {
  /** An address of at most 254 ASCII characters, such as `ann@example.org`. */
  address: string;
  /** The language of the mails. */
  language?: MailLanguage;
};

/** Changes the password and revokes all other tokens. `POST /api/account/password`. */
export type NewPassword = {
  /** The new password, which has 8 to 256 characters. */
  new_password: Secret;
  /** The current password. */
  password: Secret;
};

/** Makes the server notify a browser of the player's turns. The values come from the browser's `PushSubscription`. `POST /api/push`. */
export type NewPush = {
  /** The browser's authentication secret, as Base64url without padding. */
  auth: Secret;
  /** The `https` address of the browser's push service, at most 500 characters. */
  endpoint: string;
  /** The browser's public key, as Base64url without padding. */
  p256dh: Secret;
};

/** Replaces the queue with these turns, one for each of the player's next plies, in order. `PUT /api/games/ID/queue`. */
export type NewQueue = {
  /** The `epoch` of the `game` message on which the turns are based. If the game's epoch is later, the server refuses the request as stale. */
  epoch?: number | null;
  /** The turns to queue, from 1 to 20. */
  moves: QueuedMove[];
  /** The ply of the game when the turns were planned. If the game has moved on, the server refuses the request as stale. */
  ply: number;
};

/** A new recovery code. It replaces the previous code, which becomes invalid. */
export type NewRecoveryCode = {
  /** The recovery code, which is sent only once. */
  recovery_code: Secret;
};

/** Starts a session for the server's page in a browser. `POST /api/session`. */
export type NewSession = {
  /** The account's name, or the requested name of a new guest. */
  name?: string | null;
  /** The account's password. */
  password?: Secret | null;
  /** The account's recovery code. It is needed to set a new password if the old one is lost. */
  recovery_code?: Secret | null;
  /** True to create the account. If the browser has a guest's session, the guest becomes the account. */
  sign_up?: boolean;
};

/** Creates an additional token. `POST /api/tokens`. */
export type NewToken = {
  /** The token's name, at most 40 characters. */
  name: string;
  /** The account's password. Required if the request uses the session cookie of the server's page. This prevents anyone who finds an open browser from creating a permanent token. */
  password?: Secret | null;
  /** The permissions of the token. Only bot accounts can have tokens with the scope `bot`. */
  scope?: Scope;
};

/** Sets the address to which the server sends notices of the player's turns. `PUT /api/me/webhook`. */
export type NewWebhook = {
  /** An `https` address of at most 500 characters, without a user name or password. */
  url: string;
};

export type Order = string;

/** A running game in the player's list. */
export type OwnGame = {
  /** The deadline of the side to act, in milliseconds since 1970. Absent if the game has no clock or the clocks are stopped. */
  deadline?: number | null;
  /** True if the opponent has offered a draw. */
  draw_offered?: boolean;
  /** The game. */
  game: GameSummary;
  /** The player's side. */
  side: Side;
  /** True if the player has to act: deploy, take a turn, or choose a rank. */
  to_act: boolean;
};

/** The player's running games, most urgent first. Games in which the player has to act come first, sorted by deadline. `GET /api/me/games`. */
export type OwnGames = {
  /** The games. */
  games: OwnGame[];
  /** The server's time in milliseconds since 1970. */
  server_time: number;
  /** The games that cannot be shown now because their logs are damaged or unavailable. */
  unavailable?: GameId[];
};

/** A report that the player has sent to the operators. */
export type OwnReport = {
  /** The time of the report, in milliseconds since 1970. */
  at: number;
  /** The game. */
  game: GameId;
  /** The reason that the player gave. */
  reason: string;
  /** The reported player. */
  reported: Player;
  /** What the operators have decided. */
  state: ReportState;
};

/** The latest reports of the player, at most 50, latest first. Reports are deleted after 180 days. `GET /api/me/reports`. */
export type OwnReports = {
  /** The reports. */
  reports: OwnReport[];
};

/** A finished game in a player's history. */
export type PlayedGame = {
  /** The time at which the game ended, in milliseconds since 1970. */
  ended: number;
  /** True if the operator of the server has erased the game. Its record cannot be read any more. */
  erased?: boolean;
  /** The game. */
  game: GameId;
  /** The opponent. */
  opponent: Player;
  /** The number of turns in the game. */
  plies: number;
  /** True if only the two players can see the game. */
  private?: boolean;
  /** True if the game was rated. */
  rated?: boolean;
  /** Why the game ended: the `reason` of its outcome. */
  reason: string;
  /** The ruleset's id. */
  ruleset: string;
  /** The result of the game for the player. */
  score: GameScore;
  /** The player's side. */
  side: Side;
  /** The time control of the game. */
  time: Time;
};

/** A page of a player's finished games, latest first. `GET /api/players/NAME/games`. */
export type PlayedGames = {
  /** The games of this page. */
  games: PlayedGame[];
  /** The value of `?after=` for the next page. Absent on the last page. */
  next?: string | null;
  /** The player. */
  player: Player;
};

/** The preferences of an account, such as `"theme":"dark"`, at most 32. Only clients know what they mean. The answer from `GET` and `PATCH /api/me/preferences`. */
export type Preferences = {
  /** Values by name. A client must ignore what it does not know, because other clients of the account may know it. */
  preferences: Record<string, string>;
};

/** The public profile of a player. `GET /api/players/NAME`. */
export type Profile = {
  /** The time at which the player was created, in milliseconds since 1970. */
  created: number;
  /** The player. */
  player: Player;
  /** The player's current ratings. */
  ratings?: RatingInfo[];
};

/** A browser that is notified of the player's turns. */
export type PushInfo = {
  /** The time at which the browser subscribed, in milliseconds since 1970. */
  created: number;
  /** The host of the browser's push service. */
  service: string;
};

/** The key that a browser needs to subscribe. `GET /api/push`. */
export type PushKey = {
  /** The server's public key (`applicationServerKey`), as Base64url without padding. */
  key: string;
};

/** A queued turn. */
export type QueuedMove = {
  /** The queued turn: a move, or a turn that moves a piece to or from the reserve. */
  command: GameCommand;
  /** The move that the opponent must have made just before this turn. If they made another move, this turn is not taken. If absent, the turn has no condition. */
  if?: MoveText | null;
};

/** A rated game in a player's list. */
export type RatedGame = {
  /** The player's rating after the game. */
  after: RatingPoint;
  /** The time at which the game ended, in milliseconds since 1970. */
  at: number;
  /** The player's rating before the game. */
  before: RatingPoint;
  /** The game. */
  game: GameId;
  /** The opponent. */
  opponent: Player;
  /** The result of the game for the player. */
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
  /** The number of rated games that the player has played. */
  games: number;
  /** The time at which the last rated game ended, in milliseconds since 1970. */
  last: number;
  /** The current rating. It becomes less certain while the player plays no rated games. */
  now: RatingPoint;
  /** The ruleset's id. */
  ruleset: string;
  /** The speed. */
  speed: Speed;
};

/** The answer from `/ready`. */
export type Ready = {
  /** `ok` or `stopping`. */
  status: string;
  /** True if the store answered this server's latest heartbeat. */
  store_available: boolean;
};

/** The kind of record that a requester asks for. */
export type RecordScope = 
  /** The game as Red saw it during play. */
  | "red"
  /** The game as Blue saw it during play. */
  | "blue"
  /** The game as the public saw it during play. */
  | "public"
  /** The game with all ranks revealed. */
  | "all";

/** Sets a new password, using the recovery code. `POST /api/recover`. */
export type Recover = {
  /** The account's name. */
  name: string;
  /** The new password, which has 8 to 256 characters. */
  password: Secret;
  /** The recovery code that the player received at sign-up or after the last recovery. */
  recovery_code: Secret;
};

/** The account after a recovery. All earlier tokens are revoked, and the recovery code just used is no longer valid. */
export type Recovered = {
  /** The player. */
  player: Player;
  /** The next recovery code, which is sent only once. */
  recovery_code: Secret;
  /** The new token, which is sent only once. */
  token: Secret;
};

/** Stops notifying a browser. `DELETE /api/push`. */
export type RemovePush = {
  /** The address that was given to `POST /api/push`. */
  endpoint: string;
};

/** What the operators have decided about a report. */
export type ReportState = 
  /** The operators have not decided yet. */
  | "open"
  /** The operators have taken measures. */
  | "acted"
  /** The operators saw no reason to act. */
  | "nothing";

/** A rule that a custom game may change. For example, `classic,ties=attacker` is the ruleset `classic` with its option `ties` set to `attacker`. */
export type RuleOptionInfo = {
  /** The name of the option. */
  name: string;
  /** The value of the option in the unchanged ruleset. The id of a custom game can leave this value out. */
  value: string;
  /** The possible values. */
  values: RuleValueInfo[];
};

/** A value of an option. */
export type RuleValueInfo = {
  /** The meaning of the value, for people. */
  meaning: string;
  /** The name of the value. */
  name: string;
};

/** A ruleset, as listed by `/api/rulesets`. */
export type RulesetInfo = {
  /** The number of pieces of each rank that a side has. The keys are the letters of deployment texts. */
  army: Record<string, number>;
  /** True if a game is a draw when neither side can move. */
  blocked_draws: boolean;
  /** The fate of a Bomb that beats its attacker. */
  bombs: BombsInfo;
  /** True if a piece lays a chip on the square where it lands. */
  chips: boolean;
  /** The number of columns of the board. */
  columns: number;
  /** The sides whose ranks a strike reveals. */
  disclosure: DisclosureInfo;
  /** The ranks that can flash over chips, each with its maximum distance. Empty if the ruleset has no flashes. */
  flashes: Record<string, number>;
  /** The number of rows on which each side deploys. */
  home_rows: number;
  /** The ruleset's id. */
  id: string;
  /** True if the server accepts an illegal move or deployment, which then loses the game. */
  illegal_act_loses: boolean;
  /** The letters of the columns whose top and bottom squares are neighbors. */
  joined_columns: string[];
  /** The numbers of the rows whose first and last squares are neighbors. Rows count from 1. */
  joined_rows: number[];
  /** True if a piece stays face up permanently after a Scout or a Phoenix has discovered its rank. */
  labels: boolean;
  /** The lakes of the board. */
  lakes: LakesInfo;
  /** True if home squares may stay empty. In a deployment text, they are written as `.`. */
  may_leave_empty: boolean;
  /** True if a side that chases a piece without a break must not recreate an earlier position. */
  more_squares: boolean;
  /** The rules that a custom game may change. */
  options: RuleOptionInfo[];
  /** The total number of plies after which the game is a draw. */
  ply_limit: number;
  /** The number of plies without a capture after which the game is a draw. `null` if there is no such limit. */
  quiet_limit?: number | null;
  /** True if the army is larger than the home rows, so that some pieces start in a reserve. */
  reserve: boolean;
  /** The number of rows of the board. */
  rows: number;
  /** The rank that a Spy beats when the Spy is the attacker. */
  spy_beats: Rank;
  /** The way in which a game begins. */
  start: StartInfo;
  /** True if a piece that moves any distance may strike at the end of a long move. */
  strikes_afar: boolean;
  /** A summary of the ruleset in one sentence. */
  summary: string;
  /** True if pieces can move along lines of chips of one color. */
  supply_lines: boolean;
  /** The result of a strike between equal ranks. */
  ties: TiesInfo;
  /** The ruleset's name for people. */
  title: string;
  /** The maximum number of consecutive moves in which a piece may cross the same border between two squares. `null` if there is no limit. */
  two_squares_limit?: number | null;
  /** True if a defender that wins moves to the attacker's square. */
  winner_advances: boolean;
};

/** A player's private statistics in one ruleset. Aborted games do not count. */
export type RulesetStatistics = {
  /** The player's results with each deployment, sorted by the number of games, most used first. Deployments that the player has not used for a long time may be missing. */
  by_deployment: DeploymentTally[];
  /** The player's results with each side. */
  by_side: PerSide<Tally>;
  /** The ruleset's id. */
  ruleset: string;
};

/** A player's results in one ruleset. */
export type RulesetTally = {
  /** The ruleset's id. */
  ruleset: string;
  /** The numbers of games that the player won, drew and lost. */
  tally: Tally;
};

export type Rulesets = {
  /** The programs of this server that players can play against. */
  house_players: HousePlayerInfo[];
  rulesets: RulesetInfo[];
};

/** Saves a deployment under its ruleset and name. If the name is in use, the earlier deployment is replaced. `PUT /api/me/deployments/RULESET/NAME`. */
export type SaveDeployment = {
  /** The deployment's text (§P4). */
  setup: Secret;
};

/** A deployment that a player has saved. Only the player can see it. */
export type SavedDeployment = {
  /** The name that the owner gave the deployment: 1 to 30 letters, digits, `-` and `_`. */
  name: string;
  /** The ruleset's id. */
  ruleset: string;
  /** The deployment's text (§P4), without spaces. */
  setup: Secret;
};

/** The player's saved deployments, sorted by ruleset and name. `GET /api/me/deployments`. */
export type SavedDeployments = {
  /** The deployments. */
  deployments: SavedDeployment[];
};

/** A schema and its path. */
export type SchemaLink = {
  name: string;
  /** The schema's path on this server. */
  path: string;
};

/** The schemas that the server offers. */
export type SchemaList = {
  schemas: SchemaLink[];
};

/** The permissions of a token. */
export type Scope = 
  /** The token permits everything that the player may do: play games, and manage their tokens and their account. */
  | "play"
  /** The token permits only playing games. Only bot accounts can have tokens with this scope. */
  | "bot";

/** The player of a session. The response also sets a cookie with the token. Scripts on the page cannot read this cookie. */
export type SessionInfo = {
  /** The player. */
  player: Player;
  /** The recovery code of a new account, or the next recovery code if the request used one. It is sent only once. */
  recovery_code?: Secret | null;
};

/** Creates an account. If the request has a guest's token, the guest becomes this account. `POST /api/account`. */
export type SignUp = {
  /** True if a program plays with this account. Everyone can see this, and it cannot be changed. */
  bot?: boolean;
  /** The account's name: 2 to 20 letters, digits, `-` and `_`. Names are compared without regard to case. */
  name: string;
  /** The password, which has 8 to 256 characters. */
  password: Secret;
};

/** A new account. The player should store the recovery code, which lets them set a new password. */
export type SignedUp = {
  /** The player. */
  player: Player;
  /** The recovery code, which is sent only once. */
  recovery_code: Secret;
  /** A token for the new account. Absent if a guest signed up, because the guest's token stays valid. */
  token?: Secret | null;
};

/** A public key that verifies the signatures of finished games. Servers may sign newer games with another key. */
export type SigningKeyInfo = {
  /** The id of the key: the first 16 hexadecimal digits of its SHA-256. */
  id: string;
  /** The Ed25519 public key. */
  public: HexBytes;
  /** The time at which a server first used the key, in milliseconds since 1970. */
  since: number;
};

/** All public keys that verify the signatures of a store's finished games, including keys that servers have stopped signing with. */
export type SigningKeys = {
  /** The keys, sorted by id. */
  keys: SigningKeyInfo[];
};

/** The way in which a game begins. */
export type StartInfo = 
  /** Each side deploys its army in secret. */
  | "deployments"
  /** The game begins immediately, with coins on all home squares. */
  | "coins";

/** A player's private statistics, which only the player can see. `GET /api/me/statistics`. */
export type Statistics = {
  /** The statistics of each ruleset. */
  rulesets: RulesetStatistics[];
};

/** Deployments that the server suggests for a ruleset. `GET /api/rulesets/RULESET/deployments/suggested`. */
export type SuggestedDeployments = {
  /** The ruleset's id. */
  ruleset: string;
  /** Three deployments in text form (§P4), without spaces. */
  setups: Secret[];
};

/** The numbers of games that a player won, drew and lost. */
export type Tally = {
  /** The number of games without a winner. */
  drawn: number;
  /** Games lost. */
  lost: number;
  /** Games won. */
  won: number;
};

/** The result of a strike between equal ranks. */
export type TiesInfo = 
  /** Both pieces leave the board. */
  | "both"
  /** Only the attacker stays. */
  | "attacker"
  /** Only the defender stays. Only custom games have this rule. */
  | "defender";

/** A token's entry in its owner's list. It does not contain the token itself. */
export type TokenInfo = {
  /** The time at which the token was created, in milliseconds since 1970. */
  created: number;
  /** True if the client used this token for the request. */
  current?: boolean;
  /** The token's id. The owner can use the id to revoke the token. */
  id: string;
  /** The name that the owner gave the token. */
  name: string;
  /** The permissions of the token. */
  scope: Scope;
};

/** A player's tokens, oldest first. `GET /api/tokens`. */
export type TokenList = {
  /** The tokens. */
  tokens: TokenInfo[];
};

/** An attempt to deliver a notice. */
export type WebhookAttempt = {
  /** The time of the attempt, in milliseconds since 1970. */
  at: number;
  /** True if the receiver answered with a status from 200 to 299. */
  delivered: boolean;
  /** The result of the attempt, for people. */
  result: string;
};

/** A webhook, with the facts that its owner may see. `GET /api/me/webhook`. */
export type WebhookInfo = {
  /** True if the server sends notices. After several failures in a row, the server stops sending them until the player sets the webhook again. */
  active: boolean;
  /** The time at which the webhook was set, in milliseconds since 1970. */
  created: number;
  /** The last attempt to deliver a notice. */
  last?: WebhookAttempt | null;
  /** The number of consecutive notices that could not be delivered. */
  lost: number;
  /** The address. */
  url: string;
  /** The number of notices that have not been delivered yet. */
  waiting: number;
};

/** A webhook that was just set, and the secret that the server uses to sign its notices. */
export type WebhookSet = {
  /** The secret in the format of Standard Webhooks: `whsec_`, then Base64. It is sent only once. The same text is the key for the older header `Flagfall-Signature`. */
  secret: Secret;
  /** The address. */
  url: string;
};
