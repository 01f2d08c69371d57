### The names of rulesets, and of the rules that a custom game can change.

## The rulesets: a title and a short description of each

ruleset-title-classic = Классика
ruleset-title-tournament = Турнир
ruleset-title-barrage = Шквал
ruleset-title-pbm = Игра по почте
ruleset-title-pbm-small = Малая игра по почте
ruleset-title-original = Оригинал
ruleset-title-silent-defense = Тихая защита
ruleset-title-shadowflash-1 = Теневая вспышка, набор 1
ruleset-title-shadowflash-2 = Теневая вспышка, наборы 1 и 2
ruleset-title-shadowflash-3 = Теневая вспышка
ruleset-title-course = Учебный курс
ruleset-title-quantum = Квантовая игра
# $title: of the ruleset that is changed.
ruleset-title-custom = { $title } (с изменениями)

ruleset-summary-classic = Правила современных изданий: по сорок фигур, Разведчики атакуют издалека, действует правило двух полей.
ruleset-summary-tournament = Классика с правилом преследования, которое запрещает бесконечную погоню.
ruleset-summary-barrage = Короткая игра по турнирным правилам: у каждой стороны восемь фигур на любых домашних полях.
ruleset-summary-pbm = Правила сервера, где играют по почте: классика без правил о повторении.
ruleset-summary-pbm-small = Игра по почте на доске 8×8, по двадцать четыре фигуры. Маршала нет, поэтому Шпион побеждает Генерала.
ruleset-summary-original = Правила издания 1966 года: Разведчик ходит далеко, но атакует только рядом, победитель занимает поле побеждённого, правила двух полей нет.
ruleset-summary-silent-defense = Классика, но защитник, который победил, остаётся скрытым, а при равных рангах побеждает атакующая фигура.
ruleset-summary-shadowflash-1 = У каждой стороны три армии на доске 16×10, половина фигур в резерве. Вместо хода можно убрать фигуру с доски или поставить фигуру из резерва.
ruleset-summary-shadowflash-2 = Набор 1 и ещё метки, по Фениксу у каждой стороны, фишки на полях, куда приходят фигуры, и соединённые края доски.
ruleset-summary-shadowflash-3 = Наборы 1 и 2 и ещё дальние ходы по фишкам: линии снабжения одного цвета и вспышки Генерала, Полковника и Майора.
ruleset-summary-course = Правила программы-судьи: места озёр случайны, Бомба гибнет вместе с атакующей фигурой, а за нарушение правил засчитывают поражение.
ruleset-summary-quantum = Классика без расстановки: у каждой стороны сорок монет. Монета становится фигурой из запаса, когда атакует сама или когда атакуют её.
# $title: of the ruleset that is changed; $changes: a list of the texts below.
ruleset-summary-custom = { $title }, изменения: { $changes }.

## Rules that a custom game can change. An id is `rule-`, the option and the value.

rule-ties-both = при равных рангах уходят обе фигуры
rule-ties-attacker = при равных рангах остаётся атакующая фигура
rule-ties-defender = при равных рангах остаётся защитник
rule-disclosure-both = удар раскрывает оба ранга
rule-disclosure-silent = защитник, который победил, остаётся скрытым, если атаковал не Разведчик
rule-bombs-stay = Бомба остаётся после победы над атакующей фигурой
rule-bombs-leave = Бомба уходит вместе с атакующей фигурой
rule-scout-strike-far = Разведчик может атаковать в конце дальнего хода
rule-scout-strike-near = Разведчик атакует только соседние поля
rule-winner-attacker = защитник, который победил, остаётся на месте
rule-winner-any = защитник, который победил, занимает поле атакующей фигуры
rule-two-squares-off = без правила двух полей
rule-two-squares-3 = туда и обратно не больше трёх раз подряд
rule-two-squares-5 = туда и обратно не больше пяти раз подряд
rule-more-squares-off = без правила преследования
rule-more-squares-on = преследование не должно повторять позицию
rule-quiet-off = без ничьей из-за отсутствия взятий
rule-quiet-100 = ничья после 100 полуходов без взятия
rule-quiet-200 = ничья после 200 полуходов без взятия
rule-quiet-400 = ничья после 400 полуходов без взятия
rule-quiet-600 = ничья после 600 полуходов без взятия
rule-islands-mirrored = острова на d–f и k–m
rule-islands-printed = острова на c–e и k–m
