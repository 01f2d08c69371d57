### Files of records: checks and conversions.

# $why: what is wrong with the keys.
check-key-error = --key { $why }
# $records, $good, $partly, $false, $unreadable: numbers.
check-total =
    { $records ->
        [one] { $records } record: { $good } good, { $partly } partly checked, { $false } false
       *[other] { $records } records: { $good } good, { $partly } partly checked, { $false } false
    }
check-total-unreadable = { check-total }; { $unreadable } could not be read
check-standard-input = standard input
# $name: a file; $number: of the record in it.
check-record = { $name } record { $number }
check-too-deep = the folders are nested too deeply
# $name: a file; $why.
check-unread = unread  { $name }  { $why }

# $ruleset; $plies: a number; $end: the reason, or open; $trust: yes if the end could not be checked;
# $signature: none, verified or unverified.
check-game = { $ruleset }, { $plies ->
        [one] { $plies } ply
       *[other] { $plies } plies
    }, { $end ->
        [open] not over
       *[other] { $end }
    }{ $trust ->
        [yes] , end taken on trust
       *[no] {""}
    }{ $signature ->
        [verified] , signed by the server
        [unverified] , signed, not verified
       *[none] {""}
    }
check-unknown-rules = unknown rules
# $name: a file; $game: check-game.
check-good = good    { $name }  { $game }
# $name: a file; $game: check-game; $unchecked: a list.
check-partly = partly  { $name }  { $game }; not checked: { $unchecked }
# $finding: the first finding; $more: the number of other findings.
check-false =
    { $more ->
        [0] FALSE   { $name }  { $finding }
       *[other] FALSE   { $name }  { $finding } (and { $more } more: see --json)
    }
# $code; $detail: a sentence.
check-finding = { $code }: { $detail }
# $ply and $event: numbers.
check-finding-at = ply { $ply } (event { $event }): { $code }: { $detail }

# $path: a file.
record-no-format = { $path }: this program does not recognize the format of this file
record-no-format-named = { $path }: this program does not recognize the format of this file. Name the format with --from FORMAT.
# $path: a file; $format and $own: numbers.
record-file-format = { $path }: the record has format { $format }, but this client reads format { $own }
# $input and $output: files; $from and $to: formats; $ruleset.
converted = { $input } ({ $from }, { $ruleset }) was written to { $output } ({ $to }).
