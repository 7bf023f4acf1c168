//! Where records of running commits are kept: a directory of this user alone, outside every workspace.
//!
//! Tried in this order: `$XDG_STATE_HOME/tenon/commits` (XDG Base Directory Specification),
//! `~/.local/state/tenon/commits` (`%LOCALAPPDATA%` on Windows), `/var/tmp/tenon-commits-<uid>`, which
//! outlives a restart of the machine. One that lies inside a root is passed over: what tools may write
//! must not steer a recovery.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};

use crate::real_place::real_path;

/// The directory for records of commits in workspaces with these roots; `None` where there is none that
/// belongs to this user alone. Made if it is missing.
pub(crate) fn open<'a>(
    wanted: Option<&Path>,
    roots: impl Iterator<Item = &'a Path> + Clone,
) -> Option<PathBuf> {
    let candidates = wanted.map_or_else(
        || candidates("tenon/commits", "tenon-commits"),
        |path| vec![path.to_owned()],
    );
    first_private(candidates, roots)
}

/// The directory of what outlives a process: `wanted`, else what the variable `TENON_STATE_DIR` names, else
/// `$XDG_STATE_HOME/tenon`, `~/.local/state/tenon` (`%LOCALAPPDATA%` on Windows) or `/var/tmp/tenon-<uid>`. Made if it is
/// missing; always by its path without links.
///
/// # Errors
/// A sentence, where there is none that belongs to this user alone and lies outside of all roots. What was named is used
/// or refused, never passed over.
pub fn state_directory<'a>(
    wanted: Option<&Path>,
    roots: impl Iterator<Item = &'a Path> + Clone,
) -> Result<PathBuf, String> {
    let named = wanted.map(Path::to_owned).or_else(named_by_environment);
    let candidates = candidates_of(named.as_deref());
    first_private(candidates, roots).ok_or_else(|| unusable(named.as_deref()))
}

/// The directory of what outlives a process as a session without other options finds it, and whether it exists. Makes
/// nothing; one in a workspace is not known here.
///
/// # Errors
/// The sentence of [`state_directory`].
pub fn seen_state_directory() -> Result<(PathBuf, bool), String> {
    let named = named_by_environment();
    let candidates = candidates_of(named.as_deref());
    let seen = candidates.into_iter().find_map(|path| {
        if !path.is_absolute() {
            return None;
        }
        if fs::symlink_metadata(&path).is_err() {
            return Some((path, false));
        }
        let path = private(&path)?;
        Some((path, true))
    });
    seen.ok_or_else(|| unusable(named.as_deref()))
}

fn named_by_environment() -> Option<PathBuf> {
    let named = std::env::var_os("TENON_STATE_DIR");
    named.filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn candidates_of(named: Option<&Path>) -> Vec<PathBuf> {
    named.map_or_else(
        || candidates("tenon", "tenon"),
        |named| vec![named.to_owned()],
    )
}

fn unusable(named: Option<&Path>) -> String {
    match named {
        Some(named) => format!(
            "The state directory `{}` cannot be used: it must be an absolute path outside the workspace, to a directory that only this user can enter (mode 0700).",
            named.display()
        ),
        None => "There is no private directory for what outlives the process. Name one by the variable `TENON_STATE_DIR`.".to_owned(),
    }
}

fn first_private<'a>(
    candidates: Vec<PathBuf>,
    roots: impl Iterator<Item = &'a Path> + Clone,
) -> Option<PathBuf> {
    let is_inside = |path: &Path| roots.clone().any(|root| path.starts_with(root));
    candidates.into_iter().find_map(|path| {
        if !path.is_absolute() || is_inside(&path) {
            return None;
        }
        let path = private(&path)?;
        (!is_inside(&path)).then_some(path)
    })
}

/// The directory of the user, where the environment reports it.
#[must_use]
pub fn home_directory() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// `name` below the directories of the user, and one for everybody that `shared` begins.
fn candidates(name: &str, shared: &str) -> Vec<PathBuf> {
    let state = std::env::var_os(if cfg!(windows) {
        "LOCALAPPDATA"
    } else {
        "XDG_STATE_HOME"
    });
    let mut found: Vec<PathBuf> = state
        .map(|state| Path::new(&state).join(name))
        .into_iter()
        .collect();
    if let Some(home) = home_directory() {
        found.push(home.join(".local/state").join(name));
    }
    #[cfg(unix)]
    found.push(PathBuf::from(format!(
        "/var/tmp/{shared}-{}",
        rustix::process::geteuid().as_raw()
    )));
    found
}

/// The directory by its path without links, if it is no link itself and nobody else may enter it.
fn private(path: &Path) -> Option<PathBuf> {
    if fs::symlink_metadata(path).is_err() {
        make_private(path).ok()?;
    }
    if !is_private(path) {
        return None;
    }
    real_path(path).ok()
}

/// Makes a directory, and those above it, for its owner only; one that is there stays as it is.
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// What stands where everybody may write is believed only if it is a directory of this user that
/// nobody else may enter.
#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).is_ok_and(|found| {
        found.is_dir()
            && found.uid() == rustix::process::geteuid().as_raw()
            && found.mode() & 0o077 == 0
    })
}

#[cfg(not(unix))]
fn is_private(path: &Path) -> bool {
    path.is_dir()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn opened(wanted: &Path, root: &Path) -> Option<PathBuf> {
        open(Some(wanted), [root].into_iter())
    }

    #[test]
    fn it_is_made_for_this_user_alone() {
        let scene = tempfile::tempdir().unwrap();
        let wanted = scene.path().canonicalize().unwrap().join("a/b");
        assert_eq!(opened(&wanted, Path::new("/none")), Some(wanted.clone()));
        let mode = wanted.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn one_that_others_may_enter_is_not_believed() {
        let scene = tempfile::tempdir().unwrap();
        let wanted = scene.path().join("open");
        fs::create_dir(&wanted).unwrap();
        fs::set_permissions(&wanted, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(opened(&wanted, Path::new("/none")), None);
    }

    #[test]
    fn one_inside_of_a_root_is_not_used_by_whatever_way() {
        let scene = tempfile::tempdir().unwrap();
        let root = scene.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        assert_eq!(opened(&root.join("state"), &root), None);
        assert!(!root.join("state").exists());
        symlink(&root, scene.path().join("link")).unwrap();
        assert_eq!(opened(&scene.path().join("link/state"), &root), None);
    }

    #[test]
    fn a_state_directory_that_was_named_is_used_or_refused() {
        let scene = tempfile::tempdir().unwrap();
        let scene = scene.path().canonicalize().unwrap();
        let root = scene.join("root");
        fs::create_dir(&root).unwrap();
        let at = |path: &Path| state_directory(Some(path), [root.as_path()].into_iter());
        assert_eq!(at(&scene.join("state")), Ok(scene.join("state")));
        for path in [root.join("state"), PathBuf::from("state")] {
            let reported = format!(
                "The state directory `{}` cannot be used: it must be an absolute path outside the workspace, to a directory that only this user can enter (mode 0700).",
                path.display()
            );
            assert_eq!(at(&path), Err(reported));
        }
        assert!(!root.join("state").exists());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let scene = tempfile::tempdir().unwrap();
        let private = scene.path().join("private");
        fs::create_dir(&private).unwrap();
        fs::set_permissions(&private, PermissionsExt::from_mode(0o700)).unwrap();
        symlink(&private, scene.path().join("link")).unwrap();
        assert_eq!(opened(&scene.path().join("link"), Path::new("/none")), None);
    }
}
