//! What is looked for.

use grep::regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::LookSet;

use crate::matcher::LineMatcher;
use crate::{SearchError, pattern_error};

/// How upper and lower case count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    /// They differ.
    #[default]
    Sensitive,
    /// They are the same (`rg --ignore-case`), by Unicode's simple folding.
    Insensitive,
    /// They are the same unless the pattern has an upper-case letter (`rg --smart-case`).
    Smart,
}

/// What is looked for. [`Pattern::new`] is a regular expression as `rg` takes it by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// A regular expression in ripgrep's syntax, or the text itself if `literal`.
    pub text: String,
    /// Whether `text` stands for itself (`rg --fixed-strings`). Default: no.
    pub literal: bool,
    /// Default: sensitive.
    pub case: Case,
    /// Only matches that begin and end at word boundaries (`rg --word-regexp`). Default: no.
    pub word: bool,
    /// Only matches that are a whole line (`rg --line-regexp`). Wins over `word`. Default: no.
    pub line: bool,
    /// Matches may span lines, and `.` matches line ends too (`rg --multiline
    /// --multiline-dotall`). Each file is then read as a whole. Default: no.
    pub multiline: bool,
    /// Whether `$` also matches before `\r\n` (`rg --crlf`). It only has a bearing on patterns with
    /// `$` that do not name `\r` themselves; all others match exactly as with plain `rg`.
    /// Default: yes.
    pub crlf: bool,
    /// Whether classes, word boundaries and case are those of ASCII (`rg --no-unicode`). Default: no.
    pub ascii: bool,
}

impl Pattern {
    /// A case-sensitive regular expression that matches within lines.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            literal: false,
            case: Case::Sensitive,
            word: false,
            line: false,
            multiline: false,
            crlf: true,
            ascii: false,
        }
    }

    /// Any of these texts, as they stand.
    #[must_use]
    pub fn any_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let escaped: Vec<String> = texts.into_iter().map(regex_syntax::escape).collect();
        Self::new(format!("(?:{})", escaped.join("|")))
    }

    /// Whether it can be searched for.
    ///
    /// # Errors
    /// [`SearchError::Pattern`] with what is wrong and where.
    pub fn check(&self) -> Result<(), SearchError> {
        self.compile(/*binary_rule*/ true).map(|_| ())
    }

    /// Whether case makes a difference: it is minded, and the pattern has a letter that has one.
    #[must_use]
    pub fn minds_case(&self) -> bool {
        self.case == Case::Sensitive
            && self
                .text
                .chars()
                .any(|letter| letter.is_lowercase() || letter.is_uppercase())
    }

    /// Whether it would match more without regard to case. Of an expression the letters may all be those of classes, as in
    /// `\d`.
    #[must_use]
    pub fn differs_by_case(&self) -> bool {
        if !self.minds_case() || self.is_plain() {
            return self.minds_case();
        }
        match (self.parsed(false), self.parsed(true)) {
            (Ok(sensitive), Ok(insensitive)) => sensitive != insensitive,
            _ => true,
        }
    }

    /// The same by the letters of ASCII alone, which takes a fraction of the time to compile. Nothing where that means nothing:
    /// it names others.
    #[must_use]
    pub fn in_ascii(&self) -> Option<Self> {
        let ascii = Self {
            ascii: true,
            ..self.clone()
        };
        let is_possible = self.text.is_ascii() && !self.is_plain() && ascii.parsed(false).is_ok();
        is_possible.then_some(ascii)
    }

    fn parsed(&self, insensitive: bool) -> Result<regex_syntax::hir::Hir, regex_syntax::Error> {
        let mut builder = regex_syntax::ParserBuilder::new();
        let parser = builder.utf8(false).multi_line(true).unicode(!self.ascii);
        parser
            .case_insensitive(insensitive)
            .build()
            .parse(&self.text)
    }

    /// The same without what ties it to the start or the end of a line, if something does.
    #[must_use]
    pub fn without_anchors(&self) -> Option<Self> {
        if self.literal {
            return None;
        }
        let text = self.text.strip_prefix('^').unwrap_or(&self.text);
        let text = match text.strip_suffix('$') {
            // An escaped one stands for itself.
            Some(rest) if rest.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0 => {
                rest
            }
            _ => text,
        };
        let loose = Self {
            text: text.to_owned(),
            ..self.clone()
        };
        let is_shorter = !text.is_empty() && text.len() < self.text.len();
        (is_shorter && loose.parsed(false).is_ok()).then_some(loose)
    }

    /// The same with an alternative for each `\\|`, which is one in the basic expressions of `grep` and `sed` and a plain bar here, if there is one.
    #[must_use]
    pub fn with_alternatives(&self) -> Option<Self> {
        if self.literal {
            return None;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut letters = self.text.chars();
        while let Some(letter) = letters.next() {
            match (letter, letters.clone().next()) {
                ('\\', Some('|')) => {}
                ('\\', Some(_)) => {
                    text.push(letter);
                    text.extend(letters.next());
                }
                _ => text.push(letter),
            }
        }
        let loose = Self {
            text,
            ..self.clone()
        };
        let is_other = loose.text.len() < self.text.len();
        (is_other && loose.parsed(false).is_ok()).then_some(loose)
    }

    /// Whether it is a text that stands for itself.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.literal || !self.text.chars().any(regex_syntax::is_meta_character)
    }

    /// The matcher. With `binary_rule` a NUL can never match, because files that have one are not searched.
    pub(crate) fn compile(&self, binary_rule: bool) -> Result<LineMatcher, SearchError> {
        match LineMatcher::quick(self, binary_rule) {
            Some(quick) => Ok(quick),
            None => self.compile_whole(binary_rule).map(LineMatcher::whole),
        }
    }

    /// The same as ripgrep builds it.
    pub(crate) fn compile_whole(&self, binary_rule: bool) -> Result<RegexMatcher, SearchError> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(!self.ascii)
            .octal(false)
            .fixed_strings(self.literal)
            .case_insensitive(self.case == Case::Insensitive)
            .case_smart(self.case == Case::Smart);
        if self.line {
            builder.whole_line(true);
        } else if self.word {
            builder.word(true);
        }
        if self.multiline {
            builder.dot_matches_new_line(true);
            if self.uses_crlf() {
                builder.crlf(true).line_terminator(None);
            }
        } else {
            builder.line_terminator(Some(b'\n'));
            if self.uses_crlf() {
                builder.crlf(true);
            }
        }
        if binary_rule {
            builder.ban_byte(Some(0));
        }
        builder
            .build(&self.text)
            .map_err(|error| pattern_error::explain(self, &error))
    }

    /// Whether `\r\n` is one line end for this pattern.
    ///
    /// In that mode a pattern cannot match `\r` at all, not even one in mid-line, so it is only
    /// entered by patterns whose `$` (or whole-line rule) gains from it.
    pub(crate) fn uses_crlf(&self) -> bool {
        if !self.crlf || self.names_carriage_return() {
            return false;
        }
        self.line || (!self.literal && has_end_anchor(&self.text))
    }

    fn names_carriage_return(&self) -> bool {
        self.text.contains('\r') || (!self.literal && self.text.contains(r"\r"))
    }
}

fn has_end_anchor(text: &str) -> bool {
    // Parsing takes longer than looking for the only sign that can mean it.
    if !text.contains('$') {
        return false;
    }
    let mut parser = regex_syntax::ParserBuilder::new().multi_line(true).build();
    parser.parse(text).is_ok_and(|expression| {
        let looks: LookSet = expression.properties().look_set();
        looks.contains(regex_syntax::hir::Look::EndLF)
            || looks.contains(regex_syntax::hir::Look::End)
    })
}
