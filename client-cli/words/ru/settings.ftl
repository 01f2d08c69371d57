### The file of settings, and the commands that show and change it.

# $path: the file; $line: a number; $why: a sentence.
settings-wrong-line = { $path }, строка { $line }: { $why }
# $why: from the parser.
settings-not-toml = Это не TOML: { $why }.
# $key: what was typed; $keys: a list.
settings-unknown-key = Настройки { $key } нет. Есть настройки: { $keys }.
# $key: the setting; $kind: text, list, switch.
settings-wrong-kind =
    { $kind ->
        [list] Значение { $key } – это список текстов, например ["bell", "title"].
        [switch] Значение { $key } – это true или false.
       *[text] Значение { $key } – это текст в кавычках.
    }
# $key: the setting; $names: a list, or none.
settings-wrong-value =
    { $names ->
        [none] У { $key } не может быть такого значения.
       *[names] У { $key } не может быть такого значения. Возможны: { $names }.
    }
# $path: the file.
settings-file = Настройки хранятся в { $path }.
# $key: the setting; $path: the file.
settings-set = Настройка { $key } записана в { $path }.
settings-unset = Настройка { $key } убрана из { $path }.
# The head of the table.
settings-column-key = настройка
settings-column-value = значение
settings-column-origin = откуда
settings-no-value = -
settings-origin-option = командная строка
settings-origin-environment = окружение
settings-origin-file = файл
settings-origin-default = по умолчанию

# $folder: a path.
man-written = Страницы руководства записаны в { $folder }.
