//! The command line of the program.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tenon_contract::limits::REMOTE_LINGER;

pub(crate) const USAGE: &str = "\
Usage:
  tenon-engine serve --stdio
  tenon-engine serve --listen unix:<socket> [--linger <seconds>] [--until-idle <seconds>]
  tenon-engine serve --listen ws:<address>:<port> --token-file <file>
  tenon-engine serve --listen wss:<address>:<port> --token-file <file> --tls-certificate <file> --tls-key <file>
                     [--tls-client-ca <file>]
  tenon-engine serve --listen tcp:<address>:<port> | tls:<address>:<port> …
  tenon-engine attach [--socket <socket>] [--text]
  tenon-engine version

serve    runs calls for hosts that connect
         ws, wss   WebSocket; with wss and tls the connection is encrypted, which it has to be off loopback
         tcp, tls  bytes without WebSocket
         --token-file may be a descriptor: /dev/fd/3
         --tls-client-ca  takes only hosts whose certificate one of these authorities has signed
attach   connects standard input and output with the engine of this user, and starts it where it does not run;
         with --text as lines of base64, where they do not take bytes
";

/// What the program does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Serve(Serve),
    Attach {
        socket: Option<PathBuf>,
        /// Lines of base64 in place of bytes.
        text: bool,
    },
    Version,
    Help,
}

/// A port to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) address: SocketAddr,
    /// Whether hosts speak WebSocket.
    pub(crate) is_web: bool,
    pub(crate) has_tls: bool,
}

/// How it serves.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Serve {
    pub(crate) sockets: Vec<PathBuf>,
    pub(crate) ports: Vec<Place>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
    /// Authorities of the certificates that hosts have to show.
    pub(crate) client_authorities: Option<PathBuf>,
    pub(crate) stdio: bool,
    pub(crate) linger: Duration,
    pub(crate) until_idle: Option<Duration>,
    /// In a session of the system of its own, so that the end of a terminal or a connection does not reach it.
    pub(crate) detach: bool,
}

/// Reads the arguments.
///
/// # Errors
/// A sentence that says what is wrong with them.
pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments.into_iter();
    match arguments.next().as_deref() {
        Some("serve") => serve(arguments).map(Command::Serve),
        Some("attach") => attach(arguments),
        Some("version" | "--version") => Ok(Command::Version),
        Some("help" | "--help" | "-h") => Ok(Command::Help),
        Some(other) => Err(format!("There is no command `{other}`.")),
        None => Err("A command is missing.".to_owned()),
    }
}

fn serve(mut arguments: impl Iterator<Item = String>) -> Result<Serve, String> {
    let mut serve = Serve {
        sockets: Vec::new(),
        ports: Vec::new(),
        token_file: None,
        certificate: None,
        key: None,
        client_authorities: None,
        stdio: false,
        linger: REMOTE_LINGER,
        until_idle: None,
        detach: false,
    };
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--stdio" => serve.stdio = true,
            "--detach" => serve.detach = true,
            "--listen" => listen(&mut serve, &value(&option, arguments.next())?)?,
            "--token-file" => serve.token_file = Some(value(&option, arguments.next())?.into()),
            "--tls-certificate" => {
                serve.certificate = Some(value(&option, arguments.next())?.into());
            }
            "--tls-client-ca" => {
                serve.client_authorities = Some(value(&option, arguments.next())?.into());
            }
            "--tls-key" => serve.key = Some(value(&option, arguments.next())?.into()),
            "--linger" => serve.linger = seconds(&option, arguments.next())?,
            "--until-idle" => serve.until_idle = Some(seconds(&option, arguments.next())?),
            other => return Err(format!("The command `serve` has no option `{other}`.")),
        }
    }
    checked(serve)
}

fn checked(serve: Serve) -> Result<Serve, String> {
    if serve.stdio != (serve.sockets.is_empty() && serve.ports.is_empty()) {
        return Err("`serve` needs either `--stdio` or `--listen`.".to_owned());
    }
    if !serve.ports.is_empty() && serve.token_file.is_none() {
        return Err(
            "A port needs `--token-file`: every user of this machine can connect.".to_owned(),
        );
    }
    let has_tls = serve.ports.iter().any(|place| place.has_tls);
    if has_tls && (serve.certificate.is_none() || serve.key.is_none()) {
        return Err("`wss:` and `tls:` need `--tls-certificate` and `--tls-key`.".to_owned());
    }
    let is_open = serve.ports.iter().any(|place| !place.has_tls);
    if is_open && serve.client_authorities.is_some() {
        return Err(
            "`--tls-client-ca` is for `wss:` and `tls:`: others show no certificate.".to_owned(),
        );
    }
    Ok(serve)
}

fn listen(serve: &mut Serve, place: &str) -> Result<(), String> {
    let wrong = || {
        format!(
            "`--listen` takes `unix:<socket>`, or `ws:`, `wss:`, `tcp:` or `tls:` with `<address>:<port>`, not `{place}`."
        )
    };
    let (kind, rest) = place.split_once(':').ok_or_else(wrong)?;
    match kind {
        "unix" if !rest.is_empty() => serve.sockets.push(rest.into()),
        "ws" | "wss" | "tcp" | "tls" => serve.ports.push(Place {
            address: rest.parse().map_err(|_| wrong())?,
            is_web: kind.starts_with('w'),
            has_tls: matches!(kind, "wss" | "tls"),
        }),
        _ => return Err(wrong()),
    }
    Ok(())
}

fn attach(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut socket, mut text) = (None, false);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--text" => text = true,
            "--socket" => socket = Some(value(&option, arguments.next())?.into()),
            other => return Err(format!("The command `attach` has no option `{other}`.")),
        }
    }
    Ok(Command::Attach { socket, text })
}

fn value(option: &str, given: Option<String>) -> Result<String, String> {
    given.ok_or_else(|| format!("The value of `{option}` is missing."))
}

fn seconds(option: &str, given: Option<String>) -> Result<Duration, String> {
    let given = value(option, given)?;
    let seconds = given.parse().map(Duration::from_secs);
    seconds.map_err(|_| format!("`{option}` must be a whole number of seconds, not `{given}`."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_command_line_says_where_to_listen_and_for_how_long() {
        let serve = Serve {
            sockets: vec!["/run/a.sock".into()],
            ports: Vec::new(),
            token_file: None,
            certificate: None,
            key: None,
            client_authorities: None,
            stdio: false,
            linger: Duration::from_secs(5),
            until_idle: Some(Duration::from_secs(9)),
            detach: false,
        };
        let line = "serve --listen unix:/run/a.sock --linger 5 --until-idle 9";
        assert_eq!(read(line), Ok(Command::Serve(serve)));
        let attach = |socket, text| Ok(Command::Attach { socket, text });
        assert_eq!(read("attach"), attach(None, false));
        assert_eq!(
            read("attach --text --socket /run/a.sock"),
            attach(Some("/run/a.sock".into()), true)
        );
    }

    #[test]
    fn a_mistake_is_named() {
        let refusal = |line| read(line).err().unwrap_or_default();
        assert_eq!(refusal(""), "A command is missing.");
        assert_eq!(refusal("run"), "There is no command `run`.");
        assert_eq!(
            refusal("serve"),
            "`serve` needs either `--stdio` or `--listen`."
        );
        assert_eq!(
            refusal("serve --stdio --listen unix:a"),
            "`serve` needs either `--stdio` or `--listen`."
        );
        assert_eq!(
            refusal("serve --listen tcp:1"),
            "`--listen` takes `unix:<socket>`, or `ws:`, `wss:`, `tcp:` or `tls:` with `<address>:<port>`, not `tcp:1`."
        );
        assert_eq!(
            refusal("serve --listen ws:127.0.0.1:0"),
            "A port needs `--token-file`: every user of this machine can connect."
        );
        assert_eq!(
            refusal("serve --listen wss:0.0.0.0:1 --token-file a"),
            "`wss:` and `tls:` need `--tls-certificate` and `--tls-key`."
        );
        assert_eq!(
            refusal("serve --listen tcp:127.0.0.1:1 --token-file a --tls-client-ca b"),
            "`--tls-client-ca` is for `wss:` and `tls:`: others show no certificate."
        );
        assert_eq!(
            refusal("serve --linger soon"),
            "`--linger` must be a whole number of seconds, not `soon`."
        );
        assert_eq!(
            refusal("attach --sock a"),
            "The command `attach` has no option `--sock`."
        );
    }
}
