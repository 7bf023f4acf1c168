//! Commands whose output begins no word with a dash: revisions, paths of a directory, numbers, dates.

use tenon_programs::words::git::{FORMATS, OF_REV_PARSE};
use tenon_programs::{Catalogue, CommandTraits, Traits};
use tenon_shell::Word;

use crate::commands::words::git_is;
use crate::commands::words::selection::lists_names;
use crate::program_names::name_of;

/// Whether a text has no word that begins with a dash, whatever a shell or a program makes of its blanks.
fn is_plain(text: &str) -> bool {
    let signs = ["\\n", "\\t", "\\0"];
    let text = signs
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    let mut words = text.split([' ', '\t', '\n', '/', '+', '=', '%', ',', '\'', '"']);
    !text.contains('\\') && words.all(|word| !word.starts_with('-'))
}

/// Whether no word that this subcommand of git writes begins with a dash.
fn git_writes_no_options(words: &[Word]) -> bool {
    let given = |names: &[&str]| {
        words
            .iter()
            .filter_map(Word::literal)
            .any(|word| names.contains(&word))
    };
    let formats = |word: &Word| {
        let text = word.prefix();
        [
            "--format",
            "--pretty",
            "--line-prefix",
            "--output-indicator",
        ]
        .iter()
        .any(|name| text.starts_with(name))
    };
    match words.get(1).and_then(Word::literal).unwrap_or_default() {
        "branch" => given(&["--show-current"]),
        "diff" | "show" | "diff-tree" => given(&["--name-only"]) && !words.iter().any(formats),
        "grep" => given(&["-l", "--name-only", "--files-with-matches"]),
        "rev-parse" => words.iter().skip(2).all(|word| match word.literal() {
            Some(text) => {
                !text.starts_with('-')
                    || OF_REV_PARSE.contains(&text.split('=').next().unwrap_or_default())
            }
            None => !word.prefix().is_empty() && !word.prefix().starts_with('-'),
        }),
        "log" => {
            words.iter().any(formats)
                && words.iter().filter(|word| formats(word)).all(|word| {
                    let format = word.literal().and_then(|text| text.split_once('='));
                    format.is_some_and(|(_, format)| {
                        FORMATS.contains(&format.trim_start_matches("format:"))
                    })
                })
        }
        _ => git_is(words, CommandTraits::PLAIN_OUTPUT) && !words.iter().any(formats),
    }
}

/// Whether no word that the command writes begins with a dash.
pub(crate) fn writes_no_options(catalogue: &Catalogue, words: &[Word]) -> bool {
    let literal = |place: usize| words.get(place).and_then(Word::literal);
    let given = |names: &[&str]| {
        words
            .iter()
            .filter_map(Word::literal)
            .any(|word| names.contains(&word))
    };
    let operands_are = |test: &dyn Fn(&str) -> bool| {
        let mut operands = words
            .iter()
            .skip(1)
            .filter(|word| !matches!(word.literal(), Some("-n" | "-f")));
        operands.all(|word| word.literal().is_some_and(test))
    };
    let name = name_of(words).unwrap_or_default();
    match name {
        "git" => git_writes_no_options(words),
        "date" => words.iter().skip(1).all(|word| match word.literal() {
            Some(text) if text.starts_with('+') => {
                is_plain(text.trim_start_matches('+')) && !text.starts_with("+-")
            }
            Some(text) => !text.starts_with("-f") && !text.starts_with("--f"),
            None => false,
        }),
        "seq" => words.iter().skip(1).all(|word| match word.literal() {
            Some(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            None => !word.expansion.braces,
        }),
        "mktemp" => operands_are(&|text| text != "--" && !text.contains(' ')),
        "basename" | "dirname" | "realpath" | "readlink" | "echo" | "printf" => {
            words.len() > 1 && operands_are(&is_plain)
        }
        // Other formats begin with what stands in them.
        "stat" => {
            let format = words
                .iter()
                .skip_while(|word| word.literal() != Some("-c"))
                .nth(1);
            format
                .and_then(Word::literal)
                .is_some_and(|text| text.starts_with('%') && is_plain(text))
        }
        "command" => literal(1) == Some("-v"),
        "go" => literal(1) == Some("list") && !given(&["-f"]),
        "docker" | "podman" => given(&["-q", "-aq", "-qa", "--quiet"]),
        _ => {
            let program = catalogue.find(name);
            program.is_some_and(|program| program.is(Traits::PLAIN_OUTPUT)) || lists_names(words)
        }
    }
}

/// What a filter makes of lines.
pub(crate) enum Filter {
    /// Some of the lines come through, unchanged.
    Lines,
    /// Each line ends with a zero then.
    LinesToZero,
}

/// What a program without operands makes of lines.
pub(crate) fn filter(words: &[Word]) -> Option<Filter> {
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

/// Whether a program lets some of the lines through that it reads, unchanged.
pub(crate) fn passes_lines(words: &[Word]) -> bool {
    filter(words).is_some()
}
