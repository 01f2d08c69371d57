#!/usr/bin/env python3
"""A complete bot for Flagfall: it plays one game of Barrage with random moves.

    python3 play.py [URL] [house|seek]    against the house, or against anyone in the lobby

FLAGFALL_TOKEN in the environment plays as an account. Needs: pip install websockets
"""
import asyncio, json, os, random, re, sys, uuid
import websockets

URL, OPPONENT = (sys.argv[1:] + ["ws://127.0.0.1:7171/ws", "house"][len(sys.argv) - 1:])[:2]
TERMS = {"ruleset": "barrage", "time": {"kind": "fischer", "base_s": 300, "increment_s": 5}}
TEMPORARY = "store_unavailable", "stopping", "server_full", "too_many", "paused"
SETUP = "9....1..9. .......... .S........ F8B2......"

def fits(offer):  # a casual game of Barrage, for anyone
    terms = offer["terms"]
    return terms["ruleset"] == "barrage" and not terms.get("rated") and not offer.get("rating")

class Bot:
    token, game, pending, pause = os.environ.get("FLAGFALL_TOKEN"), None, None, 0

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def command(self, **message):  # kept until it is answered
        self.pending = {"cmd_id": str(uuid.uuid4()), **message}
        await self.send(**self.pending)

    async def look(self):  # asks for the whole game; the server sends its events from now on
        self.is_open = True
        await self.send(type="open_game", game=self.game)

    def choose(self, view, side):
        """A legal move of one square: a strike, or else forward, or else any. None without one."""
        pieces = dict(re.match(r"([a-p]\d+)(.+)", piece).groups() for piece in view["pieces"])
        strikes, forward, others = [], [], []
        for square, piece in pieces.items():  # a piece is like a4r9 or j7b?: square, side, rank
            for dx, dy in (0, 1), (0, -1), (1, 0), (-1, 0):
                to = chr(ord(square[0]) + dx) + str(int(square[1:]) + dy)
                if (piece[0] == side[0] and piece[1] not in "BF"
                        and re.fullmatch("[a-j]([1-9]|10)", to) and to not in view["lakes"]
                        and pieces.get(to, " ")[0] != side[0]
                        and square + to not in view.get("refused_moves", [])):
                    is_forward = dy == (1 if side == "red" else -1)
                    kind = strikes if to in pieces else forward if is_forward else others
                    kind.append(square + to)
        moves = strikes or forward or others
        return random.choice(moves) if moves else None

    async def act(self, view, side, epoch):
        about = {"type": "command", "game": self.game, "ply": view["ply"], "epoch": epoch}
        if view["phase"] == "deploying" and not view["ready"][side]:
            await self.command(**about, command={"kind": "deploy", "setup": SETUP})
        elif view["phase"] == "playing" and view.get("turn") == side and not view.get("paused"):
            await asyncio.sleep(0.2)  # a connection may send 100 messages in 20 seconds
            move = self.choose(view, side)
            command = {"kind": "move", "move": move} if move else {"kind": "resign"}
            await self.command(**about, command=command)

    async def receive(self, message):
        kind = message["type"]
        if kind == "ping":
            await self.send(type="pong", id=message["id"])
        elif kind == "welcome":
            self.token = message.get("token", self.token)  # a bot that runs for longer stores it
            self.me, self.is_open, self.pause = message["player"], False, 0
            print("connected as", self.me["name"], flush=True)
            running = [game["id"] for game in message["games"] if fits(game)]
            self.game = self.game or (running[0] if running else None)
            if self.pending:  # unanswered: the same message with the same id is never done twice
                await self.send(**self.pending)
            elif self.game:
                await self.look()
            elif OPPONENT == "house":
                await self.command(type="play_bot", bot="random", terms=TERMS)
            if OPPONENT == "seek" and not self.game:
                await self.send(type="open_lobby")
        elif kind == "lobby" and not self.game and not self.pending:
            seeks = [seek for seek in message["seeks"] if fits(seek)]
            if not seeks:
                await self.command(type="seek", terms=TERMS)
            elif seeks[0]["seeker"]["id"] != self.me["id"]:  # the oldest; its owner waits
                await self.command(type="accept_seek", seek=seeks[0]["id"])
        elif kind == "game_started" and not self.game:
            self.game = message["game"]["id"]
            await self.look()
        elif kind == "game":
            self.side, view = message["audience"], message["view"]
            if view["phase"] == "over":
                return view["outcome"]
            await self.act(view, self.side, message["epoch"])
        elif kind == "event":
            print("ply", message["seq"], message["event"]["kind"], flush=True)
            if message["change"].get("turn") == self.side or message["event"]["kind"] == "ended":
                await self.look()
        elif kind == "accepted" and self.pending and message["cmd_id"] == self.pending["cmd_id"]:
            self.pending = None
            if self.game and not self.is_open:
                await self.look()
        elif kind == "refused":
            print("refused:", message["code"], "-", message["message"], flush=True)
            if self.pending and message["code"] in TEMPORARY:
                await asyncio.sleep(2)
                await self.send(**self.pending)
            elif self.game:  # the game has moved on: look again
                self.pending = None
                await self.look()
            elif message["code"] == "no_such_seek":  # someone was faster; the next lobby follows
                self.pending = None
            else:
                sys.exit(1)

    async def connect(self):
        hello = {"type": "hello", "protocol": 1, "client": "play.py", "name": "pybot"}
        async with websockets.connect(URL, max_size=None) as self.socket:
            await self.send(**hello, **({"token": self.token} if self.token else {}))
            async for text in self.socket:
                outcome = await self.receive(json.loads(text))
                if outcome:
                    return outcome
            return await self.socket.recv()  # raises the reason of the close

    async def play(self):
        while True:
            try:
                return await self.connect()
            except websockets.ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 0
                if code in (1002, 1003, 1007, 1008, 1009) or 4100 <= code < 4200:
                    sys.exit(f"the server closed the connection for good: {code}")
                if code in (1013, 4003):  # busy: not at once
                    self.pause = 5
            except (OSError, websockets.WebSocketException):
                pass
            print("no connection, trying again", flush=True)
            await asyncio.sleep(self.pause * random.uniform(0.5, 1))
            self.pause = min(max(self.pause * 2, 0.1), 5)

bot = Bot()
outcome = asyncio.run(bot.play())
print(f"game over: winner {outcome.get('winner')}, {outcome['reason']}; this was {bot.side}")
