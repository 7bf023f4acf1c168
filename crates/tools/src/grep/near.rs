//! Why a search found nothing: what it would have found had it been asked a little differently.

use std::borrow::Cow;

use tenon_edit::shown_name;
use tenon_search::{
    Case, Control, Facts, GrepMode, GrepOutput, GrepRequest, Index, Pattern, RuledOut, Scope,
    hiding_rule,
};

use crate::searching::{hides_some, only_hidden};

/// What the search itself has seen of looser forms.
pub(super) struct LooserForms {
    other_case: Option<String>,
    ruled_out: RuledOut,
    facts: Facts,
}

impl LooserForms {
    pub(super) fn of(found: &mut GrepOutput) -> Self {
        Self {
            other_case: found.other_case.take(),
            ruled_out: found.ruled_out,
            facts: found.facts,
        }
    }
}

/// The first of these that matches: the same without regard to case, with alternatives for `\|`, as plain text, without its anchors, in what ignore
/// files hide, in binary files. A plain text was looked for in any case on the way, and so was what an expression needs to
/// match; the rest is looked for as long as `control` lets. With the parameter that would have found it, if there is one.
/// `shown` is the name of what is searched where it is not that of its file.
pub(super) fn near(
    (request, shown): (&GrepRequest, Option<&str>),
    seen: LooserForms,
    index: &Index,
    control: &Control<'_>,
) -> (Vec<String>, Option<&'static str>) {
    let (facts, ruled_out) = (seen.facts, seen.ruled_out);
    let looser = LooserSearch {
        request,
        shown,
        index,
        control,
    };
    if let Some(found) = looser.other_case(seen.other_case, ruled_out) {
        return (vec![found], Some("ignore_case"));
    }
    let found = looser
        .with_alternatives()
        .or_else(|| (!ruled_out.plain_text).then(|| looser.as_plain_text())?)
        .or_else(|| (!ruled_out.without_anchors).then(|| looser.without_anchors())?)
        .or_else(|| hides_some(&facts).then(|| looser.hidden())?)
        .or_else(|| (facts.binary > 0).then(|| looser.binary())?);
    (found.into_iter().collect(), None)
}

/// Where a search finds an ignored file: in its directory, if that or one above it is what is ignored, else by its own name.
fn way_to<'p>(scope: &Scope, path: &'p str) -> &'p str {
    let Some((directory, _)) = path.rsplit_once('/') else {
        return path;
    };
    let mut within = scope.clone();
    within.root = scope.base.join(directory);
    match hiding_rule(&within, path) {
        None => directory,
        Some(_) => path,
    }
}

struct LooserSearch<'a> {
    request: &'a GrepRequest,
    shown: Option<&'a str>,
    index: &'a Index,
    control: &'a Control<'a>,
}

impl LooserSearch<'_> {
    /// What a hint calls the file at `path`.
    fn name<'p>(&'p self, path: &'p str) -> Cow<'p, str> {
        shown_name(self.shown.unwrap_or(path))
    }

    /// The first file that the changed request finds in the time that is left.
    fn attempt(&self, change: impl FnOnce(&mut GrepRequest)) -> Option<String> {
        self.attempt_within(self.control, change)
    }

    fn attempt_within(
        &self,
        control: &Control<'_>,
        change: impl FnOnce(&mut GrepRequest),
    ) -> Option<String> {
        let mut other = self.request.clone();
        other.mode = GrepMode::Files;
        other.limit = Some(1);
        other.offset = 0;
        other.notes_case = false;
        change(&mut other);
        let found = self.index.grep(&other, control).ok()?;
        Some(found.files.first()?.path.clone())
    }

    /// The first file in which another pattern is found. To compile one takes longer than most searches, nearly all of it for
    /// letters beyond ASCII. So it is searched for by those of ASCII, and compiled in full only for the file that this finds.
    fn attempt_pattern(&self, pattern: Pattern) -> Option<String> {
        let Some(quick) = pattern.in_ascii() else {
            return self.attempt(|other| other.pattern = pattern);
        };
        let path = self.attempt(|other| other.pattern = quick)?;
        // One file, and a hint that is nearly certain: it is not given up for want of time.
        let control = Control {
            deadline: None,
            ..self.control.clone()
        };
        self.attempt_within(&control, |other| {
            other.scope.root = other.scope.base.join(&path);
            other.pattern = pattern;
        })
    }

    fn other_case(&self, noted: Option<String>, ruled_out: RuledOut) -> Option<String> {
        let pattern = &self.request.pattern;
        let was_noted = ruled_out.other_case || (pattern.is_plain() && !pattern.multiline);
        let differs = || match pattern.in_ascii() {
            Some(quick) => quick.differs_by_case(),
            None => pattern.differs_by_case(),
        };
        let in_any_case = || {
            let case = Case::Insensitive;
            let pattern = pattern.clone();
            self.attempt_pattern(Pattern { case, ..pattern })
        };
        let path = noted.or_else(|| (!was_noted && differs()).then(in_any_case)?)?;
        let path = self.name(&path);
        Some(format!("Case-insensitive, `{path}` matches"))
    }

    fn as_plain_text(&self) -> Option<String> {
        if self.request.pattern.is_plain() {
            return None;
        }
        let path = self.attempt(|other| other.pattern.literal = true)?;
        let path = self.name(&path);
        Some(format!("As plain text, `{path}` matches"))
    }

    fn with_alternatives(&self) -> Option<String> {
        let loose = self.request.pattern.with_alternatives()?;
        let path = self.attempt_pattern(loose)?;
        let path = self.name(&path);
        Some(format!(
            "`\\|` is a plain `|` here. With `|` for alternatives, `{path}` matches"
        ))
    }

    fn without_anchors(&self) -> Option<String> {
        let loose = self.request.pattern.without_anchors()?;
        let path = self.attempt_pattern(loose)?;
        let path = self.name(&path);
        Some(format!("Without the anchor (`^` or `$`), `{path}` matches"))
    }

    fn hidden(&self) -> Option<String> {
        let path = self.attempt(|other| other.scope.only_ignored = true)?;
        Some(format!(
            "{}. Search in `{}` to include it",
            only_hidden(&self.request.scope, &path),
            shown_name(way_to(&self.request.scope, &path))
        ))
    }

    fn binary(&self) -> Option<String> {
        let path = self.attempt(|other| other.text = true)?;
        Some(format!(
            "The binary file `{}` matches if searched as text",
            shown_name(&path)
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_way_to_an_ignored_file_is_its_directory_or_its_own_name() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::write(root.join(".gitignore"), "*.log\nbuild/\n/top\n").unwrap();
        let ways = [
            ("build/out/b.txt", "build/out"),
            ("build/b.log", "build/b.log"),
            ("logs/deep/a.log", "logs/deep/a.log"),
            ("top", "top"),
        ];
        let scope = Scope::new(&root, &root);
        for (path, way) in ways {
            assert_eq!(way_to(&scope, path), way);
        }
    }
}
