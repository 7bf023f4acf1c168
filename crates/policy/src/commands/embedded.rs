//! Names that get another meaning somewhere in a text (B12): functions, aliases, `hash -p`, `enable`.

use hashbrown::HashSet;
use tenon_shell::{Examination, FindingKind, MarkKind};

/// The names, and whether some cannot be told.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Redefined {
    pub(crate) names: HashSet<String>,
    pub(crate) unknown: bool,
}

/// Everything that is redefined anywhere: an earlier line of a loop can run after a later one.
pub(crate) fn redefined(examination: &Examination) -> Redefined {
    let mut redefined = Redefined::default();
    for text in &examination.texts {
        for finding in &text.script.findings {
            match &finding.kind {
                FindingKind::Function(function) => {
                    redefined.names.insert(function.name.clone());
                }
                FindingKind::Mark(mark) => match &mark.kind {
                    MarkKind::Alias(Some(name)) => {
                        redefined.names.insert(name.clone());
                    }
                    MarkKind::Alias(None) => redefined.unknown = true,
                    MarkKind::Option(_) | MarkKind::Variable(_) | MarkKind::DelayedCode => {}
                },
                _ => {}
            }
        }
    }
    for invocation in examination.commands() {
        for name in invocation.redefined_names() {
            match name {
                Some(name) => {
                    redefined.names.insert(name.into_owned());
                }
                None => redefined.unknown = true,
            }
        }
    }
    redefined
}
