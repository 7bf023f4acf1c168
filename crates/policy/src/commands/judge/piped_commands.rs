//! What a pipe gives to clients of databases and to line editors, which run commands of their own from their input:
//! `echo '.shell ls' | sqlite3 x.db`.

use std::borrow::Cow;

use tenon_programs::{CommandTraits, Traits};
use tenon_shell::{
    Command, Descriptor, ExaminedText, FileAccess, FindingKind, Invocation, Redirection,
    RedirectionOperator, ScopeKind, Word, acts_as_input, formatted, reads_commands, unescaped,
    written_by_code,
};

use crate::commands::judge::copied_programs::passes_on;
use crate::commands::judge::{RequiredCheck, TextJudge, Usage};
use crate::commands::resolve::Site;
use crate::commands::words::outputs::passes_lines;
use crate::commands::words::texts::is_pipe;
use crate::commands::words::{Effects, files_by_name, takes_code};
use crate::decision::Why;
use crate::program_names::name_of;
use crate::rule::{Kind, Rule};

/// How many programs before each other are looked at.
const MOST: usize = 8;

/// What is known of such a client.
const RUNS: &str = ": its piped input contains a command that runs a program or uses a file.";
const UNKNOWN: &str =
    ": its piped input is not known from the text and may contain commands that run programs.";

/// What comes out of a program.
enum Output<'c> {
    /// One of these texts.
    Texts(Vec<Cow<'c, str>>),
    /// What stands in files.
    Files,
    /// Lines of its own input.
    Lines,
    Unknown,
}

impl<'w, 'e> TextJudge<'w, 'e, '_> {
    /// Why a client that is fed by a pipe cannot be allowed by a rule.
    pub(crate) fn fed_client(
        &self,
        index: usize,
        command: &Command,
        invocation: &Invocation,
    ) -> Option<Why> {
        let chain = invocation.chain();
        let client = chain
            .iter()
            .find(|client| reads_commands(client.normalized_words()))?;
        let base = client.base_name()?;
        if command.redirections.iter().any(Redirection::is_input) {
            return None;
        }
        if !self.is_in_pipe(index) {
            let mut inputs = around(self.text);
            return inputs.any(is_written).then_some(Why::After(UNKNOWN));
        }
        match self.piped(command) {
            Output::Texts(texts) => {
                let acts = texts.iter().any(|text| acts_as_input(base, text));
                acts.then_some(Why::After(RUNS))
            }
            // Where any text acts, so does what stands in a file.
            Output::Files => acts_as_input(base, "").then_some(Why::After(UNKNOWN)),
            Output::Lines | Output::Unknown => Some(Why::After(UNKNOWN)),
        }
    }

    /// What a pipe gives to a command.
    fn piped<'t>(&self, command: &'t Command) -> Output<'t>
    where
        'w: 't,
    {
        let mut reader = command;
        for _ in 0..MOST {
            let Some(before) = self.commands().piped_into(reader) else {
                break;
            };
            match output(before) {
                Output::Lines => reader = before,
                output => return output,
            }
        }
        Output::Unknown
    }

    /// The text that a redirection gives, as it is written.
    fn given<'t>(&self, input: &'t Redirection) -> Option<Cow<'t, str>>
    where
        'w: 't,
    {
        match (&input.here_document, input.operator) {
            (Some(document), _) => Some(Cow::Borrowed(self.slice(document.span))),
            (None, RedirectionOperator::HereString) => {
                Some(Cow::Owned(input.target.prefix().into_owned()))
            }
            _ => None,
        }
    }

    /// The rule that denies or asks for a file whose content this command puts into another one, as it is given it by a pipe or as its
    /// input: `cat a | tee b`.
    pub(crate) fn passed_script_rule(
        &self,
        command: &Command,
        prints: bool,
        at: Site<'_>,
    ) -> Option<&'e Rule> {
        let writes = |words: &[Word]| {
            let files = files_by_name(words);
            prints || files.iter().any(|file| file.access == FileAccess::Write)
        };
        if self.judge.bounds().scripts.is_empty() || !writes(&command.words) {
            return None;
        }
        let mut paths = Vec::new();
        let mut passing = Some(command);
        for _ in 0..MOST {
            let Some(own) = passing.filter(|own| passes_on(&own.words)) else {
                break;
            };
            let inputs = own.redirections.iter();
            let inputs = inputs.filter(|input| input.operator == RedirectionOperator::Read);
            paths.extend(inputs.filter_map(|input| input.target.literal().map(str::to_owned)));
            let files = files_by_name(&own.words);
            let read = files.iter().filter(|file| file.access == FileAccess::Read);
            paths.extend(read.filter_map(|file| file.word.literal().map(str::to_owned)));
            passing = self.commands().piped_into(own);
        }
        self.judge.rule_on_script(&paths, at)
    }

    /// Compares the names in code that a program is fed with rules on files.
    pub(crate) fn fed_code(
        &mut self,
        index: usize,
        command: &Command,
        program: &Invocation,
        at: Site<'_>,
    ) {
        let base = program.base_name().unwrap_or_default();
        let includes = program.is(Traits::INCLUDES) || {
            let command = program.subcommand();
            command.is_some_and(|(command, _)| command.is(CommandTraits::INCLUDES))
        };
        if !takes_code(program.program()) && !includes {
            return;
        }
        let mut inputs = command.redirections.iter().rev();
        let texts = match inputs.find(|redirection| redirection.is_input()) {
            Some(input) => self.given(input).into_iter().collect(),
            None if self.is_in_pipe(index) => match self.piped(command) {
                Output::Texts(texts) => texts,
                Output::Files | Output::Lines | Output::Unknown => return,
            },
            None => around(self.text)
                .filter_map(|input| self.given(input))
                .collect(),
        };
        for text in &texts {
            for word in written_by_code(base, text, command.span) {
                let usage = Usage::new(Kind::Write, RequiredCheck::Known);
                self.judge.file(usage, &word, at);
            }
            match includes {
                true => self.judge.fed_includes(program, text, at),
                false => self.judge.fed_code(base, text, at),
            }
        }
    }

    /// Whether it is a `rg` that searches what a pipe gives it, and not the directory.
    ///
    /// It searches the directory all the same when it lists files (`--files`), and when the pipe gives it patterns (`-f -`).
    pub(crate) fn searches_pipe(&self, command: &Command, effects: &Effects<'_>) -> bool {
        let is_other_use = |word: &Word| {
            let Some(text) = word.literal() else {
                return true;
            };
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            letters.is_some_and(|letters| letters.contains('f'))
                || text.starts_with("--file")
                || text.starts_with("--type-list")
        };
        effects.base == "rg"
            && !effects.words.iter().any(is_other_use)
            && command.redirections.iter().all(is_of_output)
            && self.commands().piped_into(command).is_some()
    }

    /// Whether the command, or a group around it, reads from a pipe.
    fn is_in_pipe(&self, index: usize) -> bool {
        let script = &self.text.script;
        let own = script.findings.get(index).map(|finding| finding.scope);
        let around = own.into_iter().flat_map(|own| script.enclosing(own));
        let mut elements = around.filter(|(_, scope)| scope.kind == ScopeKind::PipelineElement);
        elements.any(|(_, element)| {
            let before = self.text.text.get(..element.start).unwrap_or_default();
            let before = before.trim_end_matches([' ', '\t', '\n', '\\']);
            let before = before.strip_suffix('&').unwrap_or(before);
            before
                .strip_suffix('|')
                .is_some_and(|rest| !rest.ends_with('|'))
        })
    }
}

/// Redirections that give the input of groups of commands, and of all that follow behind `exec`.
fn around(text: &ExaminedText) -> impl Iterator<Item = &Redirection> {
    let findings = text.script.findings.iter();
    let given = findings.flat_map(|finding| match &finding.kind {
        FindingKind::Redirection(redirection) => std::slice::from_ref(&**redirection),
        FindingKind::Command(command) => {
            let name = command.words.first().and_then(Word::literal);
            let stays = name == Some("exec") && command.words.len() == 1;
            if stays { &*command.redirections } else { &[] }
        }
        _ => &[],
    });
    given.filter(|redirection| redirection.is_input())
}

/// Whether a redirection is about the output or the errors and nothing else.
fn is_of_output(redirection: &Redirection) -> bool {
    let is_such = |number: &str| matches!(number, "1" | "2");
    !redirection.is_input()
        && redirection.descriptor.as_ref().is_none_or(
            |descriptor| matches!(descriptor, Descriptor::Number(number) if is_such(number)),
        )
}

/// Whether the input is written by the text, or can be: a file holds statements that somebody lets the client read.
fn is_written(input: &Redirection) -> bool {
    input.operator != RedirectionOperator::Read || is_pipe(&input.target)
}

/// What comes out of a command.
fn output(command: &Command) -> Output<'_> {
    let words: &[Word] = &command.words;
    let name = name_of(words);
    let name = name.unwrap_or_default();
    let input = command
        .redirections
        .iter()
        .rev()
        .find(|redirection| redirection.is_input());
    if matches!(name, "echo" | "printf") {
        return written(name, words.get(1..).unwrap_or_default());
    }
    let lets_through = passes_lines(words);
    let program = tenon_programs::find(name);
    if !lets_through && !program.is_some_and(|program| program.is(Traits::DUMPS)) {
        return Output::Unknown;
    }
    let Some(input) = input else {
        return if lets_through {
            Output::Lines
        } else {
            of_files(words)
        };
    };
    let document = input.here_document.as_ref();
    match (
        input.operator,
        document.and_then(|document| document.text.as_deref()),
    ) {
        (_, Some(text)) => Output::Texts(vec![Cow::Borrowed(text)]),
        (RedirectionOperator::HereString, None) => match input.target.literal() {
            Some(text) => Output::Texts(vec![Cow::Borrowed(text)]),
            None => Output::Unknown,
        },
        (RedirectionOperator::Read, None) if input.target.literal().is_some() => Output::Files,
        _ => Output::Unknown,
    }
}

/// A program that is given names of files, or a dump of a database.
fn of_files(words: &[Word]) -> Output<'static> {
    let is_input = |word: &Word| {
        matches!(word.literal(), Some("-" | "/dev/stdin"))
            || word.prefix().starts_with("/dev/fd/")
            || word.prefix().starts_with("/proc/")
            || is_pipe(word)
    };
    match words.iter().any(is_input) {
        true => Output::Unknown,
        false => Output::Files,
    }
}

/// What `echo` and `printf` write, with marks for line ends as they are and as what they stand for.
fn written<'c>(name: &str, arguments: &'c [Word]) -> Output<'c> {
    let texts: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
    let Some(texts) = texts else {
        return Output::Unknown;
    };
    let joined = texts.join(" ");
    let other_signs = |text: &str| {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once('\\') {
            let sign = behind.chars().next();
            if sign.is_some_and(|sign| matches!(sign, 'x' | 'u' | 'U' | 'c' | '0'..='9')) {
                return true;
            }
            rest = behind
                .get(sign.map_or(0, char::len_utf8)..)
                .unwrap_or_default();
        }
        false
    };
    if other_signs(&joined) {
        return Output::Unknown;
    }
    let mut possible: Vec<Cow<'c, str>> = texts.iter().map(|text| Cow::Borrowed(*text)).collect();
    if name == "printf" {
        let format = texts.first().copied().unwrap_or_default();
        let plain = format
            .replace("%s", "")
            .replace("%d", "")
            .replace("%b", "")
            .replace("%%", "");
        if plain.contains('%') {
            return Output::Unknown;
        }
        possible.push(Cow::Owned(formatted(&texts)));
    }
    possible.push(Cow::Owned(joined));
    let unescaped: Vec<_> = possible
        .iter()
        .map(|text| Cow::Owned(unescaped(text)))
        .collect();
    possible.extend(unescaped);
    Output::Texts(possible)
}
