//! Writes findings down in a short form, so that tables of expectations can be read.
//!
//! One line for each finding: the scopes around it, outermost first, each as one mark, a space, then what was found.
//! A literal word stands as it is (in `"…"` if it holds unusual characters), an opaque one as `‹source›`.

use tenon_shell::{
    Assignment, Command, Descriptor, FindingKind, MarkKind, Redirection, RedirectionOperator,
    ScopeKind, Script, Word,
};

/// The findings of a script, one line each.
pub(crate) fn lines(script: &Script, text: &str) -> Vec<String> {
    script
        .findings
        .iter()
        .filter(|finding| !matches!(finding.kind, FindingKind::Evaluated(_)))
        .map(|finding| {
            let mut scopes: Vec<String> = script
                .ancestry(finding.scope)
                .filter(|kind| **kind != ScopeKind::Script)
                .map(scope)
                .collect();
            scopes.reverse();
            let scopes = scopes.concat();
            let what = match &finding.kind {
                FindingKind::Command(found) => command(found, text),
                FindingKind::Assignment(found) => {
                    format!("{:?} {}", found.kind, assignment(found, text))
                }
                FindingKind::Redirection(found) => redirection(found, text),
                FindingKind::Function(found) => format!("function {}", found.name),
                FindingKind::Conditional(found) => format!("[[ {} ]]", words(&found.words, text)),
                FindingKind::Case(found) => {
                    format!(
                        "case {} in {}",
                        word(&found.subject, text),
                        words(&found.patterns, text)
                    )
                }
                FindingKind::Arithmetic(span) => {
                    format!("arithmetic {}", span.of(text).unwrap_or("?"))
                }
                FindingKind::Evaluated(_) => String::new(),
                FindingKind::Mark(found) => match &found.kind {
                    MarkKind::Alias(name) => {
                        format!("mark alias {}", name.as_deref().unwrap_or("?"))
                    }
                    MarkKind::Option(name) => {
                        format!("mark option {}", name.as_deref().unwrap_or("?"))
                    }
                    MarkKind::Variable(name) => format!("mark variable {name}"),
                    MarkKind::DelayedCode => "mark code".to_owned(),
                },
            };
            if scopes.is_empty() {
                what
            } else {
                format!("{scopes} {what}")
            }
        })
        .collect()
}

fn scope(kind: &ScopeKind) -> String {
    match kind {
        ScopeKind::Script | ScopeKind::Plain => String::new(),
        ScopeKind::Background => "&".into(),
        ScopeKind::PipelineElement => "|".into(),
        ScopeKind::Branch => "?".into(),
        ScopeKind::Loop => "@".into(),
        ScopeKind::Subshell => "(".into(),
        ScopeKind::FunctionBody(name) => format!("{name}:"),
        ScopeKind::CommandSubstitution => "$".into(),
        ScopeKind::ProcessSubstitution => "<".into(),
        ScopeKind::Coprocess => "co:".into(),
    }
}

fn command(command: &Command, text: &str) -> String {
    let mut pieces: Vec<String> = command
        .assignments
        .iter()
        .map(|found| format!("{:?}({})", found.kind, assignment(found, text)))
        .collect();
    pieces.extend(command.words.iter().map(|found| word(found, text)));
    pieces.extend(
        command
            .redirections
            .iter()
            .map(|found| redirection(found, text)),
    );
    pieces.join(" ")
}

fn assignment(assignment: &Assignment, text: &str) -> String {
    let subscript = assignment
        .subscript
        .as_ref()
        .map(|subscript| format!("[{}]", word(subscript, text)))
        .unwrap_or_default();
    let plus = if assignment.append { "+" } else { "" };
    format!(
        "{}{subscript}{plus}={}",
        assignment.name,
        words(&assignment.values, text)
    )
}

fn redirection(redirection: &Redirection, text: &str) -> String {
    let descriptor = match &redirection.descriptor {
        None => String::new(),
        Some(Descriptor::Number(number)) => number.clone(),
        Some(Descriptor::Variable(name)) => format!("{{{name}}}"),
    };
    let operator = match redirection.operator {
        RedirectionOperator::Read => "<",
        RedirectionOperator::Write => ">",
        RedirectionOperator::Append => ">>",
        RedirectionOperator::Clobber => ">|",
        RedirectionOperator::ReadWrite => "<>",
        RedirectionOperator::DuplicateInput => "<&",
        RedirectionOperator::DuplicateOutput => ">&",
        RedirectionOperator::WriteBoth => "&>",
        RedirectionOperator::AppendBoth => "&>>",
        RedirectionOperator::HereDocument => "<<",
        RedirectionOperator::HereDocumentTabs => "<<-",
        RedirectionOperator::HereString => "<<<",
    };
    let body = match &redirection.here_document {
        None => String::new(),
        Some(document) => match (&document.text, document.expands) {
            (Some(text), true) => format!("={text:?}"),
            (Some(text), false) => format!("={text:?}!"),
            (None, _) => "=?".to_owned(),
        },
    };
    format!(
        "{descriptor}{operator}{}{body}",
        word(&redirection.target, text)
    )
}

fn words(words: &[Word], text: &str) -> String {
    let words: Vec<String> = words.iter().map(|found| word(found, text)).collect();
    words.join(" ")
}

fn word(word: &Word, text: &str) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || b"_./=:,+-@%!#^~".contains(&byte) || !byte.is_ascii()
    };
    match word.literal() {
        Some(value) if !value.is_empty() && value.bytes().all(plain) => value.to_owned(),
        Some(value) => format!("{value:?}"),
        None => format!("‹{}›", word.span.of(text).unwrap_or("?")),
    }
}
