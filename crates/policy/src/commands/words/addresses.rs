//! The addresses among the words of a command, in the aliases of the programs that talk to hosts.

use tenon_programs::words::fetching::{REACHING, SCHEMES};
use tenon_programs::{CommandTraits, Traits};
use tenon_shell::{Invocation, Word};

use crate::commands::words::git::{git_command, subcommand};

use crate::host::{Address, normalise, of_address, of_any_address};

/// How a program takes addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// Only addresses with a scheme count.
    None,
    /// Operands are addresses.
    Any,
    /// Operands are `[user@]host:path`.
    Copier,
    /// The first operand is a repository.
    GitFirst,
    /// Any operand may be a repository.
    GitAny,
}

/// What a word leads to.
pub(crate) enum Found<'t> {
    /// It is an address; the text is its start.
    Certain(Address, &'t str),
    /// This host stands in it.
    Mentioned(String),
}

impl Client {
    pub(crate) fn of(invocation: &Invocation) -> Self {
        let Some(base) = invocation.base_name() else {
            return Self::None;
        };
        if base == "git" {
            let own = subcommand(invocation.normalized_words());
            let first = || invocation.words.iter().skip(1).find_map(Word::literal);
            let written = match own {
                Some(_) => None,
                None => first().and_then(git_command),
            };
            let takes = |traits| own.or(written).is_some_and(|own| own.is(traits));
            return if takes(CommandTraits::REPOSITORY) {
                Self::GitFirst
            } else if takes(CommandTraits::REPOSITORIES) {
                Self::GitAny
            } else {
                Self::None
            };
        }
        if invocation.is(Traits::CLIENT) {
            Self::Any
        } else if invocation.is(Traits::REMOTE_NAMES) {
            Self::Copier
        } else {
            Self::None
        }
    }

    fn talks(self) -> bool {
        matches!(self, Self::Any | Self::Copier)
    }
}

/// Visits every address. `mentions` asks for hosts that only stand in some argument, too.
pub(crate) fn each(
    client: Client,
    invocation: &Invocation,
    mentions: bool,
    mut visit: impl FnMut(Found<'_>),
) {
    let (mut operands, mut reaching, mut is_form) = (0, false, false);
    let names = match client {
        // The subcommand.
        Client::GitFirst | Client::GitAny => 1,
        Client::None | Client::Any | Client::Copier => 0,
    };
    let words = match names {
        0 => &*invocation.words,
        _ => invocation.normalized_words(),
    };
    let talks = client.talks() || invocation.is(Traits::TALKS);
    for word in words.iter().skip(1 + names) {
        let Some(text) = word.literal() else {
            let prefix = word.prefix();
            if client.talks() || prefix.contains("://") {
                visit(Found::Certain(Address::Unclear, &prefix));
            }
            continue;
        };
        // The addresses stand in a file.
        if client == Client::Any && lists_addresses(invocation, text) {
            visit(Found::Certain(Address::Unclear, text));
        }
        let option = text.starts_with('-');
        operands += usize::from(!option);
        let repository = match client {
            Client::Copier | Client::GitAny => !option,
            Client::GitFirst => !option && (operands <= 2 || text.contains('@')),
            Client::None | Client::Any => false,
        };
        // The form of what is printed, `-w '%{http_code}\n'`, is no address; hosts that it names are looked for below.
        let is_form = std::mem::replace(&mut is_form, matches!(text, "-w" | "--write-out"))
            && text.contains("%{");
        if !is_form && let Some(address) = address(client, text, repository) {
            visit(Found::Certain(address, text));
        }
        if client.talks() && (reaching || attached_proxy(text).is_some()) {
            pieces(attached_proxy(text).unwrap_or(text), |host| {
                visit(Found::Certain(Address::Host(host), text));
            });
        }
        if talks && mentions {
            undotted(text)
                .into_iter()
                .for_each(|host| visit(Found::Mentioned(host)));
            pieces(text, |host| visit(Found::Mentioned(host)));
            if let Some(value) = behind_letter(text) {
                pieces(value, |host| visit(Found::Mentioned(host)));
            }
        }
        reaching = reaches(text);
    }
}

/// What stands behind the letter of an option in the same word: `-hevil.com`.
pub(crate) fn behind_letter(text: &str) -> Option<&str> {
    let option = text.strip_prefix('-')?;
    let letter = option.chars().next().filter(|letter| *letter != '-')?;
    option.get(letter.len_utf8()..)
}

/// `wget -i file`
fn lists_addresses(invocation: &Invocation, text: &str) -> bool {
    let base = invocation.base_name().unwrap_or_default();
    matches!(base, "wget" | "wget2" | "aria2c")
        && match text.strip_prefix("--") {
            Some(long) => {
                long.len() >= 3
                    && "input-file".starts_with(long.split('=').next().unwrap_or_default())
            }
            None => text
                .strip_prefix('-')
                .is_some_and(|letters| letters.contains('i')),
        }
}

fn address(client: Client, text: &str, repository: bool) -> Option<Address> {
    // Most words are no addresses.
    if client == Client::None && !has_scheme(text) {
        return None;
    }
    let valued = || text.split_once('=').map(|(_, value)| value);
    if let Some(found) = of_address(text).or_else(|| valued().and_then(of_address)) {
        return Some(found);
    }
    if has_scheme(text) {
        let other = of_any_address(text).or_else(|| valued().and_then(of_any_address));
        match other {
            Some(Address::Host(host)) => return Some(Address::Host(host)),
            Some(Address::Unclear) if client != Client::None => return Some(Address::Unclear),
            _ => {}
        }
    }
    if repository && let Some(found) = of_repository(text, client) {
        return Some(found);
    }
    match client {
        Client::Any => odd(text).or_else(|| bare(text)),
        Client::Copier => odd(text),
        Client::None | Client::GitFirst | Client::GitAny => None,
    }
}

/// Whether the next word belongs to an option whose hosts are reached; programs take abbreviations.
fn reaches(text: &str) -> bool {
    let Some(long) = text.strip_prefix("--") else {
        return text.starts_with('-') && text.ends_with('x');
    };
    long.len() >= 3
        && REACHING
            .iter()
            .any(|option| option.starts_with(long) || long.starts_with(option))
}

/// The value in the same word as `-x` of curl, `-J` of ssh or a long option.
fn attached_proxy(text: &str) -> Option<&str> {
    match text.strip_prefix("--") {
        Some(long) => {
            let (name, value) = long.split_once('=')?;
            REACHING
                .iter()
                .any(|option| name.starts_with(option))
                .then_some(value)
        }
        None => {
            let letters = text.strip_prefix('-')?;
            let at = letters.find(['x', 'J'])?;
            letters.get(at + 1..).filter(|value| value.contains('.'))
        }
    }
}

/// `[user@]host:path`, as ssh and git take it.
fn of_repository(text: &str, client: Client) -> Option<Address> {
    let (head, _) = text.split_once(':')?;
    let git = matches!(client, Client::GitAny | Client::GitFirst);
    // `main:other` of git is about branches.
    let plausible = !git || head.contains(['@', '.']);
    if head.contains('/') || head.len() < 2 || !plausible {
        return None;
    }
    let host = head.rsplit('@').next().unwrap_or_default();
    Some(normalise(host).map_or(Address::Unclear, Address::Host))
}

/// `http:/host`, `https:host`, `http:///host`.
fn odd(text: &str) -> Option<Address> {
    let (scheme, rest) = text.split_once(':')?;
    let known = SCHEMES
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    let rest = rest.trim_start_matches(['/', '\\']);
    if !known
        || rest.is_empty()
        || rest.starts_with(|first: char| first.is_ascii_digit()) && !rest.contains('.')
    {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    Some(normalise(host).map_or(Address::Unclear, Address::Host))
}

/// Whether `://` stands in the text.
fn has_scheme(text: &str) -> bool {
    // Words are short: a search by letters begins sooner than one by needles.
    text.bytes().any(|byte| byte == b':') && text.contains("://")
}

/// The host of an address without a scheme.
fn bare(text: &str) -> Option<Address> {
    if text.starts_with('-') {
        return None;
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    (host.contains(['.', '%']) && !host.starts_with('.'))
        .then(|| normalise(host).map_or(Address::Unclear, Address::Host))
}

/// A name or number without a dot that is all of an operand of a client: `localhost`, `2130706433`. A small number is a port or a count.
fn undotted(text: &str) -> Option<String> {
    let host = text.split(['/', '?', '#', ':']).next()?;
    let host = host.rsplit('@').next().unwrap_or_default();
    let is_small = |count: u32| count > 0 && count < 1 << 24;
    let is_count = host.parse().is_ok_and(is_small);
    let is_name = !host.contains('.') && !text.starts_with('-') && !is_count;
    normalise(host).filter(|_| is_name)
}

/// Everything in the text that reads as the name of a host.
pub(crate) fn pieces(text: &str, mut visit: impl FnMut(String)) {
    let apart = |letter: char| {
        letter.is_ascii() && !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '-' | '_')
    };
    for piece in text.split(apart) {
        let piece = piece.trim_matches(['.', '-']);
        let named = piece.contains(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']);
        if named && let Some(host) = normalise(piece) {
            visit(host);
        }
    }
}

/// The hosts that a command reaches by its words.
pub(crate) fn each_host(invocation: &Invocation, mut visit: impl FnMut(String)) {
    each(Client::of(invocation), invocation, false, |address| {
        if let Found::Certain(Address::Host(host), _) = address {
            visit(host);
        }
    });
}

/// Whether the words of a command name such a host.
pub(crate) fn names_host(invocation: &Invocation) -> bool {
    let mut names = false;
    each_host(invocation, |_| names = true);
    names
}
