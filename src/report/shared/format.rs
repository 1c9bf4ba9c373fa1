//! Formats: the values of `-o`. Each document has its own type of format. So a new format of one document does not
//! change any other document.

/// The formats of a document.
pub trait Format: Copy + Send + Sync + 'static {
    /// All formats, in the order in which the command line lists them.
    const ALL: &'static [Self];

    /// Returns the value of `-o`.
    fn word(self) -> &'static str;
}

/// Defines the formats of a document and their values of `-o`.
macro_rules! formats {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $format:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of])* $format,)+
        }

        impl $crate::report::shared::format::Format for $name {
            const ALL: &'static [Self] = &[$(Self::$format),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$format => $word,)+
                }
            }
        }
    };
}

pub(crate) use formats;
