//! Redirects, addresses, limits, codings, cache.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenon_contract::{CancellationToken, ErrorCode, ToolContext};
use tenon_web::{Accept, FetchSettings, Missing};

use crate::server::*;

const PLAIN: &str = "text/plain; charset=utf-8";

#[tokio::test]
async fn redirects_of_every_kind_are_followed() {
    let server = Server::of(vec![
        ("/301", redirect("301 Moved Permanently", "/302")),
        ("/302", redirect("302 Found", "303")),
        ("/303", redirect("303 See Other", "?307")),
        ("/303?307", redirect("307 Temporary Redirect", "/308")),
        ("/308", redirect("308 Permanent Redirect", "/end#part")),
        ("/end", typed(PLAIN, b"arrived")),
    ]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let fetched = get(&fetcher, &server.url("/301")).await.unwrap();
    assert_eq!(
        fetched.final_url().to_string(),
        server.url("/end#part").to_string()
    );
    assert_eq!(fetched.response().body, b"arrived");
}

#[tokio::test]
async fn endless_chains_and_circles_end() {
    let server = Server::new(|seen, stream| {
        let path = seen.line.split(' ').nth(1).unwrap();
        let next = match path {
            "/a" => "/b".to_owned(),
            "/b" => "/a".to_owned(),
            "/self" => "/self".to_owned(),
            path => format!("{path}x"),
        };
        let _ = stream.write_all(&redirect("302 Found", &next));
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    for path in ["/a", "/self"] {
        let error = get(&fetcher, &server.url(path)).await.unwrap_err();
        assert!(error.message.contains("in a circle"), "{}", error.message);
    }
    let error = get(&fetcher, &server.url("/n")).await.unwrap_err();
    assert!(
        error.message.contains("redirects more than 5 times"),
        "{}",
        error.message
    );
    assert_eq!(error.code, ErrorCode::Network);
}

#[tokio::test]
async fn a_redirect_inward_is_refused_whatever_its_form() {
    let locations = [
        "http://127.0.0.1:8080/",
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data/",
        "//10.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::ffff:127.0.0.1]/",
        "http:\\\\192.168.0.1",
        "https://internal.example/",
        "http://metadata.google.internal/",
    ];
    for location in locations {
        let server = Server::of(vec![("/", redirect("302 Found", location))]);
        let resolver = listed(&[
            ("internal.example", &["10.1.2.3"]),
            ("metadata.google.internal", &["169.254.169.254"]),
        ]);
        let fetcher = fetcher_with(&[server.entry()], FetchSettings::default(), resolver);
        let error = get(&fetcher, &server.url("/")).await.unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::PolicyDenied,
            "{location}: {}",
            error.message
        );
        assert!(
            error.details["matched_rule"]
                .as_str()
                .unwrap()
                .starts_with("web.address: "),
            "{location}"
        );
    }
}

#[tokio::test]
async fn a_redirect_to_another_scheme_or_with_credentials_is_refused() {
    for (location, rule) in [
        ("file:///etc/passwd", "web.scheme"),
        ("ftp://example.com/", "web.scheme"),
        ("data:text/plain,x", "web.scheme"),
        ("javascript:alert(1)", "web.scheme"),
        ("http://user:pass@example.com/", "web.credentials"),
    ] {
        let server = Server::of(vec![("/", redirect("302 Found", location))]);
        let fetcher = fetcher(&[server.entry()], FetchSettings::default());
        let error = get(&fetcher, &server.url("/")).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::PolicyDenied, "{location}");
        assert!(
            error.details["matched_rule"]
                .as_str()
                .unwrap()
                .starts_with(rule),
            "{location}"
        );
        assert!(!error.message.contains("pass@"), "{}", error.message);
    }
}

#[tokio::test]
async fn every_hop_is_judged_and_a_refusal_ends_the_call() {
    let server = Server::of(vec![
        ("/", redirect("302 Found", "/next")),
        ("/next", typed(PLAIN, b"x")),
    ]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let judge = Arc::new(Easy::default());
    let context =
        ToolContext::new("call", CancellationToken::new()).with_redirect_policy(judge.clone());
    fetcher
        .fetch(&server.url("/"), Accept::Text, &context, &|_, _| {})
        .await
        .unwrap();
    assert_eq!(*judge.0.lock().unwrap(), [server.url("/next").to_string()]);
    let nobody = ToolContext::new("call", CancellationToken::new());
    let error = fetcher
        .fetch(&server.url("/"), Accept::Text, &nobody, &|_, _| {})
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::PolicyDenied);
}

#[tokio::test]
async fn a_meta_refresh_leads_on_and_not_inward() {
    let server = Server::of(vec![
        (
            "/",
            html("<html><head><META http-equiv='Refresh' content='0; URL=/next'></head></html>"),
        ),
        ("/next", typed(PLAIN, b"arrived")),
        (
            "/in",
            html("<meta http-equiv=refresh content='0;url=http://169.254.169.254/'>"),
        ),
        (
            "/slow",
            html("<meta http-equiv=refresh content='300;url=/next'><p>still here"),
        ),
        (
            "/self",
            html("<meta http-equiv=refresh content='1;url=/self'><p>reloads"),
        ),
        (
            "/script",
            html("<meta http-equiv=refresh content='0;url=javascript:alert(1)'><p>stays"),
        ),
    ]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    assert_eq!(
        get(&fetcher, &server.url("/"))
            .await
            .unwrap()
            .response()
            .body,
        b"arrived"
    );
    let error = get(&fetcher, &server.url("/in")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::PolicyDenied);
    for path in ["/slow", "/self", "/script"] {
        assert_eq!(
            get(&fetcher, &server.url(path))
                .await
                .unwrap()
                .response()
                .status,
            200
        );
    }
}

#[tokio::test]
async fn names_are_resolved_once_and_checked_with_every_answer() {
    let server = Server::of(vec![("/", typed(PLAIN, b"hello"))]);
    let entry = format!("site.test:{}", server.port);
    let url =
        |host: &str| tenon_web::WebUrl::parse(&format!("http://{host}:{}/", server.port)).unwrap();
    // The first answer is used; a second look would lead elsewhere.
    let resolver = listed(&[("site.test", &["127.0.0.1"]), ("site.test", &["10.0.0.1"])]);
    let ours = fetcher_with(&[entry], FetchSettings::default(), resolver);
    let fetched = get(&ours, &url("site.test")).await.unwrap();
    assert_eq!(fetched.response().body, b"hello");
    assert_eq!(
        server.seen()[0].headers["host"],
        format!("site.test:{}", server.port)
    );
    // One private answer among public ones refuses all.
    for answers in [
        &["93.184.216.34", "127.0.0.1"][..],
        &["127.0.0.1"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["93.184.216.34", "fd00::1"],
        &["0.0.0.0"],
        &["64:ff9b::7f00:1"],
    ] {
        let resolver = listed(&[("mixed.test", answers)]);
        let fetcher = fetcher_with(&[], FetchSettings::default(), resolver);
        let error = get(&fetcher, &url("mixed.test")).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::PolicyDenied, "{answers:?}");
    }
    let error = get(&ours, &url("unknown.test")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Network);
    assert!(
        error.message.contains("`unknown.test` could not be found"),
        "{}",
        error.message
    );
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn nothing_private_is_reached_without_its_own_entry() {
    let server = Server::of(vec![("/", typed(PLAIN, b"secret"))]);
    let fetcher = fetcher(&["127.0.0.1:1".to_owned()], FetchSettings::default());
    let error = get(&fetcher, &server.url("/")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::PolicyDenied);
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn no_cookie_and_no_credential_is_sent() {
    let server = Server::of(vec![
        (
            "/",
            page(
                "302 Found",
                &[("location", "/next"), ("set-cookie", "a=b")],
                b"",
            ),
        ),
        ("/next", typed(PLAIN, b"x")),
    ]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    get(&fetcher, &server.url("/")).await.unwrap();
    for seen in server.seen() {
        for name in ["cookie", "authorization", "referer"] {
            assert!(!seen.headers.contains_key(name), "{name}");
        }
        assert_eq!(seen.headers["accept-encoding"], "gzip, deflate, br, zstd");
    }
}

#[tokio::test]
async fn slow_and_silent_servers_meet_the_time_limit() {
    let server = Server::new(|seen, stream| {
        let path = seen.line.split(' ').nth(1).unwrap();
        if path == "/drip" {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n");
            for _ in 0..600 {
                if stream.write_all(b"x").is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        std::thread::sleep(Duration::from_secs(20));
    });
    let settings = FetchSettings {
        timeout: Duration::from_millis(400),
        ..FetchSettings::default()
    };
    let fetcher = fetcher(&[server.entry()], settings);
    for path in ["/silent", "/drip"] {
        let started = Instant::now();
        let error = get(&fetcher, &server.url(path)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Timeout, "{path}");
        assert!(started.elapsed() < Duration::from_secs(10), "{path}");
    }
}

#[tokio::test]
async fn bodies_without_end_are_cut_and_say_so() {
    let server = Server::new(|seen, stream| {
        let chunked = seen.line.contains("/chunked");
        let head: &[u8] = if chunked {
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"
        } else {
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"
        };
        let _ = stream.write_all(head);
        let block = [b'x'; 4096];
        loop {
            let sent = if chunked {
                stream
                    .write_all(b"1000\r\n")
                    .and_then(|()| stream.write_all(&block))
                    .and_then(|()| stream.write_all(b"\r\n"))
            } else {
                stream.write_all(&block)
            };
            if sent.is_err() {
                return;
            }
        }
    });
    let settings = FetchSettings {
        max_bytes: 100_000,
        ..FetchSettings::default()
    };
    let fetcher = fetcher(&[server.entry()], settings);
    for path in ["/plain", "/chunked"] {
        let fetched = get(&fetcher, &server.url(path)).await.unwrap();
        assert_eq!(fetched.response().body.len(), 100_000);
        assert_eq!(fetched.response().missing, Some(Missing::Limit));
    }
}

#[tokio::test]
async fn wrong_lengths_and_broken_answers_are_reported() {
    let server = Server::new(|seen, stream| {
        let answer: &[u8] = match seen.line.split(' ').nth(1).unwrap() {
            "/short" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nonly this",
            "/empty" => b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n",
            "/long" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfour and more",
            "/two" => b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 9\r\n\r\nfour more",
            "/nonsense" => b"SSH-2.0-OpenSSH_9.2\r\n",
            _ => b"",
        };
        let _ = stream.write_all(answer);
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let short = get(&fetcher, &server.url("/short")).await.unwrap();
    assert_eq!(short.response().body, b"only this");
    assert!(matches!(short.response().missing, Some(Missing::Lost(_))));
    assert_eq!(
        get(&fetcher, &server.url("/long"))
            .await
            .unwrap()
            .response()
            .body,
        b"four"
    );
    for path in ["/empty", "/two", "/nonsense", "/closed"] {
        let error = get(&fetcher, &server.url(path)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Network, "{path}: {}", error.message);
    }
}

#[tokio::test]
async fn a_header_goes_on_in_the_next_line_where_that_begins_with_a_blank() {
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain;\r\n charset=latin1\r\n\
              connection: close\r\n\r\ncaf\xe9",
        );
    });
    assert_eq!(read(&server, "/").await.unwrap().0, "café");
}

#[tokio::test]
async fn redirects_name_their_target_in_any_letters_or_are_none() {
    let server = Server::new(|seen, stream| {
        let answer: &[u8] = match seen.line.split(' ').nth(1).unwrap() {
            "/utf8" => b"HTTP/1.1 302 Found\r\nlocation: /caf\xc3\xa9\r\ncontent-length: 0\r\n\r\n",
            "/latin1" => b"HTTP/1.1 302 Found\r\nlocation: /caf\xe9\r\ncontent-length: 0\r\n\r\n",
            "/nowhere" => b"HTTP/1.1 302 Found\r\nlocation:\r\ncontent-length: 0\r\n\r\n",
            "/caf%C3%A9" => b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\narrived",
            _ => b"",
        };
        let _ = stream.write_all(answer);
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    for path in ["/utf8", "/latin1"] {
        let reached = get(&fetcher, &server.url(path)).await.unwrap();
        assert_eq!(reached.response().body, b"arrived", "{path}");
    }
    let nowhere = get(&fetcher, &server.url("/nowhere")).await.unwrap();
    assert_eq!(nowhere.response().status, 302);
}

#[tokio::test]
async fn headers_are_bounded() {
    let server = Server::new(|seen, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        let (count, size) = if seen.line.contains("/many") {
            (10_000, 10)
        } else {
            (60, 2_000)
        };
        for index in 0..count {
            if stream
                .write_all(format!("x-{index}: {}\r\n", "a".repeat(size)).as_bytes())
                .is_err()
            {
                return;
            }
        }
        let _ = stream.write_all(b"\r\n");
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    for path in ["/many", "/large"] {
        let error = get(&fetcher, &server.url(path)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Network, "{path}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_reported_without_waiting() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let fetcher = fetcher(&[format!("127.0.0.1:{port}")], FetchSettings::default());
    let url = tenon_web::WebUrl::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let error = get(&fetcher, &url).await.unwrap_err();
    assert!(error.message.contains("refused"), "{}", error.message);
}

#[tokio::test]
async fn a_page_is_asked_for_once_and_kept() {
    let server = Server::new(|seen, stream| {
        std::thread::sleep(Duration::from_millis(100));
        let control = if seen.line.contains("/no-store") {
            "no-store"
        } else {
            "max-age=0"
        };
        let _ = stream.write_all(&page(
            "200 OK",
            &[("content-type", PLAIN), ("cache-control", control)],
            b"x",
        ));
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let url = server.url("/kept");
    let with_fragment = server.url("/kept#part");
    let (first, second, third) = tokio::join!(
        get(&fetcher, &url),
        get(&fetcher, &url),
        get(&fetcher, &with_fragment)
    );
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    get(&fetcher, &url).await.unwrap();
    assert_eq!(server.seen().len(), 1);
    get(&fetcher, &server.url("/no-store")).await.unwrap();
    get(&fetcher, &server.url("/no-store")).await.unwrap();
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn an_old_page_is_asked_about_again() {
    let server = Server::new(|seen, stream| {
        let answer = if seen
            .headers
            .get("if-none-match")
            .is_some_and(|tag| tag == "\"v1\"")
        {
            page("304 Not Modified", &[("etag", "\"v1\"")], b"")
        } else {
            page(
                "200 OK",
                &[("content-type", PLAIN), ("etag", "\"v1\"")],
                b"version one",
            )
        };
        let _ = stream.write_all(&answer);
    });
    let settings = FetchSettings {
        cache_ttl: Duration::from_millis(1),
        ..FetchSettings::default()
    };
    let fetcher = fetcher(&[server.entry()], settings);
    for _ in 0..2 {
        let fetched = get(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(
            (
                fetched.response().status,
                fetched.response().body.as_slice()
            ),
            (200, &b"version one"[..])
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(server.seen().len(), 2);
    assert_eq!(server.seen()[1].headers["if-none-match"], "\"v1\"");
}

#[tokio::test]
async fn failures_are_not_kept() {
    let server = Server::of(vec![("/", page("500 Internal Server Error", &[], b""))]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    for _ in 0..2 {
        assert_eq!(
            get(&fetcher, &server.url("/"))
                .await
                .unwrap()
                .response()
                .status,
            500
        );
    }
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn one_that_gives_up_does_not_take_the_others_with_it() {
    let server = Server::new(|_, stream| {
        std::thread::sleep(Duration::from_millis(300));
        let _ = stream.write_all(&typed(PLAIN, b"x"));
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let url = server.url("/");
    let impatient = tokio::time::timeout(Duration::from_millis(50), get(&fetcher, &url));
    let (gone, came) = tokio::join!(impatient, get(&fetcher, &url));
    assert!(gone.is_err() && came.is_ok());
    assert_eq!(server.seen().len(), 1);
}
