### Captions of the pictures that explain a ruleset, as far as they name its signs.
### `shared/words` has the others.

pictures = Примеры
pictures-legend = /5\ – красная фигура, [5] – синяя, [#] – скрытая
picture-scout-strikes = Куда Разведчик может пойти (+) и кого атаковать (x) на любом расстоянии.
picture-scout-goes = Куда Разведчик может пойти (+). Атаковать он может только соседнюю фигуру.
picture-coin-one = Монета идёт на одно поле. Знак ' показывает, что монета ходила, поэтому она не может стать Бомбой или Флагом.
picture-label = Разведчик атакует и проигрывает. Победившая фигура получает метку (^): её ранг виден всем, где бы она ни была. (Победитель занимает поле проигравшего.)
picture-joint-between = с a2 по a9
picture-joint-strike = может атаковать a10
picture-supply-line = Капитан на красной фишке (r) может пойти по красным фишкам на любое поле со знаком =.
