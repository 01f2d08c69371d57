//! Forwards calls to a field.

/// Implements methods of a trait by calling the methods with the same names of a field:
/// `forward! { inner: fn now() -> Stamp; }`.
#[macro_export]
macro_rules! forward {
    ($field:tt: $(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) $(-> $answer)? {
            self.$field.$name($($argument),*)
        })*
    };
}
