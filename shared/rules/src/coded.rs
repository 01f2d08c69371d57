//! Refusals with their codes.

/// Defines an enum of refusals, each with its code in messages.
macro_rules! coded {
    ($(#[$of:meta])* pub enum $type:ident {
        $($(#[$doc:meta])* $kind:ident
            $(($(#[$inner_attribute:meta])* $inner:ty as $bound:ident))?
            $({ $($field:ident: $field_type:ty),+ })?
            = $code:expr,)+
    }) => {
        $(#[$of])*
        pub enum $type {
            $($(#[$doc])* $kind $(($(#[$inner_attribute])* $inner))? $({ $($field: $field_type),+ })?,)+
        }

        impl $type {
            /// The refusal's stable code in messages.
            pub const fn code(&self) -> &'static str {
                match self {
                    $($type::$kind $(($bound))? $({ $($field: _),+ })? => $code,)+
                }
            }
        }
    };
}

pub(crate) use coded;
