//! Web tools through the whole pipeline.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::{Value, json};
use tenon_runtime::{HostCallbacks, Options, Toolkit};

use crate::support::{Bench, text};

/// A server that leads `/` of `127.0.0.1` to `/end` of `localhost`.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let answer = if line.starts_with("GET /picture") {
                "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 18\r\nconnection: close\r\n\r\n<html>Sorry</html>".to_owned()
            } else if line.starts_with("GET /part") {
                "HTTP/1.1 206 Partial Content\r\ncontent-type: text/plain\r\ncontent-range: bytes 0-3/9\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhalf".to_owned()
            } else if line.starts_with("GET /end") {
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 26\r\nconnection: close\r\n\r\n<title>T</title><p>arrived".to_owned()
            } else {
                format!(
                    "HTTP/1.1 302 Found\r\nlocation: http://localhost:{port}/end\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                )
            };
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

fn options(port: u16, permissions: &Value) -> Value {
    let allowed = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    json!({ "web": { "fetch": { "allowPrivate": allowed } }, "permissions": permissions })
}

#[tokio::test]
async fn a_page_is_reported_in_a_frame_and_bare_for_programs() {
    let port = server();
    let bench = Bench::new(options(port, &json!({})));
    let url = format!("http://127.0.0.1:{port}/");
    let answer = bench
        .call("web_fetch", json!({ "url": url }))
        .await
        .unwrap();
    let expected = json!({
        "url": url, "finalUrl": format!("http://localhost:{port}/end"), "status": 200,
        "contentType": "text/html", "title": "T", "content": "arrived", "truncated": false,
    });
    assert_eq!(answer.details, expected);
    let shown = text(&answer);
    assert!(shown.starts_with("<<<untrusted content "), "{shown}");
    assert!(
        shown.contains("# T\n\narrived\n<<<end of untrusted content"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_page_of_which_the_server_sends_a_part_says_so() {
    let port = server();
    let bench = Bench::new(options(port, &json!({})));
    let url = format!("http://127.0.0.1:{port}/part");
    let (shown, details) = bench.ok("web_fetch", json!({ "url": url })).await;
    assert_eq!(
        (&details["content"], &details["truncated"]),
        (&json!("half"), &json!(true))
    );
    let said = "The page is incomplete: the server sent only a part of it";
    assert!(shown.contains(said), "{shown}");
}

#[tokio::test]
async fn what_only_says_that_it_is_an_image_is_refused() {
    let port = server();
    let bench = Bench::new(options(port, &json!({})));
    let url = format!("http://127.0.0.1:{port}/picture");
    let error = bench.call("web_fetch", json!({ "url": url })).await;
    assert_eq!(
        error.unwrap_err().message,
        format!(
            "`{url}` came as `image/png` but is no image that can be shown: its size cannot be read."
        )
    );
}

#[tokio::test]
async fn a_redirect_to_another_host_needs_consent_where_anything_is_restricted() {
    let port = server();
    let url = format!("http://127.0.0.1:{port}/");
    let allow = Bench::new(options(
        port,
        &json!({ "allow": ["WebFetch(domain:127.0.0.1)"] }),
    ));
    let (code, message) = allow.refusal("web_fetch", json!({ "url": url })).await;
    assert_eq!(code, "policy_denied");
    assert!(
        message.contains("another host") && message.contains("http://localhost:"),
        "{message}"
    );
    let deny = Bench::new(options(
        port,
        &json!({ "deny": ["WebFetch(domain:localhost)"] }),
    ));
    let (code, message) = deny.refusal("web_fetch", json!({ "url": url })).await;
    assert_eq!(code, "policy_denied");
    assert!(
        message.contains("Denied by the rule `WebFetch(domain:localhost)`."),
        "{message}"
    );
}

#[tokio::test]
async fn private_addresses_are_refused_and_the_rule_is_named() {
    let bench = Bench::new(json!({}));
    for url in [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://0x7f.1/",
    ] {
        let error = bench
            .call("web_fetch", json!({ "url": url }))
            .await
            .unwrap_err();
        assert_eq!(error.error_type().as_str(), "permission_denied", "{url}");
        assert!(
            error.details["matched_rule"]
                .as_str()
                .unwrap()
                .starts_with("web.address: "),
            "{url}"
        );
    }
}

#[test]
fn a_proxy_that_cannot_be_used_is_refused_at_creation_without_its_credentials() {
    let directory = tempfile::tempdir().unwrap();
    for (proxy, problem) in [
        (
            json!("socks5://me:hunter2@proxy:1080"),
            "does not start with `http://`",
        ),
        (
            json!({ "url": "http://me:hunter2@proxy:1080/x" }),
            "must end with the port",
        ),
        (
            json!({ "url": "http://a:b@proxy", "username": "me", "password": "hunter2" }),
            "in its address and separately",
        ),
        (
            json!({ "url": "http://proxy", "password": "hunter2" }),
            "user name is empty",
        ),
        (
            json!({ "url": "http://proxy", "username": "me", "password": 424_242 }),
            "`web.proxy.password` must be a string, not a number.",
        ),
        (
            json!({ "url": "http://proxy", "resolve": "hunter2" }),
            "must be `local` or `proxy`",
        ),
        (json!(424_242), "must be a string or an object"),
    ] {
        let options = json!({ "workspace": directory.path(), "web": { "proxy": proxy } });
        let refused = Options::from_json(&options.to_string())
            .and_then(|options| Toolkit::new(options, HostCallbacks::default()));
        let error = refused.err().unwrap();
        assert_eq!(error.code.as_str(), "invalid_params", "{proxy}");
        assert!(error.message.contains(problem), "{}", error.message);
        let shown = format!("{error:?}");
        assert!(!shown.contains("424") && !shown.contains("me:"), "{shown}");
        if proxy["resolve"].is_null() {
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}
