//! Unix sockets and standard input and output as connections.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as Pipe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use tenon_contract::limits::REMOTE_HELLO_TIMEOUT;
use tokio::net::{UnixListener, UnixStream};

use crate::connection::serve;
use crate::engine::{Admission, Engine};

/// A socket that only its owner can reach.
pub(crate) struct Socket {
    path: PathBuf,
    listener: UnixListener,
    /// Held as long as the engine lives: it says that the socket is not a left-over.
    _lock: File,
}

impl Socket {
    /// Binds it. Fails where another engine has it.
    pub(crate) fn bind(path: &Path) -> io::Result<Self> {
        if let Some(directory) = path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty())
        {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)?;
        }
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(lock)?;
        lock.try_lock().map_err(|_| {
            let message = format!("another engine listens on `{}`", path.display());
            io::Error::new(io::ErrorKind::AddrInUse, message)
        })?;
        // The name appears when connections are accepted, not before: who waits for the file would be refused in between. It takes the
        // place of a left-over.
        let unnamed = path.with_file_name(format!(".{}", std::process::id()));
        remove_if_there(&unnamed)?;
        // Nobody else may connect in between either.
        let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(&unnamed);
        rustix::process::umask(before);
        let listener = bound?;
        fs::set_permissions(&unnamed, Permissions::from_mode(0o600))
            .and_then(|()| fs::rename(&unnamed, path))
            .inspect_err(|_| {
                let _ = fs::remove_file(&unnamed);
            })?;
        Ok(Self {
            path: path.to_owned(),
            listener,
            _lock: lock,
        })
    }

    /// Serves everybody who connects and is the same user.
    pub(crate) async fn serve(&self, engine: &Arc<Engine>) -> io::Result<()> {
        loop {
            let (stream, _) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                // Out of descriptors: some will come back.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    continue;
                }
            };
            let peer = stream.peer_cred()?.uid();
            if peer != rustix::process::geteuid().as_raw() && peer != 0 {
                continue;
            }
            let engine = Arc::clone(engine);
            tokio::spawn(async move {
                // How a connection ended is of no use to anybody: its host knows as well.
                let _ = serve(&engine, stream, &Admission::open()).await;
            });
        }
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Serves one connection over standard input and output.
pub(crate) async fn serve_stdio(engine: &Arc<Engine>) -> io::Result<()> {
    let (ours, theirs) = Pipe::pair()?;
    ours.set_nonblocking(true)?;
    let outwards = pump_stdio(theirs)?;
    let served = serve(engine, UnixStream::from_std(ours)?, &Admission::open()).await;
    // What was said last, such as why the connection was refused, is still on its way.
    let written = tokio::task::spawn_blocking(move || outwards.join());
    let _ = tokio::time::timeout(REMOTE_HELLO_TIMEOUT, written).await;
    served
}

/// Carries standard input into a socket, and what comes out of it to standard output, on threads of their own: standard input may be a
/// pipe, a file or a terminal, none of which may be switched to another mode.
fn pump_stdio(socket: Pipe) -> io::Result<thread::JoinHandle<()>> {
    let (mut into, mut out_of) = (socket.try_clone()?, socket);
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut into);
        let _ = into.shutdown(Shutdown::Write);
    });
    Ok(thread::spawn(move || {
        let _ = carry(&mut out_of, &mut io::stdout().lock());
    }))
}

/// Carries bytes as they come, each as soon as it is there.
pub(crate) fn carry(from: &mut impl Read, into: &mut impl Write) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        into.write_all(bytes.get(..count).unwrap_or_default())?;
        into.flush()?;
    }
}

/// Where an engine listens by default: a directory that nobody else can write to.
pub(crate) fn default_socket() -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let directory = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(own) if own.is_absolute() && own.is_dir() => own.join("tenon"),
        _ => PathBuf::from(format!("/tmp/tenon-{user}")),
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&directory)?;
    let found = fs::symlink_metadata(&directory)?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o077 != 0 {
        let message = format!(
            "`{}` must be a directory that only its owner can enter; name a socket with `--socket`",
            directory.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(directory.join("engine.sock"))
}
