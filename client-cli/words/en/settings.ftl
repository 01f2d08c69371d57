### The file of settings, and the commands that show and change it.

# $path: the file; $line: a number; $why: a sentence.
settings-wrong-line = { $path }, line { $line }: { $why }
# $why: from the parser.
settings-not-toml = This is not TOML: { $why }.
# $key: what was typed; $keys: a list.
settings-unknown-key = There is no setting { $key }. The settings are { $keys }.
# $key: the setting; $kind: text, list, switch.
settings-wrong-kind =
    { $kind ->
        [list] The value of { $key } must be a list of texts in quotes, as in ["bell", "title"].
        [switch] The value of { $key } must be true or false.
       *[text] The value of { $key } must be text in quotes.
    }
# $key: the setting; $names: a list, or none.
settings-wrong-value =
    { $names ->
        [none] { $key } cannot have this value.
       *[names] { $key } cannot have this value. It can be: { $names }.
    }
# $path: the file.
settings-file = Settings are saved in { $path }.
# $key: the setting; $path: the file.
settings-set = { $key } is set in { $path }.
settings-unset = Removed { $key } from { $path }.
# The head of the table.
settings-column-key = setting
settings-column-value = value
settings-column-origin = from
settings-no-value = -
settings-origin-option = command line
settings-origin-environment = environment
settings-origin-file = file
settings-origin-default = default

# $folder: a path.
man-written = The manual pages were written to { $folder }.
