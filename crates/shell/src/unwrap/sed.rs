//! Scripts of `sed` that run programs or name files: the commands `e`, `w`, `W`, `r`, `R` and the flags `e` and `w`
//! of `s` (GNU sed 4.9).

/// Whether the script runs something, names a file or is not understood.
pub(super) fn reaches_out(script: &str) -> bool {
    let mut scanner = Scanner {
        rest: script.as_bytes(),
    };
    while let Some(command) = scanner.command() {
        let harmless = match command {
            b'}' | b'{' | b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p'
            | b'P' | b'x' | b'z' | b'F' => true,
            b'q' | b'Q' | b'l' | b'L' => {
                scanner.skip_while(|byte| byte.is_ascii_digit() || byte == b' ');
                true
            }
            b'#' | b'a' | b'i' | b'c' => {
                scanner.skip_text(command != b'#');
                true
            }
            b':' | b'b' | b't' | b'T' => scanner.label(),
            b'y' => scanner.delimited(),
            b's' => scanner.delimited() && scanner.harmless_flags(),
            _ => false,
        };
        if !harmless {
            return true;
        }
    }
    false
}

struct Scanner<'a> {
    rest: &'a [u8],
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip_while(&mut self, fits: impl Fn(u8) -> bool) {
        while self.rest.first().is_some_and(|byte| fits(*byte)) {
            self.next();
        }
    }

    /// The letter of the next command, its addresses skipped; an address that is not closed gives `?`.
    fn command(&mut self) -> Option<u8> {
        loop {
            self.skip_while(|byte| {
                byte.is_ascii_whitespace() || b";,!$~+".contains(&byte) || byte.is_ascii_digit()
            });
            match self.next()? {
                b'/' => {
                    if !self.regex(b'/') {
                        return Some(b'?');
                    }
                    self.skip_while(|byte| matches!(byte, b'I' | b'M'));
                }
                b'\\' => {
                    let closed = self.next().is_some_and(|delimiter| self.regex(delimiter));
                    if !closed {
                        return Some(b'?');
                    }
                    self.skip_while(|byte| matches!(byte, b'I' | b'M'));
                }
                command => return Some(command),
            }
        }
    }

    /// Skips to behind the delimiter; a backslash takes away its meaning.
    fn until(&mut self, delimiter: u8) -> bool {
        while let Some(byte) = self.next() {
            if byte == delimiter {
                return true;
            }
            if byte == b'\\' {
                self.next();
            }
        }
        false
    }

    /// Skips a regular expression and its delimiter. A delimiter inside of brackets belongs to the expression for
    /// some versions and ends it for others: it is not understood.
    fn regex(&mut self, delimiter: u8) -> bool {
        while let Some(byte) = self.next() {
            match byte {
                _ if byte == delimiter => return true,
                b'\\' => {
                    self.next();
                }
                b'[' => {
                    let inside = self.rest;
                    self.skip_while(|byte| byte == b'^');
                    self.next();
                    while self.rest.first().is_some_and(|byte| *byte != b']') {
                        let class = self.next() == Some(b'[')
                            && matches!(self.rest.first(), Some(b':' | b'.' | b'='));
                        if class && !self.until(b']') {
                            return false;
                        }
                    }
                    if self.next().is_none() {
                        return false;
                    }
                    let length = inside.len().saturating_sub(self.rest.len());
                    if inside
                        .iter()
                        .take(length)
                        .any(|byte| *byte == delimiter || *byte == b'\n')
                    {
                        return false;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// The two parts of `s` and `y`.
    fn delimited(&mut self) -> bool {
        match self.next() {
            None | Some(b'\n' | b'\\') => false,
            Some(delimiter) => self.regex(delimiter) && self.until(delimiter),
        }
    }

    fn harmless_flags(&mut self) -> bool {
        while let Some(flag) = self.rest.first().copied() {
            match flag {
                b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => self.next(),
                b'\n' | b';' | b' ' | b'\t' | b'}' | b'#' => return true,
                _ => return false,
            };
        }
        true
    }

    /// A label. GNU sed 4.9 ends it at a blank and reads commands behind it, others read on: text behind a blank is not
    /// understood.
    fn label(&mut self) -> bool {
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        self.skip_while(is_blank);
        self.skip_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0x0b | b';' | b'}'));
        self.skip_while(is_blank);
        matches!(self.rest.first(), None | Some(b'\n' | b';' | b'}'))
    }

    /// The rest of the line; a text continues in the next line after a backslash.
    fn skip_text(&mut self, continues: bool) {
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => return,
                b'\\' if continues => {
                    self.next();
                }
                _ => {}
            }
        }
    }
}
