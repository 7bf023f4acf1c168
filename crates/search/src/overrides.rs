//! The globs of a scope, as `rg --glob` takes them, and extended patterns beside them.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Error, Match};

use crate::extglob::ExtGlob;
use crate::glob::{is_absolute, listed, plain_names, relative, within};
use crate::{Scope, SearchError};

/// What globs say about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Kept,
    Left,
    Silent,
}

/// Compiled globs; a later one wins over an earlier one.
#[derive(Debug)]
pub(crate) enum Overrides {
    /// All of them are ripgrep's.
    Plain(Override),
    /// At least one has an extended pattern.
    Mixed(Vec<Part>),
}

/// One glob.
#[derive(Debug)]
pub(crate) enum Part {
    Plain(Gitignore),
    Extended {
        glob: ExtGlob,
        negated: bool,
        /// Whether the name alone decides.
        name_only: bool,
    },
}

impl Overrides {
    /// Nothing when there are no globs.
    pub(crate) fn new(scope: &Scope) -> Result<Option<Self>, SearchError> {
        if scope.globs.is_empty() {
            return Ok(None);
        }
        let single = scope.globs.iter().flat_map(|glob| {
            let parts = listed(glob);
            parts.unwrap_or_else(|| vec![glob.as_str()])
        });
        let globs = single.map(|glob| anchored(scope, glob));
        let globs: Vec<String> = globs.collect::<Result<_, _>>()?;
        if globs.iter().any(|glob| needs_characters(split(glob).1)) {
            let parts = globs.iter().map(|glob| part(scope, glob));
            return Ok(Some(Self::Mixed(parts.collect::<Result<_, _>>()?)));
        }
        let mut builder = OverrideBuilder::new(&scope.root);
        builder
            .case_insensitive(scope.case_insensitive_globs)
            .map_err(|error| SearchError::glob("", reason(&error)))?;
        for glob in &globs {
            builder
                .add(glob)
                .map_err(|error| SearchError::glob(glob, reason(&error)))?;
        }
        let overrides = builder
            .build()
            .map_err(|error| SearchError::glob(&scope.globs.join(" "), reason(&error)))?;
        Ok((!overrides.is_empty()).then_some(Self::Plain(overrides)))
    }

    /// What the globs say about the entry at `path`, which counts from the root.
    pub(crate) fn judge(&self, path: &Path, is_directory: bool) -> Choice {
        let parts = match self {
            Self::Plain(overrides) => {
                return match overrides.matched(path, is_directory) {
                    Match::Ignore(_) => Choice::Left,
                    Match::Whitelist(_) => Choice::Kept,
                    Match::None => Choice::Silent,
                };
            }
            Self::Mixed(parts) => parts,
        };
        let decided = parts
            .iter()
            .rev()
            .map(|part| part.judge(path, is_directory))
            .find(|choice| *choice != Choice::Silent);
        match decided {
            Some(choice) => choice,
            // As soon as one glob names what is wanted, other files are not.
            None if !is_directory && parts.iter().any(Part::is_positive) => Choice::Left,
            None => Choice::Silent,
        }
    }
}

impl Part {
    fn judge(&self, path: &Path, is_directory: bool) -> Choice {
        match self {
            Self::Plain(glob) => match glob.matched(path, is_directory) {
                Match::Ignore(_) => Choice::Kept,
                Match::Whitelist(_) => Choice::Left,
                Match::None => Choice::Silent,
            },
            Self::Extended {
                glob,
                negated,
                name_only,
            } => {
                let text = path.to_string_lossy();
                let text = if cfg!(windows) {
                    text.replace('\\', "/")
                } else {
                    text.into_owned()
                };
                let judged = if *name_only {
                    text.rsplit('/').next().unwrap_or(&text)
                } else {
                    &text
                };
                match (glob.is_match(judged), negated) {
                    (true, true) => Choice::Left,
                    (true, false) => Choice::Kept,
                    (false, _) => Choice::Silent,
                }
            }
        }
    }

    fn is_positive(&self) -> bool {
        match self {
            Self::Plain(glob) => glob.num_ignores() > 0,
            Self::Extended { negated, .. } => !negated,
        }
    }
}

/// Whether a glob excludes, and the glob without the sign that says so. In `!(a|b)` the sign begins
/// an extended pattern instead.
fn split(glob: &str) -> (bool, &str) {
    match glob.strip_prefix('!') {
        Some(rest) if !(rest.starts_with('(') && ExtGlob::is_needed(glob)) => (true, rest),
        _ => (false, glob),
    }
}

/// The glob with `/` in front where it counts from the root: `./a`, or an absolute path within the root. Names that say
/// nothing are taken out.
fn anchored(scope: &Scope, glob: &str) -> Result<String, SearchError> {
    let (negated, body) = split(glob);
    let root = &scope.root;
    let is_absolute =
        is_absolute(body) && (Path::new(body).starts_with(root) || within(body, root).is_some());
    let relative = if is_absolute {
        relative(body, root)?
    } else {
        body
    };
    let has_plain_names = !body.contains("//") && !body.split('/').any(|name| name == ".");
    if !is_absolute && has_plain_names {
        return Ok(glob.to_owned());
    }
    let inner = relative.trim_end_matches('/');
    let names = plain_names(inner).map_err(|reason| SearchError::glob(glob, reason))?;
    let end = if inner.len() < relative.len() {
        "/"
    } else {
        ""
    };
    let sign = if negated { "!" } else { "" };
    Ok(format!("{sign}/{names}{end}"))
}

/// Whether a glob is compared by characters. One of directories is left to ripgrep, whose rule for them it is.
fn needs_characters(glob: &str) -> bool {
    let is_better = ExtGlob::is_better(glob) || has_empty_alternative(glob);
    ExtGlob::is_needed(glob) || (is_better && !glob.ends_with('/'))
}

/// Whether braces offer nothing beside something, as in `a{,.test}.ts`: ripgrep takes that for no offer at all, unlike shells
/// and [`find`](crate::find()).
fn has_empty_alternative(glob: &str) -> bool {
    ["{,", ",,", ",}"].iter().any(|empty| glob.contains(empty))
}

fn part(scope: &Scope, glob: &str) -> Result<Part, SearchError> {
    let (negated, body) = split(glob);
    if !needs_characters(body) {
        let mut builder = GitignoreBuilder::new(&scope.root);
        builder
            .case_insensitive(scope.case_insensitive_globs)
            .and_then(|builder| builder.add_line(None, glob))
            .map_err(|error| SearchError::glob(glob, reason(&error)))?;
        let built = builder
            .build()
            .map_err(|error| SearchError::glob(glob, reason(&error)))?;
        return Ok(Part::Plain(built));
    }
    // As in ripgrep: with a slash it counts from the root, without one it matches names anywhere.
    let name = body.strip_prefix("**/").unwrap_or(body);
    let compiled = ExtGlob::new(
        body.strip_prefix('/')
            .unwrap_or(if name.contains('/') { body } else { name }),
        scope.case_insensitive_globs,
    )
    .map_err(|reason| SearchError::glob(glob, reason))?;
    Ok(Part::Extended {
        glob: compiled,
        negated,
        name_only: !name.contains('/'),
    })
}

/// The core of an error of the `ignore` crate, which repeats the glob in its text.
pub(crate) fn reason(error: &Error) -> String {
    match error {
        Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}
