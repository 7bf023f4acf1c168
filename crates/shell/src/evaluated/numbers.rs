//! Commands that write nothing but numbers, or what stands in their words.

use smallvec::SmallVec;

use super::words::Outputs;
use crate::{Command, FindingKind, RedirectionOperator, ScopeKind, Word};

/// What is written besides numbers.
#[derive(Default)]
pub(super) struct Written<'t> {
    /// Words whose text is written.
    pub(super) words: SmallVec<[&'t Word; 2]>,
    /// Whether pieces of the text are, or in another order.
    pub(super) in_pieces: bool,
}

impl<'t> Written<'t> {
    fn whole(words: impl Iterator<Item = &'t Word>) -> Self {
        Self {
            words: words.collect(),
            in_pieces: false,
        }
    }

    fn pieces(words: impl Iterator<Item = &'t Word>) -> Self {
        Self {
            words: words.collect(),
            in_pieces: true,
        }
    }

    fn add(&mut self, other: Self) {
        self.words.extend(other.words);
        self.in_pieces |= other.in_pieces;
    }
}

/// What the commands of a scope write besides numbers; `None` where it cannot be told.
pub(super) fn written<'t>(scope: usize, outputs: &Outputs<'t>) -> Option<Written<'t>> {
    let mut written = Written::default();
    let script = &outputs.text.script;
    for index in outputs.findings.get(scope)? {
        match &script.findings.get(*index)?.kind {
            FindingKind::Command(command) => written.add(of_command(command)?),
            FindingKind::Evaluated(_)
            | FindingKind::Arithmetic(_)
            | FindingKind::Assignment(_)
            | FindingKind::Conditional(_) => {}
            _ => return None,
        }
    }
    let children = outputs.inside.get(scope)?;
    let mut before: Option<&Command> = None;
    for (place, child) in children.iter().enumerate() {
        match script.scopes.get(*child)?.kind {
            ScopeKind::CommandSubstitution | ScopeKind::ProcessSubstitution => {}
            ScopeKind::Branch => written.add(self::written(*child, outputs)?),
            ScopeKind::PipelineElement => {
                let command = outputs.only_command(*child)?;
                let next = children.get(place + 1);
                if next.is_some_and(|next| feeds(command, *next, outputs)) {
                    before = before.filter(|_| keeps_numbers(command)).or(Some(command));
                    continue;
                }
                let source = before.take().filter(|_| keeps_numbers(command));
                written.in_pieces |= source.is_some();
                written.add(of_command(source.unwrap_or(command))?);
                if !is_quiet(command) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(written)
}

/// Whether the output of a command goes into the pipeline element that begins there.
fn feeds(command: &Command, next: usize, outputs: &Outputs<'_>) -> bool {
    let start = outputs
        .text
        .script
        .scopes
        .get(next)
        .map(|scope| scope.start);
    let between = start.and_then(|start| outputs.text.text.get(command.span.end..start));
    between.is_some_and(|between| between.trim_matches([' ', '\t', '\n']) == "|")
}

/// What one command writes besides numbers.
fn of_command(command: &Command) -> Option<Written<'_>> {
    if !is_quiet(command) {
        return None;
    }
    let Some((name, arguments)) = command.words.split_first() else {
        return Some(Written::default());
    };
    let name = name.literal()?;
    let name = ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|folder| name.strip_prefix(folder))
        .unwrap_or(name);
    let numbers = |is: bool| is.then(Written::default);
    match name {
        "true" | "false" | ":" | "test" | "[" | "exit" | "nproc" => Some(Written::default()),
        "cd" => numbers(arguments.iter().all(|word| word.literal() != Some("-"))),
        "echo" => Some(Written::whole(
            arguments.iter().filter(|word| !is_any(word, &["-n"])),
        )),
        "expr" => Some(Written::pieces(
            arguments
                .iter()
                .filter(|word| !is_any(word, &["*", "(", ")"])),
        )),
        "seq" => Some(Written::pieces(
            arguments.iter().filter(|word| !is_any(word, &["-w"])),
        )),
        "printf" => numbers(prints_numbers(arguments)),
        "wc" => numbers(options_only(
            arguments,
            "lcwmL",
            &["--lines", "--words", "--bytes", "--chars"],
        )),
        "grep" | "egrep" | "fgrep" => numbers(counts(arguments)),
        "id" => numbers(
            arguments
                .first()
                .is_some_and(|word| is_any(word, &["-u", "-g", "-ur", "-gr"])),
        ),
        "date" => numbers(date(arguments)),
        "stat" => numbers(stat(arguments)),
        "tput" => numbers(matches!(arguments, [word] if is_any(word, &["cols", "lines"]))),
        "getconf" => numbers(
            matches!(arguments, [word] if word.literal().is_some_and(|name| name.ends_with("_ONLN") || name.ends_with("_SIZE"))),
        ),
        "pgrep" | "pidof" => numbers(
            !arguments
                .iter()
                .any(|word| builtin_option(word, &['l', 'a', 'd', 'S'])),
        ),
        "git" => numbers(matches!(arguments, [command, count, rest @ ..]
            if is_any(command, &["rev-list"]) && is_any(count, &["--count"]) && rest.iter().all(is_operand))),
        "jq" => numbers(jq(arguments)),
        _ => None,
    }
}

/// Whether nothing but the output of the program itself goes where its output goes.
fn is_quiet(command: &Command) -> bool {
    command.redirections.iter().all(|redirection| {
        let errors = matches!(&redirection.descriptor, Some(crate::Descriptor::Number(number)) if number == "2");
        match redirection.operator {
            RedirectionOperator::Read
            | RedirectionOperator::HereDocument
            | RedirectionOperator::HereDocumentTabs
            | RedirectionOperator::HereString => redirection.descriptor.is_none(),
            RedirectionOperator::Write | RedirectionOperator::Append => {
                errors && redirection.target.literal() == Some("/dev/null")
            }
            _ => false,
        }
    })
}

/// Whether the command only leaves something out of what it reads, or puts it in another order.
fn keeps_numbers(command: &Command) -> bool {
    let Some((name, arguments)) = command.words.split_first() else {
        return false;
    };
    let literals = || arguments.iter().filter_map(Word::literal);
    let all_literal = literals().count() == arguments.len();
    let short = |letters: &str| {
        literals().all(|text| {
            text.strip_prefix('-')
                .is_some_and(|text| text.chars().all(|letter| letters.contains(letter)))
        })
    };
    all_literal
        && match name.literal() {
            Some("tr") => matches!(arguments, [option, _] if is_any(option, &["-d", "-cd", "-dc"])),
            Some("head" | "tail") => {
                short("0123456789n")
                    || matches!(arguments, [option, count]
                if is_any(option, &["-n"]) && count.literal().is_some_and(is_digits))
            }
            Some("sort") => short("nrug"),
            Some("uniq" | "cat" | "xargs") => arguments.is_empty(),
            _ => false,
        }
}

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

fn is_special(letter: char) -> bool {
    !(letter.is_ascii_digit() || matches!(letter, ' ' | '.' | ',' | ':' | '-' | '+' | '/' | '\n'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_any(word: &Word, texts: &[&str]) -> bool {
    word.literal().is_some_and(|text| texts.contains(&text))
}

/// Whether it cannot be an option.
fn is_operand(word: &Word) -> bool {
    match word.prefix().chars().next() {
        Some(first) => first != '-',
        None => false,
    }
}

fn builtin_option(word: &Word, letters: &[char]) -> bool {
    !is_operand(word) && word.literal().is_none_or(|text| text.contains(letters))
}

/// Nothing but these options: the input is not named, so that no name is written.
fn options_only(arguments: &[Word], letters: &str, long: &[&str]) -> bool {
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
fn counts(arguments: &[Word]) -> bool {
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

/// `date` in a format of numbers.
fn date(arguments: &[Word]) -> bool {
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
fn stat(arguments: &[Word]) -> bool {
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
fn are_files(files: &[Word]) -> bool {
    files.iter().all(is_operand) || matches!(files, [file] if !file.expansion.splits)
}

/// `jq` with a program that ends in a length.
fn jq(arguments: &[Word]) -> bool {
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
