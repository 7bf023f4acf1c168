//! Texts by name in one private file that several processes share: credentials.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long to wait for a lock. Its holder speaks with a server meanwhile.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// Time between two looks at a lock.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Texts by name in a file that only its user can read. Every change replaces the file as a whole. Locks end with the
/// process that holds them.
#[derive(Debug, Clone)]
pub struct SecretFile {
    path: PathBuf,
}

/// Held as long as nobody else may act on a text.
#[derive(Debug)]
pub struct SecretLock(#[expect(dead_code, reason = "closing it releases the lock")] File);

impl SecretFile {
    /// The file at `path`, which is made with the first text.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The text of this name.
    ///
    /// # Errors
    /// A file that cannot be read, or is not one of these.
    pub async fn get(&self, name: &str) -> io::Result<Option<String>> {
        let (path, name) = (self.path.clone(), name.to_owned());
        blocking(move || Ok(read(&path)?.remove(&name))).await
    }

    /// Keeps a text under this name.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub async fn set(&self, name: &str, text: &str) -> io::Result<()> {
        let _lock = self.locked("write").await?;
        let (path, name, text) = (self.path.clone(), name.to_owned(), text.to_owned());
        blocking(move || {
            let mut texts = read(&path)?;
            texts.insert(name, text);
            write(&path, &texts)
        })
        .await
    }

    /// Waits until nobody else acts on the text of this name. Reading and writing need no lock.
    ///
    /// # Errors
    /// A lock that cannot be made, or is not released within a minute.
    pub async fn lock(&self, name: &str) -> io::Result<SecretLock> {
        // Names of addresses are no names of files.
        let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.locked(&format!("{sum:016x}")).await
    }

    async fn locked(&self, what: &str) -> io::Result<SecretLock> {
        let mut path = self.path.clone().into_os_string();
        path.push(format!(".{what}.lock"));
        let directory = self.path.parent().map(Path::to_owned);
        let file = blocking(move || {
            if let Some(directory) = directory {
                std::fs::create_dir_all(directory)?;
            }
            private().open(path)
        })
        .await?;
        let until = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(SecretLock(file)),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another process holds the lock of the credentials",
                    ));
                }
                Err(TryLockError::WouldBlock) => sleep(LOOK_EVERY).await,
            }
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

/// Opens files that only their user can read.
fn private() -> OpenOptions {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn read(path: &Path) -> io::Result<BTreeMap<String, String>> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("`{}` is not a file of credentials", path.display()),
            )
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, texts: &BTreeMap<String, String>) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    // What was left by a process that died may be readable by others.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private().open(&beside)?;
    file.write_all(&serde_json::to_vec_pretty(texts)?)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(directory: &tempfile::TempDir) -> SecretFile {
        SecretFile::new(directory.path().join("deep/credentials.json"))
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.unwrap().block_on(work)
    }

    #[test]
    fn texts_are_kept_by_name_in_a_file_of_their_user() {
        let directory = tempfile::tempdir().unwrap();
        run(async {
            let file = at(&directory);
            assert_eq!(file.get("a").await.unwrap(), None);
            file.set("a", "one").await.unwrap();
            file.set("b", "two").await.unwrap();
            file.set("a", "three").await.unwrap();
            assert_eq!(
                at(&directory).get("a").await.unwrap().as_deref(),
                Some("three")
            );
            assert_eq!(file.get("b").await.unwrap().as_deref(), Some("two"));
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = std::fs::metadata(&file.path).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        });
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        run(async {
            let writers = (0..20).map(|number| {
                let file = at(&directory);
                async move { file.set(&number.to_string(), "x").await.unwrap() }
            });
            futures_util::future::join_all(writers).await;
            for number in 0..20 {
                assert!(
                    at(&directory)
                        .get(&number.to_string())
                        .await
                        .unwrap()
                        .is_some()
                );
            }
        });
    }

    #[test]
    fn a_lock_is_held_by_one_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        run(async {
            let first = at(&directory).lock("server").await.unwrap();
            let file = at(&directory);
            let waiting = tokio::time::timeout(Duration::from_millis(100), file.lock("server"));
            assert!(waiting.await.is_err());
            // Another name is another lock.
            file.lock("other").await.unwrap();
            drop(first);
            file.lock("server").await.unwrap();
        });
    }

    #[test]
    fn a_file_of_another_form_is_an_error_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        run(async {
            let file = SecretFile::new(directory.path().join("x.json"));
            std::fs::write(&file.path, "not json").unwrap();
            assert!(file.get("a").await.is_err());
            assert!(file.set("a", "b").await.is_err());
            assert_eq!(std::fs::read(&file.path).unwrap(), b"not json");
        });
    }
}
