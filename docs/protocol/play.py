#!/usr/bin/env python3
"""A complete bot for Flagfall: it plays a game of Barrage against a house player.

    python3 play.py [URL]

FLAGFALL_TOKEN in the environment plays as an account. Needs: pip install websockets
"""
import asyncio, json, os, random, re, sys, uuid
import websockets

URL = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7171/ws"
TERMS = {"ruleset": "barrage", "time": {"kind": "fischer", "base_s": 300, "increment_s": 5}}
SETUP = "9....1..9. .......... .S........ F8B2......"
START = {"type": "play_bot", "cmd_id": str(uuid.uuid4()), "bot": "random", "terms": TERMS}
token, game, side = os.environ.get("FLAGFALL_TOKEN"), None, None

def choose(view):
    """A legal move of one square: a strike, or else forward, or else any. None without one."""
    pieces = dict(re.match(r"([a-p]\d+)(.+)", piece).groups() for piece in view["pieces"])
    moves = []
    for square, piece in pieces.items():  # a piece is like a4r9 or j7b?: square, side, rank
        for dx, dy in (0, 1), (0, -1), (1, 0), (-1, 0):
            to = chr(ord(square[0]) + dx) + str(int(square[1:]) + dy)
            if (piece[0] == side[0] and piece[1] not in "BF" and re.fullmatch("[a-j]([1-9]|10)", to)
                    and to not in view["lakes"] and pieces.get(to, " ")[0] != side[0]
                    and square + to not in view.get("refused_moves", [])):
                is_forward = dy == (1 if side == "red" else -1)
                moves.append((to in pieces, is_forward, random.random(), square + to))
    return max(moves)[-1] if moves else None

async def answer(message, send):
    """Answers one message of the server. Returns the outcome when the game is over."""
    global token, game, side
    kind = message["type"]
    if kind == "ping":
        await send({"type": "pong", "id": message["id"]})
    elif kind == "welcome":
        token = message.get("token", token)  # a bot that runs for longer stores it
        print("connected as", message["player"]["name"], flush=True)
        # The server never carries out a command with the same id twice.
        await send({"type": "open_game", "game": game} if game else START)
    elif kind == "accepted" and message["cmd_id"] == START["cmd_id"]:
        game = message["outcome"]["game"]
        await send({"type": "open_game", "game": game})
    elif kind == "game":  # the whole game; its events follow
        view, side, command = message["view"], message["audience"], None
        if view["phase"] == "over":
            return f"winner {view['outcome'].get('winner')}, {view['outcome']['reason']}"
        if view["phase"] == "deploying" and not view["ready"][side]:
            command = {"kind": "deploy", "setup": SETUP}
        elif view["phase"] == "playing" and view.get("turn") == side and not view.get("paused"):
            await asyncio.sleep(0.2)  # a connection may send 100 messages in 20 seconds
            move = choose(view)
            command = {"kind": "move", "move": move} if move else {"kind": "resign"}
        if command:
            await send({"type": "command", "cmd_id": str(uuid.uuid4()), "game": game,
                        "ply": view["ply"], "epoch": message["epoch"], "command": command})
    elif kind == "event":
        print("event", message["seq"], message["event"]["kind"], flush=True)
        if message["change"].get("turn") == side or message["event"]["kind"] == "ended":
            await send({"type": "open_game", "game": game})
    elif kind == "refused":
        print("refused:", message["code"], "-", message["message"], flush=True)
        if not game:
            sys.exit(1)
        await asyncio.sleep(1)
        await send({"type": "open_game", "game": game})

async def play():
    async for socket in websockets.connect(URL, max_size=None):  # again and again, with pauses
        send = lambda message: socket.send(json.dumps(message))
        hello = {"type": "hello", "protocol": 1, "client": "play.py", "name": "pybot"}
        try:
            await send({**hello, **({"token": token} if token else {})})
            async for text in socket:
                if outcome := await answer(json.loads(text), send):
                    return outcome
        except websockets.ConnectionClosed:
            print("no connection, trying again", flush=True)

print("game over:", asyncio.run(play()))
