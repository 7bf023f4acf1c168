//! Commands that write nothing but numbers, or what stands in their words.

use smallvec::SmallVec;

use super::programs::{
    builtin_option, counts, date, finds_digits, is_any, is_digits, is_operand, jq, options_only,
    prints_numbers, stat, status_only,
};
use super::words::Outputs;
use crate::command::{Command, RedirectionOperator};
use crate::scope::ScopeKind;
use crate::script::FindingKind;
use crate::word::Word;

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

/// What the commands of a scope write besides numbers; `None` where it cannot be determined.
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
                // What a filter writes is what it reads, unless it writes numbers whatever it reads.
                let own = of_command(command);
                let source = before
                    .take()
                    .filter(|_| own.is_none() && keeps_numbers(command));
                if next.is_some_and(|next| feeds(command, *next, outputs)) {
                    before = source.or(Some(command));
                    continue;
                }
                match source {
                    Some(source) if is_quiet(command) => {
                        written.add(of_command(source)?);
                        written.in_pieces = true;
                    }
                    Some(_) => return None,
                    None => written.add(own?),
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
        // `$(< file)` writes the file.
        return command.redirections.is_empty().then(Written::default);
    };
    let name = name.literal()?;
    let name = without_directory(name);
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
        "grep" | "egrep" | "fgrep" => numbers(counts(arguments) || finds_digits(arguments)),
        "tr" => numbers(matches!(arguments, [option, set]
            if is_any(option, &["-cd", "-dc"]) && is_any(set, &["0-9", "[:digit:]"]))),
        "awk" => numbers(matches!(arguments, [program]
            if is_any(program, &["END{print NR}", "END {print NR}", "END { print NR }"]))),
        "curl" => numbers(status_only(arguments)),
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

/// The name of a program of the system without its directory.
fn without_directory(name: &str) -> &str {
    ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|directory| name.strip_prefix(directory))
        .unwrap_or(name)
}

/// Whether nothing but the output of the program itself goes where its output goes.
fn is_quiet(command: &Command) -> bool {
    command.redirections.iter().all(|redirection| {
        let errors = matches!(&redirection.descriptor, Some(crate::command::Descriptor::Number(number)) if number == "2");
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
    let reads = |operator| {
        !matches!(
            operator,
            RedirectionOperator::Write | RedirectionOperator::Append
        )
    };
    let fed_otherwise = command
        .redirections
        .iter()
        .any(|redirection| reads(redirection.operator));
    all_literal
        && !fed_otherwise
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
