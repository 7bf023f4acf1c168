//! Protected names that a command reaches in other ways than by an operand that it is known to write: as an argument of a
//! program of which not everything is known, in what is copied, moved, unpacked or patched, and by new names.

use std::path::{Path, PathBuf};

use tenon_programs::Traits;
use tenon_programs::words::operands::FIXING;
use tenon_shell::{AccessScope, FileAccess, FileOperand, Part, Word};

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::Site;
use crate::commands::words::texts::{TEXTS, protected_piece};
use crate::commands::words::{
    Effects, RUNNING_FILES, is_given, lists_of_braces, takes_code, unpacks,
};
use crate::decision::PartKind;
use crate::paths::{ListedKind, within};
use crate::protected::protected_among;
use crate::rule::Kind;

fn only_looks(effects: &Effects<'_>) -> bool {
    let words = effects.words;
    let fixes = |word: &Word| {
        let text = word.prefix();
        let writes = text
            .strip_prefix('-')
            .is_some_and(|text| text.contains("out") || text.contains("fix"));
        writes || FIXING.contains(&&*text) || &*text == "format"
    };
    let brings = |word: &Word| matches!(word.literal(), Some("clone" | "download"));
    effects.is(Traits::ONLY_READS) && !words.iter().skip(1).any(brings)
        || effects.is(Traits::LINTER) && !words.iter().skip(1).any(fixes)
}

/// Options whose value is read, or is no file.
fn is_read_or_text(base: &str, option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else {
        let leaves_out = matches!(base, "diff" | "rsync" | "tree" | "zip");
        return leaves_out && matches!(option, "-x" | "-I");
    };
    let reads = ["from", "in", "input", "input-file", "read", "source", "src"];
    reads.contains(&name)
        || !name.contains("file") && TEXTS.iter().any(|text| name.contains(text))
        || ["exclude", "include", "ignore"]
            .iter()
            .any(|text| name.contains(text))
}

impl<'e> CommandJudge<'e, '_> {
    /// What a command does to protected names besides writing the operands that are known.
    pub(crate) fn guarded(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        if self.open {
            return;
        }
        let (base, words) = (effects.base, effects.words);
        let (files, is_known) = (&*effects.files, effects.is_known);
        if !only_looks(effects) && !effects.is(Traits::SAYS_NOTHING) {
            // Options that stand before the subcommand count, too.
            self.given_protected(effects, at);
            if !is_known && !takes_code(effects.program) {
                self.given_unknown(words, files, at);
            }
        }
        let verb = words.get(1).and_then(Word::literal);
        let moves = base == "git" && verb == Some("mv");
        if moves
            || matches!(base, "cp" | "mv" | "rsync" | "install" | "ditto") && effects.goes_below()
        {
            self.copied_protected(base, files, at);
        }
        self.unpacked_over(effects, at);
        self.removed_root(effects, at);
        // These are given names by their input.
        if matches!(base, "cpio" | "pax")
            && let Some((piece, name)) = self.named_protected()
        {
            let reason = format!("`{base}` may write `{piece}`, which is protected (`{name}`).");
            self.guard(piece, reason);
        }
        self.renamed(effects);
        self.patched(base, words);
    }

    pub(crate) fn guard(&mut self, subject: &str, reason: String) {
        self.ask(PartKind::Write, subject, reason);
    }

    /// Arguments that are protected names, of a program that may write them. Of one whose operands are known those count
    /// that begin with a dash.
    fn given_protected(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        let (base, words) = (effects.base, effects.written);
        let (files, is_known) = (&*effects.files, effects.is_known);
        let code = takes_code(effects.program);
        // The script that an interpreter runs is read; that of `yq` is no file.
        let runs_file = (effects.is(RUNNING_FILES) || base == "yq")
            && !is_given(words, &['c', 'e', 'E', 'r'], &["eval"]);
        let is_operand = |word: &&Word| !word.prefix().starts_with('-');
        let script = words.iter().skip(1).find(is_operand).filter(|_| runs_file);
        for (place, word) in words.iter().enumerate().skip(1) {
            let text = word.prefix();
            let option = text.split_once('=').map_or(&*text, |(option, _)| option);
            let before = words.get(place - 1).map(Word::prefix).unwrap_or_default();
            if is_read_or_text(base, option) || (place > 1 && is_read_or_text(base, &before)) {
                continue;
            }
            let is_used =
                !code && !runs_file && files.iter().any(|file| file.word.span == word.span);
            if word
                .literal()
                .is_some_and(|text| !text.contains(['.', '~']))
                || is_used && !text.starts_with('-') && !text.contains('=')
                || text.contains("://")
            {
                continue;
            }
            if script.is_some_and(|script| std::ptr::eq(script, word))
                || (is_known
                    && !code
                    && !runs_file
                    && !text.starts_with('-')
                    && !before.starts_with('-'))
            {
                continue;
            }
            let code = code || !text.contains(char::is_whitespace);
            let found = self.possible_texts(word, at).iter().find_map(|text| {
                protected_piece(text, code).map(|(piece, name)| (piece.to_owned(), name))
            });
            if let Some((piece, name)) = found {
                let reason = format!(
                    "`{base}` is given `{piece}`, which is protected (`{name}`); what it does with it is not known."
                );
                self.guard(&piece, reason);
            }
        }
    }

    /// Arguments that the text does not fix, of a program that may write what it is given.
    fn given_unknown(&mut self, words: &[Word], files: &[FileOperand<'_>], at: Site<'_>) {
        let is_used = |word: &Word| files.iter().any(|file| file.word.span == word.span);
        let unknown = words.iter().skip(1).filter(|word| word.is_opaque());
        for word in unknown.filter(|word| !is_used(word)) {
            self.unknown_protected((Kind::Write, true), word, self.written(word), at);
        }
    }

    /// The texts that a word can be: itself, the values that the text gives it, each of a list in braces. What is not known
    /// counts as nothing.
    fn possible_texts(&self, word: &Word, at: Site<'_>) -> Vec<String> {
        if let Some(text) = word.literal() {
            return vec![text.to_owned()];
        }
        let words = self.possible_words(word, at);
        let written = words.iter().map(|word| {
            let texts = word.parts.iter().filter_map(|part| match part {
                Part::Text { value, .. } => Some(value.as_str()),
                _ => None,
            });
            texts.collect::<String>()
        });
        let each = written.flat_map(|text| lists_of_braces(&text).unwrap_or_else(|| vec![text]));
        each.collect()
    }

    /// A directory with a protected name in it that is copied or moved.
    fn copied_protected(&mut self, base: &str, files: &[FileOperand<'_>], at: Site<'_>) {
        let Some(directories) = self.path_table.candidates(at.dirs) else {
            return;
        };
        let literal = |access: FileAccess| {
            let used = files.iter().filter(move |file| file.access == access);
            used.filter_map(|file| file.word.literal())
        };
        for directory in directories {
            let inside = |path: &str| self.path_table.follow(directory, path).inside().is_some();
            if !literal(FileAccess::Write).any(inside) {
                continue;
            }
            for source in literal(FileAccess::Read).chain(literal(FileAccess::Delete)) {
                let name = self.path_table.follow(directory, source);
                let Some(place) = name.directory() else {
                    continue;
                };
                let target = place.target_below(&self.engine.root);
                if let Some((held, name)) = self.protected_below(&target) {
                    let reason = format!(
                        "`{base}` takes `{source}/{held}` along, which is protected (`{name}`). Leave it out."
                    );
                    self.guard(&format!("{source}/{held}"), reason);
                }
            }
        }
    }

    /// The whole workspace, with the protected names in it, that is removed: `tar --remove-files -cf x .`.
    fn removed_root(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        let removes = |file: &&FileOperand<'_>| {
            file.access == FileAccess::Delete && effects.reaches_below(file)
        };
        let removed = effects.files.iter().filter(removes);
        let Some(directories) = self.path_table.candidates(at.dirs) else {
            return;
        };
        // What is chosen below it is looked through by the program's own rules.
        let mut removed = removed.filter(|_| effects.selection.omits_nothing());
        let is_root = |file: &FileOperand<'_>| {
            let path = file.word.literal().unwrap_or_default();
            directories.iter().any(|directory| {
                let name = self.path_table.follow(*directory, path);
                let inside = name.directory();
                inside.is_some_and(|inside| {
                    inside.target_below(&self.engine.root) == self.engine.root
                })
            })
        };
        if removed.any(is_root)
            && let Some((held, name)) = self.protected_below(&self.engine.root)
        {
            let base = effects.base;
            let reason = format!("`{base}` removes `{held}`, which is protected (`{name}`).");
            self.guard(&held, reason);
        }
    }

    /// The first protected name below a directory, as far as is looked.
    fn protected_below(&self, target: &Path) -> Option<(String, &'static str)> {
        let left = &self.budget.copied;
        let mut directories: Vec<(PathBuf, String)> = vec![(target.to_path_buf(), String::new())];
        while let Some((directory, name)) = directories.pop() {
            let entries = self.path_table.resolver().list(&directory, left.get())?;
            left.set(left.get().checked_sub(entries.len() + 1)?);
            for entry in entries {
                let name = format!("{name}{}", entry.name);
                if let Some(protected) = protected_among(&name) {
                    return Some((name, protected));
                }
                if entry.kind == ListedKind::Directory && entry.name != "node_modules" {
                    directories.push((within(&directory, &entry.name), format!("{name}/")));
                }
            }
        }
        None
    }

    /// A directory that holds a protected name, into which something of unknown names is unpacked.
    fn unpacked_over(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        let (base, files) = (effects.base, &effects.files);
        let unpacks = matches!(base, "tar" | "bsdtar" | "unzip") && effects.unpacks()
            || matches!(base, "7z" | "cpio" | "pax" | "jar" | "unrar" | "rar");
        let written = files.iter().filter(|file| {
            file.access == FileAccess::Write && (unpacks || file.reach == AccessScope::Unpacked)
        });
        let Some(directories) = self.path_table.candidates(at.dirs) else {
            return;
        };
        for file in written {
            let Some(path) = file.word.literal() else {
                continue;
            };
            for directory in &directories {
                let name = self.path_table.follow(*directory, path);
                let Some(place) = name.directory() else {
                    continue;
                };
                let target = place.target_below(&self.engine.root);
                let entries = self.path_table.list(&target);
                let mut entries = entries.iter().flat_map(|entries| entries.iter());
                if let Some(name) = entries.find_map(|entry| protected_among(&entry.name)) {
                    let reason = format!(
                        "`{base}` writes files of unknown names into `{path}`, which holds the protected name `{name}`; one of them may replace it. Use a directory of its own."
                    );
                    self.guard(path, reason);
                }
            }
        }
    }
}

/// Whether an argument of a program for renaming is a plain name, so that it makes no other new name than those written.
fn is_plain_name(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    !text.starts_with('.') && text.chars().all(plain)
}

impl<'e> CommandJudge<'e, '_> {
    /// New names that are made by a pattern.
    pub(crate) fn renamed(&mut self, effects: &Effects<'_>) {
        let (base, words) = (effects.base, effects.words);
        let option = match base {
            "tar" if unpacks(words) && is_given(words, &[], &["transform", "xform"]) => {
                "--transform"
            }
            "bsdtar" if unpacks(words) && is_given(words, &['s'], &[]) => "-s",
            "pax" if is_given(words, &['r'], &[]) && is_given(words, &['s'], &[]) => "-s",
            _ if effects.is(Traits::RENAMES) => {
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
        self.guard(base, reason);
    }

    /// Patches in the text that name a protected file.
    pub(crate) fn patched(&mut self, base: &str, words: &[Word]) {
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
            return self.guard(&path, reason);
        }
        if let Some((path, name)) = self.facts.patched() {
            let reason = format!("The patch changes `{path}`, which is protected (`{name}`).");
            self.guard(path, reason);
        }
    }
}
