//! Through a proxy that the host gives: a real one on this machine, which reaches public addresses by a table.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use tenon_contract::{CancellationToken, ErrorCode};
use tenon_web::{
    AllowedHosts, Domains, FetchSettings, Fetcher, Guard, HostProxy, Missing, ProviderId,
    ProviderSettings, ReachableHosts, RequestSpec, Resolution, SearchQuery, Searcher, Secret,
    Transport, Upstream, WebUrl, response_text,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::secure::{acceptor, secure_server};
use crate::server::*;

const PUBLIC: &str = "93.184.216.34";

/// What the proxy does with a target.
#[derive(Clone)]
enum Does {
    /// Connects to this port of this machine.
    Reach(u16),
    /// Says this and closes.
    Say(&'static str),
}

/// A proxy as others run them. `table` is by what a request names: `host:port`.
struct Proxy {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn new(table: &[(&str, Does)]) -> Self {
        Self::over(None, table).await
    }

    async fn over(tls: Option<tokio_rustls::TlsAcceptor>, table: &[(&str, Does)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = heads.clone();
        let table: HashMap<String, Does> = table
            .iter()
            .map(|(target, does)| ((*target).to_owned(), does.clone()))
            .collect();
        let table = Arc::new(table);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (log, table, tls) = (log.clone(), table.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => pass(client, &log, &table).await,
                        Some(tls) => {
                            if let Ok(client) = tls.accept(client).await {
                                pass(client, &log, &table).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, heads }
    }

    fn upstream(&self, resolution: Resolution) -> Upstream {
        let address = format!("http://127.0.0.1:{}", self.port);
        Upstream::new(&address, Some(("me", "hunter2")), resolution).unwrap()
    }

    fn lines(&self) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        let first = |head: &String| head.lines().next().unwrap_or_default().to_owned();
        heads.iter().map(first).collect()
    }
}

async fn pass(
    mut client: impl AsyncRead + AsyncWrite + Unpin,
    log: &Mutex<Vec<String>>,
    table: &HashMap<String, Does>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else {
            return;
        };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    log.lock().unwrap().push(head.clone());
    let target = head.split(' ').nth(1).unwrap();
    let (is_tunnel, key) = match target.strip_prefix("http://") {
        Some(rest) => (false, rest.split('/').next().unwrap().to_owned()),
        None => (true, target.to_owned()),
    };
    match table.get(&key) {
        Some(Does::Reach(port)) => {
            let mut server = TcpStream::connect(("127.0.0.1", *port)).await.unwrap();
            if is_tunnel {
                let answer = b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n";
                client.write_all(answer).await.unwrap();
            } else {
                server.write_all(head.as_bytes()).await.unwrap();
            }
            let _ = copy_bidirectional(&mut client, &mut server).await;
        }
        Some(Does::Say(answer)) => {
            let _ = client.write_all(answer.as_bytes()).await;
            let _ = client.shutdown().await;
        }
        None => {
            let _ = client.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").await;
            let _ = client.shutdown().await;
        }
    }
}

fn through(upstream: Upstream, entries: &[String], hosts: &[(&str, &[&str])]) -> Fetcher {
    trusting(upstream, entries, hosts, Vec::new())
}

fn trusting(
    upstream: Upstream,
    entries: &[String],
    hosts: &[(&str, &[&str])],
    authorities: Vec<CertificateDer<'static>>,
) -> Fetcher {
    let allowed = AllowedHosts::new(entries.iter().map(String::as_str)).unwrap();
    let transport = Transport::new(Guard::new(allowed), listed(hosts))
        .with_authorities(authorities)
        .through(Some(Arc::new(upstream)));
    let settings = FetchSettings {
        max_bytes: 100_000,
        timeout: Duration::from_secs(20),
        ..FetchSettings::default()
    };
    Fetcher::new(transport, settings)
}

fn url(text: &str) -> WebUrl {
    WebUrl::parse(text).unwrap()
}

#[tokio::test]
async fn the_proxy_is_reported_the_checked_address_and_the_server_its_name() {
    let server = Server::of(vec![("/a?b", typed("text/plain", b"plain"))]);
    let (secure, authority) = secure_server();
    let proxy = Proxy::new(&[
        ("93.184.216.34:80", Does::Reach(server.port)),
        ("93.184.216.34:443", Does::Reach(secure)),
        ("[2606:2800::1]:8443", Does::Reach(secure)),
    ])
    .await;
    let hosts: &[(&str, &[&str])] = &[
        ("site.test", &[PUBLIC]),
        // The certificate is for this name: it is the one that was asked for.
        ("secure.test", &[PUBLIC]),
    ];
    let upstream = proxy.upstream(Resolution::Local);
    let fetcher = trusting(upstream.clone(), &[], hosts, vec![authority.clone()]);
    let plain = get(&fetcher, &url("http://site.test/a?b#c")).await.unwrap();
    assert_eq!(plain.response().body, b"plain");
    let secure = get(&fetcher, &url("https://secure.test/")).await.unwrap();
    assert_eq!(secure.response().body, b"secure");
    let six = trusting(
        upstream,
        &[],
        &[("secure.test", &["2606:2800::1"])],
        vec![authority],
    );
    get(&six, &url("https://secure.test:8443/")).await.unwrap();
    assert_eq!(
        proxy.lines(),
        [
            "CONNECT 93.184.216.34:80 HTTP/1.1",
            "CONNECT 93.184.216.34:443 HTTP/1.1",
            "CONNECT [2606:2800::1]:8443 HTTP/1.1"
        ]
    );
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "GET /a?b HTTP/1.1");
    assert_eq!(seen.headers["host"], "site.test");
    assert_eq!(seen.headers["accept-encoding"], "gzip, deflate, br, zstd");
}

#[tokio::test]
async fn a_certificate_of_somebody_else_is_refused_behind_a_proxy_too() {
    let (secure, authority) = secure_server();
    let proxy = Proxy::new(&[("93.184.216.34:443", Does::Reach(secure))]).await;
    let hosts: &[(&str, &[&str])] = &[("other.test", &[PUBLIC])];
    let fetcher = trusting(
        proxy.upstream(Resolution::Local),
        &[],
        hosts,
        vec![authority],
    );
    let error = get(&fetcher, &url("https://other.test/"))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Network);
    assert!(error.message.contains("certificate"), "{}", error.message);
}

#[tokio::test]
async fn what_is_refused_without_a_proxy_never_reaches_it() {
    let server = Server::of(vec![
        ("/in", redirect("302 Found", "http://169.254.169.254/")),
        ("/name", redirect("302 Found", "http://private.test/")),
        ("/file", redirect("302 Found", "file:///etc/passwd")),
    ]);
    let proxy = Proxy::new(&[("93.184.216.34:80", Does::Reach(server.port))]).await;
    let hosts: &[(&str, &[&str])] = &[
        ("site.test", &[PUBLIC]),
        ("private.test", &["10.0.0.1"]),
        ("zero.test", &["0.0.0.0"]),
        ("mapped.test", &["::ffff:127.0.0.1"]),
        ("mixed.test", &[PUBLIC, "127.0.0.1"]),
    ];
    let fetcher = through(proxy.upstream(Resolution::Local), &[], hosts);
    for refused in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "http://localhost/",
        "http://a.localhost./",
        "http://private.test/",
        "https://zero.test/",
        "http://mapped.test/",
        "http://mixed.test/",
        "http://site.test:25/",
    ] {
        let error = get(&fetcher, &url(refused)).await.unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::PolicyDenied,
            "{refused}: {}",
            error.message
        );
    }
    let unknown = get(&fetcher, &url("http://unknown.test/"))
        .await
        .unwrap_err();
    assert!(
        unknown.message.contains("could not be found"),
        "{}",
        unknown.message
    );
    assert_eq!(proxy.lines(), Vec::<String>::new());
    for path in ["in", "name", "file"] {
        let error = get(&fetcher, &url(&format!("http://site.test/{path}")))
            .await
            .unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::PolicyDenied,
            "{path}: {}",
            error.message
        );
    }
    assert_eq!(proxy.lines(), ["CONNECT 93.184.216.34:80 HTTP/1.1"; 3]);
}

#[tokio::test]
async fn a_server_that_the_host_opened_here_is_asked_without_the_proxy() {
    let server = Server::of(vec![("/", typed("text/plain", b"mine"))]);
    let proxy = Proxy::new(&[]).await;
    for resolution in [Resolution::Local, Resolution::Proxy] {
        let entries = [format!("dev.test:{}", server.port), server.entry()];
        let hosts: &[(&str, &[&str])] = &[("dev.test", &["127.0.0.1"])];
        let fetcher = through(proxy.upstream(resolution), &entries, hosts);
        for address in [
            server.url("/"),
            url(&format!("http://dev.test:{}/", server.port)),
        ] {
            let fetched = get(&fetcher, &address).await.unwrap();
            assert_eq!(fetched.response().body, b"mine");
        }
    }
    assert_eq!(proxy.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn credentials_are_for_the_proxy_alone() {
    let server = Server::of(vec![("/", typed("text/plain", b"x"))]);
    let proxy = Proxy::new(&[
        ("93.184.216.34:80", Does::Reach(server.port)),
        ("93.184.216.34:8080", Does::Say("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\nme hunter2")),
        ("named.test", Does::Reach(server.port)),
        ("refused.test", Does::Say("HTTP/1.1 407 No\r\ncontent-length: 7\r\n\r\nhunter2")),
    ])
    .await;
    let reported = "Proxy-Authorization: Basic bWU6aHVudGVyMg==\r\n".to_ascii_lowercase();
    let hosts: &[(&str, &[&str])] = &[("site.test", &[PUBLIC])];
    let local = through(proxy.upstream(Resolution::Local), &[], hosts);
    get(&local, &url("http://site.test/")).await.unwrap();
    let pinned = get(&local, &url("http://site.test:8080/"))
        .await
        .unwrap_err();
    assert_eq!(
        pinned.message,
        "The request to `http://site.test:8080/` failed at the proxy of this application: it rejected the credentials \
         (status 407), which the application sets in `web.proxy`."
    );
    let named = through(proxy.upstream(Resolution::Proxy), &[], &[]);
    get(&named, &url("http://named.test/")).await.unwrap();
    let refused = get(&named, &url("http://refused.test/")).await.unwrap_err();
    assert!(
        refused.message.contains("(status 407)"),
        "{}",
        refused.message
    );
    for head in proxy.heads.lock().unwrap().iter() {
        assert!(head.to_ascii_lowercase().contains(&reported), "{head}");
    }
    for error in [pinned, refused] {
        let shown = format!("{error:?}");
        assert!(
            !shown.contains("hunter2") && !shown.contains("bWU6"),
            "{shown}"
        );
    }
    // Through the tunnel nothing of it goes; a proxy that reads the request takes it out, which this one does not.
    assert!(!server.seen()[0].headers.contains_key("proxy-authorization"));
}

#[tokio::test]
async fn a_proxy_that_lets_nothing_through_is_reported_as_such() {
    let proxy = Proxy::new(&[
        (
            "1.1.1.1:443",
            Does::Say("HTTP/1.1 503 Service Unavailable\r\n\r\n"),
        ),
        ("1.1.1.2:443", Does::Say("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        ("1.1.1.3:443", Does::Say("")),
    ])
    .await;
    let fetcher = through(proxy.upstream(Resolution::Local), &[], &[]);
    for (address, reason) in [
        (
            "https://1.1.1.1/",
            "it did not reach the server (status 503).",
        ),
        ("https://1.1.1.2/", "it does not respond as a proxy does."),
        ("https://1.1.1.3/", "the connection was lost: "),
        ("https://1.1.1.4/", "it refuses a tunnel (status 403)."),
        (
            "http://1.1.1.5/",
            "it refuses a tunnel (status 403), as many do for `http`. Use the `https` URL.",
        ),
    ] {
        let error = get(&fetcher, &url(address)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Network, "{address}");
        let expected = format!("failed at the proxy of this application: {reason}");
        assert!(error.message.contains(&expected), "{}", error.message);
    }
    let gone = Upstream::new("http://127.0.0.1:1", None, Resolution::Local).unwrap();
    let error = get(&through(gone, &[], &[]), &url("https://1.1.1.1/"))
        .await
        .unwrap_err();
    assert!(
        error.message.contains("it cannot be reached: "),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn the_next_address_is_tried_when_the_proxy_does_not_reach_one() {
    let server = Server::of(vec![("/", typed("text/plain", b"second"))]);
    let proxy = Proxy::new(&[
        (
            "[2606:2800::1]:80",
            Does::Say("HTTP/1.1 502 Bad Gateway\r\n\r\n"),
        ),
        ("93.184.216.34:80", Does::Reach(server.port)),
    ])
    .await;
    let hosts: &[(&str, &[&str])] = &[("site.test", &["2606:2800::1", PUBLIC])];
    let fetcher = through(proxy.upstream(Resolution::Local), &[], hosts);
    let fetched = get(&fetcher, &url("http://site.test/")).await.unwrap();
    assert_eq!(fetched.response().body, b"second");
}

#[tokio::test]
async fn a_proxy_that_resolves_by_itself_is_reported_names_and_nothing_is_looked_up_here() {
    let server = Server::of(vec![
        ("http://named.test/x?y", typed("text/plain", b"plain")),
        (
            "http://named.test/in",
            redirect("302 Found", "http://127.0.0.1/"),
        ),
        ("http://8.8.8.8/", typed("text/plain", b"literal")),
    ]);
    let (secure, authority) = secure_server();
    let proxy = Proxy::new(&[
        ("named.test", Does::Reach(server.port)),
        ("8.8.8.8", Does::Reach(server.port)),
        ("secure.test:443", Does::Reach(secure)),
    ])
    .await;
    // The resolver of this machine knows nobody.
    let upstream = proxy.upstream(Resolution::Proxy);
    let fetcher = trusting(upstream, &[], &[], vec![authority]);
    let plain = get(&fetcher, &url("http://named.test/x?y#z"))
        .await
        .unwrap();
    assert_eq!(plain.response().body, b"plain");
    let secure = get(&fetcher, &url("https://secure.test/")).await.unwrap();
    assert_eq!(secure.response().body, b"secure");
    let literal = get(&fetcher, &url("http://8.8.8.8/")).await.unwrap();
    assert_eq!(literal.response().body, b"literal");
    assert_eq!(
        proxy.lines(),
        [
            "GET http://named.test/x?y HTTP/1.1",
            "CONNECT secure.test:443 HTTP/1.1",
            "GET http://8.8.8.8/ HTTP/1.1"
        ]
    );
    assert_eq!(server.seen()[0].headers["host"], "named.test");
    // What needs no look-up is judged as ever.
    for refused in [
        "http://127.0.0.1/",
        "http://[::ffff:10.0.0.1]/",
        "https://localhost/",
        "http://0x7f.1/",
        "http://named.test:22/",
        "http://named.test/in",
    ] {
        let error = get(&fetcher, &url(refused)).await.unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::PolicyDenied,
            "{refused}: {}",
            error.message
        );
    }
}

#[tokio::test]
async fn bounds_and_codings_hold_through_a_proxy() {
    let server = Server::new(|seen, stream| match seen.line.split(' ').nth(1).unwrap() {
        "/short" => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nonly this");
        }
        "/headers" => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
            for _ in 0..60 {
                let _ = stream.write_all(format!("x: {}\r\n", "a".repeat(2_000)).as_bytes());
            }
            let _ = stream.write_all(b"\r\n");
        }
        "/post" => {
            let text = format!("{} {}", seen.headers["content-length"], seen.body);
            let _ = stream.write_all(&typed("text/plain", text.as_bytes()));
        }
        _ => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n");
            while stream.write_all(b"4\r\nxxxx\r\n").is_ok() {}
        }
    });
    let proxy = Proxy::new(&[("93.184.216.34:80", Does::Reach(server.port))]).await;
    let hosts: &[(&str, &[&str])] = &[("site.test", &[PUBLIC])];
    let fetcher = through(proxy.upstream(Resolution::Local), &[], hosts);
    let endless = get(&fetcher, &url("http://site.test/endless"))
        .await
        .unwrap();
    assert_eq!(endless.response().body.len(), 100_000);
    assert_eq!(endless.response().missing, Some(Missing::Limit));
    let short = get(&fetcher, &url("http://site.test/short")).await.unwrap();
    assert_eq!(short.response().body, b"only this");
    assert!(matches!(short.response().missing, Some(Missing::Lost(_))));
    let error = get(&fetcher, &url("http://site.test/headers"))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Network);
    let post = RequestSpec::new(
        url("http://site.test/post"),
        Some("POST"),
        [],
        Some("{}".to_owned()),
    )
    .unwrap();
    let answer = fetcher.request(post, &context()).await.unwrap();
    assert_eq!(response_text(&answer).0, "2 {}");
}

#[tokio::test]
async fn a_proxy_behind_tls_proves_who_it_is() {
    let server = Server::of(vec![("/", typed("text/plain", b"x"))]);
    let (tls, authority) = acceptor();
    let proxy = Proxy::over(Some(tls), &[("93.184.216.34:80", Does::Reach(server.port))]).await;
    // The certificate is for `secure.test`, and the proxy is named by its address.
    let address = format!("https://127.0.0.1:{}", proxy.port);
    let upstream = Upstream::new(&address, None, Resolution::Local).unwrap();
    let hosts: &[(&str, &[&str])] = &[("site.test", &[PUBLIC])];
    let fetcher = trusting(upstream, &[], hosts, vec![authority]);
    let error = get(&fetcher, &url("http://site.test/")).await.unwrap_err();
    assert!(error.message.contains("certificate"), "{}", error.message);
    assert_eq!(proxy.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_search_provider_is_asked_through_the_proxy() {
    let server = Server::of(vec![(
        "http://search.test/search?q=x&format=json",
        typed(
            "application/json",
            br#"{"results":[{"title":"T","url":"https://a.test/","content":"c"}]}"#,
        ),
    )]);
    let proxy = Proxy::new(&[("search.test", Does::Reach(server.port))]).await;
    let base = url("http://search.test/").as_url().clone();
    let settings = ProviderSettings::new(ProviderId::Searxng, None::<Secret>, base);
    let upstream = Arc::new(proxy.upstream(Resolution::Proxy));
    let searcher = Searcher::at(settings).unwrap().through(Some(upstream));
    let query = SearchQuery {
        query: "x".to_owned(),
        count: 1,
        domains: Domains::new(&[], &[]).unwrap(),
    };
    let found = searcher.search(&query).await;
    assert_eq!(proxy.lines().len(), 1, "{found:?}");
    assert!(
        proxy.lines()[0].starts_with("GET http://search.test/search?"),
        "{:?}",
        proxy.lines()
    );
}

#[tokio::test]
async fn commands_in_a_sandbox_go_through_it_as_well() {
    let server = Server::of(vec![("/", typed("text/plain", b"out"))]);
    let proxy = Proxy::new(&[("93.184.216.34:80", Does::Reach(server.port))]).await;
    let transport = Transport::new(Guard::default(), listed(&[("site.test", &[PUBLIC])]))
        .through(Some(Arc::new(proxy.upstream(Resolution::Local))));
    let hosts = ReachableHosts::new(&["site.test".to_owned()]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let over = CancellationToken::new();
    let served = tokio::spawn(HostProxy::new(hosts, transport).serve(listener, over.clone()));
    let mut command = TcpStream::connect(address).await.unwrap();
    command
        .write_all(b"GET http://site.test/ HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    command.read_to_string(&mut answer).await.unwrap();
    over.cancel();
    served.await.unwrap();
    assert!(answer.ends_with("\r\n\r\nout"), "{answer}");
    assert_eq!(proxy.lines(), ["CONNECT 93.184.216.34:80 HTTP/1.1"]);
}
