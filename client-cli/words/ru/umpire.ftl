### Matches between programs. The lines that programs read are in the code, because they are not texts for people.

# $error.
umpire-input = стандартный ввод: { $error }
umpire-not-a-line = судья прислал не строку текста
# $variable: of the environment; $value; $ruleset.
umpire-lakes = { $variable }="{ $value }": по правилам { $ruleset } таких озёр быть не может
umpire-unix = судье нужна система Unix: Linux, macOS или WSL в Windows
# $path; $error.
umpire-path = { $path }: { $error }
# $path.
umpire-written = Записано в { $path }.
# $played, $all: numbers of games.
umpire-stopped = flagfall: прервано, сыграно партий { $played } из { $all }; в результатах учтены только эти партии
umpire-programs-wanted = укажите программы в --red и --blue или папку в --all
# $path; $error.
umpire-cannot-start = не удалось запустить { $path }: { $error }
# $error.
umpire-cannot-start-it = не удалось запустить: { $error }
# $names: a list.
umpire-playing = Играют: { $names }.
# $name; $why.
umpire-not-playing = Не играет { $name }: { $why }.
# $path: a folder.
umpire-too-few = { $path }: меньше двух программ, которые можно запустить
