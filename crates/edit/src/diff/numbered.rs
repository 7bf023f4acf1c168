//! The numbered diff: what a user or a model reads after an edit.

use std::fmt::Write as _;

use super::unified::shown;
use super::{TextDiff, count_lines, cut, lines_back, lines_forward};

impl TextDiff<'_> {
    /// The diff with a line number on each line, as the pi coding agent prints it: a sign
    /// (`+`, `-` or a blank), the number, a blank, the line. Removed and unchanged lines have
    /// the number of the first text, added lines that of the second. A run of lines that
    /// is left out is shown as `...`. No line end stands at the end; carriage returns are not
    /// shown. Empty if the texts are equal.
    #[must_use]
    pub fn numbered(&self, context: usize) -> String {
        self.numbered_within(context, usize::MAX)
    }

    /// The same in about as many bytes as are given, cut behind a line; then a line in square brackets shows how much
    /// is left out.
    #[must_use]
    pub fn numbered_within(&self, context: usize, max_bytes: usize) -> String {
        let ends = |text| memchr::memchr_iter(b'\n', text).count();
        let widest = ends(self.before).max(ends(self.after)) + 1;
        let mut printer = Printer {
            output: String::new(),
            width: widest.to_string().len(),
            max_bytes,
        };
        let (mut offset, mut line) = (0, 0);
        let mut after_change = false;
        for change in &self.changes {
            if printer.is_full() {
                break;
            }
            let gap = change.before_lines.start - line;
            let head = if after_change { context } else { 0 };
            if gap <= head.saturating_add(context) {
                printer.print(
                    ' ',
                    line,
                    cut(self.before, offset..change.before_bytes.start),
                );
            } else {
                let shown = lines_forward(self.before, offset, head);
                printer.print(' ', line, cut(self.before, offset..shown));
                printer.gap();
                let lead = lines_back(self.before, change.before_bytes.start, context);
                let text = cut(self.before, lead..change.before_bytes.start);
                printer.print(' ', change.before_lines.start - count_lines(text), text);
            }
            let removed = cut(self.before, change.before_bytes.clone());
            printer.print('-', change.before_lines.start, removed);
            let added = cut(self.after, change.after_bytes.clone());
            printer.print('+', change.after_lines.start, added);
            (offset, line) = (change.before_bytes.end, change.before_lines.end);
            after_change = true;
        }
        if printer.is_full() {
            printer.output.push_str(&self.left_out());
        } else if after_change {
            let shown = lines_forward(self.before, offset, context);
            printer.print(' ', line, cut(self.before, offset..shown));
            if shown < self.before.len() {
                printer.gap();
            }
        }
        printer.finish()
    }
}

struct Printer {
    output: String,
    width: usize,
    max_bytes: usize,
}

impl Printer {
    fn print(&mut self, sign: char, first_line: usize, text: &[u8]) {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        for (number, line) in (first_line + 1..).zip(lines) {
            if self.is_full() {
                return;
            }
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = shown(line.strip_suffix(b"\r").unwrap_or(line), self.max_bytes);
            let width = self.width;
            let _infallible = writeln!(self.output, "{sign}{number:>width$} {line}");
        }
    }

    const fn is_full(&self) -> bool {
        self.output.len() > self.max_bytes
    }

    fn gap(&mut self) {
        let width = self.width;
        let _infallible = writeln!(self.output, " {:width$} ...", "");
    }

    fn finish(mut self) -> String {
        if self.output.ends_with('\n') {
            self.output.pop();
        }
        self.output
    }
}
