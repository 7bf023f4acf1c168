//! What a change of a text broke.

use std::time::Instant;

use crate::brackets::imbalance;
use crate::fault::{Fault, FaultKind};
use crate::language::Language;
use crate::parse::{Budget, Syntax, parse};

/// Most places that are reported.
const MAX_PLACES: usize = 3;
/// Most characters of a text that are quoted.
const QUOTE_MAX_CHARACTERS: usize = 60;

/// A text that parses less well after a change than before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakage {
    /// What it was read as.
    pub language: Language,
    /// Whether it parsed without a fault before.
    pub was_sound: bool,
    /// Where to look; at least one, and the first three.
    pub places: Vec<BrokenPlace>,
}

/// Where a change broke a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPlace {
    /// The line in the new text, counted from 1.
    pub line: usize,
    /// What looks wrong there, as a part of a sentence.
    pub what: String,
}

/// What the change of a file with this path broke; `None` when nothing is known to be broken. That is also the
/// answer for an unknown language, and when the budget, which is for all that is read here, does not reach.
///
/// Only what is new counts: a fault that was there before, moved or not, is none of the change. Where grammars
/// know too little of what files really hold (macros of C, templates in HTML, shells, dialects of CSS),
/// a fault alone proves nothing; there, pairs must have fallen apart.
#[must_use]
pub fn breakage(path: &str, before: &str, after: &str, budget: Budget) -> Option<Breakage> {
    let language = Language::of(path)?;
    let began = Instant::now();
    let read = |text, language| {
        let left = budget.max_time.checked_sub(began.elapsed())?;
        parse(
            text,
            language,
            Budget {
                max_time: left,
                ..budget
            },
        )
    };
    let mut readings = Vec::new();
    for language in std::iter::once(language).chain(also(language)) {
        let syntax = read(after, language)?;
        let faults = reported_by(&syntax);
        if faults.is_empty() {
            return None;
        }
        readings.push((syntax, faults));
    }
    let mut first = None;
    for (syntax, faults) in readings {
        let old = read(before, syntax.language)?;
        let old_faults = reported_by(&old);
        // Of several readings that one counts in which the text was sound.
        if first.is_none() || old_faults.is_empty() {
            let was_sound = old_faults.is_empty();
            first = Some((syntax, faults, old, old_faults));
            if was_sound {
                break;
            }
        }
    }
    let (syntax, faults, old, old_faults) = first?;
    let change = Change::between(before, after);
    let new = new_faults(faults, &old_faults, &change);
    if new.is_empty() {
        return None;
    }
    let places = match (imbalance(&old), imbalance(&syntax)) {
        (None, Some(wrong)) => vec![BrokenPlace {
            line: wrong.line,
            what: wrong.what,
        }],
        _ if needs_pairs(syntax.language) => return None,
        _ => new
            .iter()
            .take(MAX_PLACES)
            .map(|fault| place(fault, &syntax, &change))
            .collect(),
    };
    Some(Breakage {
        language: syntax.language,
        was_sound: old_faults.is_empty(),
        places,
    })
}

/// Another language that files of this one's name may be in.
const fn also(language: Language) -> Option<Language> {
    match language {
        // JavaScript with type annotations.
        Language::JavaScript => Some(Language::Tsx),
        // A header of C may use the words of C++ as names.
        Language::Cpp => Some(Language::C),
        _ => None,
    }
}

/// Whether a fault alone proves nothing: measured over real files, the grammars of these find some in 4 to
/// 50 of 100, those of the others in fewer than 2.
const fn needs_pairs(language: Language) -> bool {
    matches!(
        language,
        Language::Bash | Language::C | Language::Cpp | Language::Css
    )
}

/// The faults that mean something. In HTML only end tags without a beginning do, and only where nothing else is
/// odd: templates fit no grammar.
fn reported_by(syntax: &Syntax<'_>) -> Vec<Fault> {
    let faults = syntax.faults();
    let is_end_tag = |fault: &Fault| {
        let text = syntax.text.get(fault.bytes.clone());
        text.is_some_and(|text| text.starts_with("</"))
    };
    if syntax.language == Language::Html && !faults.iter().all(is_end_tag) {
        return Vec::new();
    }
    faults
}

/// The bytes between the beginning and the end that both texts have alike.
struct Change {
    start: usize,
    end_before: usize,
    end_after: usize,
}

impl Change {
    fn between(before: &str, after: &str) -> Self {
        let pairs = before.bytes().zip(after.bytes());
        let start = pairs.take_while(|(one, other)| one == other).count();
        let room = before.len().min(after.len()) - start;
        let pairs = before.bytes().rev().zip(after.bytes().rev()).take(room);
        let end = pairs.take_while(|(one, other)| one == other).count();
        Self {
            start,
            end_before: before.len() - end,
            end_after: after.len() - end,
        }
    }

    /// Where a place of the old text is in the new one, unless it was changed.
    fn moved(&self, at: usize) -> Option<usize> {
        if at < self.start {
            Some(at)
        } else if at >= self.end_before {
            Some(at - self.end_before + self.end_after)
        } else {
            None
        }
    }
}

/// The faults that were not there before. Where recovery from an old fault took another turn, as many new faults
/// as there were old ones are no news.
fn new_faults(mut faults: Vec<Fault>, old: &[Fault], change: &Change) -> Vec<Fault> {
    let mut gone = 0;
    for fault in old {
        let start = change.moved(fault.bytes.start);
        let same = faults
            .iter()
            .position(|new| Some(new.bytes.start) == start && new.kind == fault.kind);
        match same {
            Some(index) => {
                faults.remove(index);
            }
            None => gone += 1,
        }
    }
    faults.drain(..faults.len().min(gone));
    faults
}

fn place(fault: &Fault, syntax: &Syntax<'_>, change: &Change) -> BrokenPlace {
    match &fault.kind {
        FaultKind::Missing(what) => {
            let is_sign = !what.contains(|character: char| character.is_ascii_lowercase());
            let what = if is_sign {
                format!("`{what}` is missing")
            } else {
                format!("something is missing ({})", what.replace('_', " "))
            };
            BrokenPlace {
                line: fault.lines.first,
                what,
            }
        }
        FaultKind::Unexpected => {
            // What reaches from far above over the change says nothing; the change does.
            let reaches_over =
                fault.bytes.start < change.start && fault.bytes.end >= change.end_after;
            let at = if reaches_over {
                change.start
            } else {
                fault.bytes.start
            };
            let before = syntax.text.get(..at).unwrap_or_default();
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let text = if reaches_over {
                syntax.text.lines().nth(line - 1).unwrap_or_default()
            } else {
                syntax
                    .text
                    .get(fault.bytes.clone())
                    .and_then(|text| text.lines().next())
                    .unwrap_or_default()
            };
            let quote: String = text.trim().chars().take(QUOTE_MAX_CHARACTERS).collect();
            let what = if reaches_over {
                format!("at or after `{quote}`")
            } else {
                format!("unexpected `{quote}`")
            };
            BrokenPlace { line, what }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line and the words of each place, and whether the text was sound before.
    fn reported(path: &str, before: &str, after: &str) -> Option<(bool, Vec<(usize, String)>)> {
        let budget = Budget {
            max_time: std::time::Duration::from_secs(60),
            ..Budget::default()
        };
        let breakage = breakage(path, before, after, budget)?;
        let places = breakage
            .places
            .into_iter()
            .map(|place| (place.line, place.what));
        Some((breakage.was_sound, places.collect()))
    }

    fn broken(line: usize, what: &str) -> Option<(bool, Vec<(usize, String)>)> {
        Some((true, vec![(line, what.to_owned())]))
    }

    #[test]
    fn a_change_that_keeps_a_text_sound_breaks_nothing() {
        assert_eq!(reported("a.js", "a()\n", "a(1)\n"), None);
        assert_eq!(
            reported(
                "a.py",
                "if a:\n    b()\n",
                "if a:\n    c()\nelse:\n    d()\n"
            ),
            None
        );
        assert_eq!(reported("notes.txt", "a\n", "{ ( [\n"), None);
    }

    #[test]
    fn each_language_names_the_line_and_what_is_wrong() {
        for (path, before, after, line, what) in [
            ("a.js", "a(b)\nc()\n", "a(b\nc()\n", 1, "`(` is not closed"),
            (
                "a.ts",
                "let a: b = 1\n",
                "let a: = 1\n",
                1,
                "unexpected `=`",
            ),
            (
                "a.py",
                "def f():\n    return 1\n",
                "def f()\n    return 1\n",
                1,
                "at or after `def f()`",
            ),
            (
                "a.rs",
                "fn a() {}\n",
                "fn a() }\n",
                1,
                "`}` is one too many",
            ),
            (
                "a.go",
                "package a\n\nfunc b() {\n}\n",
                "package a\n\nfunc b() {\n",
                3,
                "`{` is not closed",
            ),
            (
                "a.java",
                "class A { int b = 1; }\n",
                "class A { int b = ; }\n",
                1,
                "unexpected `=`",
            ),
            (
                "a.json",
                "{\"a\": 1}\n",
                "{\"a\": 1,}\n",
                1,
                "unexpected `,`",
            ),
            (
                "a.c",
                "int a(void) { return 1; }\n",
                "int a(void) { return 1; \n",
                1,
                "`{` is not closed",
            ),
            (
                "a.css",
                "a { b: c }\n",
                "a { b: c }}\n",
                1,
                "`}` is one too many",
            ),
            (
                "a.sh",
                "if a; then b; fi\n",
                "if a; then b;\n",
                1,
                "`if` is not closed",
            ),
            (
                "a.html",
                "<p><b>a</b></p>\n",
                "<p>a</b></p>\n",
                1,
                "unexpected `</b>`",
            ),
        ] {
            assert_eq!(reported(path, before, after), broken(line, what), "{path}");
        }
    }

    #[test]
    fn what_was_broken_before_is_not_reported_again() {
        let head = "a = ;\n";
        let tail = "b = ];\n";
        let good = |middle: &str| format!("{head}{middle}{tail}");
        assert_eq!(reported("a.js", &good("c()\n"), &good("c()\nd()\n")), None);
        assert_eq!(reported("a.js", &good(""), "a = 1;\nb = ];\n"), None);
        let (was_sound, places) = reported("a.js", &good("c()\n"), &good("c(;\n")).unwrap();
        assert!(!was_sound);
        assert!(!places.is_empty());
    }

    #[test]
    fn a_fault_proves_nothing_where_grammars_know_too_little() {
        // A macro that stands for a type and a name.
        assert_eq!(
            reported("a.c", "int a;\n", "int a;\nEXPORT(int) b c(void);\n"),
            None
        );
        assert_eq!(
            reported("a.html", "<p>a</p>\n", "<p>{% if a < b %}<</p>\n"),
            None
        );
        assert_eq!(
            reported("a.css", "a { b: c }\n", "a { b: url(./d.png) }\n"),
            None
        );
    }

    #[test]
    fn files_that_may_be_of_two_languages_are_read_as_both() {
        assert_eq!(reported("a.js", "let a = 1\n", "let a: number = 1\n"), None);
        assert_eq!(
            reported("a.h", "int a;\n", "int a;\nstruct b { int class; };\n"),
            None
        );
    }

    #[test]
    fn a_file_that_costs_too_much_is_not_judged() {
        let small = Budget {
            max_bytes: 3,
            ..Budget::default()
        };
        assert_eq!(breakage("a.js", "a()\n", "a(\n", small), None);
    }
}
