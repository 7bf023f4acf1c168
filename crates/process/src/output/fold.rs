//! Folds progress that was drawn over itself: what a terminal would show at the end.

use std::borrow::Cow;

use tenon_contract::after_escape;

/// Widest place on a line that a sequence may move to, so that a number cannot ask for memory.
const COLUMN_MAX: usize = 4096;

/// The text as a terminal shows it after its carriage returns and backspaces: `10%\r50%\r100%\n`
/// becomes `100%\n`, and `\r\n` becomes `\n`.
///
/// Only lines that hold such a character are touched. In those, erasing (`ESC [ K`) and movements
/// within the line (`ESC [ G`, `C`, `D`) are obeyed, and other escape sequences go. Movements to
/// other lines are not: that takes a whole terminal.
#[must_use]
pub fn fold_progress(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\u{8}']) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        let line = if end.is_empty() {
            line
        } else {
            line.trim_end_matches('\r')
        };
        if line.contains(['\r', '\u{8}']) {
            folded.extend(Line::drawn(line).cells);
        } else {
            folded.push_str(line);
        }
        folded.push_str(end);
    }
    Cow::Owned(folded)
}

/// One line of a terminal, a character to a cell.
#[derive(Default)]
struct Line {
    cells: Vec<char>,
    column: usize,
}

impl Line {
    fn drawn(text: &str) -> Self {
        let mut line = Self::default();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = if letter == '\u{1B}' {
                let after = after_escape(rest);
                if let Some(body) = rest.strip_prefix("\u{1B}[") {
                    let length = body.len().saturating_sub(after.len());
                    line.obey(body.get(..length).unwrap_or(""));
                }
                after
            } else {
                line.put(letter);
                rest.strip_prefix(letter).unwrap_or("")
            };
            rest = after;
        }
        line
    }

    fn put(&mut self, letter: char) {
        match letter {
            '\r' => self.column = 0,
            '\u{8}' => self.column = self.column.saturating_sub(1),
            _ => {
                if self.cells.len() < self.column {
                    self.cells.resize(self.column, ' ');
                }
                match self.cells.get_mut(self.column) {
                    Some(cell) => *cell = letter,
                    None => self.cells.push(letter),
                }
                self.column += 1;
            }
        }
    }

    /// A control sequence without its introducer, such as `2K`.
    fn obey(&mut self, sequence: &str) {
        let Some(last) = sequence.chars().next_back() else {
            return;
        };
        let parameters = sequence.strip_suffix(last).unwrap_or("");
        let number = parameters.parse().unwrap_or(0_usize).min(COLUMN_MAX);
        match (last, number) {
            ('K', 0) => self.cells.truncate(self.column),
            ('K', 1) => {
                let reached = self.column.saturating_add(1);
                self.cells
                    .iter_mut()
                    .take(reached)
                    .for_each(|cell| *cell = ' ');
            }
            ('K', 2) => self.cells.clear(),
            ('G', _) => self.column = number.saturating_sub(1),
            ('C', _) => {
                self.column = (self.column + number.max(1)).min(COLUMN_MAX.max(self.column))
            }
            ('D', _) => self.column = self.column.saturating_sub(number.max(1)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_drawing_of_a_line_is_what_stays() {
        let table = [
            ("plain\ntext", "plain\ntext"),
            ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
            ("dos\r\nlines\r\n", "dos\nlines\n"),
            ("abcdef\rxy\n", "xycdef\n"),
            ("long text\r\u{1B}[Kshort\n", "short\n"),
            ("long text\r\u{1B}[2Kshort\n", "short\n"),
            ("\u{1B}[32m10%\u{1B}[0m\r\u{1B}[32m20%\u{1B}[0m\n", "20%\n"),
            ("working |\u{8}/\u{8}-\u{8}\\\u{8}done\n", "working done\n"),
            ("a\u{1B}[3Cb\r\n", "a\u{1B}[3Cb\n"),
            ("x\ra\u{1B}[3Cb\n", "a   b\n"),
            ("abc\r\u{1B}[3GX\n", "abX\n"),
            ("12345\r", "12345"),
            ("é😀\rü", "ü😀"),
            ("\u{8}\u{8}a", "a"),
        ];
        for (text, expected) in table {
            assert_eq!(fold_progress(text), expected, "{text:?}");
        }
        assert!(matches!(fold_progress("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_sequence_cannot_ask_for_much_memory() {
        assert!(fold_progress("a\r\u{1B}[999999999Cb\n").len() < 2 * COLUMN_MAX);
        let many = "\u{1B}[4000Cb".repeat(1000);
        assert!(fold_progress(&format!("\r{many}")).len() < 4 * COLUMN_MAX);
    }

    proptest! {
        #[test]
        fn lines_are_kept_one_for_one(text in "[\r\n\u{8}\u{1B}\\[0-9KGCDma-c]{0,80}") {
            let folded = fold_progress(&text);
            prop_assert_eq!(folded.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(folded.find(['\r', '\u{8}']), None);
        }
    }
}
