//! Other spellings that models use for a parameter, whatever a dialect calls it. Differences of
//! case, `_` and `-` need no entry; an entry that is the parameter's own name has no effect.

/// Of a file.
pub(crate) const FILE: &[&str] = &["path", "file_path", "file", "filename"];
/// Of a directory.
pub(crate) const DIRECTORY: &[&str] = &["path", "directory", "dir", "folder"];
/// Of the content of a file.
pub(crate) const CONTENT: &[&str] = &["content", "contents", "text"];
/// Of a glob.
pub(crate) const GLOB: &[&str] = &["pattern", "glob", "glob_pattern"];
/// Of what a content search looks for.
pub(crate) const PATTERN: &[&str] = &["pattern", "query", "regex"];
/// Of a glob that files must match.
pub(crate) const INCLUDE: &[&str] = &["glob", "include", "include_pattern"];
/// Of a patch.
pub(crate) const PATCH: &[&str] = &["input", "patch", "diff", "patch_text"];
/// Of the line to begin at.
pub(crate) const FIRST_LINE: &[&str] = &["offset", "start_line"];
/// Of the most lines that are read.
pub(crate) const LINES: &[&str] = &["limit", "max_lines", "num_lines", "line_count"];
/// Of a command.
pub(crate) const COMMAND: &[&str] = &["command", "cmd"];
/// Of the directory that a command runs in.
pub(crate) const WORKING_DIRECTORY: &[&str] = &["cwd", "workdir", "working_directory", "directory"];
/// Of the most results that are answered.
pub(crate) const LIMIT: &[&str] = &["limit", "max_results", "max_matches", "head_limit"];
