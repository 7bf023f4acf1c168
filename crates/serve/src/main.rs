//! `tenon-engine`: see the library.

use std::process::ExitCode;

/// The allocator of musl takes one lock for all threads; elsewhere that of the system is good enough.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[cfg(unix)]
fn main() -> ExitCode {
    tenon_serve::main()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    use std::io::Write;
    let message = "tenon-engine: it listens on Unix sockets and standard input and output, which it can do on Linux and macOS.";
    let _ = writeln!(std::io::stderr(), "{message}");
    ExitCode::FAILURE
}
