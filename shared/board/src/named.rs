/// Defines an enum whose values have fixed names in texts: the enum, `ALL`, and the functions from
/// a value to its name and, if that is named too, back.
///
/// A name stands beside its value and does not follow from it, so renaming a value changes no text.
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

            /// The value's name in texts and messages. It never changes.
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
