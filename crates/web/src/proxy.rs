//! A proxy that lets through to the hosts that may be reached, and to nobody inside: the way out of a sandbox and of a
//! browser.
//!
//! It understands `CONNECT host:port` and requests with a whole address (`GET http://host/path`). A
//! host is read by the one parser that all of the product uses, looked up in the list, resolved, and
//! only connected to at addresses that the [`Guard`](crate::Guard) admits. What goes through a tunnel
//! is not looked at.

mod credentials;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::upstream::Connection;
use crate::{Transport, WebError, WebUrl};

pub use credentials::ProxyCredentials;

/// Longest head of a request, in bytes.
const HEAD_MAX_BYTES: usize = 32 * 1024;
/// Longest time until the head is there.
const PATIENCE: Duration = Duration::from_secs(15);
/// The status for those without the credentials.
const UNAUTHENTICATED: &str = "407 Proxy Authentication Required";
/// The status of what is not allowed.
const FORBIDDEN: &str = "403 Forbidden";
/// The status where the host cannot be reached.
const UNREACHED: &str = "502 Bad Gateway";
/// The status where there is no such host: a word of ours, since both are gateway errors.
const UNRESOLVED: &str = "502 Host Not Found";
/// Connections at a time; more wait.
const CONNECTIONS_MAX: usize = 256;

/// A list of hosts: `example.com` is that host, `*.example.com` every host below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachableHosts(Vec<Reachable>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Reachable {
    host: String,
    below: bool,
}

impl ReachableHosts {
    /// From their names.
    ///
    /// # Errors
    /// The first name that is no host.
    pub fn new(names: &[String]) -> Result<Self, String> {
        let read = |name: &String| {
            let (host, below) = match name.strip_prefix("*.") {
                Some(host) => (host, true),
                None => (name.as_str(), false),
            };
            let is_bracketed = !below && host.starts_with('[') && host.ends_with(']');
            let plain = !host.is_empty()
                && !host.contains(['/', '?', '#', '@', '\\', '*'])
                && (is_bracketed || !host.contains(':'));
            let url = plain.then(|| WebUrl::parse(&format!("https://{host}/")).ok());
            let url = url.flatten().ok_or_else(|| name.clone())?;
            Ok(Reachable {
                host: canonical(url.host()).to_owned(),
                below,
            })
        };
        names.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether this host, as [`WebUrl::host`] names it, is in the list.
    #[must_use]
    pub fn contains(&self, host: &str) -> bool {
        let host = canonical(host);
        self.0.iter().any(|known| {
            if known.below {
                host.strip_suffix(known.host.as_str())
                    .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            } else {
                host == known.host
            }
        })
    }
}

fn canonical(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// Which hosts a proxy lets through to.
#[derive(Debug, Clone)]
enum ProxyScope {
    /// These only.
    Only(Arc<ReachableHosts>),
    /// All but these.
    AllBut(Arc<ReachableHosts>),
}

/// Serves those who connect to a listener.
#[derive(Debug, Clone)]
pub struct HostProxy {
    reach: ProxyScope,
    transport: Transport,
    credentials: Option<ProxyCredentials>,
}

/// Why a request is not passed on: status and a sentence.
#[derive(Debug, PartialEq, Eq)]
struct Refused(&'static str, String);

/// What a client asks for.
#[derive(Debug)]
struct ProxyRequest {
    url: WebUrl,
    /// What it sent as `Proxy-Authorization`, once or more often.
    authorization: Vec<String>,
    /// The request as the server is to get it; nothing for a tunnel.
    forwarded: Option<Vec<u8>>,
}

impl HostProxy {
    /// To these hosts only, at addresses that `transport` would connect to. An empty list means that no host may be
    /// reached.
    #[must_use]
    pub fn new(hosts: ReachableHosts, transport: Transport) -> Self {
        Self {
            reach: ProxyScope::Only(Arc::new(hosts)),
            transport,
            credentials: None,
        }
    }

    /// To every host but these, at addresses that `transport` would connect to: the public ones, and the servers that
    /// its guard opens.
    #[must_use]
    pub fn to_all_but(denied: ReachableHosts, transport: Transport) -> Self {
        Self {
            reach: ProxyScope::AllBut(Arc::new(denied)),
            transport,
            credentials: None,
        }
    }

    /// The same for those who have these credentials: others who find the port are refused.
    #[must_use]
    pub fn for_holders_of(self, credentials: ProxyCredentials) -> Self {
        Self {
            credentials: Some(credentials),
            ..self
        }
    }

    /// Serves those who connect to a listener that does not block, until `over`.
    ///
    /// # Errors
    /// When the listener cannot be waited for.
    pub async fn serve_on(
        self,
        listener: std::net::TcpListener,
        over: CancellationToken,
    ) -> io::Result<()> {
        self.serve(TcpListener::from_std(listener)?, over).await;
        Ok(())
    }

    /// Serves until `over`.
    pub async fn serve(self, listener: TcpListener, over: CancellationToken) {
        let room = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS_MAX));
        loop {
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
                return;
            };
            let client = tokio::select! {
                biased;
                () = over.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((client, _)) => client,
                    // The sandbox has gone, or there are no descriptors left for now.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                },
            };
            let (proxy, over) = (self.clone(), over.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = over.cancelled() => {}
                    // A client that goes away in the middle is no concern of anybody.
                    _ = proxy.answer(client) => {}
                }
                drop(permit);
            });
        }
    }

    async fn answer(&self, mut client: TcpStream) -> io::Result<()> {
        let head = timeout(PATIENCE, head(&mut client)).await;
        let Some((head, rest)) = head.ok().and_then(Result::ok).flatten() else {
            return refuse(&mut client, &bad("the request was not understood")).await;
        };
        let reached = match asked(&head).and_then(|asked| self.admit(asked)) {
            Ok(asked) => self.reach(&asked).await.map(|server| (asked, server)),
            Err(refused) => Err(refused),
        };
        match reached {
            Err(refused) => refuse(&mut client, &refused).await,
            Ok((asked, mut server)) => {
                match asked.forwarded {
                    Some(request) => server.write_all(&request).await?,
                    None => {
                        client
                            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                            .await?;
                    }
                }
                server.write_all(&rest).await?;
                copy_bidirectional(&mut client, &mut server).await?;
                Ok(())
            }
        }
    }

    /// Lets a request pass whose sender may use the proxy and whose host may be reached.
    fn admit(&self, asked: ProxyRequest) -> Result<ProxyRequest, Refused> {
        if let Some(credentials) = &self.credentials
            && !credentials.are_in(&asked.authorization)
        {
            let text = "The proxy requires credentials.".to_owned();
            return Err(Refused(UNAUTHENTICATED, text));
        }
        let host = asked.url.host();
        let problem = match &self.reach {
            ProxyScope::Only(hosts) => (!hosts.contains(host)).then(|| {
                format!("`{host}` is not among the hosts that commands in this sandbox may reach (`sandbox.network`).")
            }),
            ProxyScope::AllBut(denied) => denied
                .contains(host)
                .then(|| format!("`{host}` is denied by a rule.")),
        };
        problem.map_or(Ok(asked), |problem| Err(Refused(FORBIDDEN, problem)))
    }

    async fn reach(&self, asked: &ProxyRequest) -> Result<Connection, Refused> {
        self.transport
            .connect(&asked.url)
            .await
            .map_err(|error| match error {
                WebError::Unresolved { .. } => Refused(UNRESOLVED, error.to_string()),
                WebError::Failed { .. } | WebError::Proxy { .. } => {
                    Refused(UNREACHED, error.to_string())
                }
                error => Refused(FORBIDDEN, error.to_string()),
            })
    }
}

fn bad(what: &str) -> Refused {
    Refused("400 Bad Request", format!("The proxy refuses: {what}."))
}

async fn refuse(client: &mut TcpStream, Refused(status, text): &Refused) -> io::Result<()> {
    // Whose answer it is (RFC 9209): a browser shows what comes like any other page.
    let challenge = match *status {
        UNAUTHENTICATED => "Proxy-Authenticate: Basic realm=\"tenon\", charset=\"UTF-8\"\r\n",
        FORBIDDEN => "Proxy-Status: tenon; error=http_request_denied\r\n",
        UNREACHED => "Proxy-Status: tenon; error=destination_unavailable\r\n",
        UNRESOLVED => "Proxy-Status: tenon; error=dns_error\r\n",
        _ => "",
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\n{challenge}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}\n",
        text.len() + 1
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}

/// The head of a request with the empty line, and what came behind it.
async fn head(client: &mut TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut bytes = Vec::new();
    loop {
        let seen = bytes.len().saturating_sub(3);
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
        let tail = bytes.get(seen..).unwrap_or_default();
        if let Some(at) = tail.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(seen + at + 4);
            return Ok(Some((bytes, rest)));
        }
        if bytes.len() > HEAD_MAX_BYTES {
            return Ok(None);
        }
    }
}

fn asked(head: &[u8]) -> Result<ProxyRequest, Refused> {
    let text = std::str::from_utf8(head).map_err(|_| bad("the request is not text"))?;
    let is_odd = |letter: char| letter.is_control() && !matches!(letter, '\r' | '\n' | '\t');
    if text.contains(is_odd) || text.replace("\r\n", "").contains(['\r', '\n']) {
        return Err(bad("the request holds control characters"));
    }
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("its first line is not `METHOD address HTTP/1.1`"));
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("it speaks HTTP/1.1"));
    }
    let parsed =
        |text: &str| WebUrl::parse(text).map_err(|refusal| Refused(FORBIDDEN, refusal.to_string()));
    if method == "CONNECT" {
        let is_authority = target
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        if !is_authority || target.contains(['/', '@', '?', '#', '\\']) {
            return Err(bad("`CONNECT` takes `host:port`"));
        }
        return Ok(ProxyRequest {
            url: parsed(&format!("https://{target}/"))?,
            authorization: authorization(lines),
            forwarded: None,
        });
    }
    if !target.starts_with("http://") {
        return Err(bad(
            "it takes `CONNECT host:port` and addresses with `http://`",
        ));
    }
    let url = parsed(target)?;
    let forwarded = forwarded(method, version, &url, lines.clone());
    Ok(ProxyRequest {
        url,
        authorization: authorization(lines),
        forwarded: Some(forwarded),
    })
}

/// The values of `Proxy-Authorization`.
fn authorization<'a>(headers: impl Iterator<Item = &'a str>) -> Vec<String> {
    headers
        .filter_map(|header| header.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("proxy-authorization"))
        .map(|(_, value)| value.trim_matches([' ', '\t']).to_owned())
        .collect()
}

/// The request as the server is to get it: of this one host, and the only one of its connection.
fn forwarded<'a>(
    method: &str,
    version: &str,
    url: &WebUrl,
    headers: impl Iterator<Item = &'a str>,
) -> Vec<u8> {
    let address = url.as_url();
    let query = address
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let port = address
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let mut request = format!(
        "{method} {}{query} {version}\r\nHost: {}{port}\r\nConnection: close\r\n",
        address.path(),
        url.host()
    );
    for header in headers.filter(|header| !header.is_empty()) {
        let name = header.split(':').next().unwrap_or_default().trim();
        let is_ours = ["host", "connection", "keep-alive", "upgrade"]
            .iter()
            .any(|own| name.eq_ignore_ascii_case(own))
            || name.to_ascii_lowercase().starts_with("proxy-");
        if !is_ours {
            request.push_str(header);
            request.push_str("\r\n");
        }
    }
    request.push_str("\r\n");
    request.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AllowedHosts, Guard, ResolveFuture, Resolver};

    fn hosts(names: &[&str]) -> ReachableHosts {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        ReachableHosts::new(&names).unwrap()
    }

    #[test]
    fn a_host_is_that_host_and_a_star_is_every_host_below() {
        let hosts = hosts(&["Example.com", "*.crates.io", "bücher.example"]);
        for reached in [
            "example.com",
            "example.com.",
            "static.crates.io",
            "a.b.crates.io",
            "xn--bcher-kva.example",
        ] {
            assert!(hosts.contains(reached), "{reached}");
        }
        for other in [
            "www.example.com",
            "example.com.evil.org",
            "badexample.com",
            "crates.io",
            ".crates.io",
            "evilcrates.io",
            "",
        ] {
            assert!(!hosts.contains(other), "{other}");
        }
        assert!(!ReachableHosts::default().contains("example.com"));
    }

    #[test]
    fn a_name_that_is_no_host_is_named() {
        for name in [
            "", "*", "*.", "http://a", "a/b", "a:80", "u@a", "a b", "*.*.a",
        ] {
            let refused = ReachableHosts::new(&["ok.org".to_owned(), name.to_owned()]);
            assert_eq!(refused, Err(name.to_owned()));
        }
    }

    #[test]
    fn what_is_asked_is_read_strictly() {
        let reported = |text: &str| match asked(text.as_bytes()) {
            Ok(asked) => format!(
                "{}:{} {:?}",
                asked.url.host(),
                asked.url.port(),
                asked
                    .forwarded
                    .map(|bytes| String::from_utf8(bytes).unwrap())
            ),
            Err(Refused(status, _)) => status.to_owned(),
        };
        assert_eq!(
            reported("CONNECT Example.COM:443 HTTP/1.1\r\nHost: other\r\n\r\n"),
            "example.com:443 None"
        );
        assert_eq!(
            reported(
                "GET http://a.org:8080/x?y=1 HTTP/1.1\r\nHost: b.org\r\nProxy-Authorization: z\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n"
            ),
            "a.org:8080 Some(\"GET /x?y=1 HTTP/1.1\\r\\nHost: a.org:8080\\r\\nConnection: close\\r\\nAccept: */*\\r\\n\\r\\n\")"
        );
        for text in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://a.org/ HTTP/1.1\r\n\r\n",
            "CONNECT a.org HTTP/1.1\r\n\r\n",
            "CONNECT a.org:443/x HTTP/1.1\r\n\r\n",
            "CONNECT u@a.org:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.org:443 HTTP/2\r\n\r\n",
            "CONNECT a.org\0.evil:443 HTTP/1.1\r\n\r\n",
            "GET http://a.org/ HTTP/1.1\nHost: b\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert_eq!(reported(text), "400 Bad Request", "{text:?}");
        }
    }

    #[derive(Debug)]
    struct Inward;

    impl Resolver for Inward {
        fn resolve(&self, _host: String) -> ResolveFuture {
            Box::pin(async { Ok(vec![std::net::Ipv4Addr::LOCALHOST.into()]) })
        }
    }

    /// Knows no host.
    struct Unknown;

    impl Resolver for Unknown {
        fn resolve(&self, _host: String) -> ResolveFuture {
            Box::pin(async { Err("no such host".to_owned()) })
        }
    }

    #[tokio::test]
    async fn a_host_without_an_address_is_not_found_instead_of_forbidden() {
        let allowed = AllowedHosts::new(Vec::<&str>::new()).unwrap();
        let transport = Transport::new(Guard::new(allowed), Arc::new(Unknown));
        let proxy = HostProxy::to_all_but(hosts(&[]), transport);
        let get = "GET http://unknown.test/ HTTP/1.1\r\n\r\n".to_owned();
        let refused = asked_of(proxy, get).await;
        assert!(
            refused.starts_with(
                "HTTP/1.1 502 Host Not Found\r\nProxy-Status: tenon; error=dns_error\r\n"
            ),
            "{refused}"
        );
    }

    async fn asked_of(proxy: HostProxy, request: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let over = CancellationToken::new();
        let served = tokio::spawn(proxy.serve(listener, over.clone()));
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(PATIENCE, client.read_to_string(&mut answer))
            .await
            .unwrap()
            .unwrap();
        over.cancel();
        served.await.unwrap();
        answer
    }

    #[tokio::test]
    async fn a_host_of_the_list_is_reached_by_tunnel_and_by_address() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        tokio::spawn(async move {
            for _ in 0..2 {
                let (mut stream, _) = server.accept().await.unwrap();
                let mut head = [0; 1024];
                let length = stream.read(&mut head).await.unwrap();
                let line = String::from_utf8_lossy(&head[..length]);
                let line = line.lines().next().unwrap().to_owned();
                stream
                    .write_all(format!("got {line}").as_bytes())
                    .await
                    .unwrap();
            }
        });
        let opened = format!("server.test:{port}");
        let allowed = AllowedHosts::new([opened.as_str()]).unwrap();
        let transport = Transport::new(Guard::new(allowed), Arc::new(Inward));
        let proxy = HostProxy::new(hosts(&["server.test"]), transport);
        let answer = asked_of(
            proxy.clone(),
            format!("CONNECT {opened} HTTP/1.1\r\n\r\nhello\r\n"),
        )
        .await;
        assert_eq!(
            answer,
            "HTTP/1.1 200 Connection established\r\n\r\ngot hello"
        );
        let answer = asked_of(proxy, format!("GET http://{opened}/page HTTP/1.1\r\n\r\n")).await;
        assert_eq!(answer, "got GET /page HTTP/1.1");
    }

    #[tokio::test]
    async fn a_proxy_to_all_but_some_reaches_every_public_host_and_nobody_inside() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = server.accept().await.unwrap();
            stream.write_all(b"reached").await.unwrap();
        });
        // Stands for a public host: the guard admits it.
        let opened = format!("any.test:{port}");
        let allowed = AllowedHosts::new([opened.as_str()]).unwrap();
        let transport = Transport::new(Guard::new(allowed), Arc::new(Inward));
        let denied = hosts(&["evil.test", "*.evil.test", "93.184.216.34"]);
        let proxy = HostProxy::to_all_but(denied, transport);
        let connect = |target: &str| {
            let request = format!("CONNECT {target} HTTP/1.1\r\n\r\n");
            asked_of(proxy.clone(), request)
        };
        assert_eq!(
            connect(&opened).await,
            "HTTP/1.1 200 Connection established\r\n\r\nreached"
        );
        for target in [
            "evil.test:443",
            "EVIL.test.:443",
            "a.b.evil.test:443",
            "93.184.216.34:443",
            "0x5db8d822:443",
        ] {
            let refused = connect(target).await;
            assert!(
                refused.starts_with("HTTP/1.1 403 Forbidden\r\n"),
                "{target} {refused}"
            );
            assert!(
                refused.ends_with("is denied by a rule.\n"),
                "{target} {refused}"
            );
        }
        let get = "GET http://evil.test/ HTTP/1.1\r\n\r\n".to_owned();
        assert!(
            asked_of(proxy.clone(), get)
                .await
                .ends_with("is denied by a rule.\n")
        );
        // Not denied, and not public either: by its address, by its name, by what the resolver says.
        for target in ["169.254.169.254:80", "localhost:80", "inward.test:443"] {
            let refused = connect(target).await;
            assert!(
                refused.starts_with("HTTP/1.1 403 Forbidden\r\n"),
                "{target} {refused}"
            );
            assert!(
                refused.ends_with("Private addresses are blocked.\n"),
                "{target} {refused}"
            );
        }
    }

    #[tokio::test]
    async fn a_proxy_with_credentials_serves_their_holders_only() {
        let credentials = ProxyCredentials::new("tenon", "s3cret:ü").unwrap();
        assert!(!format!("{credentials:?}").contains("s3cret"));
        let transport = Transport::new(Guard::default(), Arc::new(Inward));
        let proxy = HostProxy::to_all_but(hosts(&["evil.test"]), transport)
            .for_holders_of(credentials.clone());
        let with = |header: String| {
            let request = format!("CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n{header}\r\n");
            asked_of(proxy.clone(), request)
        };
        let basic = |text: &str| {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.encode(text)
        };
        let right = format!("Proxy-Authorization: Basic {}\r\n", basic("tenon:s3cret:ü"));
        // Who holds them comes to the rules.
        assert!(with(right.clone()).await.starts_with("HTTP/1.1 403 "));
        let spelt = right.replace("Proxy-Authorization: Basic", "proxy-authorization:basic");
        assert!(with(spelt).await.starts_with("HTTP/1.1 403 "));
        let wrong = format!("Proxy-Authorization: Basic {}\r\n", basic("tenon:other"));
        for header in [
            String::new(),
            wrong.clone(),
            format!("{wrong}{right}"),
            format!(
                "Proxy-Authorization: Bearer {}\r\n",
                basic("tenon:s3cret:ü")
            ),
            "Proxy-Authorization: Basic\r\n".to_owned(),
            "Authorization: Basic dGVub246czNjcmV0OsO8\r\n".to_owned(),
        ] {
            let refused = with(header.clone()).await;
            assert!(
                refused.starts_with("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"tenon\""),
                "{header} {refused}"
            );
            assert!(
                refused.ends_with("\r\n\r\nThe proxy requires credentials.\n"),
                "{refused}"
            );
        }
    }

    #[tokio::test]
    async fn another_host_and_an_address_inside_are_refused() {
        let transport = Transport::new(Guard::default(), Arc::new(Inward));
        let proxy = HostProxy::new(hosts(&["public.test", "169.254.169.254"]), transport);
        let refused = asked_of(
            proxy.clone(),
            "CONNECT evil.test:443 HTTP/1.1\r\n\r\n".into(),
        )
        .await;
        assert!(refused.starts_with("HTTP/1.1 403 Forbidden\r\n"));
        assert!(refused.ends_with("`evil.test` is not among the hosts that commands in this sandbox may reach (`sandbox.network`).\n"));
        // In the list, but it leads to this machine.
        for target in ["public.test:443", "169.254.169.254:80"] {
            let refused =
                asked_of(proxy.clone(), format!("CONNECT {target} HTTP/1.1\r\n\r\n")).await;
            assert!(
                refused.starts_with("HTTP/1.1 403 Forbidden\r\n"),
                "{refused}"
            );
        }
    }
}
