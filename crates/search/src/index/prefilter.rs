//! What a text must contain for a pattern to match in it: conditions on its grams.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::signature::{GRAM_BYTES, position};
use crate::{Case, Pattern};

/// A condition on the grams of a text. A text that does not meet it has no match; one that does
/// may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Need {
    /// None: every text may match.
    Nothing,
    All(Vec<Need>),
    Any(Vec<Need>),
    /// The gram with this position in a signature.
    Gram(u32),
}

/// The condition of one pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NgramQuery {
    pub(crate) need: Need,
    /// Whether a letter of the pattern also matches one outside ASCII (`k` the Kelvin sign, `s` the
    /// long s), so that texts with these may match although they do not meet the condition.
    pub(crate) folds: bool,
}

/// Most repetitions that are written out.
const MAX_REPEATED: u32 = 16;

impl NgramQuery {
    /// No condition.
    pub(crate) const NOTHING: Self = Self {
        need: Need::Nothing,
        folds: false,
    };

    /// The condition of `pattern`, for matches themselves, not for lines without one.
    pub(crate) fn of(pattern: &Pattern) -> Self {
        let text = if pattern.literal {
            regex_syntax::escape(&pattern.text)
        } else {
            pattern.text.clone()
        };
        let parsed = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .dot_matches_new_line(pattern.multiline)
            // With smart case more may match than is meant, never less.
            .case_insensitive(pattern.case != Case::Sensitive)
            .build()
            .parse(&text);
        let Ok(expression) = parsed else {
            return Self::NOTHING;
        };
        let mut reader = Reader::default();
        reader.read(&expression);
        let folds = reader.folds;
        Self {
            need: reader.finish(),
            folds,
        }
    }
}

/// Reads an expression from left to right.
#[derive(Default)]
struct Reader {
    /// What every match has at this place, in lower case.
    run: Vec<u8>,
    needs: Vec<Need>,
    folds: bool,
}

impl Reader {
    fn read(&mut self, expression: &Hir) {
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self
                .run
                .extend(literal.0.iter().map(u8::to_ascii_lowercase)),
            HirKind::Class(class) => match self.letter(class) {
                Some(letter) => self.run.push(letter),
                None => self.end_run(),
            },
            HirKind::Repetition(repetition) => {
                let times = repetition.min.min(MAX_REPEATED);
                for _ in 0..times {
                    self.read(&repetition.sub);
                }
                if repetition.max != Some(times) {
                    self.end_run();
                }
            }
            HirKind::Capture(capture) => self.read(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.read(part)),
            HirKind::Alternation(branches) => {
                self.end_run();
                self.offer(branches);
            }
        }
    }

    /// One of the branches must be met.
    fn offer(&mut self, branches: &[Hir]) {
        let mut needs = Vec::new();
        for branch in branches {
            let mut reader = Self::default();
            reader.read(branch);
            self.folds |= reader.folds;
            needs.push(reader.finish());
        }
        if !needs.contains(&Need::Nothing) {
            self.needs.push(Need::Any(needs));
        }
    }

    /// The one letter that a class stands for, if all of it is that letter in another case.
    fn letter(&mut self, class: &Class) -> Option<u8> {
        const MOST: usize = 4;
        let mut letter = None;
        let mut folds = false;
        let mut note = |character: char| {
            let plain = match character {
                '\u{212a}' => 'k',
                '\u{17f}' => 's',
                other => other.to_ascii_lowercase(),
            };
            folds |= !character.is_ascii();
            let byte = u8::try_from(plain).ok().filter(u8::is_ascii)?;
            (*letter.get_or_insert(byte) == byte).then_some(())
        };
        match class {
            Class::Unicode(class) => {
                let characters = class.iter().flat_map(|range| range.start()..=range.end());
                for (index, character) in characters.enumerate() {
                    if index == MOST {
                        return None;
                    }
                    note(character)?;
                }
            }
            Class::Bytes(class) => {
                let bytes = class.iter().flat_map(|range| range.start()..=range.end());
                for (index, byte) in bytes.enumerate() {
                    if index == MOST || !byte.is_ascii() {
                        return None;
                    }
                    note(char::from(byte))?;
                }
            }
        }
        self.folds |= folds;
        letter
    }

    fn end_run(&mut self) {
        for gram in self.run.array_windows::<GRAM_BYTES>() {
            let need = Need::Gram(position(*gram));
            if !self.needs.contains(&need) {
                self.needs.push(need);
            }
        }
        self.run.clear();
    }

    fn finish(mut self) -> Need {
        self.end_run();
        if self.needs.is_empty() {
            Need::Nothing
        } else {
            Need::All(self.needs)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::Signer;
    use super::*;

    fn met(need: &Need, has: &dyn Fn(u32) -> bool) -> bool {
        match need {
            Need::Nothing => true,
            Need::All(needs) => needs.iter().all(|need| met(need, has)),
            Need::Any(needs) => needs.iter().any(|need| met(need, has)),
            Need::Gram(position) => has(*position),
        }
    }

    /// Whether the text may match as far as its grams show.
    fn may_match(pattern: &Pattern, text: &str) -> bool {
        let mut signer = Signer::new();
        signer.take(text.as_bytes());
        let sign = signer.finish();
        let NgramQuery { need, folds } = NgramQuery::of(pattern);
        (folds && sign.has_folding) || met(&need, &|wanted| sign.positions.contains(&wanted))
    }

    fn insensitive(text: &str) -> Pattern {
        Pattern {
            case: Case::Insensitive,
            ..Pattern::new(text)
        }
    }

    #[test]
    fn texts_without_the_grams_of_a_pattern_are_ruled_out() {
        for (pattern, text, expected) in [
            ("needle", "a needle here", true),
            ("needle", "a need here", false),
            ("NEEDLE", "a needle here", true),
            ("food|barn", "the barn", true),
            ("food|barn", "the bar", false),
            ("(?:food)?", "nothing", true),
            ("foo|barn", "nothing", true),
            ("fo+barn", "fooobarn", true),
            ("fo+barn", "fobarz", false),
            ("o{4}", "oooo", true),
            ("o{4}", "ooo", false),
            ("a.c", "xyz", true),
            ("^begin.*ending$", "begin and ending", true),
            ("^begin.*ending$", "begin only", false),
            ("naïve", "naïve", true),
            ("naïve", "naive", false),
            (r"\bword\b", "word", true),
        ] {
            assert_eq!(
                may_match(&Pattern::new(pattern), text),
                expected,
                "{pattern} in {text}"
            );
        }
    }

    #[test]
    fn letters_that_fold_to_ascii_from_outside_it_are_not_missed() {
        assert!(may_match(&insensitive("kelvin"), "\u{212a}elvin"));
        assert!(may_match(
            &insensitive("classes"),
            "cla\u{17f}\u{17f}e\u{17f}"
        ));
        assert!(!may_match(&insensitive("kelvin"), "celvin"));
        assert!(may_match(&Pattern::new("(?i)mask"), "ma\u{17f}\u{212a}"));
    }

    fn texts() -> impl proptest::strategy::Strategy<Value = String> {
        proptest::string::string_regex("[abkKsS\u{212a}\u{17f} ]{0,40}").unwrap()
    }

    proptest::proptest! {
        /// Whatever matches is never ruled out.
        #[test]
        fn a_text_that_matches_meets_the_condition(
            pattern in "(?:[abks.]|[ab]\\+|\\(ab\\|ks\\)|[ab]\\*|\\[kK\\]|s\\{2\\}){1,8}",
            insensitive: bool,
            text in texts(),
        ) {
            let mut wanted = Pattern::new(pattern);
            if insensitive {
                wanted.case = Case::Insensitive;
            }
            if let Ok(matcher) = wanted.compile(true) {
                use grep::matcher::Matcher;
                if matcher.is_match(text.as_bytes()).unwrap() {
                    proptest::prop_assert!(may_match(&wanted, &text), "{} in {text:?}", wanted.text);
                }
            }
        }
    }
}
