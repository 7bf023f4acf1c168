use hashbrown::HashSet;

use super::word::is_plain;
use super::word_builder::{Use, WordBuilder};
use super::{Reader, Result};
use crate::command::{Assignment, AssignmentKind};
use crate::error::ReadError;
use crate::evaluated::Evaluated;
use crate::script::FindingKind;
use crate::span::Span;
use crate::word::{Part, Word};

/// What ends an arithmetic expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// `))`
    Parentheses,
    /// `]`
    Bracket,
}

impl Reader<'_, '_> {
    /// Reads `((…))` if the parentheses close as such; the cursor stands on the first. Otherwise forgets what was
    /// found, stays there and gives `false`.
    pub(super) fn try_arithmetic(&mut self, construct: &'static str, start: usize) -> Result<bool> {
        let position = self.cursor.position();
        if self.failed_arithmetic.contains(&position) {
            return Ok(false);
        }
        let snapshot = self.state.snapshot(self.cursor);
        self.bump();
        self.bump();
        if self.deeper(|reader| reader.arithmetic(Ending::Parentheses, construct, start))? {
            return Ok(true);
        }
        self.cursor = self.state.restore(&snapshot);
        self.failed_arithmetic.push(position);
        Ok(false)
    }

    /// `$[…]` of bash; the cursor stands on the bracket.
    pub(super) fn old_arithmetic(&mut self, start: usize) -> Result<()> {
        self.bump();
        self.deeper(|reader| reader.arithmetic(Ending::Bracket, "arithmetic expansion", start))?;
        Ok(())
    }

    /// Reads an expression and its end. The shell expands it as if it stood in double quotes, then evaluates it.
    fn arithmetic(
        &mut self,
        ending: Ending,
        construct: &'static str,
        start: usize,
    ) -> Result<bool> {
        self.check_steps()?;
        let from = self.cursor.position();
        let mut doubt: Option<ReadError> = None;
        let mut open = 0_usize;
        let mut brackets = 0_usize;
        let mut scratch = WordBuilder::new(start);
        loop {
            let Some(byte) = self.peek() else {
                return Err(self.unterminated(construct, start));
            };
            match byte {
                b'(' => {
                    open += 1;
                    self.arithmetic_byte(byte, &mut scratch);
                }
                b')' if ending == Ending::Parentheses && open == 0 => {
                    let to = self.cursor.position();
                    self.bump();
                    if self.peek() != Some(b')') {
                        return Ok(false);
                    }
                    self.bump();
                    self.end_arithmetic(start, from, to, doubt, scratch)?;
                    return Ok(true);
                }
                b')' => {
                    open = open.saturating_sub(1);
                    self.arithmetic_byte(byte, &mut scratch);
                }
                b'[' if ending == Ending::Bracket => {
                    brackets += 1;
                    self.arithmetic_byte(byte, &mut scratch);
                }
                b']' if ending == Ending::Bracket => {
                    let Some(fewer) = brackets.checked_sub(1) else {
                        let to = self.cursor.position();
                        self.bump();
                        self.end_arithmetic(start, from, to, doubt, scratch)?;
                        return Ok(true);
                    };
                    brackets = fewer;
                    self.arithmetic_byte(byte, &mut scratch);
                }
                _ => {
                    let quote = self.arithmetic_piece(byte, &mut scratch)?;
                    doubt = doubt.or(quote);
                }
            }
        }
    }

    fn arithmetic_byte(&mut self, byte: u8, expression: &mut WordBuilder) {
        expression.unquoted(byte);
        self.bump();
    }

    /// One character or expansion that is no bracket; gives the error of a doubtful quote.
    fn arithmetic_piece(
        &mut self,
        byte: u8,
        scratch: &mut WordBuilder,
    ) -> Result<Option<ReadError>> {
        match byte {
            b'\'' | b'"' => {
                return self.doubtful_quote(scratch, "a quote mark inside of arithmetic");
            }
            b'\\' => {
                scratch.unquoted(byte);
                self.bump();
                self.cursor.bump_raw();
            }
            b'$' => self.dollar(scratch, true)?,
            b'`' => self.backticks(scratch, true, false)?,
            _ if is_plain(byte) => self.run(scratch, false, is_plain),
            _ => {
                scratch.unquoted(byte);
                self.bump();
            }
        }
        Ok(None)
    }

    fn end_arithmetic(
        &mut self,
        start: usize,
        from: usize,
        to: usize,
        doubt: Option<ReadError>,
        expression: WordBuilder,
    ) -> Result<()> {
        if let Some(doubt) = doubt {
            return Err(doubt);
        }
        let text = self.cursor.between(from, to);
        if self.evaluates()
            && text
                .iter()
                .any(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'$' | b'`' | b'_'))
        {
            self.state.evaluates_values = true;
        }
        let span = self.span_from(start);
        self.state.found(FindingKind::Arithmetic(span));
        let word = self.finish_word(expression, Use::Single);
        self.evaluated(span, word);
        for name in assigned_names(text) {
            self.state
                .found(FindingKind::Assignment(Box::new(Assignment {
                    span,
                    kind: AssignmentKind::Arithmetic,
                    name,
                    subscript: None,
                    append: false,
                    values: Vec::new(),
                })));
        }
        Ok(())
    }

    /// Notes a text that bash evaluates, unless it is a number.
    pub(super) fn evaluated(&mut self, span: Span, word: Word) {
        let number = word
            .pattern()
            .is_some_and(|text| !text.contains(|letter: char| !letter.is_ascii_digit()));
        if !number {
            self.state
                .found(FindingKind::Evaluated(Box::new(Evaluated { span, word })));
        }
    }

    /// Quoted text where shells honour the quotes when they look for the end, but not when they expand what is
    /// inside. Gives the error to raise if that can make a difference.
    pub(super) fn doubtful_quote(
        &mut self,
        builder: &mut WordBuilder,
        what: &'static str,
    ) -> Result<Option<ReadError>> {
        let start = self.here();
        let mut inside = WordBuilder::new(start);
        let single = self.peek() == Some(b'\'');
        if single {
            self.single_quoted(&mut inside)?;
        } else {
            self.double_quoted(&mut inside)?;
        }
        let inside = self.finish_word(inside, Use::Value);
        let harmless = inside.parts.iter().all(|part| match part {
            Part::Text { value, .. } => {
                !value.contains(DOUBTFUL) && (!single || !value.contains(['$', '`']))
            }
            _ => true,
        });
        builder.append(inside);
        Ok((!harmless).then(|| ReadError::NotUnderstood {
            what,
            span: Span::new(start, self.cursor.origin_end()),
        }))
    }
}

/// Characters that could end something else if the quotes around them did not count.
const DOUBTFUL: &[char] = &['}', '\'', '"', '\\', '(', ')', '[', ']'];

/// Whether an assignment operator, `++` or `--` stands at the start of this text, perhaps behind a subscript.
pub(crate) fn begins_with_assignment(text: &[u8]) -> bool {
    is_assigned(text, &mut Brackets::default())
}

/// Names that stand before an assignment operator, or beside `++` and `--`.
pub(crate) fn assigned_names(text: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known: HashSet<&[u8]> = HashSet::new();
    let mut rest = text;
    let mut incremented = false;
    let mut brackets = Brackets::default();
    while let Some((first, tail)) = rest.split_first() {
        if !(first.is_ascii_alphabetic() || *first == b'_') {
            incremented = rest.starts_with(b"++")
                || rest.starts_with(b"--")
                || (incremented && matches!(first, b'+' | b'-' | b' '));
            // A number or its base is no name.
            let digits = rest
                .iter()
                .take_while(|byte| first.is_ascii_digit() && byte.is_ascii_alphanumeric())
                .count();
            rest = rest.get(digits.max(1)..).unwrap_or(tail);
            continue;
        }
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let (name, behind) = rest.split_at(length);
        if (incremented || is_assigned(behind, &mut brackets))
            && known.insert(name)
            && let Ok(name) = String::from_utf8(name.to_vec())
        {
            names.push(name);
        }
        incremented = false;
        rest = behind;
    }
    names
}

/// Where the next `]` stands, looked for once for all openings before it.
#[derive(Default)]
struct Brackets {
    /// How much text is left behind it; `None` before the first look.
    behind: Option<usize>,
}

impl Brackets {
    /// The text behind the next `]`; empty if there is none. Takes later and later ends of one text.
    fn skip<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let behind = match self.behind {
            // A `]` that was passed already leaves more behind it than there is.
            Some(behind) if behind < text.len() => behind,
            _ => {
                let close = text.iter().position(|byte| *byte == b']');
                close.map_or(0, |at| text.len() - at - 1)
            }
        };
        self.behind = Some(behind);
        text.get(text.len() - behind..).unwrap_or_default()
    }
}

/// Whether the text behind a name begins with an assignment operator, a subscript skipped.
fn is_assigned(behind: &[u8], brackets: &mut Brackets) -> bool {
    let mut rest = behind.trim_ascii_start();
    if rest.first() == Some(&b'[') {
        rest = brackets.skip(rest).trim_ascii_start();
    }
    if rest.starts_with(b"++") || rest.starts_with(b"--") {
        return true;
    }
    let operator = rest
        .iter()
        .take_while(|byte| b"+-*/%&|^<>".contains(byte))
        .count();
    match rest.get(operator..) {
        Some([b'=', b'=', ..]) if operator == 0 => false,
        // `<=` and `>=` compare, `<<=` and `>>=` assign.
        Some([b'=', ..]) => operator != 1 || !matches!(rest.first(), Some(b'<' | b'>')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_subscripts_are_assigned_wherever_these_end() {
        for (text, names) in [
            ("a[b[c]=1, d[x]=2, e[=3", vec!["a", "b", "d"]),
            ("a[1]=2, a[2]=3, b=a, c==d", vec!["a", "b"]),
            ("a[b, c[d, e[f", vec![]),
            ("a[x]++, b[y], c[z]<<=1", vec!["a", "c"]),
        ] {
            assert_eq!(assigned_names(text.as_bytes()), names, "{text}");
        }
    }
}
