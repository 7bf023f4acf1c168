//! `attach`: standard input and output become a connection to the engine of this user, which is started where it does not run. The
//! connection may end at any time; the engine does not.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tenon_contract::limits::{REMOTE_LINGER_ATTACHED, REMOTE_START_TIMEOUT};

use crate::listen::carry;
use crate::text::{carry_as_lines, carry_lines};

const RETRY: Duration = Duration::from_millis(20);

/// Connects standard input and output with the engine, until either ends; as lines of base64 where they take text only.
pub(crate) fn attach(socket: &Path, is_text: bool) -> io::Result<()> {
    let mut out_of = connected(socket)?;
    let mut into = out_of.try_clone()?;
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let _ = if is_text {
            carry_lines(&mut input, &mut into)
        } else {
            carry(&mut input, &mut into)
        };
        // The host has gone: nothing that still comes has a reader.
        let _ = into.shutdown(Shutdown::Both);
    });
    let mut output = io::stdout().lock();
    if is_text {
        carry_as_lines(&mut out_of, &mut output)
    } else {
        carry(&mut out_of, &mut output)
    }
}

fn connected(socket: &Path) -> io::Result<UnixStream> {
    if let Ok(stream) = UnixStream::connect(socket) {
        return Ok(stream);
    }
    let mut started = start(socket)?;
    let since = Instant::now();
    loop {
        match UnixStream::connect(socket) {
            Ok(stream) => return Ok(stream),
            Err(error) if since.elapsed() > REMOTE_START_TIMEOUT => {
                let message = format!(
                    "the engine does not listen on `{}` ({error})",
                    socket.display()
                );
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            Err(_) => {}
        }
        // Of two that start at once one gives up: the other one listens.
        let _ = started.try_wait();
        thread::sleep(RETRY);
    }
}

fn start(socket: &Path) -> io::Result<std::process::Child> {
    let linger = REMOTE_LINGER_ATTACHED.as_secs().to_string();
    Command::new(std::env::current_exe()?)
        .arg("serve")
        .arg("--listen")
        .arg(format!("unix:{}", socket.display()))
        .args(["--linger", &linger, "--until-idle", &linger, "--detach"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}
