//! The files that are open in a server, and how they are kept as they are on disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tenon_contract::limits;
use tenon_workspace::{Error, Located, Metadata, read_text};
use tokio::time::Instant;

use crate::protocol::position::LineText;
use crate::protocol::uri::file_uri;

/// A change that comes so soon after another may leave the time of a file as it was; until then its content is
/// compared, too.
const COARSE_TIME: Duration = Duration::from_secs(2);

/// A file as a server knows it.
#[derive(Debug, Clone)]
pub struct Document {
    /// Where it is.
    pub located: Located,
    /// Its address in the protocol.
    pub uri: String,
    /// The version that was sent last, from 1.
    pub version: i32,
    /// The text that was sent last, which is the one on disk.
    pub text: LineText,
    /// When it was sent.
    pub(crate) sent: Instant,
    /// What the server had been informed of changes when it was sent.
    pub(crate) generation: u64,
}

/// What shows that a file was not changed, without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    modified: Option<SystemTime>,
    size: u64,
    inode: u64,
    /// When the content was read.
    read: SystemTime,
}

impl Fingerprint {
    fn new(metadata: &Metadata, read: SystemTime) -> Self {
        Self {
            modified: metadata.modified,
            size: metadata.size,
            inode: metadata.inode,
            read,
        }
    }

    /// Whether the file is surely the same, by what the system says of it now.
    fn holds(&self, metadata: &Metadata) -> bool {
        let is_settled = self.modified.is_some_and(|modified| {
            self.read
                .duration_since(modified)
                .is_ok_and(|age| age > COARSE_TIME)
        });
        is_settled
            && (self.modified, self.size, self.inode)
                == (metadata.modified, metadata.size, metadata.inode)
    }
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Fresh {
    located: Located,
    fingerprint: Fingerprint,
    text: LineText,
}

impl Fresh {
    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.located.target()
    }
}

/// What a look at the disk found.
#[derive(Debug)]
pub(crate) enum DiskCheck {
    /// As it was sent; with what shows so from now on, if it had to be read.
    Same(Option<Fingerprint>),
    /// Another text, or one that was never sent.
    Changed(Box<Fresh>),
    /// It cannot be read any more.
    Gone,
}

#[derive(Debug)]
struct Open {
    document: Document,
    fingerprint: Fingerprint,
    used: u64,
}

/// The open files of one server.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: HashMap<PathBuf, Open>,
    /// The last version of files that are closed: a file that is opened again goes on from there.
    versions: HashMap<PathBuf, i32>,
    uses: u64,
}

/// What has to be looked at, and what is known of it.
pub(crate) struct PendingCheck {
    located: Located,
    known: Option<(Fingerprint, LineText)>,
    is_asked: bool,
}

impl Documents {
    /// What to look at on disk before `asked` is worked with: every open file, itself, and what is to be opened with it.
    pub(crate) fn looks(&self, asked: Option<&Located>, more: Vec<Located>) -> Vec<PendingCheck> {
        let mut looks: Vec<PendingCheck> = self
            .open
            .values()
            .map(|open| PendingCheck {
                located: open.document.located.clone(),
                known: Some((open.fingerprint.clone(), open.document.text.clone())),
                is_asked: asked
                    .is_some_and(|asked| asked.target() == open.document.located.target()),
            })
            .collect();
        if let Some(asked) = asked.filter(|_| !looks.iter().any(|look| look.is_asked)) {
            looks.push(PendingCheck {
                located: asked.clone(),
                known: None,
                is_asked: true,
            });
        }
        for located in more {
            let path = located.target();
            if !looks.iter().any(|look| look.located.target() == path) {
                looks.push(PendingCheck {
                    located,
                    known: None,
                    is_asked: false,
                });
            }
        }
        looks
    }

    pub(crate) fn of(&self, path: &Path) -> Option<&Document> {
        Some(&self.open.get(path)?.document)
    }

    /// The open files and the versions that were sent last.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (&Path, i32)> {
        self.open
            .iter()
            .map(|(path, open)| (path.as_path(), open.document.version))
    }

    /// Takes a file that was read, and gives the document as it is sent now, with the one before.
    pub(crate) fn take(&mut self, fresh: Fresh, generation: u64) -> (Document, Option<Document>) {
        let Fresh {
            located,
            fingerprint,
            text,
        } = fresh;
        let path = located.target().to_owned();
        let before = self.open.remove(&path).map(|open| open.document);
        let last = before.as_ref().map(|document| document.version);
        let version = last.or_else(|| self.versions.remove(&path)).unwrap_or(0) + 1;
        let document = Document {
            uri: file_uri(&path),
            located,
            version,
            text,
            sent: Instant::now(),
            generation,
        };
        self.uses += 1;
        let open = Open {
            document: document.clone(),
            fingerprint,
            used: self.uses,
        };
        self.open.insert(path, open);
        (document, before)
    }

    /// The same text once more, under a new version.
    pub(crate) fn again(&mut self, path: &Path, generation: u64) -> Option<Document> {
        let document = &mut self.open.get_mut(path)?.document;
        document.version += 1;
        document.sent = Instant::now();
        document.generation = generation;
        Some(document.clone())
    }

    /// Notes that a file is what was sent, and how that is seen from now on.
    pub(crate) fn confirm(&mut self, path: &Path, fingerprint: Fingerprint) {
        if let Some(open) = self.open.get_mut(path) {
            open.fingerprint = fingerprint;
        }
    }

    /// Notes that a file was asked about.
    pub(crate) fn used(&mut self, path: &Path) {
        self.uses += 1;
        if let Some(open) = self.open.get_mut(path) {
            open.used = self.uses;
        }
    }

    pub(crate) fn close(&mut self, path: &Path) -> Option<Document> {
        let document = self.open.remove(path)?.document;
        self.versions.insert(path.to_owned(), document.version);
        Some(document)
    }

    /// The file that was asked about longest ago, if there are too many.
    pub(crate) fn surplus(&self) -> Option<PathBuf> {
        if self.open.len() <= limits::LSP_OPEN_DOCUMENTS_MAX {
            return None;
        }
        let oldest = self.open.iter().min_by_key(|(_, open)| open.used)?;
        Some(oldest.0.clone())
    }
}

/// Looks at files on disk. Blocks.
///
/// # Errors
/// When the file that was asked about cannot be read.
pub(crate) fn look(looks: Vec<PendingCheck>) -> Result<Vec<(PathBuf, DiskCheck)>, Error> {
    let mut found = Vec::with_capacity(looks.len());
    for look in looks {
        let path = look.located.target().to_owned();
        let is_asked = look.is_asked;
        let seen = match look_at(look) {
            Ok(seen) => seen,
            Err(error) if is_asked => return Err(error),
            Err(_) => DiskCheck::Gone,
        };
        found.push((path, seen));
    }
    Ok(found)
}

fn look_at(look: PendingCheck) -> Result<DiskCheck, Error> {
    let PendingCheck { located, known, .. } = look;
    if let Some((fingerprint, _)) = &known
        && fingerprint.holds(&located.metadata()?)
    {
        return Ok(DiskCheck::Same(None));
    }
    // Before the reading: what is written meanwhile is newer than this.
    let read = SystemTime::now();
    let file = read_text(&located, limits::LSP_DOCUMENT_MAX_BYTES)?;
    let fingerprint = Fingerprint::new(file.snapshot().metadata(), read);
    if let Some((_, text)) = known
        && **text.text() == *file.text()
    {
        return Ok(DiskCheck::Same(Some(fingerprint)));
    }
    let text = LineText::new(file.text());
    Ok(DiskCheck::Changed(Box::new(Fresh {
        located,
        fingerprint,
        text,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tenon_workspace::Workspace;

    fn seen(documents: &mut Documents, asked: Option<&Located>) -> Vec<String> {
        let mut reported = Vec::new();
        for (path, seen) in look(documents.looks(asked, Vec::new())).unwrap() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            reported.push(match seen {
                DiskCheck::Same(fingerprint) => {
                    if let Some(fingerprint) = fingerprint {
                        documents.confirm(&path, fingerprint);
                    }
                    format!("{name} same")
                }
                DiskCheck::Gone => format!(
                    "{name} gone {:?}",
                    documents.close(&path).map(|it| it.version)
                ),
                DiskCheck::Changed(fresh) => {
                    let (now, before) = documents.take(*fresh, 0);
                    format!(
                        "{name} {:?}->{} {}",
                        before.map(|it| it.version),
                        now.version,
                        now.text.text()
                    )
                }
            });
        }
        reported.sort();
        reported
    }

    #[test]
    fn files_are_compared_with_the_disk_by_time_size_and_content() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a.py"), "one").unwrap();
        fs::write(path("b.py"), "two").unwrap();
        let [a, b] = ["a.py", "b.py"].map(|name| workspace.locate(name).unwrap());
        let mut documents = Documents::default();
        assert_eq!(seen(&mut documents, Some(&a)), ["a.py None->1 one"]);
        assert_eq!(seen(&mut documents, Some(&a)), ["a.py same"]);
        // The same size within the same tick of the clock.
        let metadata = fs::metadata(path("a.py")).unwrap();
        fs::write(path("a.py"), "uno").unwrap();
        fs::File::options()
            .append(true)
            .open(path("a.py"))
            .unwrap()
            .set_modified(metadata.modified().unwrap())
            .unwrap();
        assert_eq!(
            seen(&mut documents, Some(&b)),
            ["a.py Some(1)->2 uno", "b.py None->1 two"]
        );
        fs::remove_file(path("a.py")).unwrap();
        assert_eq!(
            seen(&mut documents, None),
            ["a.py gone Some(2)", "b.py same"]
        );
        fs::write(path("a.py"), "new").unwrap();
        assert_eq!(
            seen(&mut documents, Some(&a)),
            ["a.py None->3 new", "b.py same"],
            "versions go on"
        );
    }

    #[test]
    fn an_old_file_is_not_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let path = directory.path().join("a.py");
        fs::write(&path, "one").unwrap();
        let old = SystemTime::now() - Duration::from_secs(60);
        let age = |path: &Path| {
            fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(old)
                .unwrap()
        };
        age(&path);
        let a = workspace.locate("a.py").unwrap();
        let mut documents = Documents::default();
        seen(&mut documents, Some(&a));
        // Content changes, time and size do not, in place: nobody can know without reading.
        fs::write(&path, "uno").unwrap();
        age(&path);
        assert_eq!(seen(&mut documents, Some(&a)), ["a.py same"]);
        let unread = workspace.locate("b.py").unwrap();
        assert!(look(documents.looks(Some(&unread), Vec::new())).is_err());
    }

    #[test]
    fn the_file_that_was_asked_about_longest_ago_goes_first() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let mut documents = Documents::default();
        for index in 0..=limits::LSP_OPEN_DOCUMENTS_MAX {
            let name = format!("{index}.py");
            fs::write(directory.path().join(&name), "").unwrap();
            assert_eq!(documents.surplus(), None);
            seen(&mut documents, Some(&workspace.locate(&name).unwrap()));
        }
        let root = workspace.root().to_owned();
        assert_eq!(documents.surplus(), Some(root.join("0.py")));
        documents.used(&root.join("0.py"));
        assert_eq!(documents.surplus(), Some(root.join("1.py")));
    }
}
