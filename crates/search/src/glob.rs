//! The globs of [`find`](crate::find()). A glob of `*`, `**`, braces and ASCII is compared by bytes, any other by
//! characters: bytes are faster and come to the same there.

use std::borrow::Cow;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::SearchError;
use crate::directory::to_path;
use crate::extglob::ExtGlob;

/// What is between the names of a path on this system.
const SEPARATORS: [char; 2] = ['/', std::path::MAIN_SEPARATOR];

/// A compiled glob, with what is known of it without matching.
#[derive(Debug)]
pub(crate) struct PathGlob {
    matching: Matching,
    /// Whether the name alone decides.
    name_only: bool,
    /// Whether only directories can match (`src/`).
    pub(crate) directories_only: bool,
    /// The names that the path must begin with: nothing else needs to be looked at.
    prefix: Vec<Vec<u8>>,
    /// How many names a matching path has at most.
    depth: Option<usize>,
}

/// How a path or name is compared.
#[derive(Debug)]
enum Matching {
    /// The name is this.
    Name(Vec<u8>),
    /// The name ends in this.
    Suffix(Vec<u8>),
    Set(GlobSet),
    Extended(ExtGlob),
}

impl Matching {
    fn is_match(&self, text: &[u8], name: &[u8]) -> bool {
        match self {
            Self::Name(wanted) => name == wanted,
            Self::Suffix(suffix) => name.ends_with(suffix),
            Self::Set(set) => set.is_match(to_path(text)),
            Self::Extended(glob) => glob.is_match(&String::from_utf8_lossy(text)),
        }
    }
}

/// The globs of a text that lists several, such as `*.ts,*.tsx` or `*.ts *.tsx`, as models write them; `None` where it is one.
///
/// A comma or a blank outside of braces, classes and groups separates globs only where each of them has a star before a dot or a
/// slash: whatever looks for names with commas (`*,v`, `*,*`) stays one.
pub(crate) fn listed(glob: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut is_escaped) = (0_usize, 0, false);
    for (at, letter) in glob.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && (letter == ',' || letter.is_whitespace()) => {
                parts.push(glob.get(start..at)?);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(glob.get(start..)?);
    parts.retain(|part| !part.is_empty());
    let is_glob = |part: &&str| part.contains("*.") || part.contains("*/");
    (parts.len() > 1 && parts.iter().all(is_glob)).then_some(parts)
}

/// One glob for several, those without `/` at any depth where the text as one would be.
fn braced(parts: &[&str], any_depth: bool) -> String {
    let has_directory = |part: &str| part.contains('/');
    let is_mixed = any_depth && parts.iter().any(|part| has_directory(part));
    let parts = parts.iter().map(|part| {
        let is_name = is_mixed && !has_directory(part);
        format!("{}{part}", if is_name { "**/" } else { "" })
    });
    format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
}

impl PathGlob {
    /// Compiles `glob`, which counts from `root`. With `any_depth` a glob without `/` matches names
    /// at any depth.
    pub(crate) fn new(
        glob: &str,
        root: &Path,
        any_depth: bool,
        case_insensitive: bool,
    ) -> Result<Self, SearchError> {
        let several = match listed(glob) {
            Some(parts) => {
                let parts = parts.into_iter().map(|part| relative(part, root));
                let parts: Vec<&str> = parts.collect::<Result<_, _>>()?;
                Some(braced(&parts, any_depth))
            }
            None => None,
        };
        let glob = several.as_deref().unwrap_or(glob);
        let relative = relative(glob, root)?;
        let directories_only = relative.ends_with('/');
        if relative.is_empty() {
            return Err(SearchError::glob(glob, "it is empty"));
        }
        let body = plain_names(relative.trim_end_matches('/'))
            .map_err(|reason| SearchError::glob(glob, reason))?;
        let body = body.as_ref();
        // `./a` is the one in the searched directory.
        let any_depth = any_depth && !glob.trim_end_matches('/').contains('/');
        // `**/` before a name says no more than that the name may be anywhere.
        let name = body.strip_prefix("**/").unwrap_or(body);
        let is_name = !name.contains('/') && name != "**" && !name.is_empty();
        let name_only = is_name && (any_depth || name.len() < body.len());
        let matching = compile(
            glob,
            if name_only { name } else { body },
            name_only,
            case_insensitive,
        )?;
        let prefix = if name_only || case_insensitive {
            Vec::new()
        } else {
            literal_prefix(body)
        };
        Ok(Self {
            matching,
            name_only,
            directories_only,
            prefix,
            depth: if name_only { None } else { depth(body) },
        })
    }

    /// Whether the entry `name` of `directory` matches.
    /// `key` is the directory's.
    pub(crate) fn matches(&self, key: &[u8], name: &[u8], path: &mut Vec<u8>) -> bool {
        if self.name_only {
            return self.matching.is_match(name, name);
        }
        path.clear();
        path.extend(key.iter().map(|byte| if *byte == 0 { b'/' } else { *byte }));
        path.extend_from_slice(name);
        self.matching.is_match(path, name)
    }

    /// Whether the entry `name` of `directory` can match, as far as is known without matching.
    /// `depth` is the directory's.
    pub(crate) fn can_match(&self, depth: usize, name: &[u8]) -> bool {
        let length = depth + 1;
        self.is_on_prefix(depth, name)
            && length >= self.prefix.len()
            && self.depth.is_none_or(|most| length <= most)
    }

    /// Whether something in the directory `name` of `directory` can match.
    pub(crate) fn can_match_below(&self, depth: usize, name: &[u8]) -> bool {
        let length = depth + 1;
        self.is_on_prefix(depth, name) && self.depth.is_none_or(|most| length < most)
    }

    fn is_on_prefix(&self, depth: usize, name: &[u8]) -> bool {
        self.prefix.get(depth).is_none_or(|wanted| wanted == name)
    }
}

/// Compiles `body`, the part of `glob` that is compared: with a name if `name_only`, else with a
/// path.
fn compile(
    glob: &str,
    body: &str,
    name_only: bool,
    case_insensitive: bool,
) -> Result<Matching, SearchError> {
    let is_literal = |text: &str| !text.contains(['*', '?', '[', ']', '{', '}', ',', '\\']);
    if name_only && !case_insensitive && !ExtGlob::is_needed(body) {
        if is_literal(body) {
            return Ok(Matching::Name(body.into()));
        }
        if let Some(suffix) = body.strip_prefix('*').filter(|suffix| is_literal(suffix)) {
            return Ok(Matching::Suffix(suffix.into()));
        }
    }
    if ExtGlob::is_better(body) {
        return ExtGlob::new(body, case_insensitive)
            .map(Matching::Extended)
            .map_err(|reason| SearchError::glob(glob, reason));
    }
    // The form for which the glob engine compares extensions and names without a regex.
    let compiled = if name_only {
        format!("**/{body}")
    } else {
        body.to_owned()
    };
    let matcher = GlobBuilder::new(&compiled)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .case_insensitive(case_insensitive)
        .build()
        .map_err(|error| SearchError::glob(glob, error.kind().to_string()))?;
    let set = GlobSetBuilder::new()
        .add(matcher)
        .build()
        .map_err(|error| SearchError::glob(glob, error.kind().to_string()))?;
    Ok(Matching::Set(set))
}

/// Whether a glob begins at the root of the file system or with a drive.
pub(crate) fn is_absolute(glob: &str) -> bool {
    glob.starts_with('/') || Path::new(glob).is_absolute()
}

/// The glob relative to `root`.
pub(crate) fn relative<'g>(glob: &'g str, root: &Path) -> Result<&'g str, SearchError> {
    if !is_absolute(glob) {
        return Ok(glob);
    }
    within(glob, root).ok_or_else(|| {
        let root = root.to_string_lossy();
        let root = root.trim_end_matches(SEPARATORS);
        SearchError::glob(
            glob,
            format!("it does not lie in `{root}`, which is searched; use a relative glob"),
        )
    })
}

/// What stands behind `root` in an absolute glob.
pub(crate) fn within<'g>(glob: &'g str, root: &Path) -> Option<&'g str> {
    let root = root.to_string_lossy();
    let root = root.trim_end_matches(SEPARATORS);
    let (start, rest) = glob.split_at_checked(root.len())?;
    // Windows has two separators, and names in any case.
    let is_root = if cfg!(windows) {
        let spelled = |text: &str| text.replace('\\', "/").to_ascii_lowercase();
        spelled(start) == spelled(root)
    } else {
        start == root
    };
    rest.strip_prefix(SEPARATORS).filter(|_| is_root)
}

/// A glob without the names that say nothing: empty ones, `.`, and what `..` leads back from.
pub(crate) fn plain_names(glob: &str) -> Result<Cow<'_, str>, &'static str> {
    if !glob.split('/').any(|name| ["", ".", ".."].contains(&name)) {
        return Ok(Cow::Borrowed(glob));
    }
    let mut names: Vec<&str> = Vec::new();
    for name in glob.split('/') {
        match name {
            "" | "." => {}
            ".." => match names.pop() {
                Some(left) if literal_prefix(left).len() == 1 => {}
                Some(_) => return Err("`..` cannot stand behind a pattern; omit both"),
                None => {
                    return Err(
                        "`..` leads out of the searched directory; search that directory instead",
                    );
                }
            },
            name => names.push(name),
        }
    }
    if names.is_empty() {
        return Err("it names the searched directory itself; use `**` for what is in it");
    }
    Ok(Cow::Owned(names.join("/")))
}

/// The names at the start of a glob that stand for themselves.
fn literal_prefix(glob: &str) -> Vec<Vec<u8>> {
    glob.split('/')
        .take_while(|part| {
            !part.is_empty()
                && *part != "."
                && !part.contains(['*', '?', '[', ']', '{', '}', ',', '\\', '('])
        })
        .map(|part| part.as_bytes().to_vec())
        .collect()
}

/// How many names a matching path has at most; `None` for any number.
fn depth(glob: &str) -> Option<usize> {
    // `[/]` never matches, `{a/b,c}` and `@(a/b|c)` may: with either the slashes cannot be counted.
    let countable = !glob.contains("**") && !glob.contains(['{', '[', '\\', '(']);
    countable.then(|| glob.split('/').count())
}
