//! The texts that the tables and the shells judge: everyday ones, hostile ones, and those of several lines.

const EVERYDAY: &str = include_str!("../texts/everyday.txt");
const HOSTILE: &str = include_str!("../texts/hostile.txt");
const LINES: &str = include_str!("../texts/lines.txt");

/// All texts: one for each line of the first two files, and those between `%%` of the third.
pub(crate) fn all() -> Vec<&'static str> {
    let single = EVERYDAY
        .lines()
        .chain(HOSTILE.lines())
        .filter(|line| !line.is_empty());
    single.chain(LINES.split("%%\n")).collect()
}

/// The texts that people and models write every day.
pub(crate) fn everyday() -> Vec<&'static str> {
    EVERYDAY.lines().filter(|line| !line.is_empty()).collect()
}
