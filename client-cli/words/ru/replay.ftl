### A finished game as text, and steps through it.

# $ruleset.
replay-unknown-ruleset = этот клиент не знает правил { $ruleset }; обновите клиент, чтобы увидеть партию
replay-start = Это позиция до первого события.
# $event: a sentence.
replay-no-more = { $event } Остаток этой записи нельзя показать на доске.
# $game.
replay-game = Партия { $game }
# $date.
replay-created = Создана { $date }
# $side; $player: a name.
replay-player = { side }: { $player }
# $squares.
replay-lakes = Озёра: { $squares }
# $side.
replay-audience =
    { $side ->
        [red] Партия, как её видели красные
       *[blue] Партия, как её видели синие
    }
# $side; $setup: rows of letters.
replay-deployed =
    { $side ->
        [red] Расстановка красных: { $setup }
       *[blue] Расстановка синих: { $setup }
    }
