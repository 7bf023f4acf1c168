//! Whether a sed script can run a program or open a file of its own (`e`, `w`, `r` and the flags of `s`).
//!
//! Cautious: what is not a plain editing script counts.

use tenon_shell::Word;

/// Looks at the arguments of `sed`.
pub(crate) fn may_run_or_write(words: &[Word]) -> bool {
    let mut scripts: Vec<&str> = Vec::new();
    let mut first_operand = None;
    let mut arguments = words.iter().skip(1);
    let mut given = false;
    while let Some(word) = arguments.next() {
        let Some(text) = word.literal() else {
            // An opaque operand is a file, unless it could be an option or the script.
            if word.prefix().is_empty()
                || word.prefix().starts_with('-')
                || (first_operand.is_none() && !given)
            {
                return true;
            }
            continue;
        };
        match text {
            "--sandbox" => return false,
            "-e" | "--expression" => {
                given = true;
                match arguments.next().map(Word::literal) {
                    Some(Some(script)) => scripts.push(script),
                    _ => return true,
                }
            }
            _ if text.starts_with("--expression=") => {
                given = true;
                scripts.extend(text.split_once('=').map(|(_, script)| script));
            }
            _ if text.starts_with("--") => {
                let harmless = [
                    "--quiet",
                    "--silent",
                    "--regexp-extended",
                    "--in-place",
                    "--null-data",
                    "--separate",
                    "--unbuffered",
                    "--posix",
                    "--debug",
                    "--version",
                    "--help",
                ];
                if !harmless
                    .iter()
                    .any(|known| text == *known || text.starts_with("--in-place="))
                {
                    return true;
                }
            }
            _ if text.len() > 1 && text.starts_with('-') => match short(text) {
                Short::Flags => {}
                Short::Script => {
                    given = true;
                    match arguments.next().map(Word::literal) {
                        Some(Some(script)) => scripts.push(script),
                        _ => return true,
                    }
                }
                Short::Unclear => return true,
            },
            _ => {
                if first_operand.is_none() {
                    first_operand = Some(text);
                }
            }
        }
    }
    if !given {
        scripts.extend(first_operand);
    }
    scripts.iter().any(|script| !is_plain(script))
}

enum Short {
    Flags,
    Script,
    Unclear,
}

fn short(text: &str) -> Short {
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            'n' | 'r' | 'E' | 's' | 'u' | 'z' => {}
            'i' => return Short::Flags,
            'e' if at + 1 == text.len() => return Short::Script,
            _ => return Short::Unclear,
        }
    }
    Short::Flags
}

/// Whether the script only edits and prints.
fn is_plain(script: &str) -> bool {
    let mut reader = Script { rest: script };
    reader.commands().is_some()
}

struct Script<'s> {
    rest: &'s str,
}

impl Script<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..)?;
        Some(letter)
    }

    fn skip(&mut self, letters: &[char]) {
        self.rest = self.rest.trim_start_matches(letters);
    }

    fn commands(&mut self) -> Option<()> {
        loop {
            self.skip(&[' ', '\t', '\n', ';']);
            if self.rest.is_empty() {
                return Some(());
            }
            self.addresses()?;
            self.skip(&[' ', '\t', '!']);
            match self.next()? {
                '{' | '}' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
                | '=' | 'z' | 'F' => {}
                'q' | 'Q' | 'l' | 'L' => {
                    self.skip(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' '])
                }
                's' => self.substitute()?,
                'y' => {
                    let mark = self.next()?;
                    self.until(mark)?;
                    self.until(mark)?;
                }
                // Text and labels go to the end of the line; so does nothing else of the script.
                'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | '#' => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    let line = self.rest.get(..end)?;
                    if line.ends_with('\\') || line.contains('}') {
                        return None;
                    }
                    self.rest = self.rest.get(end..)?;
                }
                _ => return None,
            }
        }
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next() {
                Some('/') => {
                    self.next();
                    self.until('/')?;
                    self.skip(&['I', 'M']);
                }
                Some('\\') => {
                    self.next();
                    let mark = self.next()?;
                    self.until(mark)?;
                    self.skip(&['I', 'M']);
                }
                Some(letter)
                    if letter.is_ascii_digit() || matches!(letter, '$' | ',' | '~' | '+' | ' ') =>
                {
                    self.next();
                }
                _ => return Some(()),
            }
        }
    }

    /// Up to the mark that is not escaped. A mark inside of a class is not understood.
    fn until(&mut self, mark: char) -> Option<()> {
        let mut class = false;
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                letter if letter == mark => {
                    return if class { None } else { Some(()) };
                }
                '[' => {
                    class = true;
                    // A bracket right at the start is a member.
                    self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
                    self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
                }
                ']' => class = false,
                '\n' => return None,
                _ => {}
            }
        }
    }

    fn substitute(&mut self) -> Option<()> {
        let mark = self.next()?;
        if mark == '\\' || mark == '\n' {
            return None;
        }
        self.until(mark)?;
        // In the replacement a bracket is a character like any other.
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                letter if letter == mark => break,
                _ => {}
            }
        }
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => drop(self.next()),
                ';' | '\n' | ' ' | '\t' | '}' | '#' => return Some(()),
                _ => return None,
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_shell::{Dialect, read};

    #[test]
    fn only_plain_editing_scripts_are_plain() {
        let hazard = |command: &str| {
            let script = read(command, Dialect::Bash).unwrap();
            let words = script.commands().next().unwrap().words.clone();
            may_run_or_write(&words)
        };
        for plain in [
            "sed s/a/b/g x",
            "sed -n 1,5p x",
            "sed -n '1,5p;7q' x",
            "sed -i 's|a/b|c|' x",
            "sed -E -e 's/a+/b/' -e '/x/d' x",
            "sed '/^#/d' x",
            "sed '$!d' x",
            "sed 's/[0-9]*/n/' x",
            "sed -i.bak 's/a/b/' x",
            "sed 'y/abc/xyz/'",
            "sed '/a/,/b/{s/x/y/;p}'",
            "sed \"s/a/b/\" \"x$y\"",
            "sed 's/e/w/'",
        ] {
            assert!(!hazard(plain), "{plain}");
        }
        for hazardous in [
            "sed 's/a/id/e' x",
            "sed '1e id' x",
            "sed e x",
            "sed 'w /tmp/x' x",
            "sed 's/a/b/w out' x",
            "sed -f script x",
            "sed \"$s\" x",
            "sed -n 'p;1!{w x' y",
            "sed 'r /etc/passwd'",
            "sed $opts s/a/b/",
            "sed --expr='1e id' x",
            "sed -ne 1eid x",
            "sed '1~2W x'",
            "sed -i -e 's/x/y/;e' f",
            "sed 's/[/]/b/;e'",
        ] {
            assert!(hazard(hazardous), "{hazardous}");
        }
    }
}
