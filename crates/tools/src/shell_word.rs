//! Words of commands that are made here.

/// The name of a file as one word that the shell takes as it is, and no program for an option.
#[must_use]
pub fn file_word(name: &str) -> String {
    if name.starts_with('-') {
        shell_word(&format!("./{name}"))
    } else {
        shell_word(name)
    }
}

/// A text as one word that the shell takes as it is: bare where that is safe, else in single quotes as a POSIX shell
/// (PowerShell on Windows) reads them.
#[must_use]
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:@%+=,-".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else if cfg!(windows) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(windows))]
    fn names_of_files_are_one_word_to_the_shell() {
        for (name, word) in [
            ("src/a.test.ts", "src/a.test.ts"),
            ("a b.js", "'a b.js'"),
            ("$(x)'y`.py", r"'$(x)'\''y`.py'"),
            ("größe.js", "'größe.js'"),
            ("-x.js", "./-x.js"),
            ("-e p", "'./-e p'"),
            ("", "''"),
        ] {
            assert_eq!(file_word(name), word);
        }
    }
}
