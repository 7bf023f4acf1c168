//! Arguments with which common programs write nothing but numbers.

use crate::word::Word;

/// Whether `printf` writes numbers only, whatever its arguments are.
pub(super) fn prints_numbers(arguments: &[Word]) -> bool {
    let arguments = match arguments {
        [option, _, rest @ ..] if is_any(option, &["-v"]) => rest,
        _ => arguments,
    };
    let Some(format) = arguments.first().and_then(Word::literal) else {
        return false;
    };
    let format = format.replace("\\n", " ");
    let mut rest = format.as_str();
    while let Some((before, behind)) = rest.split_once('%') {
        let behind =
            behind.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let directive = behind.starts_with(['d', 'i', 'u']);
        if !directive || before.contains(is_special) {
            return false;
        }
        rest = behind.get(1..).unwrap_or_default();
    }
    !format.starts_with('-') && !rest.contains(is_special)
}

pub(super) fn is_special(letter: char) -> bool {
    !(letter.is_ascii_digit() || matches!(letter, ' ' | '.' | ',' | ':' | '-' | '+' | '/' | '\n'))
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_any(word: &Word, texts: &[&str]) -> bool {
    word.literal().is_some_and(|text| texts.contains(&text))
}

/// Whether it cannot be an option.
pub(super) fn is_operand(word: &Word) -> bool {
    match word.prefix().chars().next() {
        Some(first) => first != '-',
        None => false,
    }
}

pub(super) fn builtin_option(word: &Word, letters: &[char]) -> bool {
    !is_operand(word) && word.literal().is_none_or(|text| text.contains(letters))
}

/// Nothing but these options: the input is not named, so that no name is written.
pub(super) fn options_only(arguments: &[Word], letters: &str, long: &[&str]) -> bool {
    arguments.iter().all(|word| {
        word.literal().is_some_and(|text| {
            let short = text.strip_prefix('-').is_some_and(|text| {
                !text.is_empty() && text.chars().all(|letter| letters.contains(letter))
            });
            short || long.contains(&text) || text == "-"
        })
    })
}

/// `grep -c` in one file at most: with more it writes their names.
pub(super) fn counts(arguments: &[Word]) -> bool {
    let mut operands = 0;
    let mut counting = false;
    for word in arguments {
        if is_operand(word) && !word.expansion.any() {
            operands += 1;
            continue;
        }
        // An expansion in quotes is one operand, behind an option that says so.
        match word.literal() {
            Some("--count") => counting = true,
            Some("--") => {}
            Some(text) => {
                let letters = text.strip_prefix('-').unwrap_or("?");
                if letters
                    .chars()
                    .any(|letter| !"civEFPwxhsao".contains(letter))
                {
                    return false;
                }
                counting |= letters.contains('c');
            }
            None => return false,
        }
    }
    counting && operands <= 2
}

/// `grep -o` of digits in one file at most.
pub(super) fn finds_digits(arguments: &[Word]) -> bool {
    const DIGITS: &[&str] = &[
        "[0-9]",
        "[0-9]+",
        "[0-9]*",
        "[0-9]\\+",
        "[0-9][0-9]*",
        "\\d+",
        "[[:digit:]]+",
    ];
    let [option, rest @ ..] = arguments else {
        return false;
    };
    let pattern = rest.first().is_some_and(|word| is_any(word, DIGITS));
    let alone = match rest {
        [_] => true,
        [_, file] => is_operand(file) && !file.expansion.any(),
        _ => false,
    };
    is_any(option, &["-o", "-oE", "-Eo", "-oP", "-Po", "-oh"]) && pattern && alone
}

/// `curl` of one address that writes the status instead of the content.
pub(super) fn status_only(arguments: &[Word]) -> bool {
    let (mut status, mut nowhere, mut addresses) = (false, false, 0);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            if word.expansion.any() || !word.prefix().starts_with("http") {
                return false;
            }
            addresses += 1;
            continue;
        };
        match text {
            "-o" | "--output" => {
                nowhere = words
                    .next()
                    .is_some_and(|file| is_any(file, &["/dev/null"]));
                if !nowhere {
                    return false;
                }
            }
            "-w" | "--write-out" => {
                status = words.next().is_some_and(|format| {
                    is_any(
                        format,
                        &["%{http_code}", "%{http_code}\\n", "%{response_code}"],
                    )
                });
                if !status {
                    return false;
                }
            }
            "-X" | "-H" | "-m" | "--max-time" | "--connect-timeout" => drop(words.next()),
            _ if text.starts_with('-') => {
                let letters = text.strip_prefix('-').unwrap_or_default();
                if letters.is_empty() || letters.chars().any(|letter| !"sSfLkI".contains(letter)) {
                    return false;
                }
            }
            _ => addresses += 1,
        }
    }
    status && nowhere && addresses == 1
}

/// `date` in a format of numbers.
pub(super) fn date(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    let mut numbers = false;
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            return false;
        };
        match text {
            "-u" | "--utc" => {}
            "-d" | "-r" => drop(words.next()),
            _ => {
                let Some(format) = text.strip_prefix('+') else {
                    return false;
                };
                let mut rest = format;
                while let Some((before, behind)) = rest.split_once('%') {
                    let behind = behind.trim_start_matches(['-', '0', '3', '6', '9']);
                    if before.contains(is_special)
                        || !behind
                            .starts_with(['s', 'Y', 'm', 'd', 'H', 'M', 'S', 'N', 'j', 'u', 'y'])
                    {
                        return false;
                    }
                    rest = behind.get(1..).unwrap_or_default();
                }
                numbers = !rest.contains(is_special);
            }
        }
    }
    numbers
}

/// GNU's `stat -c` in a format of numbers.
pub(super) fn stat(arguments: &[Word]) -> bool {
    const FORMATS: &[&str] = &["%s", "%Y", "%X", "%Z", "%a", "%h", "%i", "%u", "%g", "%b"];
    match arguments {
        [option, format, files @ ..] if is_any(option, &["-c", "--format"]) => {
            is_any(format, FORMATS) && are_files(files)
        }
        [option, files @ ..] => {
            let format = option.literal().and_then(|text| {
                text.strip_prefix("--format=")
                    .or_else(|| text.strip_prefix("-c"))
            });
            format.is_some_and(|format| FORMATS.contains(&format)) && are_files(files)
        }
        [] => false,
    }
}

/// Files, of which one may be unknown: an option needs a file besides it.
pub(super) fn are_files(files: &[Word]) -> bool {
    files.iter().all(is_operand) || matches!(files, [file] if !file.expansion.splits)
}

/// `jq` with a program that ends in a length.
pub(super) fn jq(arguments: &[Word]) -> bool {
    let mut operands = arguments.iter().skip_while(|word| {
        word.literal().is_some_and(|text| {
            text.strip_prefix('-')
                .is_some_and(|letters| letters.chars().all(|letter| "rcnse".contains(letter)))
        })
    });
    let program = operands.next().and_then(Word::literal);
    let counts = program.is_some_and(|program| {
        let last = program.rsplit('|').next().unwrap_or_default();
        let other = ["def ", "include", "import", "as ", "("];
        last.trim() == "length" && !other.iter().any(|word| program.contains(word))
    });
    counts && operands.all(is_operand)
}
