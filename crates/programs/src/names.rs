//! The one name of a program: every table of facts is asked by it.
//!
//! A program is installed under several names (`grm`, `gnurm` and `rm`, `python3.12` and `python`, `nodejs` and `node`), and some
//! programs take the arguments of another one (`bfs` those of `find`, `podman` those of `docker`). Rules that deny or ask
//! hold for every name of a program, facts for those that take its arguments, too.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

use crate::catalogue::Table;

static PREFIXED_NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| names_of(Table::Prefixed).collect());
static VERSIONED_NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| names_of(Table::Versioned).collect());
static SAME_NAMES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| by_other_name(Table::Same));
/// All names of programs; they are asked for where one has capitals.
static KNOWN_NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let own = crate::catalogue::programs().flat_map(|program| program.names.iter().copied());
    let others = Table::Same.pairs().chain(Table::Like.pairs());
    own.chain(others.map(|(_, other)| other)).collect()
});
static LIKE_NAMES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| by_other_name(Table::Like));

fn names_of(table: Table) -> impl Iterator<Item = &'static str> {
    table.names().map(|(name, _)| name)
}

fn by_other_name(table: Table) -> HashMap<&'static str, &'static str> {
    table.pairs().map(|(name, other)| (other, name)).collect()
}

/// The name of a program, given one of its names without a directory: `rm` of `grm`, `python` of `python3.12`. Every name of
/// which nothing is known is its own.
///
/// ```
/// assert_eq!(tenon_programs::program_name("gchmod"), "chmod");
/// assert_eq!(tenon_programs::program_name("python3.12"), "python");
/// assert_eq!(tenon_programs::program_name("gzip"), "gzip");
/// assert_eq!(tenon_programs::program_name("GIT.EXE"), "git");
/// ```
#[must_use]
pub fn program_name(name: &str) -> &str {
    // Most names are small letters alone: they have no ending, no version and no machine in front.
    let name = match name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => name,
        false => without_version(without_target(in_lower_case(without_ending(name)))),
    };
    let plain = name.strip_prefix("gnu").or_else(|| name.strip_prefix('g'));
    let name = plain
        .and_then(|plain| PREFIXED_NAMES.get(plain))
        .map_or(name, |plain| *plain);
    SAME_NAMES.get(name).copied().unwrap_or(name)
}

/// The last part of a path, as the name of a program.
#[must_use]
pub fn base_name(name: &str) -> &str {
    // Names are short: a search by letters begins sooner than one by needles.
    if !name.bytes().any(|byte| byte == b'/') {
        return name;
    }
    match name.trim_end_matches('/').rsplit('/').next() {
        Some(base) if !base.is_empty() => base,
        _ => name,
    }
}

/// Directories in which a system keeps its programs: the same name is the same program in each of them, and alone.
const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
];

/// The name of a program of the system, given its plain path.
#[must_use]
pub fn system_name(path: &str) -> Option<&str> {
    let (directory, name) = path.rsplit_once('/')?;
    SYSTEM_DIRECTORIES.contains(&directory).then_some(name)
}

/// The name under which facts about a program are known, given one of its names without a directory: that of a program
/// that takes the same arguments, as `docker` for `podman`.
#[must_use]
pub fn facts_name(name: &str) -> &str {
    let name = program_name(name);
    LIKE_NAMES.get(name).copied().unwrap_or(name)
}

/// All other names that are known of programs, each with the name by which facts about it are known.
pub fn known_aliases() -> impl Iterator<Item = (String, &'static str)> {
    let gnu = names_of(Table::Prefixed)
        .flat_map(|name| [(format!("g{name}"), name), (format!("gnu{name}"), name)]);
    let versioned = names_of(Table::Versioned)
        .flat_map(|name| [(format!("{name}3"), name), (format!("{name}3.12"), name)]);
    let others = Table::Same.pairs().chain(Table::Like.pairs());
    let others = others.map(|(name, other)| (other.to_owned(), name));
    gnu.chain(versioned)
        .chain(others)
        .map(|(alias, name)| (alias, SAME_NAMES.get(name).copied().unwrap_or(name)))
}

/// The name without the ending that programs have on Windows, and for Windows below Linux.
fn without_ending(name: &str) -> &str {
    const ENDING: &str = ".exe";
    let start = name.len().saturating_sub(ENDING.len());
    match name.split_at_checked(start) {
        Some((stem, ending)) if start > 0 && ending.eq_ignore_ascii_case(ENDING) => stem,
        _ => name,
    }
}

/// The name of a known program that is written in capitals: systems that ignore case in names of files find it so. Programs that differ from
/// another one in nothing else have rows of their own (`HEAD`).
fn in_lower_case(name: &str) -> &str {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) || KNOWN_NAMES.contains(name) {
        return name;
    }
    let lower = name.to_ascii_lowercase();
    KNOWN_NAMES.get(lower.as_str()).copied().unwrap_or(name)
}

/// With what names of compilers and their relatives begin that work for one kind of machine.
const ARCHITECTURES: &[&str] = &[
    "aarch64",
    "arm",
    "armv7l",
    "avr",
    "i386",
    "i486",
    "i586",
    "i686",
    "loongarch64",
    "m68k",
    "mips",
    "mips64",
    "mips64el",
    "mipsel",
    "powerpc",
    "powerpc64",
    "powerpc64le",
    "riscv32",
    "riscv64",
    "s390x",
    "sparc64",
    "wasm32",
    "x86_64",
];

/// The name without the machine in front that a compiler works for: `gcc-12` of `x86_64-linux-gnu-gcc-12`.
fn without_target(name: &str) -> &str {
    let arch = name.split_once('-').map(|(arch, _)| arch);
    if !arch.is_some_and(|arch| ARCHITECTURES.contains(&arch)) {
        return name;
    }
    let mut behind = name
        .match_indices('-')
        .skip(1)
        .filter_map(|(at, _)| name.get(at + 1..));
    let known = behind.find(|tool| KNOWN_NAMES.contains(without_version(tool)));
    known.unwrap_or(name)
}

/// The name without the version at its end, where programs of this name have one: `python` of `python3.13t`.
fn without_version(name: &str) -> &str {
    let Some(start) = name.bytes().position(|byte| byte.is_ascii_digit()) else {
        return name;
    };
    let (stem, version) = name.split_at(start);
    let stem = stem.trim_end_matches('-');
    let version = version.strip_suffix("-dbg").unwrap_or(version);
    let version = version.strip_suffix(['t', 'd']).unwrap_or(version);
    let is_version = version
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_version && VERSIONED_NAMES.contains(&stem) {
        stem
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_one_name() {
        for (given, name) in [
            ("grm", "rm"),
            ("gnurm", "rm"),
            ("gtar", "tar"),
            ("bsdtar", "bsdtar"),
            ("gawk", "awk"),
            ("python3", "python"),
            ("python3.13t", "python"),
            ("python3-config", "python3-config"),
            ("pypy3", "python"),
            ("pip3.12", "pip"),
            ("node20", "node"),
            ("nodejs", "node"),
            ("lua5.4", "lua"),
            ("gzip", "gzip"),
            ("gunzip", "gunzip"),
            ("git", "git"),
            ("gcc", "gcc"),
            ("base64", "base64"),
            ("sqlite3", "sqlite3"),
            ("7za", "7z"),
            ("c99", "gcc"),
            ("gcc-12", "gcc"),
            ("g++-12", "g++"),
            ("clang++-14", "clang++"),
            ("x86_64-linux-gnu-gcc-12", "gcc"),
            ("arm-none-eabi-gcc", "gcc"),
            ("x86_64-w64-mingw32-g++", "g++"),
            ("x86_64-linux-gnu-frob", "x86_64-linux-gnu-frob"),
            ("podman", "podman"),
        ] {
            assert_eq!(program_name(given), name, "{given}");
        }
    }

    #[test]
    fn facts_are_known_by_the_program_whose_arguments_are_taken() {
        for (given, name) in [
            ("podman", "docker"),
            ("nerdctl", "docker"),
            ("bfs", "find"),
            ("exa", "eza"),
            ("gls", "ls"),
        ] {
            assert_eq!(facts_name(given), name, "{given}");
        }
    }

    #[test]
    fn no_name_is_both_a_name_and_another_one() {
        let mut names = names_of(Table::Same)
            .chain(names_of(Table::Like))
            .chain(names_of(Table::Prefixed).filter(|name| *name != "awk"));
        assert_eq!(names.find(|name| facts_name(name) != *name), None);
    }
}
