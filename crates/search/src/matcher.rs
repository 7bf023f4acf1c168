//! What lines are searched for: ripgrep's matcher, or the same made in a fraction of the time.
//!
//! ripgrep's writes out all states of an expression before it searches (a table of up to a megabyte): 4 ms for `mutex\w+`, where
//! a tree of 45 files is searched in half a millisecond. Here the states are made as the text reaches them. Everything else is
//! as in ripgrep's, and whatever is not certain to be (an expression that asks for line ends or NUL bytes, smart case, texts
//! over several lines) is left to it.

use std::sync::{Arc, OnceLock};

use grep::matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep::regex::RegexMatcher;
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::inner_literals::inner_literals;
use crate::{Case, Pattern};

/// Levels of nesting, bytes of an expression, and bytes of the states that a thread keeps, at most: ripgrep's numbers.
const NEST_LIMIT: u32 = 250;
const EXPRESSION_MAX_BYTES: usize = 100 * 1024 * 1024;
const STATES_MAX_BYTES: usize = 1000 * 1024 * 1024;

/// Expressions of this weight are certain to take less than [`EXPRESSION_MAX_BYTES`], so that they may be compiled when a text
/// comes that needs them.
const MAX_WEIGHT: usize = 50_000;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct LineMatcher {
    kind: Kind,
    /// The same for texts of ASCII alone, which have no other letters, digits, spaces and cases than those of ASCII: to compile
    /// `\w` for all of Unicode takes twenty times as long.
    ascii: Option<QuickMatcher>,
}

#[derive(Debug, Clone)]
enum Kind {
    Quick(QuickMatcher),
    Ripgrep(RegexMatcher),
}

/// One for what lies within lines.
#[derive(Debug, Clone)]
struct QuickMatcher {
    expression: Arc<Expression>,
    /// Of this thread: one that several use at a time makes them wait for each other.
    own: OnceLock<Engine>,
    line_end: LineTerminator,
}

/// An expression, compiled when the first text needs it.
#[derive(Debug)]
struct Expression {
    hir: Hir,
    engine: OnceLock<Option<Engine>>,
}

#[derive(Debug, Clone)]
struct Engine {
    regex: Regex,
    /// Of texts of which each match contains one, where it is quicker to look for these first.
    literals: Option<Regex>,
}

/// An expression could not be compiled when it was needed. It was found small enough, so this does not happen.
#[derive(Debug, thiserror::Error)]
#[error("the expression could not be compiled")]
pub(crate) struct NotCompiled;

impl LineMatcher {
    /// Nothing where only ripgrep's own is certain to be right, or to say what is wrong.
    pub(crate) fn quick(pattern: &Pattern, binary_rule: bool) -> Option<Self> {
        let quick = QuickMatcher::new(pattern, binary_rule)?;
        let ascii = match pattern.ascii {
            true => None,
            false => pattern.in_ascii(),
        };
        let ascii = ascii.and_then(|ascii| QuickMatcher::new(&ascii, binary_rule));
        Some(Self {
            kind: Kind::Quick(quick),
            ascii,
        })
    }

    pub(crate) const fn whole(matcher: RegexMatcher) -> Self {
        Self {
            kind: Kind::Ripgrep(matcher),
            ascii: None,
        }
    }

    /// The one for texts of ASCII alone, if there is one.
    pub(crate) fn for_ascii(&self) -> Option<Self> {
        self.ascii.clone().map(|ascii| Self {
            kind: Kind::Quick(ascii),
            ascii: None,
        })
    }
}

impl QuickMatcher {
    fn new(pattern: &Pattern, binary_rule: bool) -> Option<Self> {
        if pattern.multiline || pattern.case == Case::Smart {
            return None;
        }
        let crlf = pattern.uses_crlf();
        let text = match pattern.literal {
            true => regex_syntax::escape(&pattern.text),
            false => pattern.text.clone(),
        };
        let parsed = regex_syntax::ParserBuilder::new()
            .nest_limit(NEST_LIMIT)
            .utf8(false)
            .multi_line(true)
            .unicode(!pattern.ascii)
            .case_insensitive(pattern.case == Case::Insensitive)
            .crlf(crlf)
            .build()
            // In brackets as in ripgrep: `a)|(b` is an expression there, and a comment has no end.
            .parse(&format!("(?:{text})"));
        let expression = parsed.ok()?;
        if binary_rule && asks_for_nul(&expression) {
            return None;
        }
        let mut expression = without(expression, b'\n')?;
        if crlf {
            expression = without(expression, b'\r')?;
        }
        let expression = within(pattern, crlf, expression);
        // With these ripgrep goes from line to line.
        if expression
            .properties()
            .look_set()
            .contains_anchor_haystack()
        {
            return None;
        }
        let is_small = weight(&expression) <= MAX_WEIGHT;
        let quick = Self {
            expression: Arc::new(Expression {
                hir: expression,
                engine: OnceLock::new(),
            }),
            own: OnceLock::new(),
            line_end: match crlf {
                true => LineTerminator::crlf(),
                false => LineTerminator::byte(b'\n'),
            },
        };
        (is_small || quick.engine().is_ok()).then_some(quick)
    }

    fn engine(&self) -> Result<&Engine, NotCompiled> {
        if let Some(own) = self.own.get() {
            return Ok(own);
        }
        let expression = &*self.expression;
        let shared = expression
            .engine
            .get_or_init(|| Engine::new(&expression.hir));
        let shared = shared.as_ref().ok_or(NotCompiled)?;
        Ok(self.own.get_or_init(|| shared.clone()))
    }
}

impl Engine {
    fn new(expression: &Hir) -> Option<Self> {
        let regex = build(expression)?;
        let properties = expression.properties();
        let is_quick = regex.is_accelerated() && !properties.look_set().contains_word_unicode();
        let literals = if is_quick || properties.is_alternation_literal() {
            None
        } else {
            inner_literals(expression).and_then(|literals| build(&literals))
        };
        Some(Self { regex, literals })
    }
}

fn build(expression: &Hir) -> Option<Regex> {
    let config = Regex::config()
        .utf8_empty(false)
        .nfa_size_limit(Some(EXPRESSION_MAX_BYTES))
        .hybrid_cache_capacity(STATES_MAX_BYTES)
        .dfa(false)
        .onepass(false);
    let mut builder = Regex::builder();
    builder.configure(config).build_from_hir(expression).ok()
}

/// About how many states an expression is compiled to.
fn weight(expression: &Hir) -> usize {
    let sum = |parts: &[Hir]| {
        parts
            .iter()
            .map(weight)
            .fold(0_usize, usize::saturating_add)
    };
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().saturating_mul(4),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            weight(&repetition.sub).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => weight(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// As a whole line or between borders of words, where that is asked for.
fn within(pattern: &Pattern, crlf: bool, expression: Hir) -> Hir {
    let (start, end) = match (pattern.line, pattern.word) {
        (true, _) if crlf => (Look::StartCRLF, Look::EndCRLF),
        (true, _) => (Look::StartLF, Look::EndLF),
        (_, true) if pattern.ascii => (Look::WordStartHalfAscii, Look::WordEndHalfAscii),
        (_, true) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        _ => return expression,
    };
    Hir::concat(vec![Hir::look(start), expression, Hir::look(end)])
}

/// Whether some part of an expression is nothing but NUL bytes.
fn asks_for_nul(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&0),
        HirKind::Class(Class::Unicode(class)) => class.iter().all(|range| range.end() == '\0'),
        HirKind::Class(Class::Bytes(class)) => class.iter().all(|range| range.end() == 0),
        HirKind::Repetition(repetition) => asks_for_nul(&repetition.sub),
        HirKind::Capture(capture) => asks_for_nul(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(asks_for_nul),
    }
}

/// The same without matches that have this byte of ASCII; nothing where it is asked for.
fn without(expression: Hir, byte: u8) -> Option<Hir> {
    Some(match expression.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Literal(literal) => {
            if literal.0.contains(&byte) {
                return None;
            }
            Hir::literal(literal.0)
        }
        HirKind::Class(Class::Unicode(mut class)) => {
            let character = char::from(byte);
            let removed = ClassUnicodeRange::new(character, character);
            let was_empty = class.ranges().is_empty();
            class.difference(&ClassUnicode::new([removed]));
            if class.ranges().is_empty() && !was_empty {
                return None;
            }
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            let was_empty = class.ranges().is_empty();
            class.difference(&ClassBytes::new([ClassBytesRange::new(byte, byte)]));
            if class.ranges().is_empty() && !was_empty {
                return None;
            }
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(without(*repetition.sub, byte)?);
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(without(*capture.sub, byte)?);
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(all_without(parts, byte)?),
        HirKind::Alternation(parts) => Hir::alternation(all_without(parts, byte)?),
    })
}

fn all_without(parts: Vec<Hir>, byte: u8) -> Option<Vec<Hir>> {
    parts.into_iter().map(|part| without(part, byte)).collect()
}

impl Matcher for LineMatcher {
    type Captures = NoCaptures;
    type Error = NotCompiled;

    #[inline]
    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, NotCompiled> {
        match &self.kind {
            Kind::Quick(quick) => {
                let input = Input::new(haystack).span(at..haystack.len());
                let found = quick.engine()?.regex.find(input);
                Ok(found.map(|found| Match::new(found.start(), found.end())))
            }
            Kind::Ripgrep(matcher) => certain(matcher.find_at(haystack, at)),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, NotCompiled> {
        Ok(NoCaptures::new())
    }

    #[inline]
    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, NotCompiled> {
        match &self.kind {
            Kind::Quick(quick) => {
                let input = Input::new(haystack).span(at..haystack.len());
                let found = quick.engine()?.regex.search_half(&input);
                Ok(found.map(|found| found.offset()))
            }
            Kind::Ripgrep(matcher) => certain(matcher.shortest_match_at(haystack, at)),
        }
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match &self.kind {
            // Only requested where line ends of another kind are searched for.
            Kind::Quick(_) => None,
            Kind::Ripgrep(matcher) => matcher.non_matching_bytes(),
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match &self.kind {
            Kind::Quick(quick) => Some(quick.line_end),
            Kind::Ripgrep(matcher) => matcher.line_terminator(),
        }
    }

    #[inline]
    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, NotCompiled> {
        match &self.kind {
            Kind::Quick(quick) => {
                let input = Input::new(haystack);
                let engine = quick.engine()?;
                let (regex, kind): (_, fn(usize) -> LineMatchKind) = match &engine.literals {
                    Some(literals) => (literals, LineMatchKind::Candidate),
                    None => (&engine.regex, LineMatchKind::Confirmed),
                };
                Ok(regex.search_half(&input).map(|found| kind(found.offset())))
            }
            Kind::Ripgrep(matcher) => certain(matcher.find_candidate_line(haystack)),
        }
    }
}

/// What ripgrep's matcher answers, which has no errors.
fn certain<T>(answer: Result<T, grep::matcher::NoError>) -> Result<T, NotCompiled> {
    answer.map_err(|_| NotCompiled)
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
