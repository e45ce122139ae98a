//! Enums whose variants have a name each, written beside the variant.

macro_rules! named {
    ($(#[$of:meta])* pub enum $name:ident, $by:ident {
        $($(#[$doc:meta])* $variant:ident $word:literal,)+
    }) => {
        $(#[$of])*
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// How many there are.
            pub const COUNT: usize = [$($word),+].len();
            /// All of them, in the order of their declaration.
            pub const ALL: [$name; $name::COUNT] = [$($name::$variant),+];

            pub fn $by(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The one of a name.
            pub fn from_id(id: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|known| known.$by() == id)
            }
        }
    };
}
