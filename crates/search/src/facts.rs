//! What a call looked at, left out and found, in numbers.

use std::ops::AddAssign;

/// Counters by which an answer explains itself, an empty one above all.
///
/// When a call stops early, only what lies before the stop in path order is counted, so that the
/// numbers do not depend on how the threads ran. An answer of an [`Index`](crate::Index) that stops early
/// counts of that only the files that it had to look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Grep: files whose content was searched. Find: files whose name was compared.
    pub files_searched: u64,
    /// Directories that were listed.
    pub directories: u64,
    /// Files and directories left out by the scope's `globs`, `types`, `types_not` or `ignore`.
    pub files_filtered: u64,
    /// Files that ignore files hide. Find counts only those that the pattern matches. What lies in
    /// an ignored directory is not counted.
    pub files_ignored: u64,
    /// Directories that ignore files hide.
    pub directories_ignored: u64,
    /// Dot entries left out because the scope's `hidden` is off.
    pub files_hidden: u64,
    /// Symbolic links, which are never followed.
    pub links: u64,
    /// FIFOs, sockets and devices, which are never opened.
    pub special: u64,
    /// Files in which a NUL byte ended the search.
    pub binary: u64,
    /// Files above the size limit.
    pub too_large: u64,
    /// Files and directories that could not be read: no permission, vanished meanwhile, I/O error.
    pub unreadable: u64,
    /// Files and directories that would have been seen but for the scope's [`path_filter`](crate::Scope::path_filter).
    pub kept_back: u64,
    /// The rules of the path_filter that kept them back: bit N for the rule of number N, the last bit for all above.
    pub kept_back_by: u64,
    /// Bytes of content that were searched.
    pub bytes: u64,
}

impl Facts {
    /// Counts an entry that the rule of this number keeps back.
    pub(crate) const fn keep_back(&mut self, rule: u8) {
        self.kept_back += 1;
        self.kept_back_by |= 1 << if rule < 63 { rule } else { 63 };
    }
}

impl AddAssign for Facts {
    fn add_assign(&mut self, other: Self) {
        self.files_searched += other.files_searched;
        self.directories += other.directories;
        self.files_filtered += other.files_filtered;
        self.files_ignored += other.files_ignored;
        self.directories_ignored += other.directories_ignored;
        self.files_hidden += other.files_hidden;
        self.links += other.links;
        self.special += other.special;
        self.binary += other.binary;
        self.too_large += other.too_large;
        self.unreadable += other.unreadable;
        self.kept_back += other.kept_back;
        self.kept_back_by |= other.kept_back_by;
        self.bytes += other.bytes;
    }
}

/// How much there is in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Grep: matches in the unit of the request's `limit` when it asks for lines, the sum of the
    /// counts when it asks for counts, files when it asks for files. Find: entries.
    pub matches: u64,
    /// Files with at least one match.
    pub files: u64,
    /// Whether the two numbers are everything there is. Otherwise the call stopped early and there
    /// is at least that much.
    pub exact: bool,
}

/// Why a call ended before it had looked at everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The limit was reached and at least one more was seen.
    Limit,
    /// The deadline passed; what was found until then is in the answer.
    Deadline,
}
