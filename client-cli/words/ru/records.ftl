### Files of records: checks and conversions.

# $why: what is wrong with the keys.
check-key-error = --key { $why }
# $records, $good, $partly, $false, $unreadable: numbers.
check-total =
    { $records ->
        [one] { $records } запись: верно { $good }, частично { $partly }, неверно { $false }
        [few] { $records } записи: верно { $good }, частично { $partly }, неверно { $false }
       *[many] { $records } записей: верно { $good }, частично { $partly }, неверно { $false }
    }
check-total-unreadable = { check-total }; не удалось прочитать { $unreadable }
check-standard-input = стандартный ввод
# $name: a file; $number: of the record in it.
check-record = { $name } запись { $number }
check-too-deep = слишком глубокая вложенность папок
# $name: a file; $why.
check-unread = не прочитано  { $name }  { $why }

# $ruleset; $plies: a number; $end: the reason, or open; $trust: yes if the end could not be checked;
# $signature: none, verified or unverified.
check-game = { $ruleset }, { $plies ->
        [one] { $plies } полуход
        [few] { $plies } полухода
       *[many] { $plies } полуходов
    }, { $end ->
        [open] не окончена
       *[other] { $end }
    }{ $trust ->
        [yes] , конец принят на веру
       *[no] {""}
    }{ $signature ->
        [verified] , подписана сервером
        [unverified] , подпись не проверена
       *[none] {""}
    }
check-unknown-rules = неизвестные правила
# $name: a file; $game: check-game.
check-good = верно     { $name }  { $game }
# $name: a file; $game: check-game; $unchecked: a list.
check-partly = частично  { $name }  { $game }; не проверено: { $unchecked }
# $finding: the first finding; $more: the number of other findings.
check-false =
    { $more ->
        [0] НЕВЕРНО   { $name }  { $finding }
       *[other] НЕВЕРНО   { $name }  { $finding } (и ещё { $more }: см. --json)
    }
# $code; $detail: a sentence.
check-finding = { $code }: { $detail }
# $ply and $event: numbers.
check-finding-at = полуход { $ply } (событие { $event }): { $code }: { $detail }

# $path: a file.
record-no-format = { $path }: формат этого файла не распознан
record-no-format-named = { $path }: формат этого файла не распознан. Укажите формат: --from FORMAT.
# $path: a file; $format and $own: numbers.
record-file-format = { $path }: формат записи – { $format }, а этот клиент читает формат { $own }
# $input and $output: files; $from and $to: formats; $ruleset.
converted = { $input } ({ $from }, { $ruleset }) записано в { $output } ({ $to }).
