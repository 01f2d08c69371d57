#!/usr/bin/env python3
"""Reads everything that people can read of a service, and compares two such readings.

    compare.py read URL PLAYERS.json > READING.json
    compare.py compare BEFORE.json AFTER.json
    compare.py compare-older BEFORE.json AFTER.json

PLAYERS.json maps the names of accounts to their tokens. The program asks the HTTP API like these people
and like a stranger. It takes the questions from the service's own OpenAPI document, and the games from the
histories and lists of the players, so it knows nothing of stores. `compare-older` is for a reading of a service of
version 0.1: what only the later service answers does not count. Exit code 1: the readings differ.
"""

import itertools
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

# What is not kept, or differs from one moment to the next. Pauses move the deadlines of running games.
NOT_KEPT = {"/health", "/ready", "/api/openapi.json", "/api/schema", "/api/schema/{name}", "/api/feeds/{secret}", "/api/push"}
MOMENTARY = {"server_time", "request", "deadline"}
# Version 0.1 answers these differently: it knows no audiences of records and no list of finished games.
CHANGED_SINCE_0_1 = re.compile(r"\?as=|/record\.txt|^/api/rulesets|phase=over")
AUDIENCES = ["red", "blue", "public", "all"]
SPEEDS = ["bullet", "blitz", "rapid", "slow", "correspondence"]
PAGE = 20


def ask(url, path, token):
    """Returns the status and the body of an answer."""
    request = urllib.request.Request(url + path)
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def stopped(clock):
    """Returns the clocks of a view without the moment of the view: of a running clock, only that it runs."""
    running = clock.get("running")
    left = {side: ms for side, ms in clock["remaining_ms"].items() if running not in (side, "both")}
    return {**clock, "at": None, "remaining_ms": left}


def is_pause(event):
    return isinstance(event, dict) and event.get("event", {}).get("kind") in ("paused", "resumed")


def lasting(value):
    """Returns a value without what is of the moment."""
    if isinstance(value, dict):
        if value.get("view") and value["view"].get("clock"):
            value = {**value, "view": {**value["view"], "clock": stopped(value["view"]["clock"])}}
        if isinstance(value.get("events"), list):
            # While a service moves, no server runs, so a running game is paused once more.
            value = {**value, "events": [event for event in value["events"] if not is_pause(event)]}
        return {key: lasting(part) for key, part in value.items() if key not in MOMENTARY}
    return [lasting(part) for part in value] if isinstance(value, list) else value


def games_of(url, name, token):
    """Returns the ids of the finished and running games of a player, over all pages."""
    found, after = set(), ""
    while True:
        status, body = ask(url, f"/api/players/{name}/games?limit={PAGE}{after}", token)
        assert status == 200, (name, status, body)
        page = json.loads(body)
        found |= {game["game"] for game in page["games"]}
        if not page.get("next"):
            break
        after = "&after=" + urllib.parse.quote(page["next"])
    status, body = ask(url, "/api/me/games", token)
    assert status == 200, (name, status, body)
    return found | set(re.findall(r'"id":"([0-9a-z]{12})"', body))


def questions(url, players):
    """Returns all paths to ask."""
    games = sorted(set().union(*(games_of(url, name, token) for name, token in players.items())))
    assert games, "there are no games"
    rulesets = sorted(ruleset["id"] for ruleset in json.loads(ask(url, "/api/rulesets", None)[1])["rulesets"])
    values = {"id": games, "ruleset": rulesets, "speed": SPEEDS, "name": sorted(players), "other": sorted(players)}
    queries = {
        "/api/games": ["", "?order=rating", "?phase=over&limit=50"],
        "/api/games/{id}/record": [""] + [f"?as={audience}" for audience in AUDIENCES],
        "/api/leaderboards/{ruleset}/{speed}": ["", "?bots=true"],
        "/api/players/{name}/games": ["?limit=50"],
        "/api/players/{name}/against/{other}": ["?limit=50"],
        "/api/rulesets/{ruleset}/deployments/suggested": ["?seed=1"],
    }
    document = json.loads(ask(url, "/api/openapi.json", None)[1])
    for path, operations in document["paths"].items():
        if "get" not in operations or path in NOT_KEPT:
            continue
        names = re.findall(r"\{(\w+)\}", path)
        for chosen in itertools.product(*(values[name] for name in names)):
            filled = path
            for name, value in zip(names, chosen):
                filled = filled.replace("{" + name + "}", value)
            for query in queries.get(path, [""]):
                yield filled + query


def read(url, players):
    reading = {}
    askers = list(players.items()) + [("", None)]
    for path in questions(url, players):
        for name, token in askers:
            status, body = ask(url, path, token)
            assert status not in (429, 503), (path, name, status, body)
            try:
                body = lasting(json.loads(body)) if status == 200 else ""
            except json.JSONDecodeError:
                pass
            reading[f"{path} as {name or 'a stranger'}"] = [status, body]
    return reading


def differences(before, after, may_add, place=""):
    """Returns the places at which two values differ. The later one may have more fields if `may_add`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() if may_add else before.keys() | after.keys()):
            yield from differences(before.get(key), after.get(key), may_add, f"{place}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, may_add, f"{place}/{number}")
    elif before != after:
        yield f"{place}: {json.dumps(before)[:200]} became {json.dumps(after)[:200]}"


def main():
    if sys.argv[1] == "read":
        with open(sys.argv[3]) as file:
            json.dump(read(sys.argv[2].rstrip("/"), json.load(file)), sys.stdout)
        return 0
    with open(sys.argv[2]) as before, open(sys.argv[3]) as after:
        before, after = json.load(before), json.load(after)
    is_older = sys.argv[1] == "compare-older"
    if is_older:
        before = {question: answer for question, answer in before.items() if not CHANGED_SINCE_0_1.search(question)}
        after = {question: answer for question, answer in after.items() if question in before}
    found = 0
    for question in sorted(before.keys() | after.keys()):
        for difference in differences(before.get(question), after.get(question), is_older):
            print(f"{question} {difference}")
            found += 1
    answered = sum(1 for status, _ in before.values() if status == 200)
    print(f"{len(before)} questions, {answered} with an answer: {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
