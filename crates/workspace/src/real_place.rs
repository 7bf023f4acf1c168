//! Where a path really is, whether something is there or not.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use tenon_contract::usual_path;

/// The absolute path with every link followed, in its [usual form](usual_path).
///
/// # Errors
/// Nothing is there, or the system does not say where it leads.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).map(usual_path)
}

/// Where an absolute path leads, links followed. What is not there yet lies in the real directory above it. Nothing where that
/// directory is not there, where a link leads to nothing, and for a file with several names, which may be another one as well.
#[must_use]
pub fn real_place(path: &Path) -> Option<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => {
            let real = real_path(path).ok()?;
            let metadata = fs::metadata(&real).ok()?;
            (metadata.is_dir() || has_one_name(&metadata)).then_some(real)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // With `..` at the end there is no name.
            let name = path.file_name()?;
            Some(real_path(path.parent()?).ok()?.join(name))
        }
        Err(_) => None,
    }
}

/// How many links the system follows on one way (`MAXSYMLINKS` of Linux).
const MOST_LINKS: usize = 40;

/// Where an absolute path leads, links followed as far as they are there; what is not there follows as it is written. A
/// link to nothing leads to what would be made by writing through it. Nothing where links lead in a circle.
#[must_use]
pub fn place_led_to(path: &Path) -> Option<PathBuf> {
    led_to(path, &mut 0)
}

fn led_to(path: &Path, links: &mut usize) -> Option<PathBuf> {
    if let Ok(real) = real_path(path) {
        return Some(real);
    }
    let mut place = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(place.pop()),
            Component::CurDir => {}
            other => {
                place.push(other);
                if let Ok(target) = fs::read_link(&place) {
                    *links += 1;
                    if *links > MOST_LINKS {
                        return None;
                    }
                    place.pop();
                    place = led_to(&place.join(target), links)?;
                }
            }
        }
    }
    Some(place)
}

/// The absolute path with each name as its directory lists it, which is another spelling where the disk ignores case. Names
/// that are not there, or that no directory lists, stay as they are written.
#[must_use]
pub fn as_listed(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for component in path.components() {
        let Component::Normal(name) = component else {
            place.push(component);
            continue;
        };
        let there = fs::symlink_metadata(place.join(name)).is_ok();
        let listed = there.then(|| listed_name(&place, name)).flatten();
        place.push(listed.as_deref().unwrap_or(name));
    }
    place
}

/// The name in another case that a directory lists in place of this one.
fn listed_name(directory: &Path, name: &OsStr) -> Option<OsString> {
    let small = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let wanted = small(name);
    let mut found = None;
    for entry in fs::read_dir(directory).ok()?.flatten() {
        let listed = entry.file_name();
        if listed == name {
            return None;
        }
        if small(&listed) == wanted {
            found = Some(listed);
        }
    }
    found
}

/// Whether a directory on the way to this absolute path, `top` and those below it, ignores case: names in another case are those of
/// the same files. What is not there shows nothing.
#[must_use]
pub fn ignores_case(top: &Path, path: &Path) -> bool {
    let mut name = None;
    for directory in path.ancestors().take_while(|place| place.starts_with(top)) {
        if directory_ignores_case(directory, name) {
            return true;
        }
        name = directory.file_name();
    }
    false
}

/// The same of one directory, by this name where it is there, else by another one.
fn directory_ignores_case(directory: &Path, name: Option<&OsStr>) -> bool {
    let shown = name.and_then(|name| finds_in_other_case(directory, name));
    shown.unwrap_or_else(|| {
        let mut listed = fs::read_dir(directory).into_iter().flatten().flatten();
        let shown = listed.find_map(|entry| finds_in_other_case(directory, &entry.file_name()));
        shown.unwrap_or(false)
    })
}

/// Whether a name that is there is found in another case, by which the directory does not list it. `None` where the name is not
/// there, or has no other case.
fn finds_in_other_case(directory: &Path, name: &OsStr) -> Option<bool> {
    let text = name.to_str()?;
    let turn = |letter: char| match letter.is_ascii_lowercase() {
        true => letter.to_ascii_uppercase(),
        false => letter.to_ascii_lowercase(),
    };
    let other = OsString::from(text.chars().map(turn).collect::<String>());
    let is_there = |name: &OsStr| fs::symlink_metadata(directory.join(name)).is_ok();
    if other == name || !is_there(name) {
        return None;
    }
    let is_listed = || {
        let mut listed = fs::read_dir(directory).into_iter().flatten().flatten();
        listed.any(|entry| entry.file_name() == other)
    };
    Some(is_there(&other) && !is_listed())
}

/// The directories of the system for temporary files, where they really are.
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    let named = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let mut found: Vec<PathBuf> = named
        .iter()
        .filter_map(|directory| real_path(directory).ok())
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(unix)]
fn has_one_name(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() <= 1
}

/// The system numbers no names.
#[cfg(not(unix))]
fn has_one_name(_metadata: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_and_files_with_several_names_are_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        fs::create_dir(base.join("dir")).unwrap();
        fs::write(base.join("file"), "x").unwrap();
        fs::hard_link(base.join("file"), base.join("other")).unwrap();
        fs::write(base.join("dir/one"), "x").unwrap();
        symlink("dir", base.join("link")).unwrap();
        symlink("nowhere", base.join("dangling")).unwrap();
        let real = |path: &str| {
            let found = real_place(&base.join(path))?;
            Some(
                found
                    .strip_prefix(&base)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
            )
        };
        assert_eq!(real("link/one").as_deref(), Some("dir/one"));
        assert_eq!(real("link/new").as_deref(), Some("dir/new"));
        assert_eq!(real("link").as_deref(), Some("dir"));
        assert_eq!(real("file"), None);
        assert_eq!(real("dangling"), None);
        assert_eq!(real("missing/new"), None);
    }

    #[test]
    fn what_is_not_there_is_where_the_links_before_it_lead() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("dir/deep")).unwrap();
        fs::write(base.join("file"), "x").unwrap();
        fs::hard_link(base.join("file"), base.join("other")).unwrap();
        symlink("dir/deep", base.join("link")).unwrap();
        symlink("dir/new", base.join("dangling")).unwrap();
        symlink("round", base.join("round")).unwrap();
        let led_to = |path: &str| {
            let found = place_led_to(&base.join(path))?;
            let below = found.strip_prefix(&base).unwrap();
            Some(below.to_string_lossy().into_owned())
        };
        assert_eq!(led_to("other").as_deref(), Some("other"));
        assert_eq!(led_to("link/../a").as_deref(), Some("dir/a"));
        assert_eq!(led_to("link/a/b/../c").as_deref(), Some("dir/deep/a/c"));
        assert_eq!(led_to("missing/../file").as_deref(), Some("file"));
        assert_eq!(led_to("dangling").as_deref(), Some("dir/new"));
        assert_eq!(led_to("dangling/a").as_deref(), Some("dir/new/a"));
        assert_eq!(led_to("round/a"), None);
    }

    #[test]
    fn names_that_a_directory_lists_or_that_are_not_there_stay_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let root = real_path(directory.path()).unwrap();
        fs::create_dir(root.join("Ab")).unwrap();
        fs::write(root.join("Ab/c.TXT"), "x").unwrap();
        for name in ["Ab", "Ab/c.TXT", "Ab/none", "None/x", "Ab/c.TXT/x"] {
            assert_eq!(as_listed(&root.join(name)), root.join(name), "{name}");
        }
        // Where there is a file by this name, the disk ignores case.
        let other = root.join("aB/C.txt");
        let listed = if other.exists() {
            root.join("Ab/c.TXT")
        } else {
            other.clone()
        };
        assert_eq!(as_listed(&other), listed);
    }

    #[test]
    fn a_disk_ignores_case_where_it_finds_names_that_it_does_not_list() {
        let directory = tempfile::tempdir().unwrap();
        let root = real_path(directory.path()).unwrap();
        fs::create_dir_all(root.join("Ab/empty")).unwrap();
        fs::write(root.join("Ab/c"), "x").unwrap();
        let is_ignoring = root.join("aB").exists();
        for path in ["", "Ab", "Ab/c", "Ab/new", "Ab/empty/1", "new"] {
            assert_eq!(ignores_case(&root, &root.join(path)), is_ignoring, "{path}");
        }
        if !is_ignoring {
            // Two names of one file are not one name.
            fs::hard_link(root.join("Ab/c"), root.join("Ab/C")).unwrap();
            assert!(!ignores_case(&root, &root.join("Ab/c")));
        }
        assert!(!ignores_case(
            &root.join("Ab/empty"),
            &root.join("Ab/empty/new")
        ));
    }
}
