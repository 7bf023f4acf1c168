//! A web of our own: a proxy that answers for every host, and remembers who was asked for what.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenon_browser::{
    Browser, CancellationToken, Decision, DocumentRequest, Guard, JudgeFuture, LaunchOptions,
    LookOptions, NavigateOptions, Navigated, Profile, ProxyAddress, Session, SessionOptions,
    Snapshot,
};
use tenon_process::{ProcessOptions, Processes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything takes, shorter than a user waits.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// What a host answers.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) delay: Duration,
    /// Goes on sending this many more bytes.
    pub(crate) endless: u64,
}

impl Answer {
    pub(crate) fn html(body: &str) -> Self {
        Self::new("200 OK", "Content-Type: text/html; charset=utf-8", body)
    }

    pub(crate) fn new(status: &str, headers: &str, body: &str) -> Self {
        let headers = if headers.is_empty() {
            String::new()
        } else {
            format!("{headers}\r\n")
        };
        Self {
            head: format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n"),
            body: body.into(),
            delay: Duration::ZERO,
            endless: 0,
        }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::new("302 Found", &format!("Location: {to}"), "")
    }
}

/// The proxy, and all hosts behind it.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Web {
    pub(crate) async fn new(credentials: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let web = Self {
            address: listener.local_addr().unwrap(),
            answers: Arc::default(),
            asked: Arc::default(),
        };
        let served = web.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let web = served.clone();
                tokio::spawn(async move {
                    // A browser that goes away is no concern of anybody.
                    let _ = web.serve(client, credentials).await;
                });
            }
        });
        web
    }

    /// `at` is an address without scheme and query.
    pub(crate) fn put(&self, at: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(at.to_owned(), answer);
    }

    pub(crate) fn page(&self, at: &str, html: &str) {
        self.put(
            at,
            Answer::html(&format!("<!doctype html><meta charset=utf-8>{html}")),
        );
    }

    /// `METHOD address` of everything that was asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    async fn serve(&self, mut client: TcpStream, credentials: Option<&str>) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.windows(4).any(|four| four == b"\r\n\r\n") {
            if client.read_buf(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let text = String::from_utf8_lossy(&head).into_owned();
        let mut words = text.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap_or_default());
        if let Some(credentials) = credentials
            && !text.contains(&format!("Proxy-Authorization: Basic {credentials}"))
        {
            self.asked.lock().unwrap().push(format!("407 {target}"));
            let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"tenon\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            return client.write_all(refusal.as_bytes()).await;
        }
        self.asked
            .lock()
            .unwrap()
            .push(format!("{method} {target}"));
        let at = target.strip_prefix("http://").unwrap_or(target);
        let at = at.split(['?', '#']).next().unwrap();
        let at = at.strip_suffix('/').unwrap_or(at);
        let found = self.answers.lock().unwrap().get(at).cloned();
        let answer = found.unwrap_or_else(|| {
            Answer::new(
                "404 Not Found",
                "Content-Type: text/html",
                "<h1>Not here</h1>",
            )
        });
        tokio::time::sleep(answer.delay).await;
        let length = answer.body.len() as u64 + answer.endless;
        let head = format!("{}Content-Length: {length}\r\n\r\n", answer.head);
        client.write_all(head.as_bytes()).await?;
        client.write_all(&answer.body).await?;
        let chunk = vec![b'x'; 1024 * 1024];
        let mut left = answer.endless;
        while left > 0 {
            let part = usize::try_from(left).unwrap().min(chunk.len());
            client.write_all(&chunk[..part]).await?;
            left -= part as u64;
        }
        client.shutdown().await
    }
}

/// A guard made of a function.
pub(crate) struct Judge<F>(pub(crate) F);

impl<F: Fn(&DocumentRequest) -> Decision + Send + Sync + 'static> Guard for Judge<F> {
    fn judge(&self, request: DocumentRequest) -> JudgeFuture {
        let decision = (self.0)(&request);
        Box::pin(async move { decision })
    }
}

pub(crate) fn allow() -> Arc<dyn Guard> {
    Arc::new(Judge(|_: &DocumentRequest| Decision::Allow))
}

/// A browser with a session, and the web that it sees.
pub(crate) struct Stage {
    pub(crate) web: Web,
    pub(crate) session: Session,
    pub(crate) browser: Browser,
    _processes: Processes,
    pub(crate) directory: tempfile::TempDir,
}

pub(crate) fn never() -> CancellationToken {
    CancellationToken::new()
}

pub(crate) fn processes(with_helper: bool) -> Processes {
    Processes::new(ProcessOptions {
        helper: with_helper.then(|| crate::built::built_helper().into()),
        ..ProcessOptions::default()
    })
}

/// A directory that a browser of another user can reach.
pub(crate) fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir_in("/tmp").unwrap();
    let open = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(directory.path(), open).unwrap();
    directory
}

pub(crate) fn options(web: &Web, directory: &Path) -> LaunchOptions {
    let mut options = LaunchOptions::new(ProxyAddress::new(web.address));
    options.profile = Profile::Private {
        parent: Some(directory.to_owned()),
    };
    options
}

/// Nothing where there is no browser, which is said.
pub(crate) async fn launched(options: &LaunchOptions, processes: &Processes) -> Option<Browser> {
    match Browser::launch(options, processes, &never()).await {
        Ok(browser) => Some(browser),
        Err(error) if error.to_string().starts_with("No browser was found") => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

impl Stage {
    pub(crate) async fn new() -> Option<Self> {
        Self::with(allow(), SessionOptions::default()).await
    }

    pub(crate) async fn with(guard: Arc<dyn Guard>, session: SessionOptions) -> Option<Self> {
        let web = Web::new(None).await;
        let directory = directory();
        let processes = processes(true);
        let browser = launched(&options(&web, directory.path()), &processes).await?;
        let session = browser.session(session, guard, &never()).await.unwrap();
        Some(Self {
            web,
            session,
            browser,
            _processes: processes,
            directory,
        })
    }

    /// Opens a page of this content.
    pub(crate) async fn open(&self, html: &str) -> Navigated {
        self.web.page("app.test/page", html);
        self.go("http://app.test/page").await
    }

    pub(crate) async fn go(&self, url: &str) -> Navigated {
        let options = NavigateOptions::default();
        self.session
            .navigate(url, None, &options, &never())
            .await
            .unwrap()
    }

    pub(crate) async fn look(&self) -> Snapshot {
        self.look_with(&LookOptions::default()).await
    }

    pub(crate) async fn look_with(&self, options: &LookOptions) -> Snapshot {
        self.session
            .snapshot(None, options, &never())
            .await
            .unwrap()
    }

    /// Does something in the page that no user could.
    pub(crate) async fn script(&self, expression: &str) -> String {
        self.session
            .evaluate(None, expression, None, None, &never())
            .await
            .unwrap()
            .value
    }
}

pub(crate) fn scripting() -> SessionOptions {
    SessionOptions {
        evaluate: true,
        ..SessionOptions::default()
    }
}

/// The reference in the line that holds this text.
pub(crate) fn reference(snapshot: &str, text: &str) -> String {
    let line = snapshot
        .lines()
        .find(|line| line.contains(text))
        .unwrap_or_else(|| panic!("no `{text}` in:\n{snapshot}"));
    let behind = line.split_once(text).unwrap().1;
    let found = behind
        .split_once('[')
        .unwrap_or_else(|| panic!("no reference behind `{text}` in: {line}"));
    found.1.split_once(']').unwrap().0.to_owned()
}

/// Command lines of all living processes that name this directory.
pub(crate) fn survivors(directory: &Path) -> Vec<String> {
    living(directory)
        .into_iter()
        .map(|(_, line)| line)
        .collect()
}

/// The same with their numbers, and those below them, such as renderers, which name it nowhere.
pub(crate) fn living(directory: &Path) -> Vec<(i32, String)> {
    let wanted = directory.to_str().unwrap();
    let mut parents = HashMap::new();
    let mut found: HashMap<i32, String> = HashMap::new();
    let mut lines = HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let path: PathBuf = entry.path();
        let Some(pid) = path
            .file_name()
            .and_then(|name| name.to_str()?.parse::<i32>().ok())
        else {
            continue;
        };
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        parents.insert(pid, parent.unwrap_or(0));
        if line.contains(wanted) && pid != i32::try_from(std::process::id()).unwrap() {
            found.insert(pid, line.clone());
        }
        lines.insert(pid, line);
    }
    loop {
        let below: Vec<i32> = parents
            .iter()
            .filter(|(pid, parent)| {
                found.contains_key(*parent) && !found.contains_key(*pid) && !lines[*pid].is_empty()
            })
            .map(|(pid, _)| *pid)
            .collect();
        if below.is_empty() {
            return found.into_iter().collect();
        }
        for pid in below {
            found.insert(pid, lines[&pid].clone());
        }
    }
}
