//! Requests of any method.

use std::io::Write as _;

use tenon_contract::ErrorCode;
use tenon_web::{FetchSettings, RequestSpec, response_text};

use crate::server::*;

#[tokio::test]
async fn method_headers_and_body_arrive_and_every_status_is_an_answer() {
    let server = Server::new(|seen, stream| {
        let body = format!(
            "{} {} {}",
            seen.line,
            seen.headers.get("x-a").cloned().unwrap_or_default(),
            seen.body
        );
        let _ = stream.write_all(&page(
            "418 I'm a teapot",
            &[("content-type", "text/plain")],
            body.as_bytes(),
        ));
    });
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let spec = RequestSpec::new(
        server.url("/x"),
        Some("put"),
        [("X-A", "1")],
        Some("{\"b\":2}".to_owned()),
    )
    .unwrap();
    let response = fetcher.request(spec, &context()).await.unwrap();
    assert_eq!(response.status, 418);
    assert_eq!(response_text(&response).0, "PUT /x HTTP/1.1 1 {\"b\":2}");
    assert_eq!(server.seen()[0].headers["content-type"], "application/json");
}

#[tokio::test]
async fn a_redirect_inward_is_refused_here_too() {
    let server = Server::of(vec![(
        "/",
        redirect("303 See Other", "http://169.254.169.254/"),
    )]);
    let fetcher = fetcher(&[server.entry()], FetchSettings::default());
    let spec = RequestSpec::new(server.url("/"), Some("POST"), [], Some("x".to_owned())).unwrap();
    assert_eq!(
        fetcher.request(spec, &context()).await.unwrap_err().code,
        ErrorCode::PolicyDenied
    );
}

#[tokio::test]
async fn a_body_is_never_carried_to_another_server() {
    let other = Server::of(vec![("/", typed("text/plain", b"other"))]);
    let location = other.url("/").to_string();
    let server = Server::new(move |_, stream| {
        let _ = stream.write_all(&redirect("307 Temporary Redirect", &location));
    });
    let fetcher = fetcher(&[server.entry(), other.entry()], FetchSettings::default());
    let spec = RequestSpec::new(
        server.url("/"),
        Some("POST"),
        [("authorization", "Bearer s")],
        Some("secret".to_owned()),
    )
    .unwrap();
    assert_eq!(fetcher.request(spec, &context()).await.unwrap().status, 307);
    assert_eq!(other.seen().len(), 0);
    let spec = RequestSpec::new(
        server.url("/"),
        None,
        [("authorization", "Bearer s"), ("x-key", "k")],
        None,
    )
    .unwrap();
    assert_eq!(
        response_text(&fetcher.request(spec, &context()).await.unwrap()).0,
        "other"
    );
    let seen = &other.seen()[0].headers;
    assert!(!seen.contains_key("authorization") && !seen.contains_key("x-key"));
}
