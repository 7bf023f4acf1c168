//! The one browser of a toolkit: behind a proxy that only it can use, ended when nobody uses it.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenon_browser::{
    Browsers, BrowsersOptions, Click, NavigateOptions, OwnPageOptions, Profile, Session,
    SessionOptions, Target,
};
use tenon_web::{
    AllowedHosts, Guard, HostProxy, ReachableHosts, ResolveFuture, Resolver, Transport,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::web::{SOON, allow, directory, living, never, processes, reference, survivors};

/// A server that answers every request with this page, and remembers the first lines.
async fn server(page: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.windows(4).any(|four| four == b"\r\n\r\n") {
                    if client.read_buf(&mut head).await.unwrap_or(0) == 0 {
                        return;
                    }
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                seen.lock().unwrap().push(head);
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                    page.len()
                );
                let _ = client.write_all(answer.as_bytes()).await;
            });
        }
    });
    (port, asked)
}

/// Every name has these addresses, one after the other.
#[derive(Debug)]
struct Turning(Mutex<Vec<IpAddr>>);

impl Resolver for Turning {
    fn resolve(&self, _: String) -> ResolveFuture {
        let mut addresses = self.0.lock().unwrap();
        let address = match addresses.len() {
            1 => addresses[0],
            _ => addresses.remove(0),
        };
        Box::pin(async move { Ok(vec![address]) })
    }
}

struct Pool {
    browsers: Browsers,
    directory: tempfile::TempDir,
}

/// Nothing where there is no browser, which is said.
async fn pool(allowed: &[String], addresses: &[&str], idle: Duration) -> Option<Pool> {
    let addresses = addresses.iter().map(|it| it.parse().unwrap()).collect();
    let allowed = AllowedHosts::new(allowed.iter().map(String::as_str)).unwrap();
    let resolver = Arc::new(Turning(Mutex::new(addresses)));
    let transport = Transport::new(Guard::new(allowed), resolver);
    let denied = ReachableHosts::new(&["denied.test".to_owned()]).unwrap();
    let proxy = HostProxy::to_all_but(denied, transport);
    let directory = directory();
    let mut options = BrowsersOptions::new(proxy, processes(true));
    options.idle = idle;
    options.profile = Profile::Private {
        parent: Some(directory.path().to_owned()),
    };
    let browsers = Browsers::new(options);
    match session(&browsers).await {
        Ok(_) => Some(Pool {
            browsers,
            directory,
        }),
        Err(error) if error.to_string().starts_with("No browser was found") => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

async fn session(browsers: &Browsers) -> Result<Session, tenon_browser::BrowserError> {
    let options = SessionOptions {
        judges_writes: true,
        ..SessionOptions::default()
    };
    browsers.session(options, allow(), &never()).await
}

async fn open(session: &Session, url: &str) -> Result<String, (&'static str, String)> {
    let opened = session
        .open(url, &NavigateOptions::default(), &never())
        .await;
    opened
        .map(|opened| opened.snapshot.text)
        .map_err(|error| (error.kind(), error.to_string()))
}

const LONG: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread")]
async fn no_other_process_can_use_the_proxy_and_its_credentials_reach_no_server() {
    let (port, asked) = server("<h1>Here</h1>").await;
    let here = format!("127.0.0.1:{port}");
    let Some(pool) = pool(std::slice::from_ref(&here), &["127.0.0.1"], LONG).await else {
        return;
    };
    let session = session(&pool.browsers).await.unwrap();
    let page = open(&session, &format!("http://{here}/")).await.unwrap();
    assert_eq!(page, "# Here");
    let lines = living(pool.directory.path());
    let switch = "--proxy-server=http://";
    let proxy = lines
        .iter()
        .find_map(|(_, line)| line.split(switch).nth(1)?.split(' ').next())
        .unwrap();
    for line in &lines {
        assert!(!line.1.contains("tenon:"), "{}", line.1);
    }
    for request in [
        format!("GET http://{here}/stolen HTTP/1.1\r\nHost: {here}\r\n\r\n"),
        format!(
            "GET http://{here}/stolen HTTP/1.1\r\nHost: {here}\r\nProxy-Authorization: Basic dGVub246dGVub24=\r\n\r\n"
        ),
        format!("CONNECT {here} HTTP/1.1\r\nHost: {here}\r\n\r\n"),
    ] {
        let mut other = TcpStream::connect(proxy).await.unwrap();
        other.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        other.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 407 "), "{request}: {answer}");
    }
    let asked = asked.lock().unwrap().clone();
    assert!(!asked.is_empty());
    for head in asked {
        assert!(!head.contains("stolen"), "{head}");
        let head = head.to_ascii_lowercase();
        assert!(!head.contains("proxy-authorization"), "{head}");
    }
    pool.browsers.close().await;
    assert!(TcpStream::connect(proxy).await.is_err());
    assert_eq!(survivors(pool.directory.path()), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_turn_inward_metadata_and_denied_hosts_are_not_reached() {
    let (port, asked) = server("<h1>Inner</h1>").await;
    let Some(pool) = pool(&[], &["127.0.0.1", "169.254.169.254", "10.0.0.1"], LONG).await else {
        return;
    };
    let session = session(&pool.browsers).await.unwrap();
    for url in [
        format!("http://rebind.test:{port}/"),
        format!("http://rebind.test:{port}/again"),
        "http://metadata.test/latest".to_owned(),
        "http://169.254.169.254/latest".to_owned(),
        "http://[fd00:ec2::254]/latest".to_owned(),
        format!("http://localhost:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        "http://denied.test/".to_owned(),
        "http://below.denied.test.:80/".to_owned(),
    ] {
        let (kind, text) = open(&session, &url).await.unwrap_err();
        assert_eq!(kind, "blocked", "{url}: {text}");
    }
    let (kind, _) = open(&session, "https://rebind.test/").await.unwrap_err();
    assert_eq!(kind, "navigation_failed");
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_that_a_page_opens_are_tabs_behind_the_same_proxy() {
    let (port, _) = server("<a href=/other target=_blank>Other</a><h1>Here</h1>").await;
    let here = format!("127.0.0.1:{port}");
    let Some(pool) = pool(std::slice::from_ref(&here), &["127.0.0.1"], LONG).await else {
        return;
    };
    let session = session(&pool.browsers).await.unwrap();
    let page = open(&session, &format!("http://{here}/")).await.unwrap();
    let target = Target::Ref(reference(&page, "\"Other\""));
    let result = session
        .click(&target, &Click::default(), &Default::default(), &never())
        .await
        .unwrap();
    assert_eq!(result.opened.len(), 1);
    let tab = result.opened[0].tab.clone();
    let until = Instant::now() + SOON;
    loop {
        let tabs = session.tabs(&never()).await.unwrap();
        let other = tabs.iter().find(|it| it.tab == tab);
        let url = other.expect("the tab stays").url.clone();
        if url == format!("http://{here}/other") {
            break;
        }
        assert!(Instant::now() < until, "{url}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (options, never) = (Default::default(), never());
    let look = session.snapshot(Some(&tab), &options, &never);
    assert!(look.await.unwrap().text.contains("# Here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_ends_when_nobody_uses_it_and_not_while_somebody_does() {
    let (port, _) = server("<h1>Here</h1>").await;
    let here = format!("127.0.0.1:{port}");
    let idle = Duration::from_millis(200);
    let Some(pool) = pool(std::slice::from_ref(&here), &["127.0.0.1"], idle).await else {
        return;
    };
    let used = pool.browsers.using();
    let first = session(&pool.browsers).await.unwrap();
    open(&first, &format!("http://{here}/")).await.unwrap();
    tokio::time::sleep(idle * 4).await;
    assert!(pool.browsers.is_running().await);
    drop(used);
    let until = Instant::now() + SOON;
    while !survivors(pool.directory.path()).is_empty() {
        assert!(
            Instant::now() < until,
            "{:?}",
            survivors(pool.directory.path())
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Its processes are gone a moment before it knows.
    while first.is_open() {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let again = session(&pool.browsers).await.unwrap();
    open(&again, &format!("http://{here}/")).await.unwrap();
    pool.browsers.close().await;
    let closed = session(&pool.browsers).await.map(drop).unwrap_err();
    assert_eq!(closed.kind(), "closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_our_own_is_looked_at_and_leads_nowhere_else() {
    let page = "<title>Own</title><div style='width:2000px'>Wide</div><iframe src='http://127.0.0.1:1/'></iframe><script>console.error('wrong'); location.hash = 'x'; null.x</script>";
    let (port, asked) = server(page).await;
    let Some(pool) = pool(&[], &["127.0.0.1"], LONG).await else {
        return;
    };
    let options = OwnPageOptions {
        view: Some((400, 300)),
        ..OwnPageOptions::default()
    };
    let url = format!("http://127.0.0.1:{port}/own");
    let own = pool
        .browsers
        .look_at_own(&url, &options, &never())
        .await
        .unwrap();
    assert_eq!((own.picture.width, own.picture.height), (400, 300));
    assert_eq!(own.title, "Own");
    assert!(own.overflow > 1500, "{}", own.overflow);
    assert_eq!(own.console_errors.len(), 2, "{:?}", own.console_errors);
    assert!(!asked.lock().unwrap().is_empty());
    for foreign in [
        "http://example.com/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
    ] {
        let refused = pool.browsers.look_at_own(foreign, &options, &never()).await;
        assert!(refused.is_err(), "{foreign}");
    }
}
