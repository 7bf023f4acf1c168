//! What a command did to the files of the workspace.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::blocking::in_any_case;
use tenon_contract::{ChangeKind, FileChange, limits};
use tenon_edit::{name_of_bytes, path_of_name};
use tenon_search::{
    Control, FileState, FileStates, Scope, StateKind, file_state, file_states, unseen,
};
use tenon_state::redacted_text;
use tenon_workspace::{
    Copies, CopyBudget, Journal, LeftOut, Outcome, RunningCommand, SeenFile, Unrestorable,
    Workspace,
};

/// File systems take the time from a clock that is up to so much behind.
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// Files of the workspace that were created, changed or deleted while a command ran.
///
/// Reported from their size, times, number and mode before and after, and from their content where there is a copy of it, for
/// the files that searches see:
/// those that ignore files hide are left out, and one that was there all the time is no change because it is seen now or no
/// longer. Anyone else who changed files meanwhile is in it too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// By path.
    pub changes: Vec<FileChange>,
    /// Whether everything was looked at, before and after. Otherwise there may be more.
    pub complete: bool,
    /// Whether something of the command runs on, and may change more.
    pub runs_on: bool,
    /// Those that no roll-back to a checkpoint takes back. Empty where there is no checkpoint.
    pub not_restorable: Vec<Unrestorable>,
}

/// How the files stood before a command, with copies of them where there is a checkpoint to come back to.
#[derive(Debug)]
pub(super) struct Before {
    workspace: Workspace,
    journal: Journal,
    looked: Looked,
    /// When this was over, by the clock of the file system or a little earlier.
    began: SystemTime,
    copies: Option<Copies>,
    /// That the command runs, for those who come after a process that was killed meanwhile.
    running: Option<RunningCommand>,
}

impl Before {
    /// Looks how the files of the workspace stand, and copies them if that may be needed. Within budgets of files, bytes
    /// and time; what is missing then is reported with what became of it.
    pub(super) async fn of(
        workspace: &Workspace,
        journal: &Journal,
        command: &str,
    ) -> Option<Self> {
        let (workspace, journal) = (workspace.clone(), journal.clone());
        let command = redacted_text(command);
        let work = in_any_case(move || {
            let now = SystemTime::now();
            let mut looked = look(&workspace);
            let copies = journal.is_recording().then(|| {
                looked.add_copied(&workspace, journal.copied());
                looked.add_modes(&workspace);
                let budget = CopyBudget {
                    files: limits::EXECUTE_COPIES_FILES_MAX,
                    bytes: limits::EXECUTE_COPIES_MAX_BYTES,
                    file_bytes: limits::EXECUTE_COPIES_FILE_MAX_BYTES,
                    until: Instant::now() + limits::EXECUTE_COPIES_BUDGET,
                };
                journal.copy(&workspace, &seen(&looked, now), &budget)
            });
            let copies = copies.flatten();
            let running = copies.as_ref().and_then(|_| journal.running(&command));
            Self {
                workspace,
                journal,
                looked,
                began: SystemTime::now() - CLOCK_TICK,
                copies,
                running,
            }
        });
        work.await.ok()
    }

    /// Whether what the command does is to be recorded.
    pub(super) const fn records(&self) -> bool {
        self.copies.is_some()
    }

    /// Where it is recorded.
    pub(super) const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What is different now. From here on a roll-back takes it back.
    pub(super) async fn changed(self) -> ChangedFiles {
        let work = in_any_case(move || {
            let Looked {
                states: after,
                unseen,
                ..
            } = look(&self.workspace);
            let copies = self.copies.as_ref();
            let earlier = Earlier {
                looked: &self.looked,
                began: self.began,
                is_copied: &|path| copies.is_some_and(|copies| copies.has(path)),
            };
            let (mut changed, older) = earlier.until(&after, &|path| now(&self.workspace, path));
            let outcome = Outcome {
                changes: &changed.changes,
                directories: &earlier.new_directories(&after),
                gone_directories: &earlier.gone_directories(&after, &self.workspace),
                older: &older,
            };
            let recorded = self.journal.record(
                &self.workspace,
                outcome,
                copies,
                limits::EXECUTE_COPIES_FILE_MAX_BYTES,
            );
            let is_other = |change: &FileChange| !recorded.unchanged.contains(&change.path);
            changed.changes.retain(is_other);
            changed.not_restorable = recorded.left_out;
            if self.copies.is_some() {
                let special = earlier.special(&unseen);
                changed.not_restorable.extend(special);
            }
            if let Some(running) = self.running {
                running.end();
            }
            changed
        });
        work.await.unwrap_or_default()
    }
}

/// What the journal has to know of the files.
fn seen(looked: &Looked, now: SystemTime) -> Vec<SeenFile> {
    let settled = now
        .checked_sub(limits::EXECUTE_COPIES_RACY)
        .and_then(|moment| moment.duration_since(SystemTime::UNIX_EPOCH).ok())
        .and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or_default();
    let file = |(path, state): (&String, &FileState)| {
        let (seconds, nanoseconds) = state.touched;
        let touched = seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(nanoseconds);
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        SeenFile {
            path: path.clone(),
            version: (touched != 0 && touched < settled).then(|| hasher.finish()),
        }
    };
    // What is no longer seen takes no room from what is.
    let (copied, seen): (Vec<_>, Vec<_>) =
        { looked.states.files.iter() }.partition(|(path, _)| looked.copied.contains(*path));
    seen.into_iter().chain(copied).map(file).collect()
}

/// What was found in all directories of the workspace.
#[derive(Debug, Default)]
struct Looked {
    states: FileStates,
    /// What is there besides and searches do not see.
    unseen: BTreeMap<String, FileState>,
    /// Those of the files that searches see no longer, and of which there is a copy.
    copied: BTreeSet<String>,
    /// The permission bits of the directories that searches see.
    modes: BTreeMap<String, u32>,
}

impl Looked {
    fn add_modes(&mut self, workspace: &Workspace) {
        for path in &self.states.directories {
            if let Ok(state) = file_state(&workspace.root().join(path_of_name(path))) {
                self.modes.insert(path.clone(), state.identity.1 & 0o7777);
            }
        }
    }

    /// Adds files of which there are copies: one that is ignored by now is compared all the same.
    fn add_copied(&mut self, workspace: &Workspace, copied: Vec<String>) {
        for path in copied {
            if self.states.files.contains_key(&path) {
                continue;
            }
            let found = now(workspace, &path).ok();
            if let Some(state) = found.filter(|state| state.kind == StateKind::File) {
                self.unseen.remove(&path);
                self.copied.insert(path.clone());
                self.states.files.insert(path, state);
            }
        }
    }
}

fn look(workspace: &Workspace) -> Looked {
    let roots: Vec<&Path> = workspace.roots().collect();
    let mut all = Looked::default();
    all.states.complete = true;
    let deadline = Instant::now() + limits::EXECUTE_CHANGES_BUDGET;
    for root in &roots {
        let is_inside = roots
            .iter()
            .any(|other| other != root && root.starts_with(other));
        if is_inside {
            continue;
        }
        let looked_at = all.states.files.len() + all.states.directories.len();
        let found = look_into(root, deadline, looked_at);
        all.states.complete &= found.states.complete;
        let is_main = *root == workspace.root();
        let named = |path: String| {
            if is_main {
                path
            } else {
                let path = root.join(path_of_name(&path));
                name_of_bytes(path.as_os_str().as_encoded_bytes())
            }
        };
        let with_name = |(path, state): (String, FileState)| (named(path), state);
        let directories = found.states.directories.into_iter().map(named);
        all.states.directories.extend(directories);
        let files = found.states.files.into_iter().map(with_name);
        all.states.files.extend(files);
        all.unseen.extend(found.unseen.into_iter().map(with_name));
    }
    all
}

fn look_into(root: &Path, deadline: Instant, looked_at: usize) -> Looked {
    let control = Control {
        deadline: Some(deadline),
        ..Control::default()
    };
    let limit = limits::EXECUTE_CHANGES_FILES_MAX.saturating_sub(looked_at);
    let states = file_states(&Scope::new(root, root), limit, &control).unwrap_or_default();
    let unseen = unseen(root, &states, &control);
    Looked {
        states,
        unseen,
        ..Looked::default()
    }
}

/// How a file stands now, whether searches see it or not. What is behind a link is elsewhere.
fn now(workspace: &Workspace, path: &str) -> io::Result<FileState> {
    let path = workspace.root().join(path_of_name(path));
    let roots = workspace.roots();
    let root = roots.filter(|root| path.starts_with(root)).min();
    for above in path.ancestors().skip(1) {
        if root == Some(above) {
            break;
        }
        if above.symlink_metadata()?.is_symlink() {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    file_state(&path)
}

/// What there was before a command.
struct Earlier<'l> {
    looked: &'l Looked,
    began: SystemTime,
    /// Whether there is a copy of this file, so that it can be compared.
    is_copied: &'l dyn Fn(&str) -> bool,
}

impl Earlier<'_> {
    /// What has changed until now, and which of these files may be older than the command: it moved them there, say; with
    /// the file that each was before, if that was seen. Of two looks of which one is not complete, only what both saw can
    /// be compared.
    fn until(
        &self,
        after: &FileStates,
        now: &dyn Fn(&str) -> io::Result<FileState>,
    ) -> (ChangedFiles, BTreeMap<String, Option<String>>) {
        let before = &self.looked.states;
        let (mut changes, mut older) = (Vec::new(), BTreeMap::new());
        let seen = before
            .files
            .iter()
            .filter(|(_, state)| state.identity.0 != 0);
        let numbers: HashMap<u64, &String> =
            seen.map(|(path, state)| (state.identity.0, path)).collect();
        let mut complete = before.complete && after.complete;
        for (path, state) in &after.files {
            let Some((kind, is_older)) = self.change(path, state) else {
                continue;
            };
            changes.push(FileChange {
                path: path.clone(),
                kind,
            });
            if is_older {
                let origin = numbers.get(&state.identity.0).copied().cloned();
                older.insert(path.clone(), origin);
            }
        }
        let missing = { before.files.iter() }
            .filter(|(path, _)| after.complete && !after.files.contains_key(*path));
        for (path, state) in missing {
            let kind = match now(path) {
                Ok(found) if found.kind == StateKind::Directory => ChangeKind::Delete,
                Ok(found) if self.is_same(path, &found, state) => continue,
                Ok(_) => ChangeKind::Update,
                Err(error) if is_absence(&error) => ChangeKind::Delete,
                Err(_) => {
                    complete = false;
                    continue;
                }
            };
            changes.push(FileChange {
                path: path.clone(),
                kind,
            });
        }
        changes.sort_by(|left, right| left.path.cmp(&right.path));
        let changed = ChangedFiles {
            changes,
            complete,
            ..ChangedFiles::default()
        };
        (changed, older)
    }

    /// What happened to a file that is seen now, and whether it may be older than the command.
    fn change(&self, path: &str, state: &FileState) -> Option<(ChangeKind, bool)> {
        let Looked { states, unseen, .. } = self.looked;
        if let Some(known) = states.files.get(path) {
            let is_other = known.identity.0 != state.identity.0;
            let is_older = is_other && state.was_made_before(self.began);
            return (!self.is_same(path, known, state)).then_some((ChangeKind::Update, is_older));
        }
        if !states.complete {
            return None;
        }
        if let Some(known) = unseen.get(path) {
            return (!known.is_same(state)).then_some((ChangeKind::Update, false));
        }
        if self.was_in_unseen(path) {
            let kind = if state.was_made_before(self.began) {
                ChangeKind::Update
            } else {
                ChangeKind::Create
            };
            return (!state.is_untouched_since(self.began)).then_some((kind, true));
        }
        Some((ChangeKind::Create, state.may_be_older_than(self.began)))
    }

    /// Whether nothing was done to a file as far as is known. Where it got another name, only its content says it.
    fn is_same(&self, path: &str, before: &FileState, after: &FileState) -> bool {
        if (self.is_copied)(path) {
            before.is_untouched(after)
        } else {
            before.is_same(after)
        }
    }

    /// FIFOs, sockets and devices that were made.
    fn special(&self, after: &BTreeMap<String, FileState>) -> Vec<Unrestorable> {
        let Looked { states, unseen, .. } = self.looked;
        let is_new = |path: &String, state: &FileState| {
            state.kind == StateKind::Special
                && !state.was_made_before(self.began)
                && unseen
                    .get(path)
                    .is_none_or(|known| known.kind != state.kind)
        };
        let new = { after.iter() }.filter(|(path, state)| states.complete && is_new(path, state));
        new.map(|(path, _)| Unrestorable {
            path: path.clone(),
            reason: LeftOut::NotAFile,
        })
        .collect()
    }

    /// The directories that were made, the outer before the inner. None where it is not known which there were.
    fn new_directories(&self, after: &FileStates) -> Vec<String> {
        let Looked { states, unseen, .. } = self.looked;
        if !states.complete {
            return Vec::new();
        }
        let made = after.directories.difference(&states.directories);
        made.filter(|path| !unseen.contains_key(*path) && !self.was_in_unseen(path))
            .cloned()
            .collect()
    }

    /// The directories that are gone, with the permission bits that they had.
    fn gone_directories(&self, after: &FileStates, workspace: &Workspace) -> Vec<(String, u32)> {
        let modes = self.looked.modes.iter();
        let unseen = modes.filter(|(path, _)| !after.directories.contains(*path));
        unseen
            .filter(|(path, _)| {
                !now(workspace, path).is_ok_and(|found| found.kind == StateKind::Directory)
            })
            .map(|(path, mode)| (path.clone(), *mode))
            .collect()
    }

    /// Whether a path is below a directory of which the content was not looked at.
    fn was_in_unseen(&self, path: &str) -> bool {
        { path.rmatch_indices('/') }.any(|(end, _)| self.looked.unseen.contains_key(&path[..end]))
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: u64 = 1_000;

    /// A file of this size, made and changed so many seconds after 1970.
    fn state(size: u64, born: u64, touched: u64) -> FileState {
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        FileState {
            size,
            modified: at(born),
            born: at(born),
            identity: (size, 0),
            touched: (touched.cast_signed(), 0),
            names: 1,
            kind: StateKind::File,
        }
    }

    fn new(size: u64) -> FileState {
        state(size, BEGAN + 1, BEGAN + 1)
    }

    fn states(files: &[(&str, FileState)], complete: bool) -> FileStates {
        FileStates {
            files: files
                .iter()
                .map(|(path, state)| ((*path).to_owned(), *state))
                .collect(),
            directories: ["in".to_owned()].into(),
            complete,
        }
    }

    fn earlier(looked: &Looked) -> Earlier<'_> {
        Earlier {
            looked,
            began: SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN),
            is_copied: &|_| false,
        }
    }

    fn of(states: FileStates, unseen: &[(&str, FileState)]) -> Looked {
        let unseen = unseen.iter();
        Looked {
            states,
            unseen: unseen
                .map(|(path, state)| ((*path).to_owned(), *state))
                .collect(),
            ..Looked::default()
        }
    }

    fn gone(_: &str) -> io::Result<FileState> {
        Err(io::ErrorKind::NotFound.into())
    }

    type Reported = Vec<(String, ChangeKind)>;

    fn reported(before: &FileStates, after: &FileStates) -> Reported {
        pairs(
            earlier(&of(before.clone(), &[]))
                .until(after, &gone)
                .0
                .changes,
        )
    }

    fn pairs(changes: Vec<FileChange>) -> Reported {
        let pair = |change: FileChange| (change.path, change.kind);
        changes.into_iter().map(pair).collect()
    }

    #[test]
    fn what_came_changed_and_went_is_reported() {
        let before = states(&[("a", new(1)), ("b", new(1)), ("c", new(1))], true);
        let after = states(&[("a", new(1)), ("b", new(2)), ("d", new(1))], true);
        assert_eq!(
            reported(&before, &after),
            [
                ("b".into(), ChangeKind::Update),
                ("c".into(), ChangeKind::Delete),
                ("d".into(), ChangeKind::Create)
            ]
        );
    }

    #[test]
    fn what_was_not_looked_at_is_neither_new_nor_gone() {
        let partly = states(&[("a", new(1))], false);
        let all = states(&[("a", new(2)), ("b", new(1))], true);
        assert_eq!(reported(&partly, &all), [("a".into(), ChangeKind::Update)]);
        assert_eq!(reported(&all, &partly), [("a".into(), ChangeKind::Update)]);
    }

    /// It counted as created, and was deleted on the way back.
    #[test]
    fn what_was_there_unseen_is_no_change_unless_it_was_changed() {
        let (old, touched) = (state(1, 1, 1), state(1, 1, BEGAN + 1));
        let unseen = [
            (".env", old),
            ("b.log", old),
            ("dist", old),
            ("closed", old),
        ];
        let before = of(states(&[], true), &unseen);
        let after = states(
            &[
                (".env", old),
                ("b.log", new(2)),
                ("dist/changed", touched),
                ("dist/new", new(1)),
                ("dist/in/old", old),
                ("closed/old", old),
                ("moved", touched),
                ("new", new(1)),
            ],
            true,
        );
        let (changed, older) = earlier(&before).until(&after, &gone);
        assert_eq!(
            pairs(changed.changes),
            [
                ("b.log".into(), ChangeKind::Update),
                ("dist/changed".into(), ChangeKind::Update),
                ("dist/new".into(), ChangeKind::Create),
                ("moved".into(), ChangeKind::Create),
                ("new".into(), ChangeKind::Create),
            ]
        );
        assert_eq!(
            older.into_keys().collect::<Vec<_>>(),
            ["dist/changed", "dist/new", "moved"]
        );
    }

    #[test]
    fn what_is_there_and_seen_no_longer_is_not_gone() {
        let files = [
            ("same", new(1)),
            ("changed", new(1)),
            ("gone", new(1)),
            ("closed", new(1)),
        ];
        let before = of(states(&files, true), &[]);
        let now = |path: &str| match path {
            "same" => Ok(new(1)),
            "changed" => Ok(new(2)),
            "closed" => Err(io::ErrorKind::PermissionDenied.into()),
            _ => gone(path),
        };
        let (changed, _) = earlier(&before).until(&states(&[], true), &now);
        assert!(!changed.complete);
        assert_eq!(
            pairs(changed.changes),
            [
                ("changed".into(), ChangeKind::Update),
                ("gone".into(), ChangeKind::Delete)
            ]
        );
    }

    #[test]
    fn an_old_file_in_the_place_of_another_is_older_and_a_written_one_is_not() {
        let before = of(states(&[("a", new(1)), ("b", new(1))], true), &[]);
        let after = states(&[("a", state(2, 1, BEGAN + 1)), ("b", new(2))], true);
        let (_, older) = earlier(&before).until(&after, &gone);
        assert_eq!(older, [("a".to_owned(), None)].into());
        // A second name of a file that was seen.
        let after = states(&[("c", state(1, 1, BEGAN + 1))], true);
        let (_, older) = earlier(&before).until(&after, &gone);
        assert_eq!(older, [("c".to_owned(), Some("b".to_owned()))].into());
    }

    #[test]
    fn new_directories_are_reported_the_outer_first_and_only_where_all_old_ones_are_known() {
        let directories = |names: &[&str], complete| FileStates {
            directories: names.iter().map(|name| (*name).to_owned()).collect(),
            complete,
            ..FileStates::default()
        };
        let names = ["in", "out", "out/b", "out/a", "dist", "dist/in"];
        let after = directories(&names, true);
        let made = |complete| {
            let before = of(directories(&["in"], complete), &[("dist", new(1))]);
            earlier(&before).new_directories(&after)
        };
        assert_eq!(made(true), ["out", "out/a", "out/b"]);
        assert_eq!(made(false), [""; 0]);
    }
    #[cfg(unix)]
    struct Bench {
        directory: tempfile::TempDir,
        workspace: Workspace,
        journal: Journal,
    }

    #[cfg(unix)]
    impl Bench {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
            let journal = Journal::new(tenon_workspace::JournalOptions::default());
            Self {
                directory,
                workspace,
                journal,
            }
        }

        fn path(&self, name: &[u8]) -> std::path::PathBuf {
            let name = std::os::unix::ffi::OsStrExt::from_bytes(name);
            self.directory.path().join::<&std::ffi::OsStr>(name)
        }

        fn write(&self, name: &str, text: &str) {
            std::fs::write(self.path(name.as_bytes()), text).unwrap();
        }

        fn read(&self, name: &[u8]) -> Option<String> {
            std::fs::read_to_string(self.path(name)).ok()
        }

        /// What a command does, as it is reported.
        async fn command(&self, act: impl FnOnce()) -> (Reported, Vec<Unrestorable>) {
            let before = Before::of(&self.workspace, &self.journal, "command");
            let before = before.await.unwrap();
            // Times of files are those of a clock that is behind.
            tokio::time::sleep(CLOCK_TICK * 3).await;
            act();
            let changed = before.changed().await;
            assert!(changed.complete);
            (pairs(changed.changes), changed.not_restorable)
        }
    }

    /// Its old content was lost, and nothing said so.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_that_is_ignored_by_now_is_compared_with_its_copy() {
        let bench = Bench::new();
        bench.write("c.txt", "1");
        let checkpoint = bench.journal.checkpoint().unwrap();
        let ignores = || bench.write(".gitignore", "*.txt\n");
        let (changes, _) = bench.command(ignores).await;
        assert_eq!(changes, [(".gitignore".into(), ChangeKind::Create)]);
        let (changes, left) = bench.command(|| bench.write("c.txt", "2")).await;
        assert_eq!(changes, [("c.txt".into(), ChangeKind::Update)]);
        assert_eq!(left, []);
        bench
            .journal
            .rollback(checkpoint, false, &|| false)
            .unwrap();
        let files = [bench.read(b"c.txt"), bench.read(b".gitignore")];
        assert_eq!(files, [Some("1".to_owned()), None]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn names_that_are_not_unicode_are_reported_and_restored() {
        let bench = Bench::new();
        std::fs::create_dir(bench.path(b"d\xfe")).unwrap();
        for name in [b"bad\xff".as_slice(), b"d\xfe/in"] {
            std::fs::write(bench.path(name), "old").unwrap();
        }
        let checkpoint = bench.journal.checkpoint().unwrap();
        let act = || {
            std::fs::write(bench.path(b"bad\xff"), "new").unwrap();
            std::fs::write(bench.path(b"q\xfd"), "new").unwrap();
            std::fs::remove_file(bench.path(b"d\xfe/in")).unwrap();
        };
        let (changes, left) = bench.command(act).await;
        assert_eq!(
            changes,
            [
                (r#""bad\377""#.into(), ChangeKind::Update),
                (r#""d\376/in""#.into(), ChangeKind::Delete),
                (r#""q\375""#.into(), ChangeKind::Create),
            ]
        );
        assert_eq!(left, []);
        bench
            .journal
            .rollback(checkpoint, false, &|| false)
            .unwrap();
        let files = [b"bad\xff".as_slice(), b"d\xfe/in", b"q\xfd"].map(|name| bench.read(name));
        let old = Some("old".to_owned());
        assert_eq!(files, [old.clone(), old, None]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_content_decides_whether_a_file_with_another_time_or_name_was_changed() {
        let bench = Bench::new();
        for name in ["same", "linked", "written", "replaced"] {
            bench.write(name, "old");
        }
        bench.journal.checkpoint().unwrap();
        let act = || {
            let time = bench
                .path(b"written")
                .metadata()
                .unwrap()
                .modified()
                .unwrap();
            for name in ["same", "written"] {
                bench.write(name, if name == "same" { "old" } else { "new" });
            }
            let file = std::fs::File::options()
                .write(true)
                .open(bench.path(b"written"));
            file.unwrap().set_modified(time).unwrap();
            for (name, other) in [("linked", "other"), ("written", "another")] {
                let (name, other) = (bench.path(name.as_bytes()), bench.path(other.as_bytes()));
                std::fs::hard_link(name, other).unwrap();
            }
            std::fs::remove_file(bench.path(b"replaced")).unwrap();
            std::fs::create_dir(bench.path(b"replaced")).unwrap();
        };
        let (changes, _) = bench.command(act).await;
        assert_eq!(
            changes,
            [
                ("another".into(), ChangeKind::Create),
                ("other".into(), ChangeKind::Create),
                ("replaced".into(), ChangeKind::Delete),
                ("written".into(), ChangeKind::Update),
            ]
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_socket_that_a_command_makes_is_named() {
        let bench = Bench::new();
        bench.write("a", "1");
        bench.journal.checkpoint().unwrap();
        let act = || drop(std::os::unix::net::UnixListener::bind(bench.path(b"s")).unwrap());
        let (changes, left) = bench.command(act).await;
        let expected = Unrestorable {
            path: "s".to_owned(),
            reason: LeftOut::NotAFile,
        };
        assert_eq!((changes, left), (Vec::new(), vec![expected]));
        let (_, left) = bench.command(|| bench.write("a", "2")).await;
        assert_eq!(left, []);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_directory_that_a_command_removed_comes_back_with_its_permission_bits() {
        use std::os::unix::fs::PermissionsExt;
        let bench = Bench::new();
        std::fs::create_dir(bench.path(b"d")).unwrap();
        bench.write("d/e", "1");
        std::fs::set_permissions(bench.path(b"d"), PermissionsExt::from_mode(0o700)).unwrap();
        let checkpoint = bench.journal.checkpoint().unwrap();
        let act = || std::fs::remove_dir_all(bench.path(b"d")).unwrap();
        bench.command(act).await;
        bench
            .journal
            .rollback(checkpoint, false, &|| false)
            .unwrap();
        let mode = bench.path(b"d").metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o700);
    }
}
