//! Whether a sed script can run a program or open a file of its own (`e`, `w`, `r` and the flags of `s`).
//!
//! Cautious: what is not a plain editing script counts.

use tenon_shell::Word;

/// Looks at the arguments of `sed`.
pub(crate) fn may_run_or_write(words: &[Word]) -> bool {
    match Arguments::read(words.get(1..).unwrap_or_default()) {
        Read::Sandboxed => false,
        Read::Unclear => true,
        Read::Scripts(scripts) => scripts.iter().any(|script| !is_plain(script)),
    }
}

/// Options that run and open nothing.
const HARMLESS: &[&str] = &[
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

/// What the arguments say.
enum Read<'w> {
    /// `--sandbox` refuses all that this is about.
    Sandboxed,
    /// It cannot be determined what the script is.
    Unclear,
    /// The scripts.
    Scripts(Vec<&'w str>),
}

/// Arguments while they are gone through.
#[derive(Default)]
struct Arguments<'w> {
    /// The values of `-e`.
    given: Vec<&'w str>,
    first_operand: Option<&'w str>,
}

impl<'w> Arguments<'w> {
    fn read(words: &'w [Word]) -> Read<'w> {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let understood = match word.literal() {
                Some("--sandbox") => return Read::Sandboxed,
                Some(text) => arguments.take(text, &mut words),
                None => arguments.is_file(word),
            };
            if understood.is_none() {
                return Read::Unclear;
            }
        }
        if arguments.given.is_empty() {
            arguments.given.extend(arguments.first_operand);
        }
        Read::Scripts(arguments.given)
    }

    /// An opaque operand is a file, unless it could be an option or the script.
    fn is_file(&self, word: &Word) -> Option<()> {
        let prefix = word.prefix();
        let may_be_script = self.first_operand.is_none() && self.given.is_empty();
        let may_be_option = prefix.is_empty() || prefix.starts_with('-');
        (!may_be_option && !may_be_script).then_some(())
    }

    fn take(&mut self, text: &'w str, words: &mut std::slice::Iter<'w, Word>) -> Option<()> {
        let takes_script = match text {
            "-e" | "--expression" => true,
            _ if text.starts_with("--") => {
                if let Some(script) = text.strip_prefix("--expression=") {
                    self.given.push(script);
                } else if !HARMLESS.contains(&text) && !is_suffix(text) {
                    return None;
                }
                false
            }
            _ if text.len() > 1 && text.starts_with('-') => match short(text) {
                Short::Flags => false,
                Short::Script => true,
                Short::Unclear => return None,
            },
            _ => {
                self.first_operand.get_or_insert(text);
                false
            }
        };
        if takes_script {
            self.given.push(words.next().and_then(Word::literal)?);
        }
        Some(())
    }
}

/// A suffix for copies that does not name a directory.
fn is_suffix(text: &str) -> bool {
    let suffix = text.strip_prefix("--in-place=");
    suffix.is_some_and(|suffix| !suffix.contains('/'))
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
            // What stands behind it names a copy, perhaps in another directory.
            'i' if text.get(at..).is_some_and(|suffix| suffix.contains('/')) => {
                return Short::Unclear;
            }
            'i' => return Short::Flags,
            'e' if at + 1 == text.len() => return Short::Script,
            _ => return Short::Unclear,
        }
    }
    Short::Flags
}

/// Whether the script only edits and prints.
fn is_plain(script: &str) -> bool {
    // A semicolon ends labels or belongs to them, which is not the same for all versions and commands.
    [false, true].into_iter().all(|colon| {
        [false, true].into_iter().all(|branch| {
            let mut reader = Script {
                rest: script,
                colon_ends: colon,
                branch_ends: branch,
            };
            reader.commands().is_some()
        })
    })
}

struct Script<'s> {
    rest: &'s str,
    /// Whether a semicolon ends the label of `:`.
    colon_ends: bool,
    /// Whether a semicolon ends the label of `b`, `t` and `T`.
    branch_ends: bool,
}

impl<'s> Script<'s> {
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
                // Text goes to the end of the line.
                'a' | 'i' | 'c' | '#' => {
                    self.line()?;
                }
                ':' => self.label(self.colon_ends)?,
                'b' | 't' | 'T' => self.label(self.branch_ends)?,
                _ => return None,
            }
        }
    }

    /// The rest of the line, if nothing behind it can belong to it and nothing in it can end it.
    fn line(&mut self) -> Option<&'s str> {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.rest.get(..end)?;
        if line.ends_with('\\') || line.contains('}') {
            return None;
        }
        self.rest = self.rest.get(end..)?;
        Some(line)
    }

    /// A label. GNU sed 4.9 ends it at a blank and reads commands behind it, others read on: text behind a blank is
    /// not understood.
    fn label(&mut self, semicolon_ends: bool) -> Option<()> {
        const BLANKS: [char; 2] = [' ', '\t'];
        let all = self.rest;
        let line = self.line()?.trim_start_matches(BLANKS);
        let end = line.find(|letter: char| letter == ';' || letter.is_whitespace());
        let behind = line.get(end.unwrap_or(line.len())..)?;
        let behind = behind.trim_start_matches(BLANKS);
        let (length, left) = (behind.len(), self.rest.len());
        if !behind.is_empty() && !behind.starts_with(';') {
            return None;
        }
        if semicolon_ends {
            self.rest = all.get(all.len().checked_sub(length + left)?..)?;
        }
        Some(())
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
    use tenon_shell::{ShellGrammar, read};

    #[test]
    fn only_plain_editing_scripts_are_plain() {
        let hazard = |command: &str| {
            let script = read(command, ShellGrammar::Bash).unwrap();
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
            "sed ':a;N;$!ba;s/a/ /g' x",
            "sed -e ':a' -e '$!N;s/a//;ta' -e 'P;D' x",
            "sed '/x/b end; s/a/b/; :end' x",
            "sed ': a ; N; b a' x",
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
            "sed -i'other/*' s/a/b/ f",
            "sed --in-place=../x s/a/b/ f",
            "sed 's/[/]/b/;e'",
            "sed ':a e id' x",
            "sed ':a;e id' x",
            "sed ': a\te id' x",
            "sed -n ':a w out' x",
            "sed ':a s/x/id/e' x",
            "sed -n '/x/{:a e id\n}' x",
            "sed ':a r .env' x",
            "sed 'ta e id\n:a' x",
            "sed '$!ba;e id' x",
            "sed ':a\re id' x",
            "sed ':a #x;e id' x",
            "sed ':a;s/x/\nb;e id/' x",
        ] {
            assert!(hazard(hazardous), "{hazardous}");
        }
    }
}
