//! A server that says exactly what a test wants, byte for byte.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenon_contract::{
    CancellationToken, HopFuture, HostClaim, RedirectPolicy, ToolContext, ToolError,
};
use tenon_web::{
    Accept, AllowedHosts, Content, FetchSettings, Fetched, Fetcher, Guard, ResolveFuture, Resolver,
    Transport, WebUrl, failure,
};

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

type Handler = dyn Fn(&Seen, &mut TcpStream) + Send + Sync;

/// A server on a loopback port of its own. Its threads end with the process.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers every request by the handler, then closes the connection.
    pub(crate) fn new(handler: impl Fn(&Seen, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let handler: Arc<Handler> = Arc::new(handler);
        let log = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (handler, log) = (handler.clone(), log.clone());
                std::thread::spawn(move || serve(stream, &handler, &log));
            }
        });
        Self { port, seen }
    }

    /// Answers by path: head and body, the length added.
    pub(crate) fn of(routes: Vec<(&'static str, Vec<u8>)>) -> Self {
        Self::new(move |seen, stream| {
            let path = seen.line.split(' ').nth(1).unwrap_or_default();
            let answer = routes.iter().find(|(known, _)| *known == path);
            let missing = page(
                "404 Not Found",
                &[("content-type", "text/plain")],
                b"no such page",
            );
            let _ = stream.write_all(answer.map_or(&missing, |(_, bytes)| bytes));
        })
    }

    pub(crate) fn url(&self, path: &str) -> WebUrl {
        WebUrl::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    pub(crate) fn entry(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, handler: &Arc<Handler>, log: &Arc<Mutex<Vec<Seen>>>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).unwrap_or(0) == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':') {
            headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let length = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let seen = Seen {
        line: line.trim().to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    log.lock().unwrap().push(seen.clone());
    handler(&seen, &mut stream);
}

/// An answer with its length.
pub(crate) fn page(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    )
    .into_bytes();
    for (name, value) in headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

pub(crate) fn html(body: &str) -> Vec<u8> {
    page(
        "200 OK",
        &[("content-type", "text/html; charset=utf-8")],
        body.as_bytes(),
    )
}

pub(crate) fn typed(content_type: &str, body: &[u8]) -> Vec<u8> {
    page("200 OK", &[("content-type", content_type)], body)
}

pub(crate) fn redirect(status: &str, location: &str) -> Vec<u8> {
    page(status, &[("location", location)], b"")
}

/// Answers from a list; what is not on it has no address. Each host may answer differently each time.
pub(crate) struct Listed(pub(crate) Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl Resolver for Listed {
    fn resolve(&self, host: String) -> ResolveFuture {
        let mut known = self.0.lock().unwrap();
        let answer = known.get_mut(&host).map(|answers| {
            if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers[0].clone()
            }
        });
        Box::pin(async move { answer.ok_or_else(|| "no such host".to_owned()) })
    }
}

pub(crate) fn listed(hosts: &[(&str, &[&str])]) -> Arc<Listed> {
    let mut known: HashMap<String, Vec<Vec<IpAddr>>> = HashMap::new();
    for (host, addresses) in hosts {
        let answer = addresses
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        known.entry((*host).to_owned()).or_default().push(answer);
    }
    Arc::new(Listed(Mutex::new(known)))
}

/// A fetcher that may ask these servers.
pub(crate) fn fetcher(entries: &[String], settings: FetchSettings) -> Fetcher {
    fetcher_with(entries, settings, listed(&[]))
}

pub(crate) fn fetcher_with(
    entries: &[String],
    settings: FetchSettings,
    resolver: Arc<dyn Resolver>,
) -> Fetcher {
    let allowed = AllowedHosts::new(entries.iter().map(String::as_str)).unwrap();
    Fetcher::new(Transport::new(Guard::new(allowed), resolver), settings)
}

/// Lets every hop pass and remembers it.
#[derive(Default)]
pub(crate) struct Easy(pub(crate) Mutex<Vec<String>>);

impl RedirectPolicy for Easy {
    fn judge<'a>(&'a self, _: &'a HostClaim, to: &'a HostClaim) -> HopFuture<'a> {
        self.0.lock().unwrap().push(to.url.clone());
        Box::pin(async { Ok(()) })
    }
}

pub(crate) fn context() -> ToolContext {
    ToolContext::new("call", CancellationToken::new())
        .with_redirect_policy(Arc::new(Easy::default()))
}

pub(crate) async fn get(fetcher: &Fetcher, url: &WebUrl) -> Result<Fetched, ToolError> {
    fetcher
        .fetch(url, Accept::Text, &context(), &|_, _| {})
        .await
}

/// Fetches a page of a server and reads it, as the tool does.
pub(crate) async fn read(server: &Server, path: &str) -> Result<(String, String), ToolError> {
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let fetched = get(&fetcher, &server.url(path)).await?;
    if let Some(error) = failure(fetched.response()) {
        return Err(error);
    }
    let document = fetched.document().await?;
    match &document.content {
        Content::Text { markdown, plain } => Ok((markdown.clone(), plain.clone())),
        Content::Image { mime_type, .. } => Ok((mime_type.clone(), String::new())),
    }
}
