//! Where the names of one question to policy lead in a real workspace.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, PoisonError};

use tenon_contract::{PathClaim, is_below, native_path, posix_path, posix_path_text};
use tenon_policy::{FileIdentity, LexicalPaths, Listed, ListedKind, PathResolver, Resolved, There};
use tenon_search::{Scope, hiding_rule};
use tenon_workspace::{
    FileKind, Metadata, OpenDir, WorkTree, entry_kinds, ignore_files_make_exceptions,
};

use crate::image_ignores::ContextIgnores;
use crate::judge::Judge;

/// How many directories are held open for one question: many are asked at once, and a process may have 1024 files open.
const MOST_OPEN: usize = 16;

/// Texts that are longer are left to locating, which knows the bounds of paths.
const LONGEST_IN_VIEW: usize = 1024;

/// Follows names for one question: a command text has hundreds of names in few directories, and the way to each of these is
/// followed once.
pub(crate) struct PathResolutions<'j> {
    judge: &'j Judge,
    /// The directories by their paths as they are written; nothing for one that could not be opened.
    views: RefCell<HashMap<String, Option<Rc<OpenDir>>>>,
    /// How many of them are held open.
    open: Cell<usize>,
    /// Where paths lead that have no view.
    followed: RefCell<HashMap<String, Resolved>>,
    /// Where paths really are, as far as that was asked.
    real: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
    /// Where paths outside lead as far as links are there, as far as that was asked.
    led_to: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
    /// What stays out of images.
    ignores: ContextIgnores,
    /// Where the workspace is on another machine: names lead where they say, and nothing else is known of them.
    by_text: Option<LexicalPaths>,
}

impl<'j> PathResolutions<'j> {
    pub(crate) fn new(judge: &'j Judge) -> Self {
        let workspace = judge.workspace();
        let is_elsewhere = workspace.is_elsewhere();
        Self {
            judge,
            views: RefCell::default(),
            open: Cell::default(),
            followed: RefCell::default(),
            real: RefCell::default(),
            led_to: RefCell::default(),
            ignores: ContextIgnores::default(),
            by_text: is_elsewhere.then(|| LexicalPaths::new(workspace.root())),
        }
    }

    /// The root of the workspace.
    pub(crate) fn root(&self) -> &'j Path {
        self.judge.workspace().root()
    }

    /// Where an absolute path leads, if its directory can be looked into.
    fn in_view(&self, text: &str) -> Option<Resolved> {
        if text.len() > LONGEST_IN_VIEW {
            return None;
        }
        let (above, name) = text.rsplit_once('/')?;
        let (claim, found) = self.view(above)?.entry(name)?;
        let found = found.ok_or_else(|| io::ErrorKind::NotFound.into());
        Some(Resolved::Inside {
            claim,
            there: there(found),
        })
    }

    /// Where a path leads, every part of it followed.
    fn followed(&self, text: &str) -> Resolved {
        if let Some(known) = self.followed.borrow().get(text) {
            return known.clone();
        }
        let resolved = match self.judge.workspace().locate(text) {
            Ok(located) => Resolved::Inside {
                claim: in_posix(located.claim().clone()),
                there: there(located.peek()),
            },
            Err(_) => Resolved::Outside,
        };
        let mut followed = self.followed.borrow_mut();
        followed.insert(text.to_owned(), resolved.clone());
        resolved
    }

    /// Whether a path is a directory above a root and in none: roots are real paths, so that it leads nowhere else, and nothing
    /// of it is in the workspace.
    fn is_above_roots(&self, path: &Path) -> bool {
        let mut roots = self.judge.workspace().roots();
        let is_in_one = roots.clone().any(|root| is_below(path, root));
        !is_in_one && roots.any(|root| is_below(root, path))
    }

    /// The directory of an absolute path, entered from the one above it where that has a view as well.
    fn view(&self, path: &str) -> Option<Rc<OpenDir>> {
        if let Some(known) = self.views.borrow().get(path) {
            return known.clone();
        }
        if path.is_empty() || self.is_above_roots(Path::new(path)) {
            return None;
        }
        let (above, name) = path.rsplit_once('/')?;
        let entered = self.view(above).and_then(|above| above.enter(name));
        if self.open.get() == MOST_OPEN {
            return entered.filter(|view| !view.is_open()).map(Rc::new);
        }
        let view = entered.or_else(|| self.judge.workspace().view(path));
        let view = view.map(Rc::new);
        if view.as_ref().is_some_and(|view| view.is_open()) {
            self.open.set(self.open.get() + 1);
        }
        self.views
            .borrow_mut()
            .insert(path.to_owned(), view.clone());
        view
    }
}

impl PathResolver for PathResolutions<'_> {
    fn resolve(&self, directory: &Path, path: &str) -> Resolved {
        if let Some(by_text) = &self.by_text {
            return by_text.resolve(directory, path);
        }
        // `join` keeps `..` and links as they are; the workspace follows them as the system would.
        let posix = posix_path_text(path);
        let (directory, named) = (native_path(directory), native_path(Path::new(&*posix)));
        let start = if named.has_root() { &named } else { &directory };
        if is_of_another_root(start) {
            return Resolved::Outside;
        }
        let joined = directory.join(named);
        let Some(text) = joined.to_str().filter(|_| !path.is_empty()) else {
            return Resolved::Outside;
        };
        let resolved = self.in_view(text).unwrap_or_else(|| self.followed(text));
        match resolved {
            Resolved::Inside { claim, there } => Resolved::Inside {
                claim: PathClaim {
                    target: self.judge.as_listed(&claim.target).unwrap_or(claim.target),
                    ..claim
                },
                there,
            },
            Resolved::Outside => Resolved::Outside,
        }
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        if self.by_text.is_some() {
            return None;
        }
        if let Some(known) = self.real.borrow().get(path) {
            return known.clone();
        }
        let native = native_path(path);
        let known = (!is_of_another_root(&native)).then_some(native);
        let real = known.and_then(|native| tenon_workspace::real_place(&native).map(posix));
        let real = real.map(|real| self.judge.as_listed(&real).unwrap_or(real));
        self.real.borrow_mut().insert(path.to_owned(), real.clone());
        real
    }

    fn led_to(&self, path: &Path) -> Option<PathBuf> {
        if self.by_text.is_some() {
            return None;
        }
        if let Some(known) = self.led_to.borrow().get(path) {
            return known.clone();
        }
        let native = native_path(path);
        let known = (!is_of_another_root(&native)).then_some(native);
        let place = known.and_then(|native| tenon_workspace::place_led_to(&native).map(posix));
        let place = place.map(|place| self.judge.as_listed(&place).unwrap_or(place));
        let mut known = self.led_to.borrow_mut();
        known.insert(path.to_owned(), place.clone());
        place
    }

    fn work_tree(&self, directory: &Path) -> Option<PathBuf> {
        if self.by_text.is_some() {
            return None;
        }
        WorkTree::of(&native_path(directory)).map(|tree| posix(tree.top().to_owned()))
    }

    fn tracked(&self, directory: &Path, test: &dyn Fn(&Path) -> bool) -> Option<Arc<[PathBuf]>> {
        if self.by_text.is_some() {
            return None;
        }
        let Some(tree) = WorkTree::of(&native_path(directory)) else {
            // There is nothing that git would work with.
            return Some(Arc::default());
        };
        let stamp = tree.stamp().ok()?;
        let mut known = self
            .judge
            .tracked()
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((version, paths)) = known.get(tree.top())
            && *version == stamp
        {
            return paths.clone();
        }
        let paths = tree.tracked(&|path| test(&posix_path(path)));
        let paths = paths.map(|paths| paths.into_iter().map(posix).collect::<Arc<[PathBuf]>>());
        known.insert(tree.top().to_owned(), (stamp, paths.clone()));
        paths
    }

    fn tracked_as_files(
        &self,
        directory: &Path,
        test: &dyn Fn(&Path) -> bool,
        most: usize,
    ) -> bool {
        if self.by_text.is_some() {
            return false;
        }
        let directory = native_path(directory);
        let test = |path: &Path| test(&posix_path(path));
        let tree = WorkTree::of(&directory);
        tree.is_some_and(|tree| tree.has_files_as_tracked(&directory, &test, most))
    }

    fn shared_files(&self, path: &Path, most: usize) -> Vec<FileIdentity> {
        if self.by_text.is_some() {
            return Vec::new();
        }
        let files = tenon_workspace::shared_files(&native_path(path), most).into_iter();
        files
            .map(|(device, inode)| FileIdentity { device, inode })
            .collect()
    }

    fn list(&self, directory: &Path, most: usize) -> Option<Vec<Listed>> {
        if self.by_text.is_some() {
            return None;
        }
        let names = entry_kinds(&native_path(directory), most).ok().flatten()?;
        let listed = names.into_iter().map(|(name, kind)| Listed {
            name,
            kind: match kind {
                FileKind::Directory => ListedKind::Directory,
                FileKind::Link => ListedKind::Link,
                _ => ListedKind::Other,
            },
        });
        Some(listed.collect())
    }

    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        if self.by_text.is_some() {
            return false;
        }
        let Some(tree) = WorkTree::of(path.parent().unwrap_or(path)) else {
            return false;
        };
        let above = path.parent().unwrap_or(path);
        let Some(name) = path.file_name().and_then(OsStr::to_str) else {
            return false;
        };
        let mut name = name.to_owned();
        if is_directory {
            name.push('/');
        }
        let rule = hiding_rule(&Scope::new(above, above), &name);
        rule.is_some_and(|rule| is_of_git(&rule.source, tree.top()))
    }

    fn is_left_out(
        &self,
        context: &Path,
        ignore_files: &[String],
        path: &Path,
        is_directory: bool,
    ) -> bool {
        self.by_text.is_none()
            && self
                .ignores
                .leave_out(context, ignore_files, (path, is_directory))
    }

    fn makes_exceptions(&self, directory: &Path) -> bool {
        if self.by_text.is_some() {
            return true;
        }
        ignore_files_make_exceptions(&native_path(directory))
    }
}

/// Whether an absolute path of a shell is on no drive: on Windows it begins in the directory in which that shell is installed,
/// which is not known.
fn is_of_another_root(native: &Path) -> bool {
    native.has_root() && !native.is_absolute()
}

/// A path as policy has it on every system.
pub(crate) fn posix(path: PathBuf) -> PathBuf {
    match posix_path(&path) {
        Cow::Borrowed(_) => path,
        Cow::Owned(posix) => posix,
    }
}

fn in_posix(claim: PathClaim) -> PathClaim {
    PathClaim {
        target: posix(claim.target),
        ..claim
    }
}

/// Whether git minds this ignore file in a work tree: searches mind others, too.
fn is_of_git(source: &Path, top: &Path) -> bool {
    match source.file_name().and_then(OsStr::to_str) {
        Some(".ignore" | ".rgignore") => false,
        Some(".gitignore") => source.starts_with(top),
        // The excludes of the repository and those of the user.
        _ => true,
    }
}

fn there(found: io::Result<Metadata>) -> There {
    match found {
        Ok(metadata) if metadata.kind == FileKind::Directory => There::Directory,
        Ok(metadata) if metadata.kind == FileKind::File && metadata.links > 1 => {
            There::File(Some(FileIdentity {
                device: metadata.device,
                inode: metadata.inode,
            }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => There::Nothing,
        Ok(_) | Err(_) => There::File(None),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use tenon_policy::{Engine, Permissions, RuleSet};
    use tenon_workspace::Workspace;

    use super::*;

    #[test]
    fn names_lead_where_following_each_part_leads_and_the_way_to_a_directory_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("work");
        for number in 0..80 {
            std::fs::create_dir_all(root.join(format!("many/{number}"))).unwrap();
        }
        std::fs::create_dir_all(root.join("dir/deep")).unwrap();
        std::fs::write(root.join("dir/file"), "x").unwrap();
        std::fs::hard_link(root.join("dir/file"), root.join("other")).unwrap();
        symlink("dir/deep", root.join("way")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("/etc", root.join("out")).unwrap();
        symlink(root.join("dir"), root.parent().unwrap().join("into")).unwrap();
        let rules = RuleSet::new(&Permissions::default(), &|_| None).unwrap();
        let engine = Engine::new(rules, Permissions::default().mode(false), &root);
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let judge = Judge::new(engine, workspace, crate::mode::Modes::default());
        let paths_of = PathResolutions::new(&judge);
        let long = "x".repeat(300);
        let mut paths: Vec<String> = [
            ".",
            "..",
            "dir",
            "dir/",
            "dir/.",
            "dir/file",
            "dir/file/x",
            "dir/file/x/y",
            "dir//file",
            "other",
            "way",
            "way/x",
            "way/../file",
            "way/../deep/./x",
            "loop",
            "loop/x",
            "out",
            "out/passwd",
            "no",
            "no/x",
            "no/x/y",
            "no/../dir/file",
            "../into/file",
            "../into/no/x",
            "../work/dir/file",
            "/etc/passwd",
            "/",
            "/proc/self/cwd",
            &long,
        ]
        .map(str::to_owned)
        .to_vec();
        paths.push(format!("dir/{long}"));
        paths.push("dir/".repeat(400) + "x");
        paths.extend((0..80).map(|number| format!("many/{number}/x")));
        paths.extend((0..80).map(|number| format!("none/{number}/x")));
        for path in &paths {
            let text = root.join(path);
            let followed = paths_of.followed(text.to_str().unwrap());
            assert_eq!(paths_of.resolve(&root, path), followed, "{path}");
            assert_eq!(paths_of.resolve(&root, path), followed, "{path} again");
        }
        assert_eq!(paths_of.open.get(), MOST_OPEN);
        assert_eq!(paths_of.resolve(&root, ""), Resolved::Outside);
    }
}
