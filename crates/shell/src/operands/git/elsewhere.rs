//! What git tracks and puts under other names: into another work tree, below a prefix, into another repository of this machine, or
//! by the hash of what a file holds. Rules are about names, so what they protect would be there without them.

use super::Call;
use crate::operands::fetching::path_of_repository;
use crate::operands::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::operands::table::{everything, file};
use crate::word::{Part, Word};

/// Options that print what an object is, and not what it holds.
const OF_OBJECT: &[&str] = &["t", "s", "e"];

impl<'w> Call<'_, 'w> {
    /// Adds what is read so that it is elsewhere afterwards.
    pub(super) fn elsewhere(&self, files: &mut FileOperands<'w>) {
        let words = self.split.operands.as_slice();
        let later = words.get(1..).unwrap_or_default();
        let repository = match (self.name, self.action()) {
            ("clone" | "fetch" | "pull" | "push" | "send-pack", _) => words.first(),
            ("submodule", Some("add")) => later.first(),
            ("remote", Some("add" | "set-url")) => words.last(),
            _ => None,
        };
        files.extend(repository.and_then(|word| on_this_machine(word)));
        if self.copies() || self.names_by_hash() {
            let all = everything(self.span, FileAccess::Read);
            files.push(all.reaching(AccessScope::Shown));
        }
    }

    /// Whether what is tracked gets other names, or is packed.
    fn copies(&self) -> bool {
        match (self.name, self.action()) {
            ("worktree", Some("add")) | ("bundle", Some("create")) | ("pack-objects", _) => true,
            ("checkout-index", _) => self.has(&["temp"]),
            ("read-tree", _) => self.has(&["prefix"]),
            ("merge" | "pull" | "rebase" | "cherry-pick" | "revert", _) => {
                let strategies = ["s", "strategy", "X", "strategy-option"];
                let mut values = self.split.values(&strategies);
                values.any(|value| value.prefix().starts_with("subtree"))
            }
            _ => false,
        }
    }

    /// Whether content is named by its hash, so that the name of the file is not there to be judged.
    fn names_by_hash(&self) -> bool {
        match (self.name, self.action()) {
            ("cat-file", _) if self.has(OF_OBJECT) => false,
            ("cat-file", Some("commit" | "tree" | "tag")) => false,
            ("cat-file", _) => self.split.operands.iter().any(|word| is_hash(word)),
            ("update-index", _) => self.has(&["cacheinfo"]),
            ("merge-file", _) => self.has(&["object-id"]),
            ("notes", _) => self.has(&["C", "c", "reuse-message", "reedit-message"]),
            _ => false,
        }
    }
}

/// Whether a word is, or may be, the hash of an object.
fn is_hash(word: &Word) -> bool {
    let is_hex = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    word.literal().map_or(word.prefix().is_empty(), is_hex)
}

/// The repository of this machine that a word may name. A plain name may be that of a remote, or of a directory.
fn on_this_machine(word: &Word) -> Option<FileOperand<'_>> {
    let repository = |path: &str| {
        FileOperand::read(OperandWord::value(path, word)).reaching(AccessScope::Repository)
    };
    let Some(text) = word.literal() else {
        // Which directory of this machine it is cannot be determined, or the text determines it.
        let is_here = |name: &str| matches!(name, "PWD" | "OLDPWD");
        let first = word.parts.first();
        let is_local = word.prefix().starts_with("file:")
            || matches!(first, Some(Part::Parameter { name, .. }) if is_here(name));
        return Some(match is_local {
            true => repository("."),
            false => file(word, FileAccess::Read).reaching(AccessScope::Repository),
        });
    };
    let path = path_of_repository(text)?;
    let path = path.trim_end_matches('/');
    let path = match path.strip_suffix(".git") {
        Some("") => ".",
        Some(top) => top.strip_suffix('/').unwrap_or(path),
        None => path,
    };
    (!path.is_empty()).then(|| repository(path))
}
