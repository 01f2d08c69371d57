### Matches between programs. The lines that programs read are not texts and stand in the code.

# $error.
umpire-input = standard input: { $error }
umpire-not-a-line = the umpire sent something that is not a line
# $variable: of the environment; $value; $ruleset.
umpire-lakes = { $variable }="{ $value }": { $ruleset } has no such lakes
umpire-unix = the umpire needs a Unix system: Linux, macOS, or WSL on Windows
# $path; $error.
umpire-path = { $path }: { $error }
# $path.
umpire-written = Written to { $path }.
# $played, $all: numbers of games.
umpire-stopped = flagfall: stopped: { $played } of { $all } games were played to their end; the others do not count
umpire-programs-wanted = name the programs with --red and --blue, or with --all
# $path; $error.
umpire-cannot-start = { $path } cannot be started: { $error }
# $error.
umpire-cannot-start-it = it cannot be started: { $error }
# $names: a list.
umpire-playing = Playing: { $names }.
# $name; $why.
umpire-not-playing = Not playing: { $name }: { $why }.
# $path: a folder.
umpire-too-few = { $path } has fewer than two programs that can be started
