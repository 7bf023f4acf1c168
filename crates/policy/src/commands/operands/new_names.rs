//! Protected names that files get by a pattern of new names, or by a patch.

use tenon_shell::Word;

use super::guarded::protected_piece;
use crate::commands::Context;
use crate::commands::recursion::{is_given, unpacks};
use crate::decision::Judgement;
use crate::protected::protected_among;

/// Programs that give files new names by a pattern.
const RENAMERS: &[&str] = &[
    "rename",
    "prename",
    "perl-rename",
    "file-rename",
    "rename.ul",
    "mmv",
    "zmv",
    "rnm",
    "qmv",
    "vidir",
];

/// Whether an argument of a program for renaming is a plain name, so that it makes no other new name than those written.
fn is_plain_name(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    !text.starts_with('.') && text.chars().all(plain)
}

impl<'e> Context<'e, '_> {
    /// New names that are made by a pattern.
    pub(super) fn renamed(&self, base: &str, words: &[Word], judgement: &mut Judgement<'e>) {
        let option = match base {
            "tar" if unpacks(words) && is_given(words, &[], &["transform", "xform"]) => {
                "--transform"
            }
            "bsdtar" if unpacks(words) && is_given(words, &['s'], &[]) => "-s",
            "pax" if is_given(words, &['r'], &[]) && is_given(words, &['s'], &[]) => "-s",
            _ if RENAMERS.contains(&base) => {
                let mut operands = words
                    .iter()
                    .skip(1)
                    .filter(|word| !word.prefix().starts_with('-'));
                let plain =
                    |word: Option<&Word>| word.and_then(Word::literal).is_some_and(is_plain_name);
                if plain(operands.next()) && plain(operands.next()) {
                    return;
                }
                "a pattern of names"
            }
            _ => return,
        };
        let reason =
            format!("No rule on `{base}` covers `{option}`: the new names may be protected ones.");
        self.guard(base, reason, judgement);
    }

    /// Patches in the text that name a protected file.
    pub(super) fn patched(&self, base: &str, words: &[Word], judgement: &mut Judgement<'e>) {
        let verb = words.get(1).and_then(Word::literal);
        if !(base == "patch" || base == "git" && matches!(verb, Some("apply" | "am"))) {
            return;
        }
        let options = words.iter().map(Word::prefix);
        let mut below = options.filter(|text| base == "git" && text.starts_with("--directory"));
        let below = below.find_map(|text| {
            protected_piece(&text, false).map(|(piece, name)| (piece.to_owned(), name))
        });
        if let Some((path, name)) = below {
            let reason = format!("The patch changes `{path}`, which is protected (`{name}`).");
            return self.guard(&path, reason, judgement);
        }
        if let Some((path, name)) = self.patched.get_or_init(|| patch_in(&self.claim.text)) {
            let reason = format!("The patch changes `{path}`, which is protected (`{name}`).");
            self.guard(path, reason, judgement);
        }
    }
}

/// The first protected name that a patch in this text names.
fn patch_in(text: &str) -> Option<(String, &'static str)> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    let starts = [
        "+++ ", "--- ", "*** ", "diff ", "rename ", "copy ", "Index: ",
    ];
    let mut marked = lines
        .map(|line| line.trim_start_matches(['"', '\'', ' ', '$', '(']))
        .filter(|line| {
            starts.iter().any(|start| line.starts_with(start))
                || line.contains("+++ ")
                || line.contains("rename to ")
        });
    marked.find_map(|line| {
        let mut paths = line.split([' ', '\t', '\r', '"', '\'']);
        paths.find_map(|path| Some((path.to_owned(), protected_among(path)?)))
    })
}
