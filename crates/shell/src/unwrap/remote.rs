//! Programs that reach other machines over ssh: `ssh`, `scp`, `sftp`, `rsync`.

use std::borrow::Cow;

use super::options::is_long;
use crate::span::Span;
use crate::word::Word;

/// The short options of one of these programs.
struct Letters {
    name: &'static str,
    /// Letters with a value.
    values: &'static str,
    /// Letters that name a program, a library or a file of settings, or write a file.
    running: &'static str,
    /// How many operands come before words that are no longer read as options.
    operands: usize,
}

/// Source: the usage strings of OpenSSH 9.9.
const PROGRAMS: &[Letters] = &[
    Letters {
        name: "ssh",
        values: "BbcDeiJLlmOopPQRSWw",
        running: "EFI",
        operands: 2,
    },
    Letters {
        name: "scp",
        values: "ciJlMoPX",
        running: "DFS",
        operands: usize::MAX,
    },
    Letters {
        name: "sftp",
        values: "BciJloPRsX",
        running: "bDFS",
        operands: usize::MAX,
    },
    Letters {
        name: "ssh-copy-id",
        values: "ipot",
        running: "F",
        operands: usize::MAX,
    },
];

/// Settings of `-o` that name no program, no library and no other host.
const HARMLESS_SETTINGS: &[&str] = &[
    "addressfamily",
    "batchmode",
    "checkhostip",
    "ciphers",
    "compression",
    "connectionattempts",
    "connecttimeout",
    "controlmaster",
    "controlpath",
    "controlpersist",
    "exitonforwardfailure",
    "forkafterauthentication",
    "forwardagent",
    "forwardx11",
    "globalknownhostsfile",
    "gssapiauthentication",
    "hashknownhosts",
    "hostkeyalgorithms",
    "identitiesonly",
    "identityfile",
    "kbdinteractiveauthentication",
    "kexalgorithms",
    "loglevel",
    "macs",
    "numberofpasswordprompts",
    "passwordauthentication",
    "port",
    "preferredauthentications",
    "pubkeyacceptedalgorithms",
    "pubkeyacceptedkeytypes",
    "pubkeyauthentication",
    "requesttty",
    "sendenv",
    "serveralivecountmax",
    "serveraliveinterval",
    "setenv",
    "stdinnull",
    "stricthostkeychecking",
    "tcpkeepalive",
    "user",
    "userknownhostsfile",
    "visualhostkey",
];

/// What makes the program named `base` run another one.
pub(super) fn find(base: &str, words: &[Word]) -> Option<Span> {
    let letters = PROGRAMS.iter().find(|program| program.name == base)?;
    let texts: Vec<Cow<'_, str>> = words.iter().map(Word::prefix).collect();
    let place = letters.running(&texts)?;
    words.get(place).map(|word| word.span)
}

impl Letters {
    /// The place of the word that runs something.
    fn running(&self, words: &[Cow<'_, str>]) -> Option<usize> {
        let mut operands = 0;
        let mut place = 0;
        while let Some(word) = words.get(place) {
            match word.strip_prefix('-') {
                Some("-") => {}
                Some(letters) => match self.cluster(letters, words.get(place + 1)) {
                    Cluster::Runs => return Some(place),
                    Cluster::TakesNext => place += 1,
                    Cluster::Plain => {}
                },
                None => operands += 1,
            }
            if operands >= self.operands {
                return None;
            }
            place += 1;
        }
        None
    }

    fn cluster(&self, letters: &str, next: Option<&Cow<'_, str>>) -> Cluster {
        for (at, letter) in letters.char_indices() {
            if self.running.contains(letter) {
                return Cluster::Runs;
            }
            if !self.values.contains(letter) {
                continue;
            }
            let attached = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let value = match attached {
                "" => next.map(AsRef::as_ref).unwrap_or_default(),
                _ => attached,
            };
            if letter == 'o' && !is_harmless(value) {
                return Cluster::Runs;
            }
            return if attached.is_empty() {
                Cluster::TakesNext
            } else {
                Cluster::Plain
            };
        }
        Cluster::Plain
    }
}

enum Cluster {
    Runs,
    TakesNext,
    Plain,
}

fn is_harmless(setting: &str) -> bool {
    let setting = setting.trim_start().to_ascii_lowercase();
    let name = setting
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    HARMLESS_SETTINGS.contains(&name) && !setting.contains('\n')
}

/// `rsync -e` with anything but ssh and its harmless options, `--rsync-path`, options for the other side.
pub(super) fn rsync(words: &[Word]) -> Option<Span> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.prefix();
        let shell: Option<Cow<'_, str>> = match text.strip_prefix("--") {
            Some(long) => match long.split_once('=') {
                Some((name, value)) if name.len() > 1 && "rsh".starts_with(name) => {
                    Some(value.to_owned().into())
                }
                None if long.len() > 1 && "rsh".starts_with(long) => rest.next().map(Word::prefix),
                _ if is_long(
                    long,
                    &["rsync-path", "remote-option", "daemon", "config", "dparam"],
                ) =>
                {
                    return Some(word.span);
                }
                _ => None,
            },
            None => match text.strip_prefix('-').map(rsync_letters) {
                Some(Some(("M", _))) => return Some(word.span),
                Some(Some(("e", ""))) => rest.next().map(Word::prefix),
                Some(Some(("e", shell))) => Some(shell.to_owned().into()),
                _ => None,
            },
        };
        if shell.is_some_and(|shell| !is_plain_shell(&shell)) {
            return Some(word.span);
        }
    }
    None
}

/// The first letter with a value in a cluster, and the value attached to it.
fn rsync_letters(letters: &str) -> Option<(&str, &str)> {
    let at = letters.find(['e', 'f', 'B', 'T', 'M', '@'])?;
    let rest = letters.get(at..)?;
    Some(rest.split_at(1))
}

/// `ssh`, perhaps with options that run nothing.
fn is_plain_shell(shell: &str) -> bool {
    let words: Vec<Cow<'_, str>> = shell.split_ascii_whitespace().map(Cow::from).collect();
    let [first, options @ ..] = words.as_slice() else {
        return false;
    };
    let ssh = PROGRAMS.iter().find(|program| program.name == "ssh");
    first == "ssh"
        && !shell.contains(['\'', '"', '\\'])
        && ssh.is_some_and(|ssh| ssh.running(options).is_none())
}
