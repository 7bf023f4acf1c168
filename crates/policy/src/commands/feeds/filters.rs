//! Programs that let lines through.

use tenon_shell::Word;

/// What a filter makes of lines.
pub(super) enum Filter {
    /// Some of the lines come through, unchanged.
    Lines,
    /// Each line ends with a zero then.
    LinesToZero,
}

/// What a program without operands makes of lines.
pub(super) fn filter(words: &[Word]) -> Option<Filter> {
    let literals: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let literals = literals?;
    let (name, arguments) = literals.split_first()?;
    let letters = |allowed: &str| {
        arguments.iter().all(|text| {
            text.strip_prefix('-').is_some_and(|option| {
                !option.is_empty() && option.chars().all(|letter| allowed.contains(letter))
            })
        })
    };
    let lines = match tenon_shell::facts_name(name) {
        "head" | "tail" => {
            let mut rest = arguments.iter();
            let mut plain = true;
            while let Some(text) = rest.next() {
                let number = |text: &str| {
                    let digits = text.trim_start_matches(['+', '-']);
                    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
                };
                plain &= match text.strip_prefix("-n") {
                    Some("") => rest.next().is_some_and(|text| number(text)),
                    Some(attached) => number(attached),
                    None => text.starts_with('-') && number(text),
                };
            }
            plain
        }
        "sort" => letters("urnVf"),
        "uniq" => letters("ud"),
        "cat" | "tac" | "shuf" => arguments.is_empty(),
        "grep" | "egrep" | "fgrep" => match arguments.split_last() {
            Some((pattern, options)) => {
                !pattern.starts_with('-')
                    && options.iter().all(|text| {
                        text.strip_prefix('-').is_some_and(|option| {
                            !option.is_empty()
                                && option.chars().all(|letter| "viEFwxP".contains(letter))
                        })
                    })
            }
            None => false,
        },
        "tr" if matches!(arguments, ["\\n", "\\0" | "\\000"]) => {
            return Some(Filter::LinesToZero);
        }
        _ => false,
    };
    lines.then_some(Filter::Lines)
}
