//! Operands of programs that name files (B9). The programs that are known are read exactly; what others are given is
//! compared with the names that rules protect.

use tenon_shell::{FileAccess, Invocation, Word, file_operands};

use super::Context;
use super::files::{Duty, part_kind};
use super::ground::State;
use super::recursion::Recursion;
use super::strict::base_name;
use crate::decision::{Judgement, PartDecision};
use crate::rule::{Kind, Rule};

/// Programs that are for looking and write a file only when an option says so.
const LOOKING: &[&str] = &["git", "sort", "gsort", "uniq", "guniq"];

impl<'e> Context<'e, '_> {
    /// The operands of one command that name files.
    pub(crate) fn operands(
        &self,
        invocation: &Invocation,
        state: State,
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
            let here = words.first().map(|name| Word::synthetic(".", name.span));
            if let Some(here) = here {
                self.file(Kind::Read, &here, state, Duty::Strict, true, judgement);
            }
        }
        self.copies_into_folder(words, &files, state, judgement);
        // Of git only the files that it writes are known.
        if files.is_empty() || base == "git" {
            self.mentions(words, state, judgement);
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
        for target in of(FileAccess::Write) {
            for source in of(FileAccess::Read) {
                if let (Some(target), Some(source_name)) =
                    (target.literal(), source.literal().map(base_name))
                {
                    let path = format!("{}/{source_name}", target.trim_end_matches('/'));
                    let word = Word::synthetic(&path, source.span);
                    self.file(Kind::Write, &word, state, Duty::Strict, false, judgement);
                }
            }
        }
    }

    /// Programs that are not known: an argument that names a file which rules protect is at least asked.
    fn mentions(&self, words: &[Word], state: State, judgement: &mut Judgement<'e>) {
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
            return;
        }
        for word in words.iter().skip(1) {
            let Some(text) = word.literal() else { continue };
            let pieces = text.split(['=', '@', ':', ',']);
            for path in std::iter::once(text).chain(pieces.filter(|piece| piece.len() < text.len()))
            {
                if path.is_empty() || path.starts_with('-') {
                    continue;
                }
                for (kind, rule, shown) in self.strict_hits(path, state) {
                    judgement.matched(rule);
                    let reason = format!(
                        "`{name}` is given `{shown}`, which the rule `{}` protects; what it does with it is not known.",
                        rule.text.rule
                    );
                    judgement.add(PartDecision {
                        rule: Some(rule.name()),
                        ..self.floor(part_kind(kind), &shown, reason)
                    });
                }
            }
        }
    }

    fn strict_hits(&self, path: &str, state: State) -> Vec<(Kind, &'e Rule, String)> {
        let rules = &self.engine.rules;
        let mut hits = Vec::new();
        for folder in self.ground.candidates(state).into_iter().flatten() {
            let name = self.ground.follow(folder, path);
            let found = name.strict.get_or_init(|| {
                self.at(folder, path, |places| {
                    [Kind::Read, Kind::Write].map(|kind| {
                        rules.strict_place(|rule| rule.binds_file(kind, places, self.user()))
                    })
                })
            });
            for (kind, place) in [Kind::Read, Kind::Write].into_iter().zip(found) {
                let rule = place.and_then(|place| rules.rules.get(place));
                hits.extend(rule.map(|rule| (kind, rule, path.to_owned())));
            }
        }
        hits
    }
}
