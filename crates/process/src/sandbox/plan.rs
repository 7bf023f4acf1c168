//! What the helper program receives about the sandbox of one command.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ProtectedNames, Sandbox, SandboxNetwork};

/// Entries that are looked at below a root for protected names.
const ENTRIES_MAX: usize = 4000;
/// Directories that deep below a root are looked at.
const DEPTH_MAX: usize = 3;
/// Places that are protected below a root at most.
const NESTED_MAX: usize = 200;
/// Directories that hold what others wrote, and much of it.
const PASSED_OVER: [&str; 5] = ["node_modules", "target", ".venv", "venv", "vendor"];
/// The time of change by which the helper program marks directories that it made (`Placeholders`).
const MARK: (i64, i64) = (981_173_106, 704_050_607);
/// How long the mark may take.
const MARKED_WITHIN: Duration = Duration::from_secs(1);

/// Options of the helper program, one after another.
#[derive(Debug, Default)]
struct Plan {
    options: Vec<OsString>,
    nested: usize,
}

impl Sandbox {
    /// The options for a command in `directory`. `private` is the directory of outputs and scripts, which
    /// the command may read, `temporary` the one in it that it may write.
    pub(crate) fn options(
        &self,
        directory: &Path,
        private: &Path,
        temporary: &Path,
    ) -> Vec<OsString> {
        let mut plan = Plan::default();
        let required = if self.required {
            "sandbox=required"
        } else {
            "sandbox=best-effort"
        };
        plan.options.push(required.into());
        plan.options.push(self.network.option().into());
        let real = directory.canonicalize();
        plan.add("directory", real.as_deref().unwrap_or(directory));
        // The helper follows no links.
        for (name, path) in [("read", private), ("temporary", temporary)] {
            plan.add(name, path.canonicalize().as_deref().unwrap_or(path));
        }
        if let (SandboxNetwork::Host, Ok(resolver)) =
            (&self.network, fs::canonicalize("/etc/resolv.conf"))
            && resolver.starts_with("/run")
        {
            plan.add("read", &resolver);
        }
        // What may not be listed cannot be locked, and so not be watched over.
        let may_write = |root: &&PathBuf| self.writable && may(root, Right::List);
        for root in &self.roots {
            plan.add(if may_write(&root) { "write" } else { "read" }, root);
        }
        if self.writable {
            for root in self.roots.iter().filter(may_write) {
                plan.protect_top(root, &self.protected);
                let mut left = ENTRIES_MAX;
                plan.protect_below(root, &self.protected, DEPTH_MAX, &mut left);
            }
        }
        plan.options
    }
}

/// What lies at a place.
#[derive(Debug, PartialEq, Eq)]
enum PlaceKind {
    Nothing,
    /// What the helper program made for another command, or could not remove.
    Placeholder,
    Directory,
    File,
    /// Where the link leads.
    Link(Option<PathBuf>),
}

impl Plan {
    fn add(&mut self, name: &str, path: &Path) {
        let mut option = OsString::from(name);
        option.push("=");
        option.push(path);
        if !self.options.contains(&option) {
            self.options.push(option);
        }
    }

    /// A protected name that does not exist and must not be made. Where this user may make no names the command cannot either,
    /// unless the directory is its own, whose permissions it could change: then nothing in it is changed at all.
    fn add_missing(&mut self, name: &str, path: &Path) {
        match path.parent().filter(|above| is_closed(above)) {
            None => self.add(name, path),
            Some(above) if is_own(above) => self.add("protect", above),
            Some(_) => {}
        }
    }

    /// The protected names at the top of a root, whether they exist or not.
    fn protect_top(&mut self, root: &Path, names: &ProtectedNames) {
        for name in names.directories {
            if *name == ".git" {
                self.protect_git(&root.join(name), true);
            } else {
                self.protect(&root.join(name), "missing-directory");
            }
        }
        for name in names.files {
            self.protect(&root.join(name), "missing-file");
        }
        let mut parents: Vec<&str> = names
            .in_directory
            .iter()
            .map(|(parent, _)| *parent)
            .collect();
        parents.dedup();
        for parent in parents {
            let directory = root.join(parent);
            let children = names
                .in_directory
                .iter()
                .filter(|(name, _)| *name == parent);
            match found(&directory) {
                PlaceKind::Directory => {
                    self.add("keep", &directory);
                    for (_, child) in children {
                        // Without an ending it may be a directory as well; what is covered is the name.
                        self.protect(&directory.join(child), "missing-file");
                    }
                }
                // It is made by tools for other reasons too.
                PlaceKind::Nothing | PlaceKind::Placeholder if parent == ".yarn" => {}
                _ => self.protect(&directory, "missing-directory"),
            }
        }
    }

    /// What exists cannot be written; what does not cannot be made.
    fn protect(&mut self, path: &Path, missing: &str) {
        match found(path) {
            PlaceKind::Nothing | PlaceKind::Placeholder => self.add_missing(missing, path),
            PlaceKind::Directory | PlaceKind::File => self.add("protect", path),
            PlaceKind::Link(target) => {
                self.add("keep-link", path);
                match target {
                    Some(target) => self.add("protect", &target),
                    None => self.protect_missing_target(path, missing),
                }
            }
        }
    }

    /// What a link leads to that does not exist.
    fn protect_missing_target(&mut self, link: &Path, missing: &str) {
        let (Ok(target), Some(directory)) = (fs::read_link(link), link.parent()) else {
            return;
        };
        let target = directory.join(target);
        let above = target.parent().and_then(|above| above.canonicalize().ok());
        if let (Some(above), Some(name)) = (above, target.file_name()) {
            let place = above.join(name);
            if found(&place) == PlaceKind::Nothing && self.is_in_root(&place) {
                self.add_missing(missing, &place);
            }
        }
    }

    /// Whether something there could be made by the command.
    fn is_in_root(&self, place: &Path) -> bool {
        let roots = self.options.iter().filter_map(|option| {
            let text = option.as_encoded_bytes().strip_prefix(b"write=")?;
            std::str::from_utf8(text).ok()
        });
        roots.into_iter().any(|root| place.starts_with(root))
    }

    /// The parts of a repository that choose code. The rest is written by every commit.
    fn protect_git(&mut self, git: &Path, is_at_top: bool) {
        match found(git) {
            PlaceKind::Directory => {}
            PlaceKind::Nothing | PlaceKind::Placeholder if is_at_top => {
                return self.add_missing("missing-directory", git);
            }
            PlaceKind::Nothing | PlaceKind::Placeholder => return,
            // It names the repository.
            PlaceKind::File => return self.add("protect", git),
            PlaceKind::Link(target) => {
                self.add("keep-link", git);
                return match target {
                    Some(target) if target.is_dir() && target != git => {
                        self.protect_git(&target, false);
                    }
                    Some(target) => self.add("protect", &target),
                    None => self.protect_missing_target(git, "missing-directory"),
                };
            }
        }
        self.add("keep", git);
        self.protect(&git.join("hooks"), "missing-directory");
        self.protect(&git.join("info"), "missing-directory");
        self.protect(&git.join("config"), "missing-file");
        self.protect_steering(git);
        for worktree in directories_in(&git.join("worktrees")) {
            self.protect_steering(&worktree);
        }
        for module in directories_in(&git.join("modules")) {
            self.protect_git(&module, false);
        }
    }

    /// What leads git to the configuration and hooks of another directory, and what it takes for configuration where that
    /// is turned on. Neither can be covered: git refuses to work with an empty `commondir`, and with a socket.
    fn protect_steering(&mut self, git: &Path) {
        for name in ["commondir", "config.worktree"] {
            self.protect(&git.join(name), "unwanted");
        }
    }

    /// Protected names further down, where they exist.
    fn protect_below(
        &mut self,
        directory: &Path,
        names: &ProtectedNames,
        depth: usize,
        left: &mut usize,
    ) {
        for inner in directories_in(directory) {
            let name = inner.file_name().and_then(|name| name.to_str());
            let Some(name) = name.filter(|name| !PASSED_OVER.contains(name)) else {
                continue;
            };
            if names.directories.contains(&name) {
                continue;
            }
            let Ok(entries) = fs::read_dir(&inner) else {
                continue;
            };
            for entry in entries.flatten() {
                if *left == 0 || self.nested >= NESTED_MAX {
                    return;
                }
                *left -= 1;
                let entry_name = entry.file_name();
                let Some(entry_name) = entry_name.to_str() else {
                    continue;
                };
                self.protect_nested(name, entry_name, &entry.path(), names);
            }
            if depth > 1 {
                self.protect_below(&inner, names, depth - 1, left);
            }
        }
    }

    fn protect_nested(&mut self, parent: &str, name: &str, path: &Path, names: &ProtectedNames) {
        if name == ".git" {
            self.nested += 1;
            return self.protect_git(path, false);
        }
        let is_protected = names.directories.contains(&name)
            || names.files.contains(&name)
            || names.in_directory.contains(&(parent, name));
        if is_protected && !matches!(found(path), PlaceKind::Nothing | PlaceKind::Placeholder) {
            self.nested += 1;
            self.protect(path, "missing-file");
        }
    }
}

/// What this user may do with a directory.
#[derive(Clone, Copy)]
enum Right {
    /// See which names are in it.
    List,
    /// Make and remove names in it.
    Change,
}

/// Whether this user may, with the rights that the command will have. What is not there is closed to nobody.
#[cfg(unix)]
fn may(directory: &Path, right: Right) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    let access = match right {
        Right::List => Access::READ_OK | Access::EXEC_OK,
        Right::Change => Access::WRITE_OK | Access::EXEC_OK,
    };
    let answer = accessat(CWD, directory, access, AtFlags::EACCESS);
    !matches!(answer, Err(Errno::ACCESS | Errno::ROFS))
}

#[cfg(not(unix))]
fn may(_directory: &Path, _right: Right) -> bool {
    true
}

/// Whether a directory is there in which this user may make no names.
fn is_closed(directory: &Path) -> bool {
    directory.is_dir() && !may(directory, Right::Change)
}

/// Whether this user could change the permissions of a directory.
#[cfg(unix)]
fn is_own(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid();
    fs::metadata(directory).map_or(true, |found| user.is_root() || found.uid() == user.as_raw())
}

#[cfg(not(unix))]
fn is_own(_directory: &Path) -> bool {
    true
}

/// Directories in a directory, links left out.
fn directories_in(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    entries
        .flatten()
        .take(ENTRIES_MAX)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn found(path: &Path) -> PlaceKind {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return PlaceKind::Nothing;
    };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return PlaceKind::Link(path.canonicalize().ok());
    }
    if is_placeholder(path, &metadata, kind) {
        return PlaceKind::Placeholder;
    }
    if kind.is_dir() {
        PlaceKind::Directory
    } else {
        PlaceKind::File
    }
}

#[cfg(unix)]
fn is_placeholder(path: &Path, metadata: &Metadata, kind: FileType) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let is_marked = (metadata.mtime(), metadata.mtime_nsec()) == MARK;
    // The helper of another command marks the directory right after it made it.
    let is_new = || {
        let age = metadata.modified().map(|made| made.elapsed());
        matches!(age, Ok(Ok(age)) if age < MARKED_WITHIN)
    };
    kind.is_socket()
        || kind.is_dir()
            && (is_marked || is_new())
            && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(not(unix))]
fn is_placeholder(_path: &Path, _metadata: &Metadata, _kind: FileType) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: ProtectedNames = ProtectedNames {
        directories: &[".git", ".vscode"],
        files: &[".npmrc", ".envrc"],
        in_directory: &[
            (".cargo", "config"),
            (".cargo", "config.toml"),
            (".yarn", "plugins"),
        ],
    };

    fn planned(prepare: impl FnOnce(&Path)) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        prepare(&root);
        planned_at(&root)
    }

    fn planned_at(root: &Path) -> Vec<String> {
        let sandbox = Sandbox {
            roots: vec![root.to_owned()],
            writable: true,
            network: SandboxNetwork::None,
            required: true,
            protected: NAMES,
        };
        let options = sandbox.options(root, Path::new("/private"), Path::new("/private/tmp"));
        options
            .iter()
            .map(|option| {
                let text = option.to_str().unwrap();
                text.replace(&format!("{}/", root.display()), "")
                    .replace(root.to_str().unwrap(), ".")
            })
            .collect()
    }

    /// The same for a user who may do nothing but what `mode` of the workspace permits, as its owner or not.
    #[cfg(target_os = "linux")]
    fn planned_by_nobody(mode: u32, is_own: bool) -> Vec<String> {
        use rustix::process::{Uid, geteuid};
        use std::os::unix::fs::{PermissionsExt, chown};
        let nobody = geteuid().is_root().then(|| Uid::from_raw(65_534));
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join(".cargo")).unwrap();
        fs::write(root.join(".cargo/env"), "").unwrap();
        if let Some(user) = nobody.filter(|_| is_own) {
            chown(&root, Some(user.as_raw()), None).unwrap();
        }
        fs::set_permissions(&root, fs::Permissions::from_mode(mode)).unwrap();
        let work = || {
            if let Some(user) = nobody {
                rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            }
            planned_at(&root)
        };
        // A thread of its own: it keeps the rights that it has then.
        let planned = std::thread::scope(|scope| scope.spawn(work).join().unwrap());
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        planned
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_workspace_in_which_no_names_can_be_made_needs_none_that_cover_others() {
        let begins = [
            "sandbox=required",
            "network=none",
            "directory=.",
            "read=/private",
            "temporary=/private/tmp",
        ];
        let planned = |mode, is_own, rest: &[&str]| {
            assert_eq!(
                planned_by_nobody(mode, is_own),
                [&begins, rest].concat(),
                "{mode:o} {is_own}"
            );
        };
        if rustix::process::geteuid().is_root() {
            // Of somebody else, who alone could open it.
            planned(0o755, false, &["write=.", "keep=.cargo"]);
        }
        // Its own, which it could open itself: nothing in it is changed.
        planned(0o555, true, &["write=.", "protect=.", "keep=.cargo"]);
        // What cannot be listed cannot be locked.
        planned(0o311, true, &["read=."]);
    }

    #[test]
    fn in_an_empty_directory_every_name_is_covered() {
        assert_eq!(
            planned(|_| {}),
            [
                "sandbox=required",
                "network=none",
                "directory=.",
                "read=/private",
                "temporary=/private/tmp",
                "write=.",
                "missing-directory=.git",
                "missing-directory=.vscode",
                "missing-file=.npmrc",
                "missing-file=.envrc",
                "missing-directory=.cargo",
            ]
        );
    }

    #[test]
    fn what_exists_is_protected_and_a_repository_stays_usable() {
        let options = planned(|root| {
            for directory in [
                ".git/hooks",
                ".vscode",
                ".cargo",
                "sub/dir/.git/hooks",
                "node_modules/x",
            ] {
                fs::create_dir_all(root.join(directory)).unwrap();
            }
            for file in [
                ".git/config",
                ".git/hooks/pre-commit",
                "sub/dir/.git/hooks/pre-commit",
                ".vscode/tasks.json",
                ".npmrc",
                ".cargo/config.toml",
                "sub/.npmrc",
                "node_modules/x/.npmrc",
            ] {
                fs::write(root.join(file), "").unwrap();
            }
            std::os::unix::fs::symlink("linked", root.join(".envrc")).unwrap();
            fs::write(root.join("linked"), "").unwrap();
        });
        let mut rest: Vec<&str> = options[6..].iter().map(String::as_str).collect();
        rest.sort_unstable();
        assert_eq!(
            rest,
            [
                "keep-link=.envrc",
                "keep=.cargo",
                "keep=.git",
                "keep=sub/dir/.git",
                "missing-directory=.git/info",
                "missing-directory=sub/dir/.git/info",
                "missing-file=.cargo/config",
                "missing-file=sub/dir/.git/config",
                "protect=.cargo/config.toml",
                "protect=.git/config",
                "protect=.git/hooks",
                "protect=.npmrc",
                "protect=.vscode",
                "protect=linked",
                "protect=sub/.npmrc",
                "protect=sub/dir/.git/hooks",
                "unwanted=.git/commondir",
                "unwanted=.git/config.worktree",
                "unwanted=sub/dir/.git/commondir",
                "unwanted=sub/dir/.git/config.worktree",
            ]
        );
    }

    /// Between the making and the mark of a directory, another command took it for one of the user and made names in
    /// it, which then nobody removed.
    #[test]
    fn a_directory_that_the_helper_of_another_command_just_made_counts_as_missing() {
        let options = planned(|root| fs::create_dir(root.join(".cargo")).unwrap());
        assert!(options.contains(&"missing-directory=.cargo".to_owned()));
    }

    #[test]
    fn what_the_helper_left_behind_counts_as_missing() {
        let options = planned(|root| {
            std::os::unix::net::UnixListener::bind(root.join(".npmrc")).unwrap();
            fs::create_dir(root.join(".vscode")).unwrap();
            let marked = std::time::UNIX_EPOCH
                + std::time::Duration::new(MARK.0.unsigned_abs(), MARK.1.try_into().unwrap());
            let directory = fs::File::open(root.join(".vscode")).unwrap();
            directory.set_modified(marked).unwrap();
        });
        assert!(options.contains(&"missing-file=.npmrc".to_owned()));
        assert!(options.contains(&"missing-directory=.vscode".to_owned()));
    }
}
