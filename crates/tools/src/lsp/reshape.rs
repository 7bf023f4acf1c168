//! New text in the place of a symbol, or beside it.

use std::ops::Range;

use tenon_edit::{Match, MatchLevel, Plan, Splice};
use tenon_syntax::{Language, Symbol};

use super::indent::indented;
use super::params::LspOperation;
use super::placement::line_start;
use super::symbols::Outline;

impl Outline {
    /// The change of one symbol.
    pub(super) fn change(&self, operation: LspOperation, symbol: &Symbol, content: &str) -> Plan {
        let text = self.file.text();
        let (range, replacement) = match operation {
            LspOperation::ReplaceSymbolBody => {
                let base = self.base_of(symbol);
                let is_python = self.language == Language::Python;
                let new = indented(content, base, is_python);
                self.replaced(symbol, content, new)
            }
            LspOperation::InsertBeforeSymbol => self
                .inline(symbol, content, false)
                .unwrap_or_else(|| self.before(symbol, content)),
            _ => self
                .inline(symbol, content, true)
                .unwrap_or_else(|| self.after(symbol, content)),
        };
        let replacement = self.file.line_ending().applied_to(&replacement);
        let place = Match {
            edit: 0,
            match_level: MatchLevel::Exact,
            decoration: None,
            range: symbol.range.clone(),
            first_line: symbol.lines.first,
            last_line: symbol.lines.last,
        };
        let is_same = text.get(range.clone()) == Some(replacement.as_str());
        let splice = Splice { range, replacement };
        Plan {
            splices: if is_same { Vec::new() } else { vec![splice] },
            matches: vec![place],
        }
    }

    /// The whitespace before a symbol on its first line.
    fn base_of(&self, symbol: &Symbol) -> &str {
        let text = self.file.text();
        let start = line_start(text, symbol.range.start);
        let before = text.get(start..symbol.range.start).unwrap_or_default();
        let indent = before.len() - before.trim_start_matches([' ', '\t']).len();
        before.get(..indent).unwrap_or_default()
    }

    fn before(&self, symbol: &Symbol, content: &str) -> (Range<usize>, String) {
        let text = self.file.text();
        let mut at = line_start(text, symbol.range.start);
        // Comments and attributes right above a symbol belong to it.
        while at > 0 {
            let above = line_start(text, at - 1);
            let line = text.get(above..at).unwrap_or_default().trim();
            if !self.belongs_to_next(line) {
                break;
            }
            at = above;
        }
        let base = self.base_of(symbol);
        let gap = self.gap(symbol, content);
        let new = indented_whole(content, base, self.language == Language::Python);
        (at..at, format!("{new}\n{gap}"))
    }

    fn after(&self, symbol: &Symbol, content: &str) -> (Range<usize>, String) {
        let text = self.file.text();
        let rest = text.get(symbol.range.end..).unwrap_or_default();
        let line = rest
            .find('\n')
            .map_or(text.len(), |end| symbol.range.end + end + 1);
        let ends_line = text
            .get(..line)
            .is_some_and(|before| before.ends_with('\n'));
        let base = self.base_of(symbol);
        let gap = self.gap(symbol, content);
        let new = indented_whole(content, base, self.language == Language::Python);
        let lead = if ends_line { "" } else { "\n" };
        let tail = if ends_line { "\n" } else { "" };
        (line..line, format!("{lead}{gap}{new}{tail}"))
    }

    fn belongs_to_next(&self, line: &str) -> bool {
        let marks: &[&str] = match self.language {
            Language::Python | Language::Bash => &["#", "@"],
            Language::Rust => &["//", "#[", "/*", "*"],
            _ => &["//", "/*", "*", "@"],
        };
        !line.starts_with("#!") && marks.iter().any(|mark| line.starts_with(mark))
    }

    /// The blank lines between two symbols: none between members of one line.
    fn gap(&self, symbol: &Symbol, content: &str) -> &'static str {
        let is_line = symbol.lines.first == symbol.lines.last && !content.trim().contains('\n');
        let is_top = self.base_of(symbol).is_empty();
        match (is_line, self.language) {
            (true, _) => "",
            (false, Language::Python) if is_top => "\n\n",
            _ => "\n",
        }
    }
}

/// Lines of their own, at the depth of a symbol.
fn indented_whole(content: &str, base: &str, is_python: bool) -> String {
    format!("{base}{}", indented(content, base, is_python))
}
