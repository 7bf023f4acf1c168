//! Programs for awk: whether one runs a command, opens a pipe, or opens a file by a name of its own.
//!
//! The text is read as awk's own reader does. Where a slash may begin a pattern or divide, nothing is guessed: then
//! every mark that could matter counts, wherever it stands.

use tenon_programs::words::awk::{BEFORE_PATTERN, STREAMS};

/// What stood last.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// The beginning of a statement or expression: a slash begins a pattern.
    Start,
    /// A value: a slash divides.
    Value,
    /// Either, by what stands further before.
    Either,
}

/// Whether the program reaches out.
pub(super) fn reaches_out(text: &str) -> bool {
    let mut reader = Reader {
        rest: text,
        last: Last::Start,
        prints: false,
        depth: 0,
        target: (usize::MAX, false),
    };
    match reader.read() {
        Some(found) => found,
        // Not read: what could matter does.
        None => ["system", "getline", "ARGV", "|", ">", "@"]
            .iter()
            .any(|mark| text.contains(mark)),
    }
}

struct Reader<'t> {
    rest: &'t str,
    last: Last,
    /// Whether the statement is `print` or `printf`.
    prints: bool,
    /// Open brackets since the statement began.
    depth: usize,
    /// How much text was left behind the target of the last `getline`, and whether it is read from a file.
    target: (usize, bool),
}

impl<'t> Reader<'t> {
    /// Whether something reaches out; nothing where the text cannot be read for certain.
    fn read(&mut self) -> Option<bool> {
        while let Some(letter) = self.rest.chars().next() {
            let behind = self.rest.get(letter.len_utf8()..)?;
            let found = match letter {
                ' ' | '\t' | '\r' | '\\' | '#' | '"' | '/' => {
                    self.text(letter, behind)?;
                    false
                }
                '@' => true,
                '|' => match behind.strip_prefix('|') {
                    Some(rest) => {
                        self.operator(rest);
                        false
                    }
                    None => true,
                },
                '>' if self.prints && self.depth == 0 => !self.writes_stream(behind)?,
                _ if letter.is_ascii_alphabetic() || letter == '_' => self.word(),
                _ if letter.is_ascii() => {
                    self.mark(letter, behind)?;
                    false
                }
                _ => return None,
            };
            if found {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Goes over blanks, comments, strings and patterns.
    fn text(&mut self, letter: char, behind: &'t str) -> Option<()> {
        match letter {
            '\\' => self.rest = behind.strip_prefix('\n')?,
            '#' => {
                let end = behind.find('\n').and_then(|at| behind.get(at..));
                self.rest = end.unwrap_or_default();
            }
            '"' => {
                self.rest = closed(behind, '"')?.1;
                self.last = Last::Value;
            }
            '/' => self.slash(behind)?,
            _ => self.rest = behind,
        }
        Some(())
    }

    /// Goes over a number, a bracket, an operator, the end of a statement.
    fn mark(&mut self, letter: char, behind: &'t str) -> Option<()> {
        match letter {
            '\n' | ';' | '{' | '}' => {
                self.operator(behind);
                self.prints = false;
                self.depth = 0;
            }
            '(' | '[' => {
                self.depth += 1;
                self.operator(behind);
            }
            ')' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.rest = behind;
                self.last = if letter == ']' {
                    Last::Value
                } else {
                    Last::Either
                };
            }
            '+' | '-' if behind.starts_with(letter) => {
                self.rest = behind.get(1..)?;
                self.last = Last::Either;
            }
            _ if letter.is_ascii_digit() || letter == '.' => {
                self.rest = behind;
                self.last = Last::Value;
            }
            _ => self.operator(behind),
        }
        Some(())
    }

    fn operator(&mut self, rest: &'t str) {
        self.rest = rest;
        self.last = Last::Start;
    }

    fn slash(&mut self, behind: &'t str) -> Option<()> {
        match self.last {
            Last::Start => {
                let (_, rest) = closed(behind, '/')?;
                self.operator(rest);
                self.last = Last::Value;
            }
            Last::Value => self.operator(behind),
            Last::Either => return None,
        }
        Some(())
    }

    /// Whether the word runs something or reads a file.
    fn word(&mut self) -> bool {
        let end = self
            .rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ':')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let word = word.rsplit("::").next().unwrap_or_default();
        self.rest = rest;
        self.last = if BEFORE_PATTERN.contains(&word) {
            Last::Start
        } else if matches!(
            word,
            "length" | "getline" | "next" | "nextfile" | "break" | "continue"
        ) {
            Last::Either
        } else {
            Last::Value
        };
        if matches!(word, "print" | "printf") {
            self.prints = true;
            self.depth = 0;
        }
        // `getline` without a name reads on; what it reads from stands behind `<` or before `|`.
        let reads = word == "getline" && self.reads_file(rest);
        // Files can be named in `ARGV` as well.
        reads || matches!(word, "system" | "ARGV")
    }

    /// Whether `<` stands behind the target of a `getline`.
    fn reads_file(&mut self, rest: &str) -> bool {
        // One inside of the target of another one is behind nothing else.
        if rest.len() <= self.target.0 {
            let target = rest.trim_start_matches([' ', '\t']);
            let behind = target.trim_start_matches(|letter: char| {
                letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '[' | ']' | '"')
            });
            let reads = behind.trim_start_matches([' ', '\t']).starts_with('<');
            self.target = (behind.len(), reads);
        }
        self.target.1
    }

    /// Goes over `> "/dev/stderr"`; whether it is one.
    fn writes_stream(&mut self, behind: &'t str) -> Option<bool> {
        let target = behind
            .trim_start_matches('>')
            .trim_start_matches([' ', '\t']);
        let Some(text) = target.strip_prefix('"') else {
            return Some(false);
        };
        let (name, rest) = closed(text, '"')?;
        self.operator(rest);
        self.last = Last::Value;
        // More text behind it would be joined to the name.
        let ends = rest.trim_start_matches([' ', '\t', '\r']);
        Some(
            STREAMS.contains(&name) && (ends.is_empty() || ends.starts_with([';', '\n', '}', '#'])),
        )
    }
}

/// What stands before the closing mark, and what behind it.
fn closed(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let mut brackets = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            // Readers differ in whether a slash ends a pattern inside of brackets.
            '[' if mark == '/' => brackets = true,
            _ if letter == mark
                && brackets
                && text.get(..at)?.rfind(']') < text.get(..at)?.rfind('[') =>
            {
                return None;
            }
            _ if letter == mark => {
                return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
            }
            _ => {}
        }
    }
    None
}
