#!/usr/bin/env python3
"""Plays random games through `flagfall referee` and counts how they end.

Nothing but Python's standard library is needed:

    python3 random_games.py --games 100 --ruleset barrage
    python3 random_games.py --program "cargo run --release -q --bin flagfall --" --seed 7

The same seed plays the same games.
"""

import argparse
import collections
import json
import random
import shlex
import subprocess
import sys
import time


class Refused(Exception):
    """The referee refused a request: its code and what it says."""


class Referee:
    """A running referee. Each request is a dictionary, and so is each answer."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [*shlex.split(program), "referee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, *requests):
        """Sends requests together and returns their answers, which come in the same order."""
        lines = [json.dumps(request) + "\n" for request in requests]
        self.process.stdin.write("".join(lines))
        self.process.stdin.flush()
        answers = [json.loads(self.process.stdout.readline()) for _ in requests]
        for answer in answers:
            if answer["type"] == "refused":
                raise Refused(f"{answer['code']}: {answer['message']}")
        return answers

    def close(self):
        """Ends it: its input ends, and it leaves with code 0."""
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError(f"the referee ended with code {self.process.returncode}")


def random_setup(facts, chance):
    """A deployment's text: a letter for each piece, `.` for each home square that stays empty."""
    letters = [letter for letter, count in facts["army"].items() for _ in range(count)]
    squares = facts["columns"] * facts["home_rows"]
    if len(letters) > squares:
        # The Flag and any others; the rest is the reserve.
        letters = ["F"] + chance.sample([letter for letter in letters if letter != "F"], squares - 1)
    letters += "." * (squares - len(letters))
    chance.shuffle(letters)
    return "".join(letters)


def play(referee, facts, chance):
    """Plays one game; how it ended, and after how many plies."""
    new_game = {"type": "new_game", "ruleset": facts["id"], "seed": chance.getrandbits(53)}
    game, legal = referee.ask(new_game, {"type": "legal", "side": "red"})
    # Where coins stand, the game has begun already.
    if game["phase"] == "deploying":
        requests = []
        for side in ("red", "blue"):
            deploy = {"kind": "deploy", "setup": random_setup(facts, chance)}
            requests.append({"type": "command", "side": side, "command": deploy})
        *_, game, legal = referee.ask(*requests, {"type": "legal", "side": "red"})
    asked = "red"
    while game["phase"] == "playing":
        acts = ("move", "color", "choose", "remove", "place")
        if not any(command["kind"] in acts for command in legal["commands"]):
            # A strike waits for the other side's choice.
            asked = "blue" if asked == "red" else "red"
            (legal,) = referee.ask({"type": "legal", "side": asked})
            continue
        moves = [command for command in legal["commands"] if command["kind"] == "move"]
        # Where there is no move, something else: a color or a choice that is owed, a piece to take off the board or to bring on.
        others = [command for command in legal["commands"] if command["kind"] in acts]
        command = chance.choice(moves or others)
        ask = {"type": "command", "side": asked, "command": command}
        # The command and the question what can be done then: one way there and back. Naming a color is no turn.
        if command["kind"] != "color":
            asked = "blue" if asked == "red" else "red"
        game, legal = referee.ask(ask, {"type": "legal", "side": asked})
    return game["outcome"], game["ply"]


def main():
    options = argparse.ArgumentParser(description="Plays random games through flagfall referee.")
    options.add_argument("--program", default="flagfall", help="how flagfall is started (default: %(default)s)")
    options.add_argument("--ruleset", default="barrage", help="an id, or all (default: %(default)s)")
    options.add_argument("--games", type=int, default=100, help="how many, of each ruleset (default: %(default)s)")
    options.add_argument("--seed", type=int, default=1, help="the same seed plays the same games (default: %(default)s)")
    options = options.parse_args()

    try:
        referee = Referee(options.program)
    except FileNotFoundError as error:
        sys.exit(f"cannot start {error.filename!r}: name the program with --program")
    (about,) = referee.ask({"type": "about"})
    rulesets = [facts for facts in about["rulesets"] if options.ruleset in (facts["id"], "all")]
    if not rulesets:
        sys.exit(f"no ruleset {options.ruleset!r}; there are {', '.join(facts['id'] for facts in about['rulesets'])}")
    for facts in rulesets:
        chance = random.Random(options.seed)
        ends, plies, begun = collections.Counter(), 0, time.perf_counter()
        for _ in range(options.games):
            outcome, ply = play(referee, facts, chance)
            ends[outcome.get("winner", "nobody"), outcome["reason"]] += 1
            plies += ply
        seconds = time.perf_counter() - begun
        print(f"{facts['id']}: {options.games} games, {plies} plies, {options.games / seconds:.0f} games/s, {plies / seconds:.0f} plies/s")
        for (winner, reason), count in ends.most_common():
            print(f"  {count:6} {winner} ({reason})")
    referee.close()


if __name__ == "__main__":
    main()
