//! The commands of `cmake -E`.

use crate::unwrap::invocation::{Context, Invocation};
use crate::word::Word;
use crate::words::Words;

/// The commands of `cmake -E`, under the names of the programs that do the same.
pub(super) fn cmake(words: &Words, invocation: &mut Invocation, context: Context<'_>) {
    let Some(first) = words.first() else {
        return;
    };
    let same: &[&str] = match first.literal() {
        Some("copy" | "copy_if_different" | "copy_if_newer") => &["cp"],
        Some("copy_directory" | "copy_directory_if_different" | "copy_directory_if_newer") => {
            &["cp", "-r"]
        }
        Some("rename") => &["mv"],
        Some("remove") => &["rm"],
        Some("remove_directory") => &["rm", "-r"],
        Some("make_directory") => &["mkdir", "-p"],
        Some("create_symlink") => &["ln", "-s"],
        Some("create_hardlink") => &["ln"],
        Some("chdir") => {
            invocation.directories.extend(words.get(1).cloned());
            return context.run(words.behind(2), invocation);
        }
        _ => {
            return context.run(words.clone(), invocation);
        }
    };
    let mut renamed: Vec<Word> = same
        .iter()
        .map(|word| Word::synthetic(word, first.span))
        .collect();
    renamed.extend(words.iter().skip(1).cloned());
    context.run(renamed, invocation);
}
