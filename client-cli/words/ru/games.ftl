### Games, players and clocks, with advice about this client's commands.

leaderboard-empty = Пока ни у кого нет достаточного числа недавних рейтинговых партий. Сыграть такую: flagfall play --rated

# What the server did not do. These begin the sentence not-done-lost.
not-done-deploy = Ваша расстановка не отправлена
# $squares.
not-done-move = Ваш ход { $squares } не сделан
# $square.
not-done-remove = Ваша фигура на { $square } не снята с доски
# $square.
not-done-place = Ваша фигура не поставлена на { $square }
not-done-color = Ваша фишка не положена
not-done-choose = Ваш выбор не принят
not-done-offer-draw = Ничья не предложена
not-done-accept-draw = Согласие на ничью не принято
not-done-decline-draw = Ничья не отклонена
not-done-resign = Вы не сдались
not-done-abort = Партия не отменена
not-done-claim = Результат не засчитан

# $square.
owed-color-own = Сначала назовите цвет своей фишки на { $square }, например color green.
# $square; $example: a rank; $names: a list of ranks, as they are typed.
choose-coin = Выберите ранг для своей монеты на { $square }, например choose { $example }. Возможны: { $names }.

# $text: what was typed.
not-a-time = «{ $text }» – не часы; укажите 10+5 (10 минут и по 5 секунд за каждый ход), 90s+2 (90 секунд и по 2 за каждый ход), 10d5 (10 минут; в первые 5 секунд каждого хода часы стоят), 3days (3 дня на каждый ход) или none
# $time: the clock; $min and $max: days.
time-bounds-days = часы { $time } вне допустимых пределов: время на ход – от { $min } до { $max } дней
# $time: the clock; $min_s: seconds; $max_min: minutes; $free_min and $free_max: seconds.
time-bounds-delay = часы { $time } вне допустимых пределов: время – от { $min_s } секунд до { $max_min } минут, задержка на ход – от { $free_min } до { $free_max } секунд
# $time: the clock; $min_s: seconds; $max_min: minutes; $increment_min and $increment_max: seconds.
time-bounds-increment = часы { $time } вне допустимых пределов: время – от { $min_s } секунд до { $max_min } минут, добавка на ход – от { $increment_min } до { $increment_max } секунд
