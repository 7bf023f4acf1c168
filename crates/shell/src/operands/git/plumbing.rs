//! Subcommands of git that are given files of any kind.

use tenon_programs::Effects;

use super::Call;
use crate::operands::arguments::unknown_file;
use crate::operands::file::{FileAccess, FileOperand, FileOperands};
use crate::operands::table::file;
use crate::word::Word;

impl<'w> Call<'_, 'w> {
    /// Subcommands that are given files which need not belong to the repository.
    pub(super) fn plumbing(&self, files: &mut FileOperands<'w>) {
        let words = self.split.operands.as_slice();
        let mut all = |words: &[&'w Word], access| {
            files.extend(words.iter().map(|word| file(word, access)));
        };
        match self.name {
            "am" | "apply" | "verify-pack" | "index-pack" | "show-index" => {
                all(words, FileAccess::Read);
            }
            "hash-object" => {
                all(words, FileAccess::Read);
                if self.has(&["stdin-paths"]) {
                    files.push(unknown_file(self.span, FileAccess::Read));
                }
            }
            "interpret-trailers" => {
                all(words, FileAccess::Read);
                if self.has(&["in-place"]) {
                    all(words, FileAccess::Write);
                }
            }
            "merge-file" if !self.has(&["object-id"]) => {
                all(words, FileAccess::Read);
                if !self.has(&["p", "stdout"]) {
                    all(words.get(..1).unwrap_or_default(), FileAccess::Write);
                }
            }
            "mailinfo" | "pack-objects" => all(words, FileAccess::Write),
            "mailsplit" => all(words, FileAccess::Read),
            "config" if !self.looks_at_settings() => {
                let named = self.split.values(&["f", "file"]);
                files.extend(named.map(FileOperand::written));
            }
            _ => {}
        }
    }

    /// Whether `git config` is asked what is set.
    fn looks_at_settings(&self) -> bool {
        let alone =
            self.split.operands.len() < 2 && !self.has(&["unset", "unset-all", "e", "edit"]);
        self.split.gives(Effects::SHOWS)
            || matches!(self.action(), Some("get" | "list"))
            || (alone && !matches!(self.action(), Some("edit")))
    }
}
