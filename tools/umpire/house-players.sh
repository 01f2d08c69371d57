#!/bin/sh
# The tournament of the house players by the umpire: every level against every other, in every ruleset that the line protocol can tell.
#
#   tools/umpire/house-players.sh PROGRAM GAMES DIR [RULESET...]
#
# PROGRAM is the built flagfall, GAMES the games of each pair in each ruleset, DIR a folder that does not exist yet. All records are
# checked. DIR then holds them, the standings of each ruleset as Markdown, and what the check said. Levels think in positions, not in
# time: a busy machine makes it slower and no player worse.
set -eu

if [ $# -lt 3 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
program=$(realpath "$1")
games=$2
mkdir "$3"
dir=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- classic tournament barrage pbm pbm-small original silent-defense course

for rules in "$@"; do
    players="$dir/players-$rules"
    mkdir "$players"
    for level in random simple good; do
        printf '#!/bin/sh\nexec "%s" bot --line %s --rules %s\n' "$program" "$level" "$rules" > "$players/$level"
        chmod +x "$players/$level"
    done
    "$program" umpire --rules "$rules" --all "$players" --games "$games" --turn-time 30 \
        --record "$dir/$rules-games" --format markdown --out "$dir/$rules.md" --plain
done
"$program" check "$dir"/*-games > "$dir/check.txt"
tail -n 1 "$dir/check.txt"
