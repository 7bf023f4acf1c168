//! Canvases, and clients of their server.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tenon_browser::{
    Browser, CancellationToken, Decision, DocumentRequest, Guard, JudgeFuture, LaunchOptions,
    NavigateOptions, Profile, ProxyAddress, Session, SessionOptions,
};
use tenon_canvas::{Canvases, Fragment, Origins, Shown};
use tenon_process::{ProcessOptions, Processes};
use tenon_web::{
    AllowedHosts, Guard as AddressGuard, HostProxy, ReachableHosts, SystemResolver, Transport,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything takes.
pub(crate) const SOON: Duration = Duration::from_secs(30);

pub(crate) fn canvases() -> Canvases {
    Canvases::new(Origins::default())
}

pub(crate) fn page(title: &str, html: &str) -> Shown {
    Shown {
        name: None,
        title: title.to_owned(),
        fragment: Fragment::of_html(html).unwrap(),
        data: Value::Null,
        origins: Origins::default(),
        width: None,
        height: None,
    }
}

/// The address of a page in its parts: `127.0.0.1:port` and the path.
pub(crate) fn parts(url: &str) -> (String, String) {
    let (host, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    (host.to_owned(), format!("/{path}"))
}

/// Status, head and body of the answer to a request as it is written.
pub(crate) async fn asked(address: &str, request: String) -> (u16, String, String) {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = client.read_to_end(&mut bytes);
    tokio::time::timeout(SOON, read).await.unwrap().unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    (status, head.to_ascii_lowercase(), body.to_owned())
}

pub(crate) async fn get(host: &str, path: &str) -> (u16, String, String) {
    asked(
        host,
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
    )
    .await
}

pub(crate) async fn post(host: &str, path: &str, headers: &str, body: &str) -> u16 {
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    asked(host, request).await.0
}

pub(crate) fn never() -> CancellationToken {
    CancellationToken::new()
}

pub(crate) fn processes() -> Processes {
    Processes::new(ProcessOptions {
        helper: Some(crate::built::built_helper().into()),
        ..ProcessOptions::default()
    })
}

/// Whether a browser is missing, which is said.
pub(crate) fn is_missing(error: &str) -> bool {
    let is_missing = error.starts_with("No browser was found");
    if is_missing {
        println!("skipped: {error}");
    }
    is_missing
}

struct All;

impl Guard for All {
    fn judge(&self, _: DocumentRequest) -> JudgeFuture {
        Box::pin(async { Decision::Allow })
    }
}

/// A browser of a user, which reaches the canvases, and another server that notes who asks it.
pub(crate) struct Stage {
    pub(crate) canvases: Canvases,
    pub(crate) session: Session,
    pub(crate) other: String,
    pub(crate) hits: Arc<std::sync::Mutex<Vec<String>>>,
    _browser: Browser,
    _processes: Processes,
    _directory: tempfile::TempDir,
    over: CancellationToken,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// A server of somebody else on this machine.
async fn other(over: CancellationToken) -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let hits = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&hits);
    tokio::spawn(async move {
        while let Some(Ok((mut client, _))) = over.run_until_cancelled(listener.accept()).await {
            let mut head = vec![0; 4096];
            let length = client.read(&mut head).await.unwrap_or(0);
            let line = String::from_utf8_lossy(&head[..length])
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            noted.lock().unwrap().push(line);
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nother").await;
        }
    });
    (address, hits)
}

impl Stage {
    pub(crate) async fn new(first: Shown) -> Option<(Self, String)> {
        let canvases = canvases();
        let url = canvases.present(first).await.unwrap().facts.url;
        let over = never();
        let (other, hits) = other(over.clone()).await;
        let own = parts(&url).0;
        let allowed = AllowedHosts::new([own.as_str(), other.as_str()]).unwrap();
        let transport = Transport::new(AddressGuard::new(allowed), Arc::new(SystemResolver));
        let hosts = ReachableHosts::new(&["127.0.0.1".to_owned()]).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(HostProxy::new(hosts, transport).serve(listener, over.clone()));
        let directory = tempfile::tempdir_in("/tmp").unwrap();
        let open = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        std::fs::set_permissions(directory.path(), open).unwrap();
        let options = LaunchOptions {
            profile: Profile::Private {
                parent: Some(directory.path().to_owned()),
            },
            ..LaunchOptions::new(ProxyAddress::new(address))
        };
        let processes = processes();
        let browser = match Browser::launch(&options, &processes, &never()).await {
            Ok(browser) => browser,
            Err(error) if is_missing(&error.to_string()) => return None,
            Err(error) => panic!("{error}"),
        };
        let session = SessionOptions {
            evaluate: true,
            ..SessionOptions::default()
        };
        let session = browser
            .session(session, Arc::new(All), &never())
            .await
            .unwrap();
        session
            .open(&url, &NavigateOptions::default(), &never())
            .await
            .unwrap();
        let stage = Self {
            canvases,
            session,
            other,
            hits,
            _browser: browser,
            _processes: processes,
            _directory: directory,
            over,
        };
        Some((stage, url))
    }

    /// What the page shows, with its frames.
    pub(crate) async fn text(&self) -> String {
        let options = tenon_browser::LookOptions::default();
        self.session
            .snapshot(None, &options, &never())
            .await
            .unwrap()
            .text
    }

    /// Waits until the page shows this.
    pub(crate) async fn until(&self, wanted: &str) -> String {
        let began = std::time::Instant::now();
        loop {
            let text = self.text().await;
            if text.contains(wanted) {
                return text;
            }
            assert!(began.elapsed() < SOON, "no `{wanted}` in:\n{text}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The value of an expression in the page around.
    pub(crate) async fn around(&self, expression: &str) -> String {
        self.session
            .evaluate(None, expression, None, None, &never())
            .await
            .unwrap()
            .value
    }

    /// Clicks what shows this text, once the page stands still: a frame that grows moves what is in it.
    pub(crate) async fn click(&self, text: &str) {
        let began = std::time::Instant::now();
        loop {
            let shown = self.until(text).await;
            let line = shown.lines().find(|line| line.contains(text)).unwrap();
            let place = line
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']'));
            let target = tenon_browser::Target::Ref(place.unwrap().0.to_owned());
            let options = tenon_browser::ActionOptions::default();
            let click = tenon_browser::Click::default();
            match self
                .session
                .click(&target, &click, &options, &never())
                .await
            {
                Ok(_) => return,
                Err(error) => assert!(began.elapsed() < SOON, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Waits for this many events.
    pub(crate) async fn events(&self, id: &str, count: usize) -> Vec<tenon_canvas::Event> {
        let began = std::time::Instant::now();
        loop {
            let found = self.canvases.events(id, 0).await.unwrap().1.events;
            if found.len() >= count {
                return found;
            }
            assert!(began.elapsed() < SOON, "{found:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
