//! Programs of which only some of the files are known: those that options name, those that formatters change. What else
//! they are given is compared with the names that rules protect.

mod compilers;
mod formatters;
mod makers;
mod packagers;

use super::table::{PLAIN, Spec};

const PARTLY: Spec = Spec {
    leading: usize::MAX,
    partly: true,
    ..PLAIN
};

/// `date`, which reads dates from a file.
const DATE: Spec = Spec {
    names: &["date"],
    values: "dr",
    long_values: &["date", "reference"],
    read_options: &["f", "file"],
    leading: usize::MAX,
    ..PLAIN
};

/// All of them.
pub(super) fn outputs() -> impl Iterator<Item = &'static Spec> {
    compilers::COMPILERS
        .iter()
        .chain(packagers::PACKAGERS)
        .chain(makers::MAKERS)
        .chain(formatters::FORMATTERS)
        .chain(std::iter::once(&DATE))
}
