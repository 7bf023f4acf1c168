//! Names that look the same and are written differently: composed and decomposed letters (macOS keeps names as they
//! came, its programs often decompose them), spaces other than U+0020 (macOS puts U+202F into the names of screenshots),
//! curly quotes. A model that copies such a name mostly gives the plain form.

use std::path::{Component, Path, PathBuf};

use crate::path_text::plain_form;
use crate::{Located, Workspace};

/// How many entries of a directory are looked at. Where there are more it is not known that one is the only one.
const ENTRIES: usize = 100_000;

/// Where something stands whose path looks like that of `missing`, if in every directory on the way exactly one name does.
pub(crate) fn only_lookalike(missing: &Located) -> Option<Located> {
    let workspace = missing.workspace();
    let mut located = missing.clone();
    // Each turn finds the next part that is missing, so there are no more turns than parts.
    for _ in 0..missing.target().components().count() {
        let (next, is_missing) = workspace.resolved(&with_part_found(&located)?).ok()?;
        if !is_missing {
            return Some(next);
        }
        located = next;
    }
    None
}

/// The path text of a missing place with the only name that looks like its first missing part.
fn with_part_found(missing: &Located) -> Option<String> {
    let (directory, part, after) = missing.first_missing_part()?;
    let written = plain_form(&part);
    // Only such names have lookalikes.
    if written.is_ascii() && !written.contains([' ', '\'', '"']) {
        return None;
    }
    let found = only_entry(missing.workspace(), &directory, &written)?;
    // Of a link that leads nowhere the name says nothing about where it leads.
    let tail = Path::new(&part).join(&after);
    let named = Path::new(missing.name());
    let known = named
        .components()
        .count()
        .checked_sub(tail.components().count());
    let mut name: PathBuf = named
        .components()
        .take(known.filter(|_| named.ends_with(&tail))?)
        .collect();
    name.push(found);
    name.extend(after.components());
    if missing.is_directory_only() {
        name.push("");
    }
    name.into_os_string().into_string().ok()
}

/// The entry of a directory whose name has this plain form, if there is exactly one.
fn only_entry(workspace: &Workspace, directory: &Path, written: &str) -> Option<String> {
    let place = workspace.place(directory, directory.to_owned(), false)?;
    let (mut seen, mut found) = (0, Vec::new());
    let read = place.open_as_directory().and_then(|directory| {
        directory.names(&mut |name| {
            seen += 1;
            found.extend(
                name.into_string()
                    .ok()
                    .filter(|name| plain_form(name) == written),
            );
            seen < ENTRIES && found.len() < 2
        })
    });
    let is_only = read.is_ok() && seen < ENTRIES && found.len() == 1;
    found.pop().filter(|_| is_only)
}

/// An absolute path to one of `roots` in other letters, as one beneath that root; nothing if something stands there as
/// it is written.
pub(crate) fn beneath_lookalike_of_root<'r>(
    roots: impl Iterator<Item = &'r Path>,
    path: &str,
) -> Option<String> {
    let path = Path::new(path).is_absolute().then_some(Path::new(path))?;
    let mut meant = roots.filter_map(|root| {
        let depth = root.components().count();
        let start: PathBuf = path.components().take(depth).collect();
        let looks_same = plain_form(start.to_str()?) == plain_form(root.to_str()?);
        let is_missing = std::fs::symlink_metadata(&start)
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        (looks_same && is_missing)
            .then(|| root.join(path.components().skip(depth).collect::<PathBuf>()))
    });
    let only = meant.next().filter(|_| meant.next().is_none())?;
    only.into_os_string().into_string().ok()
}

impl Located {
    /// The directory in which the way to this place ends, the name that is missing in it, and what follows that name;
    /// nothing where something stands here.
    pub(crate) fn first_missing_part(&self) -> Option<(PathBuf, String, PathBuf)> {
        let workspace = self.workspace();
        // The innermost root, as for the place itself.
        let root = workspace
            .roots()
            .filter(|root| self.target().starts_with(root))
            .max_by_key(|root| root.as_os_str().len())?;
        let mut rest = self.target().strip_prefix(root).ok()?.components();
        let mut existing = root.to_owned();
        loop {
            let Some(Component::Normal(part)) = rest.next() else {
                return None;
            };
            let next = existing.join(part);
            let stands = workspace
                .place(&next, next.clone(), false)
                .is_some_and(|place| place.peek().is_ok());
            if !stands {
                return Some((existing, part.to_str()?.to_owned(), rest.collect()));
            }
            existing = next;
        }
    }
}

#[cfg(test)]
#[path = "spelling_tests.rs"]
mod tests;
