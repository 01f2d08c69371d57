//! A macro for refusals that have codes.

/// Defines an enum of refusals and the code of each refusal in messages.
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
            /// The refusal's code in messages, which never changes.
            pub const fn code(&self) -> &'static str {
                match self {
                    $($type::$kind $(($bound))? $({ $($field: _),+ })? => $code,)+
                }
            }
        }
    };
}

pub(crate) use coded;
