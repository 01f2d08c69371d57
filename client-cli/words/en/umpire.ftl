### Matches between programs. The lines that programs read are in the code, because they are not texts for people.

# $error.
umpire-input = standard input: { $error }
umpire-not-a-line = the umpire sent something that is not a line of text
# $variable: of the environment; $value; $ruleset.
umpire-lakes = { $variable }="{ $value }": these lakes are not allowed in { $ruleset }
umpire-unix = the umpire needs a Unix system: Linux, macOS, or WSL on Windows
# $path; $error.
umpire-path = { $path }: { $error }
# $path.
umpire-written = Written to { $path }.
# $played, $all: numbers of games.
umpire-stopped =
    { $all ->
        [one] flagfall: stopped after { $played } of 1 game; the results cover only the games played
       *[other] flagfall: stopped after { $played } of { $all } games; the results cover only these
    }
umpire-programs-wanted = name the programs with --red and --blue, or with --all
# $path; $error.
umpire-cannot-start = { $path } cannot be started: { $error }
# $error.
umpire-cannot-start-it = it cannot be started: { $error }
# $names: a list.
umpire-playing = Playing: { $names }.
# $name; $why.
umpire-not-playing = Not playing: { $name }, because { $why }.
# $path: a folder.
umpire-too-few = { $path } has fewer than two programs that can be started
