//! Operands of programs that name files (B9). The programs that are known are read exactly; what others are given is
//! compared with the names that rules protect.

use smallvec::SmallVec;
use tenon_shell::{FileAccess, Invocation, Word, file_operands};

use super::Context;
use super::files::{Duty, part_kind};
use super::ground::State;
use super::recursion::Recursion;
use super::strict::base_name;
use crate::decision::{Judgement, Why};
use crate::rule::{Kind, Rule};

/// Programs that are for looking and write a file only when an option says so.
const LOOKING: &[&str] = &["git", "sort", "gsort", "uniq", "guniq"];

/// Words of which it was looked at what they mention. A command behind wrappers has the last words of the wrappers.
#[derive(Default)]
pub(super) struct Seen<'w>(Option<(&'w [Word], State)>);

impl<'w> Seen<'w> {
    /// Notes the words of a program that was given all of them.
    pub(super) fn note(&mut self, words: &'w [Word], state: State) {
        self.0.get_or_insert((words, state));
    }

    /// Whether these were among words that were noted, in the same folder.
    fn holds(&self, words: &[Word], state: State) -> bool {
        self.0
            .is_some_and(|(all, known)| known == state && is_within(words, all))
    }

    /// Whether these were among words that were noted, in whatever folder.
    pub(super) fn holds_somewhere(&self, words: &[Word]) -> bool {
        self.0.is_some_and(|(all, _)| is_within(words, all))
    }
}

/// Whether the words are a part of these very words.
fn is_within(words: &[Word], all: &[Word]) -> bool {
    let (words, all) = (words.as_ptr_range(), all.as_ptr_range());
    all.start <= words.start && words.end <= all.end
}

impl<'e> Context<'e, '_> {
    /// The operands of one command that name files.
    pub(super) fn operands<'i>(
        &self,
        invocation: &'i Invocation,
        state: State,
        seen: &mut Seen<'i>,
        judgement: &mut Judgement<'e>,
    ) {
        let state = super::folders::own(state, invocation, &self.ground);
        let words = invocation.plain_words();
        let recursion = Recursion::of(words);
        let files = file_operands(words);
        let base = invocation.base_name().unwrap_or_default();
        let looking = LOOKING.contains(&base);
        for file in &files {
            let kind = match file.access {
                FileAccess::Read => Kind::Read,
                FileAccess::Write => Kind::Write,
                FileAccess::Delete => Kind::Delete,
            };
            // Whoever allows one of these means that it looks; what it writes is decided like a redirection.
            let duty = if looking && kind == Kind::Write {
                Duty::Full
            } else {
                Duty::Strict
            };
            self.file(
                kind,
                &file.word,
                state,
                duty,
                recursion.reaches(kind),
                judgement,
            );
        }
        let reads = files.iter().any(|file| file.access == FileAccess::Read);
        if recursion.from_here && !reads {
            self.path(Kind::Read, ".", state, Duty::Strict, true, judgement);
        }
        self.copies_into_folder(words, &files, state, judgement);
        // Of git only the files that it writes are known.
        if (files.is_empty() || base == "git")
            && !seen.holds(words, state)
            && self.mentions(words, state, judgement)
        {
            seen.note(words, state);
        }
    }

    /// `cp a b folder` writes `folder/a`.
    fn copies_into_folder(
        &self,
        words: &[Word],
        files: &[tenon_shell::FileOperand<'_>],
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        let name = words
            .first()
            .and_then(Word::literal)
            .map(base_name)
            .unwrap_or_default();
        if self.open || !matches!(name, "cp" | "mv" | "ln" | "install" | "scp" | "rsync") {
            return;
        }
        let of = |access| {
            files
                .iter()
                .filter(move |file| file.access == access)
                .map(|file| &*file.word)
        };
        let mut path = String::new();
        for target in of(FileAccess::Write).filter_map(Word::literal) {
            path.clear();
            path.push_str(target.trim_end_matches('/'));
            path.push('/');
            let folder = path.len();
            for source in of(FileAccess::Read).filter_map(Word::literal) {
                path.truncate(folder);
                path.push_str(base_name(source));
                self.path(Kind::Write, &path, state, Duty::Strict, false, judgement);
            }
        }
    }

    /// Programs that are not known: an argument that names a file which rules protect is at least asked. Tells whether
    /// the arguments were looked at.
    fn mentions(&self, words: &[Word], state: State, judgement: &mut Judgement<'e>) -> bool {
        let name = words
            .first()
            .and_then(Word::literal)
            .map(base_name)
            .unwrap_or_default();
        let silent = [
            "echo", "printf", "test", "[", "[[", "ls", "export", "cd", "pwd", "mkdir", "exit",
            "true", "false", ":", "which", "type", "set", "read",
        ];
        if self.open || !self.files_bound || silent.contains(&name) {
            return false;
        }
        let splits = |byte| matches!(byte, b'=' | b'@' | b':' | b',');
        for word in words.iter().skip(1) {
            let Some(text) = word.literal() else { continue };
            let whole = !text.bytes().any(splits);
            let pieces = text.split(['=', '@', ':', ',']);
            let pieces = pieces.filter(|piece| piece.len() < text.len());
            for path in std::iter::once(text).chain(pieces.take(if whole { 0 } else { usize::MAX }))
            {
                if path.is_empty() || path.starts_with('-') {
                    continue;
                }
                for (kind, rule) in self.strict_hits(path, state) {
                    judgement.matched(rule);
                    let reason = format!(
                        "`{name}` is given `{path}`, which the rule `{}` protects; what it does with it is not known.",
                        rule.text.rule
                    );
                    let why = Why::because_of(rule, reason);
                    judgement.add(self.floor(part_kind(kind), path, why));
                }
            }
        }
        true
    }

    fn strict_hits(&self, path: &str, state: State) -> SmallVec<[(Kind, &'e Rule); 2]> {
        let rules = &self.engine.rules;
        let mut hits = SmallVec::new();
        for folder in self.ground.candidates(state).into_iter().flatten() {
            let name = self.ground.follow(folder, path);
            let found = name.strict.get_or_init(|| {
                Box::new(self.at(folder, path, |places| {
                    [Kind::Read, Kind::Write].map(|kind| {
                        rules.strict_place(|rule| rule.binds_file(kind, places, self.user()))
                    })
                }))
            });
            for (kind, place) in [Kind::Read, Kind::Write].into_iter().zip(**found) {
                let rule = place.and_then(|place| rules.rules.get(place));
                hits.extend(rule.map(|rule| (kind, rule)));
            }
        }
        hits
    }
}
