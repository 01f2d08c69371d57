/// Defines an enum whose values have fixed names in text. The macro also defines the constant `ALL`
/// and a function that returns a value's name. If requested, it also defines a function that finds
/// a value by its name.
///
/// Each name is written out where the macro is called, so renaming a variant does not change any
/// message or file.
#[macro_export]
macro_rules! named {
    ($(#[$of:meta])* $vis:vis enum $type:ident, $name:ident $(, $from:ident)? {
        $($(#[$doc:meta])* $value:ident = $text:literal,)+
    }) => {
        $(#[$of])*
        $vis enum $type {
            $($(#[$doc])* $value,)+
        }

        impl $type {
            /// Every value, in order.
            pub const ALL: [$type; [$($text),+].len()] = [$($type::$value),+];

            /// The value's name in text and messages. The name never changes.
            pub const fn $name(self) -> &'static str {
                match self {
                    $($type::$value => $text,)+
                }
            }

            $(/// The value with this name.
            pub fn $from(name: &str) -> Option<$type> {
                $type::ALL.into_iter().find(|value| value.$name() == name)
            })?
        }
    };
}
