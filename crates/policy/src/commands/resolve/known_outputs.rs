//! Substitutions whose output is known before they run: the directory of the call (`$(pwd)`), its repository
//! (`$(git rev-parse --show-toplevel)`), and names of new temporary files (`$(mktemp)`), which are of no file that is there.

use std::path::{Path, PathBuf};

use tenon_contract::{CommandClaim, posix_path};
use tenon_shell::{Command, Descriptor, Examination, Redirection, ScopeId, Script, Span, Word};

use crate::commands::resolve::PathTable;

/// What stands for the letters that `mktemp` chooses.
const CHOSEN: &str = "tmp.XXXXXXXXXX";

/// A substitution of the text itself, and what it may print. What a program prints that fails is nothing.
pub(crate) struct KnownOutput {
    pub(crate) scope: ScopeId,
    pub(crate) values: Vec<Word>,
}

/// What a call brings that such commands print.
pub(crate) struct Surroundings<'c> {
    pub(crate) claim: &'c CommandClaim,
    /// Whether the text may give a program of this name another meaning.
    pub(crate) is_redefined: &'c dyn Fn(&str) -> bool,
}

/// The substitutions of the text itself whose output is known.
pub(crate) fn known_outputs(
    examination: &Examination,
    surroundings: &Surroundings<'_>,
    path_table: &PathTable<'_>,
) -> Vec<KnownOutput> {
    let Some(text) = examination.texts.first() else {
        return Vec::new();
    };
    let names = ["pwd", "rev-parse", "mktemp"];
    if !names.iter().any(|name| text.text.contains(name)) {
        return Vec::new();
    }
    let script = &text.script;
    let alone = commands_alone(script);
    let known = alone.into_iter().filter_map(|(place, scope, command)| {
        let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
        let is_own = |name: &&str| !(surroundings.is_redefined)(name);
        let words = words.filter(|words| words.first().is_some_and(is_own))?;
        let values = match words.as_slice() {
            ["pwd"] => vec![working_directory(
                examination,
                (place, scope),
                surroundings,
            )?],
            ["git", "rev-parse", "--show-toplevel"] => {
                let directory = working_directory(examination, (place, scope), surroundings)?;
                let top = path_table.resolver().work_tree(Path::new(&directory))?;
                vec![top.to_str()?.to_owned(), String::new()]
            }
            ["mktemp", rest @ ..] => {
                let temporary = path_table.temporary();
                let mut names = new_names(rest, examination, (surroundings, temporary))?;
                names.push(String::new());
                names
            }
            _ => return None,
        };
        let values = values.iter();
        let values = values.map(|value| Word::synthetic(value, Span::new(0, 0)));
        Some(KnownOutput {
            scope,
            values: values.collect(),
        })
    });
    known.collect()
}

/// The commands that are all that their substitution does, with the number of their finding. Errors may be hidden.
pub(crate) fn commands_alone(script: &Script) -> Vec<(usize, ScopeId, &Command)> {
    let mut counts = vec![0_usize; script.scopes.len()];
    for finding in &script.findings {
        for (scope, _) in script.enclosing(finding.scope) {
            if let Some(count) = counts.get_mut(scope.index()) {
                *count += 1;
            }
        }
    }
    let hides_errors = |redirection: &Redirection| {
        matches!(&redirection.descriptor, Some(Descriptor::Number(number)) if number == "2")
            && redirection.target.literal() == Some("/dev/null")
    };
    let findings = script.findings.iter().enumerate();
    let alone = findings.filter_map(|(place, finding)| {
        let command = finding.kind.command()?;
        let is_alone = counts.get(finding.scope.index()) == Some(&1)
            && command.assignments.is_empty()
            && command.redirections.iter().all(hides_errors);
        is_alone.then_some((place, finding.scope, command))
    });
    alone.collect()
}

/// The directory of the call, where the text is still in it.
fn working_directory(
    examination: &Examination,
    (place, scope): (usize, ScopeId),
    surroundings: &Surroundings<'_>,
) -> Option<String> {
    let moves = |text: &tenon_shell::ExaminedText| -> Vec<usize> {
        let changing = text.invocations.iter().filter(|(_, invocation)| {
            let mut chain = invocation.chain().into_iter();
            chain.any(|command| command.directory_change().is_some())
        });
        changing.map(|(finding, _)| *finding).collect()
    };
    let (first, others) = examination.texts.split_first()?;
    let own = moves(first);
    let mut around = first.script.ancestry(scope);
    let is_first = own.is_empty()
        || own.iter().all(|moving| *moving > place) && !around.any(|kind| kind.may_repeat());
    let directory = &surroundings.claim.directory.target;
    (is_first && others.iter().all(|text| moves(text).is_empty()))
        .then(|| posix_path(directory).to_str().map(str::to_owned))?
}

/// A name that `mktemp` may choose in each directory for temporary files.
fn new_names(
    words: &[&str],
    examination: &Examination,
    (surroundings, temporary): (&Surroundings<'_>, &[PathBuf]),
) -> Option<Vec<String>> {
    let names_directory = |name: &str| name == "TMPDIR";
    let mut given = surroundings.claim.environment.iter();
    let mut set = examination
        .texts
        .iter()
        .flat_map(|text| text.script.assignments());
    let mut named = examination
        .commands()
        .flat_map(tenon_shell::Invocation::assigned_names);
    if given.any(|given| names_directory(&given.name))
        || set.any(|assignment| names_directory(&assignment.name))
        || named.any(|name| name.is_none_or(|name| names_directory(&name)))
    {
        return None;
    }
    let mut template = None;
    for word in words {
        match *word {
            "-d" | "-q" | "-dq" | "-qd" | "--directory" | "--quiet" => {}
            text if text.starts_with('-') || template.is_some() => return None,
            text => template = Some(text),
        }
    }
    match template {
        // The letters are others each time: of a template only that it lies there is needed.
        Some(template) => {
            let is_plain = template.ends_with("XXX") && !template.contains("..");
            (is_plain && template.starts_with("/tmp/")).then(|| vec![template.to_owned()])
        }
        None => {
            let directories = temporary.iter().map(|directory| directory.to_str());
            let names = directories.map(|directory| Some(format!("{}/{CHOSEN}", directory?)));
            let names: Vec<String> = names.collect::<Option<_>>()?;
            (!names.is_empty()).then_some(names)
        }
    }
}
