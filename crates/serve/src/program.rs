//! The program.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use crate::attach::attach;
use crate::engine::{Engine, EngineOptions};
use crate::listen::{Socket, default_socket, serve_stdio};
use crate::options::{Command, Place, Serve, USAGE, parse};
use crate::port::{Port, Tls, token_in};
use crate::signals::Termination;

const HELPER: &str = "tenon-helper";
/// More threads than this serve nobody: searches bring their own, blocking work has its own pool.
const MAX_THREADS: usize = 4;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let done = match parse(std::env::args().skip(1)) {
        Ok(Command::Serve(serve)) => run(serve),
        Ok(Command::Attach { socket, text }) => socket
            .map_or_else(default_socket, Ok)
            .and_then(|socket| attach(&socket, text)),
        Ok(Command::Version) => {
            let version = env!("CARGO_PKG_VERSION");
            let (min, max) = crate::PROTOCOL;
            writeln!(
                io::stdout(),
                "tenon-engine {version}, protocol {min} to {max}"
            )
        }
        Ok(Command::Help) => write!(io::stdout(), "{USAGE}"),
        Err(fault) => {
            let _ = write!(io::stderr(), "tenon-engine: {fault}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "tenon-engine: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Serve) -> io::Result<()> {
    if options.detach {
        // It fails where it leads a session already.
        let _ = rustix::process::setsid();
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.min(MAX_THREADS))
        .thread_name("tenon")
        .enable_all()
        .build()?;
    let done = runtime.block_on(serve(options));
    // A thread that waits for standard input would wait for ever.
    runtime.shutdown_background();
    done
}

async fn serve(options: Serve) -> io::Result<()> {
    let engine = Engine::new(EngineOptions {
        linger: options.linger,
        helper: helper(),
    });
    let mut termination = Termination::new()?;
    let done = tokio::select! {
        done = served(&engine, &options) => done,
        () = termination.came() => Ok(()),
    };
    engine.close().await;
    done
}

async fn served(engine: &Arc<Engine>, options: &Serve) -> io::Result<()> {
    if options.stdio {
        return serve_stdio(engine).await;
    }
    let mut listening = tokio::task::JoinSet::new();
    for path in &options.sockets {
        let socket = Socket::bind(path).map_err(|error| {
            let message = format!("cannot listen on `{}`: {error}", path.display());
            io::Error::new(error.kind(), message)
        })?;
        let engine = Arc::clone(engine);
        listening.spawn(async move { socket.serve(&engine).await });
    }
    for place in &options.ports {
        let port = port(*place, options).await?;
        let engine = Arc::clone(engine);
        listening.spawn(async move { port.serve(&engine).await });
    }
    let ended = async {
        listening
            .join_next()
            .await
            .map_or(Ok(()), |ended| ended.unwrap_or(Ok(())))
    };
    match options.until_idle {
        None => ended.await,
        Some(patience) => tokio::select! {
            ended = ended => ended,
            () = engine.idle(patience) => Ok(()),
        },
    }
}

async fn port(place: Place, options: &Serve) -> io::Result<Port> {
    let token = token_in(options.token_file.as_deref().unwrap_or(Path::new("")))?;
    let files = options.certificate.as_deref().zip(options.key.as_deref());
    let tls = files.map(|(certificates, key)| Tls {
        certificates,
        key,
        client_authorities: options.client_authorities.as_deref(),
    });
    let bound = Port::bind(place, tls.filter(|_| place.has_tls), &token).await;
    bound.map_err(|error| {
        let address = place.address;
        io::Error::new(
            error.kind(),
            format!("cannot listen on `{address}`: {error}"),
        )
    })
}

/// The helper program lies beside this one.
fn helper() -> Option<PathBuf> {
    let file = std::env::current_exe().ok()?.with_file_name(HELPER);
    (cfg!(target_os = "linux") && file.is_file()).then_some(file)
}
