//! Texts that bash and dash read in the same way, told at a glance.

/// Whether bash and dash find the same commands, words and redirections in this text, so that the reading of bash will
/// do: it has all that the one of dash has, and marks for what bash alone may run later
/// ([`DelayedCode`](crate::MarkKind::DelayedCode)).
///
/// Looks at each byte with its neighbours and reads nothing: `true` is certain, `false` says nothing. Most everyday
/// texts are among those that it knows, so that they need not be read twice.
///
/// ```
/// use tenon_shell::reads_alike;
/// assert!(reads_alike("git diff --stat | sort > \"$(mktemp)\" 2>&1"));
/// assert!(!reads_alike("echo {a,b} &> out"));
/// ```
#[must_use]
pub fn reads_alike(text: &str) -> bool {
    let glance = Glance {
        bytes: text.as_bytes(),
        lines_close: text.lines().all(closes),
    };
    (0..glance.bytes.len()).all(|at| glance.is_alike(at)) && !holds_bash_word(text)
}

/// Words that only bash knows, wherever they stand.
fn holds_bash_word(text: &str) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| !is_name(*byte));
    ["function", "select", "coproc", "time"].iter().any(|word| {
        text.match_indices(word).any(|(start, _)| {
            let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
            is_edge(before) && is_edge(text.as_bytes().get(start + word.len()))
        })
    })
}

/// Whether as many parentheses are closed as are opened.
fn closes(line: &str) -> bool {
    let count = |mark: u8| line.bytes().filter(|byte| *byte == mark).count();
    count(b'(') == count(b')')
}

struct Glance<'t> {
    bytes: &'t [u8],
    /// Whether no substitution goes on over a line end, as far as a count of parentheses tells.
    lines_close: bool,
}

impl Glance<'_> {
    /// The byte at this distance behind `at`; a line end outside of the text.
    fn ahead(&self, at: usize, distance: usize) -> u8 {
        self.bytes.get(at + distance).copied().unwrap_or(b'\n')
    }

    fn before(&self, at: usize) -> u8 {
        at.checked_sub(1)
            .and_then(|before| self.bytes.get(before))
            .copied()
            .unwrap_or(b'\n')
    }

    fn is_alike(&self, at: usize) -> bool {
        let byte = self.ahead(at, 0);
        let (before, next) = (self.before(at), self.ahead(at, 1));
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b' ' | b'\t' | b'\n' => true,
            // dash takes one digit for the number of a descriptor, bash any.
            b'0'..=b'9' => !(before.is_ascii_digit() && matches!(next, b'<' | b'>')),
            b'-' | b'.' | b'/' | b',' | b':' | b'@' | b'%' | b'^' | b'"' | b'\'' | b'#' | b'*'
            | b'?' | b'}' | b']' | b')' | b'=' => true,
            b';' | b'|' => next != b'&',
            b'&' => next != b'>',
            // Lines are only joined between words, so that no word hides behind the joint.
            b'\\' => next != b'\n' || is_blank(before),
            b'+' => next != b'=',
            b'~' => is_blank(before),
            b'!' => self.is_plain_bang(at),
            b'[' => !matches!(next, b'[') && !is_name(before) && !matches!(before, b'[' | b'$'),
            b'(' => self.is_plain_parenthesis(at),
            b'{' => self.is_plain_brace(at),
            b'$' => !matches!(next, b'\'' | b'"'),
            b'<' => self.is_plain_input(at),
            b'>' => next != b'&' || self.is_descriptor(at + 2),
            _ => false,
        }
    }

    /// `( command`, `$( command`; no function, no arithmetic, no list of an array.
    fn is_plain_parenthesis(&self, at: usize) -> bool {
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let behind = rest.iter().find(|byte| !is_blank(**byte));
        let before = self.before(at);
        let begins = is_blank(before) || b"$;&|".contains(&before);
        begins && !matches!(behind, Some(b'(' | b')'))
    }

    /// `! command` and `!=`.
    fn is_plain_bang(&self, at: usize) -> bool {
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let behind = rest.iter().find(|byte| **byte != b' ');
        let begins = |byte: &u8| is_name(*byte) || b"[-./\"'$".contains(byte);
        let command = self.ahead(at, 1) == b' ' && behind.is_some_and(begins);
        is_blank(self.before(at)) && (command || self.ahead(at, 1) == b'=')
    }

    /// `${name}`, `{}`, or `{` behind `&&`, `||` and `|`: behind `for name` bash takes it for `do`.
    fn is_plain_brace(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default();
        if before.last() != Some(&b'$') {
            let next = self.ahead(at, 1);
            let operator = before.iter().rev().find(|byte| **byte != b' ');
            let group = is_blank(next) && matches!(operator, Some(b'|' | b'&'));
            let empty = next == b'}' && is_blank(self.ahead(at, 2));
            return is_blank(self.before(at)) && (group || empty);
        }
        // Of `\${` and `$${` the brace is one by itself.
        if matches!(before, [.., b'\\' | b'$', _]) {
            return false;
        }
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_name(**byte)).count();
        let named = rest.first().is_some_and(|first| !first.is_ascii_digit());
        length > 0 && named && rest.get(length) == Some(&b'}')
    }

    /// `< file`, and a here-document outside of substitutions whose end word is letters, in quotes or not.
    fn is_plain_input(&self, at: usize) -> bool {
        match self.ahead(at, 1) {
            b'&' => self.is_descriptor(at + 2),
            b'>' => false,
            b'<' if self.before(at) == b'<' => false,
            b'<' => self.is_outside(at) && self.has_plain_end_word(at + 2),
            _ => true,
        }
    }

    fn is_outside(&self, at: usize) -> bool {
        let behind = self.bytes.get(at..).unwrap_or_default();
        let before = self.bytes.get(..at).unwrap_or_default();
        let rest = behind.iter().take_while(|byte| **byte != b'\n');
        let start = before.iter().rev().take_while(|byte| **byte != b'\n');
        self.lines_close && !rest.chain(start).any(|byte| matches!(byte, b'(' | b')'))
    }

    fn has_plain_end_word(&self, at: usize) -> bool {
        let mut rest = self.bytes.get(at..).unwrap_or_default();
        rest = rest.strip_prefix(b"-").unwrap_or(rest);
        while let Some(behind) = rest.strip_prefix(b" ") {
            rest = behind;
        }
        let quote = rest
            .first()
            .copied()
            .filter(|byte| matches!(byte, b'\'' | b'"'));
        if quote.is_some() {
            rest = rest.get(1..).unwrap_or_default();
        }
        let length = rest.iter().take_while(|byte| is_name(**byte)).count();
        let end = rest.get(length..).unwrap_or_default();
        let end = match quote {
            Some(quote) => end.strip_prefix(&[quote]),
            None => Some(end),
        };
        length > 0 && end.is_some_and(|end| end.first().is_none_or(|byte| is_blank(*byte)))
    }

    /// One digit or a dash behind `>&` or `<&`, and nothing more.
    fn is_descriptor(&self, at: usize) -> bool {
        let (byte, next) = (self.ahead(at, 0), self.ahead(at, 1));
        (byte.is_ascii_digit() || byte == b'-') && (is_blank(next) || b";|)".contains(&next))
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
