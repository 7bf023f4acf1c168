//! Programs of systems and documents of which some arguments run something, in ways that no row says: `ip netns exec`,
//! `pandoc --pdf-engine=./x`.

use crate::span::Span;
use crate::word::Word;

/// What runs a program, or makes the system run one.
pub(super) fn find(base: &str, words: &[Word]) -> Option<Span> {
    match base {
        "redis-server" => settings_first(words),
        "ip" => ip(words),
        "pandoc" => pandoc(words),
        "rclone" => remotes(words),
        "exiftool" => filters(words),
        _ => None,
    }
}

/// A file of settings, which can name modules to load, in the place of the first argument.
fn settings_first(words: &[Word]) -> Option<Span> {
    let first = words.first()?;
    (!first.prefix().starts_with('-') || first.literal() == Some("-")).then_some(first.span)
}

/// `ip netns exec NAME COMMAND`, `ip vrf exec`, and files of further commands.
fn ip(words: &[Word]) -> Option<Span> {
    let mut plain = words.iter().filter(|word| !word.prefix().starts_with('-'));
    let object = plain.next()?.prefix();
    let runs = "netns".starts_with(&*object) || "vrf".starts_with(&*object);
    let action = plain.next().filter(|_| runs && !object.is_empty())?;
    let text = action.prefix();
    let is_exec = text.starts_with('e') && "exec".starts_with(&*text) || action.is_opaque();
    is_exec.then_some(action.span)
}

/// Another program that makes the pages, by its path.
fn pandoc(words: &[Word]) -> Option<Span> {
    let runs = |(place, word): &(usize, &Word)| {
        let text = word.prefix();
        let engine = match text.strip_prefix("--pdf-engine") {
            Some("") => words.get(place + 1).map(Word::prefix),
            Some(value) => value.strip_prefix('=').map(Into::into),
            None => None,
        };
        engine.is_some_and(|engine| engine.contains('/') && !is_of_system(&engine))
    };
    let found = words.iter().enumerate().find(runs);
    found.map(|(_, word)| word.span)
}

pub(super) fn is_of_system(path: &str) -> bool {
    let directories = ["/usr/bin/", "/usr/local/bin/", "/opt/", "/Library/TeX/"];
    directories
        .iter()
        .any(|directory| path.starts_with(directory))
        && !path.contains("..")
}

/// A remote whose settings name a program, in the words of the command or of `rclone config`: `:sftp,ssh=./x:`, `ssh=./x`.
fn remotes(words: &[Word]) -> Option<Span> {
    let runs = |name: &str| name == "ssh" || name.ends_with("command");
    let configures = words.first().and_then(Word::literal) == Some("config");
    let acts = |word: &&Word| {
        let text = word.prefix();
        let mut settings = text.split([',', ':', '"', '\'']);
        let of_setting = |setting: &str| match setting.split_once('=') {
            Some((name, _)) => runs(name.trim_start_matches('-')),
            None => configures && runs(setting),
        };
        !text.starts_with('-') && settings.any(of_setting)
    };
    words.iter().find(acts).map(|word| word.span)
}

/// Code in Perl in a filter, whatever the case of its name is: `-api Filter=…`.
fn filters(words: &[Word]) -> Option<Span> {
    let is_filter = |word: &&Word| {
        let lower = word.prefix().to_ascii_lowercase();
        lower.trim_start_matches("-api").starts_with("filter=")
    };
    words.iter().find(is_filter).map(|word| word.span)
}
