//! Texts made to break a reader: mutated, bottomless, repetitive.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use tenon_shell::{FindingKind, ReadError, Script, ShellGrammar, examine, limits, read};

use crate::generator::{Generator, Random};
use crate::shells::{self, say};
use crate::texts;

/// Every span must lie in the text and at the borders of characters.
fn check_spans(script: &Script, text: &str) {
    for finding in &script.findings {
        let span = match &finding.kind {
            FindingKind::Command(command) => {
                for word in &command.words {
                    assert!(word.span.end <= text.len(), "{word:?} in {text:?}");
                    assert!(word.span.of(text).is_some(), "{word:?} in {text:?}");
                }
                command.span
            }
            FindingKind::Assignment(assignment) => assignment.span,
            FindingKind::Redirection(redirection) => redirection.span,
            FindingKind::Function(function) => function.span,
            FindingKind::Conditional(conditional) => conditional.span,
            FindingKind::Case(case) => case.span,
            FindingKind::Arithmetic(span) => *span,
            FindingKind::Evaluated(evaluated) => evaluated.span,
            FindingKind::Mark(mark) => mark.span,
        };
        assert!(
            span.start <= span.end && span.end <= text.len(),
            "{finding:?} in {text:?}"
        );
        assert!(
            script.scope(finding.scope).is_some(),
            "{finding:?} in {text:?}"
        );
    }
}

fn mutate(random: &mut Random, text: &str) -> String {
    const BITS: &[&str] = &[
        "'", "\"", "`", "$(", "${", "$((", "))", ")", "(", "}", "{", ";", ";;", "&", "&&", "|",
        "\n", "\\", "\\\n", "#", "<<E\n", "<", ">", "[[", "]]", " ", "\t", "=", "[", "]", "in",
        "do", "done", "esac", "fi", "if ", "case ", "é", "!", "*", "~", "$", "\r", "<(", "((",
        "a=(", "\u{a0}", "@(", "time ", "$'", "E", "\nE\n",
    ];
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len() + 1);
        match random.below(4) {
            0 if at < characters.len() => {
                characters.remove(at);
            }
            1 if at < characters.len() => {
                let other = random.below(characters.len());
                characters.swap(at, other);
            }
            _ => {
                let bit = BITS
                    .get(random.below(BITS.len()))
                    .copied()
                    .unwrap_or_default();
                characters.splice(at..at, bit.chars());
            }
        }
    }
    characters.into_iter().collect()
}

/// No text makes the reader panic or lie about places, and few are taken that the shell refuses: most of what bash
/// refuses in a mutated text must be refused here too, else something was skipped.
#[test]
fn mutated_texts() {
    let mut random = Random::new(7);
    let mut samples: Vec<String> = texts::all().into_iter().map(str::to_owned).collect();
    samples.extend((0..200).map(|seed| Generator::new(seed, seed % 2 == 0).text()));
    for dialect in ShellGrammar::ALL {
        let asks = shells::installed(dialect);
        let (mut judged, mut taken, mut refused) = (0_usize, 0_usize, 0_usize);
        for round in 0..20_000 {
            let sample = samples
                .get(random.below(samples.len()))
                .cloned()
                .unwrap_or_default();
            let text = mutate(&mut random, &sample);
            let result = read(&text, dialect);
            if let Ok(script) = &result {
                check_spans(script, &text);
            }
            if round % 10 == 0 && asks && text.len() < 400 {
                judged += 1;
                match (result.is_ok(), shells::accepts(dialect, &text)) {
                    (true, false) => {
                        taken += 1;
                        say(&format!("{dialect} refuses, the reader takes: {text:?}"));
                    }
                    (false, true) => refused += 1,
                    _ => {}
                }
            }
        }
        say(&format!(
            "{dialect}: {judged} judged, {taken} taken though invalid, {refused} refused though valid"
        ));
        assert!(taken * 50 <= judged, "{dialect}: {taken} of {judged}");
        assert!(
            refused * 10 <= judged.max(1),
            "{dialect}: {refused} of {judged}"
        );
    }
}

/// Openings that nest, and what closes them.
const NESTS: &[(&str, &str)] = &[
    ("$(", ")"),
    ("\"$(", ")\""),
    ("(", ")"),
    ("( ", " )"),
    ("{ ", ";}"),
    ("if ", ";then :;fi"),
    ("while ", ";do :;done"),
    ("case x in x) ", ";;esac"),
    ("f() { ", ";}"),
    ("${x:-", "}"),
    ("\"${x:-", "}\""),
    ("$((", "))"),
    ("$((1+$(", ")))"),
    ("<(", ")"),
    ("[[ ( ", " ) ]]"),
    ("[[ -n $(", ") ]]"),
    ("a[$(", ")]=1"),
    ("a=(", ")"),
    ("@(", ")"),
    ("! ", ""),
    ("time ", ""),
    ("coproc ", ""),
    ("((", "))"),
    ("((", ");x)"),
    ("$((", ");x)"),
    ("`", "`"),
    ("cat <<E\n$(", ")\nE\n"),
    ("a && ", "b"),
    ("a | ", "b"),
    ("$[", "]"),
    ("${x[", "]}"),
    ("eval ", ""),
    ("env ", ""),
    ("{a,", "}"),
    ("\\\n", ""),
];

/// A thread with less stack than worker threads usually have (2 MiB); the limit on depth must fit in it.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(1536 * 1024)
        .spawn(work);
    thread
        .expect("a thread")
        .join()
        .expect("the reader stays within the stack");
}

#[test]
fn bottomless_nesting_is_refused_on_a_small_stack() {
    on_a_small_stack(|| {
        for (open, close) in NESTS {
            for depth in [10, 50, limits::MAX_DEPTH, 1000, 20_000] {
                let text = format!("{}x{}", open.repeat(depth), close.repeat(depth));
                let unclosed = open.repeat(depth);
                for dialect in ShellGrammar::ALL {
                    let started = Instant::now();
                    let _ = (read(&text, dialect), read(&unclosed, dialect));
                    assert!(
                        started.elapsed() < Duration::from_secs(2),
                        "{open:?} × {depth}"
                    );
                }
                if depth <= 1000 {
                    let _ = examine(&text, ShellGrammar::Bash);
                }
            }
        }
    });
}

#[test]
fn sixty_four_visible_levels_are_read() {
    let deep = |open: &str, close: &str| format!("{}x{}", open.repeat(64), close.repeat(64));
    for (open, close) in [
        ("$(", ")"),
        ("\"$(", ")\""),
        ("( ", " )"),
        ("{ ", ";}"),
        ("if ", ";then :;fi"),
        ("${x:-", "}"),
    ] {
        for dialect in ShellGrammar::ALL {
            let text = format!("echo {}", deep(open, close)).replacen("echo ( ", "( ", 1);
            let text = text
                .replacen("echo { ", "{ ", 1)
                .replacen("echo if", "if", 1);
            assert_eq!(read(&text, dialect).err(), None, "{text}");
        }
    }
    let text = deep("$(", ")") + &"$(".repeat(200) + &")".repeat(200);
    assert!(matches!(
        read(&text, ShellGrammar::Bash),
        Err(ReadError::TooDeep { .. })
    ));
}

/// The time for 10 kB of the worst shapes. The bound is for a build without optimisation on a busy machine; what an
/// optimised build needs is printed and far lower.
#[test]
fn repetitive_texts_take_linear_time() {
    let mut worst = (Duration::ZERO, String::new());
    let mut shapes: Vec<String> = NESTS.iter().map(|(open, _)| (*open).to_owned()).collect();
    shapes.extend(NESTS.iter().map(|(open, close)| format!("{open}x{close} ")));
    let more = [
        "a;",
        "a ",
        "'a' ",
        "\"a\"",
        "\\a",
        "$a",
        "${a}",
        "a=b ",
        "a|",
        "a\n",
        "<a ",
        "[a",
        "a{b,c}",
        "((a) ",
        "((a)); ",
        "$((a) ",
        "# a\n",
        "<<E\nE\n",
        "<<E ",
        "`a` ",
        "\\`",
        "[[ a ]];",
        "x+=1 ",
        "\\\n\\\n",
        "é",
        "$'\\x41'",
        "\"${a}\"",
        "${x:-'",
        "a() { b; };",
        "{fd}>x ",
        "12345",
        "name[",
        "case a in a) ",
        "((((",
        "$((((",
        "eval a;",
        "sh -c a;",
        "x=$(",
        "\"`",
        "<<E\n`",
        "[",
        "{",
        "{}",
        "a+b",
        "\\",
        "&",
        "&>",
        "<(",
        "a<(b)",
    ];
    shapes.extend(more.iter().map(|shape| (*shape).to_owned()));
    for shape in shapes {
        let text = shape.repeat(10_000 / shape.len());
        for dialect in ShellGrammar::ALL {
            let times = (0..3).map(|_| {
                let started = Instant::now();
                let _ = read(&text, dialect);
                started.elapsed()
            });
            let time = times.min().unwrap_or_default();
            if time > worst.0 {
                worst = (time, format!("{shape:?} as {dialect}"));
            }
        }
    }
    say(&format!("slowest 10 kB: {:?} for {}", worst.0, worst.1));
    assert!(worst.0 < Duration::from_millis(600), "{worst:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        for dialect in ShellGrammar::ALL {
            if let Ok(script) = read(&text, dialect) {
                check_spans(&script, &text);
            }
        }
    }

    #[test]
    fn any_text_of_shell_characters_is_read_or_refused(text in "[a-f$(){}\\[\\]'\"`;&|<>!#=*?~@+ \t\n\\\\E0-2-]{0,80}") {
        for dialect in ShellGrammar::ALL {
            if let Ok(script) = read(&text, dialect) {
                check_spans(&script, &text);
            }
        }
        let _ = examine(&text, ShellGrammar::Bash);
    }

    /// Quoting the characters of a name in any way does not change what is found.
    #[test]
    fn quoting_hides_no_name(choices in proptest::collection::vec(0_u8..5, 2)) {
        let spelled: String = "rm".chars().zip(&choices).map(|(letter, choice)| match choice {
            0 => letter.to_string(),
            1 => format!("'{letter}'"),
            2 => format!("\"{letter}\""),
            3 => format!("\\{letter}"),
            _ => format!("\\\n{letter}"),
        }).collect();
        for dialect in ShellGrammar::ALL {
            let script = read(&format!("{spelled} x"), dialect).expect("valid");
            let name = script.commands().next().and_then(|command| command.name()).and_then(|word| word.literal());
            prop_assert_eq!(name, Some("rm"));
        }
    }
}
