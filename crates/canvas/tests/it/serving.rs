//! What the server gives to whom.

use serde_json::json;
use tenon_canvas::{Canvases, Origins, Update};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::{SOON, asked, canvases, get, page, parts, post};

async fn shown(canvases: &Canvases) -> (String, String) {
    let presented = canvases.present(page("One", "<p>one</p>")).await.unwrap();
    parts(&presented.facts.url)
}

#[tokio::test]
async fn a_name_that_leads_here_by_dns_gets_nothing() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    let port = host.split_once(':').unwrap().1;
    for other in [
        "evil.test",
        "localhost",
        "127.0.0.2",
        "[::1]",
        "0.0.0.0",
        "127.0.0.1.evil.test",
        "127.1",
    ] {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {other}:{port}\r\nConnection: close\r\n\r\n");
        assert_eq!(asked(&host, request).await.0, 421, "{other}");
    }
    for request in [
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n"),
        format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.test\r\nConnection: close\r\n\r\n"
        ),
        format!("GET http://evil.test{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("GET {path} HTTP/1.0\r\n\r\n"),
    ] {
        assert_eq!(asked(&host, request.clone()).await.0, 421, "{request}");
    }
    assert_eq!(get(&host, &path).await.0, 200);
}

#[tokio::test]
async fn another_user_of_this_machine_without_the_token_gets_nothing() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    let root = path.split('/').nth(1).unwrap().to_owned();
    assert_eq!(root.len(), 32);
    let wrong = "0".repeat(32);
    for path in [
        "/".to_owned(),
        "//".to_owned(),
        "/c1".to_owned(),
        format!("/{wrong}/c1"),
        format!("/{wrong}/live"),
        format!("/{wrong}/c1/state"),
        format!("/{}/c1", &root[..31]),
        format!("/{root}0/c1"),
        format!("/%{root}/c1"),
        format!("/v/{root}"),
        format!("/v/{wrong}"),
        format!("/v/{wrong}/relay"),
        format!("/../{root}/c1"),
        "/robots.txt".to_owned(),
        format!("/{root}/c2"),
    ] {
        assert_eq!(get(&host, &path).await.0, 404, "{path}");
    }
    let headers = format!("Origin: http://{host}\r\nContent-Type: application/json\r\n");
    assert_eq!(
        post(&host, &format!("/{wrong}/c1/events"), &headers, "{}").await,
        404
    );
    // The list of all is under the token, too.
    assert_eq!(get(&host, &format!("/{root}/")).await.0, 200);
}

#[tokio::test]
async fn every_answer_forbids_what_nobody_needs() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    let (_, around, _) = get(&host, &path).await;
    let (_, refused, _) = get(&host, "/").await;
    for head in [&around, &refused] {
        for header in [
            "cache-control: no-store",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(header), "{header} in {head}");
        }
        assert!(
            !head.contains("set-cookie") && !head.contains("access-control"),
            "{head}"
        );
    }
    assert!(
        around.contains("content-security-policy: default-src 'none'; script-src 'nonce-"),
        "{around}"
    );
    assert!(!around.contains("unsafe-inline"), "{around}");
}

#[tokio::test]
async fn the_content_has_an_opaque_origin_even_by_itself_and_no_frames() {
    let canvases = canvases();
    shown(&canvases).await;
    let live = live(&canvases).await;
    let relay = live["canvases"][0]["relay"].as_str().unwrap().to_owned();
    let (host, relay) = parts(&relay);
    let view = relay.strip_suffix("/relay").unwrap();
    let (status, head, body) = get(&host, view).await;
    assert_eq!(status, 200);
    let policy = head
        .lines()
        .find(|line| line.starts_with("content-security-policy:"))
        .unwrap();
    assert_eq!(
        policy,
        "content-security-policy: sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
         img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; frame-src 'none'; worker-src 'none'; \
         object-src 'none'; base-uri 'none'; form-action 'none'"
    );
    assert!(body.contains("<body>\n<p>one</p>\n</body>"), "{body}");
    let (_, head, _) = get(&host, &relay).await;
    assert!(
        head.contains(&format!("frame-src http://{host}{view};")),
        "{head}"
    );
    // What the content knows leads to nothing but the content.
    let token = view.strip_prefix("/v/").unwrap();
    for path in [
        format!("/{token}/c1"),
        format!("/{token}/live"),
        format!("/{token}/c1/state"),
    ] {
        assert_eq!(get(&host, &path).await.0, 404, "{path}");
    }
}

/// The state of all canvases as the stream has it at its start.
async fn live(canvases: &Canvases) -> serde_json::Value {
    let url = canvases.list().await.unwrap().remove(0).url;
    let (host, path) = parts(&url);
    let root = path.split('/').nth(1).unwrap();
    let mut client = TcpStream::connect(&host).await.unwrap();
    client
        .write_all(format!("GET /{root}/live HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    next(&mut client).await
}

async fn next(client: &mut TcpStream) -> serde_json::Value {
    let mut text = String::new();
    loop {
        let mut bytes = vec![0; 64 * 1024];
        let length = tokio::time::timeout(SOON, client.read(&mut bytes))
            .await
            .unwrap()
            .unwrap();
        assert!(length > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..length]));
        if let Some((_, rest)) = text.rsplit_once("data: ")
            && let Some((json, _)) = rest.split_once("\n\n")
        {
            return serde_json::from_str(json).unwrap();
        }
    }
}

#[tokio::test]
async fn a_stream_reports_every_change_and_ends_with_its_owner() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    let root = path.split('/').nth(1).unwrap();
    let mut client = TcpStream::connect(&host).await.unwrap();
    client
        .write_all(format!("GET /{root}/live HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    assert_eq!(next(&mut client).await["canvases"][0]["version"], 1);
    let update = Update {
        data: Some(json!({ "n": 1 })),
        ..Update::default()
    };
    canvases.update("c1", update).await.unwrap();
    let state = next(&mut client).await;
    assert_eq!(
        (
            &state["canvases"][0]["version"],
            &state["canvases"][0]["page"]
        ),
        (&json!(2), &json!(1))
    );
    canvases.hide("c1").await.unwrap();
    assert_eq!(next(&mut client).await["canvases"][0]["hidden"], true);
    drop(canvases);
    let mut rest = Vec::new();
    tokio::time::timeout(SOON, client.read_to_end(&mut rest))
        .await
        .unwrap()
        .ok();
    let gone = async {
        while TcpStream::connect(&host).await.is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(SOON, gone).await.unwrap();
}

#[tokio::test]
async fn an_update_while_hidden_is_there_when_it_is_shown_again() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    canvases.hide("c1").await.unwrap();
    let update = Update {
        data: Some(json!([1])),
        ..Update::default()
    };
    let facts = canvases.update("c1", update).await.unwrap();
    assert_eq!((facts.hidden, facts.version), (true, 2));
    let (status, _, state) = get(&host, &format!("{path}/state")).await;
    assert_eq!(status, 200);
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(
        state,
        json!({ "id": "c1", "title": "One", "version": 2, "page": 1, "data": [1] })
    );
}

#[tokio::test]
async fn events_are_taken_from_the_page_around_alone_and_ten_a_second() {
    let canvases = canvases();
    let (host, path) = shown(&canvases).await;
    let events = format!("{path}/events");
    let body = r#"{"type":"click","data":{"n":1}}"#;
    let kind = "Content-Type: application/json\r\n";
    let own = format!("Origin: http://{host}\r\n{kind}");
    for (headers, status) in [
        (kind.to_owned(), 403),
        (format!("Origin: null\r\n{kind}"), 403),
        (format!("Origin: http://evil.test\r\n{kind}"), 403),
        (format!("Sec-Fetch-Site: cross-site\r\n{own}"), 403),
        (
            format!("Origin: http://{host}\r\nContent-Type: text/plain\r\n"),
            415,
        ),
        (own.clone(), 200),
    ] {
        assert_eq!(
            post(&host, &events, &headers, body).await,
            status,
            "{headers}"
        );
    }
    assert_eq!(post(&host, &events, &own, "{").await, 400);
    let large = format!(r#"{{"type":"x","data":"{}"}}"#, "x".repeat(100 * 1024));
    assert_eq!(post(&host, &events, &own, &large).await, 413);
    let mut taken = 1;
    let began = std::time::Instant::now();
    for _ in 0..200 {
        taken += usize::from(post(&host, &events, &own, body).await == 200);
    }
    // Ten in each second that was begun; one more where the clock of the gate began before this one.
    let most = 10 * (usize::try_from(began.elapsed().as_secs()).unwrap() + 2);
    assert!((10..=most).contains(&taken), "{taken} of {most}");
    let (_, found) = canvases.events("c1", 0).await.unwrap();
    assert_eq!(
        (found.events.len(), found.next, found.events[0].data.clone()),
        (taken.min(200), taken as u64, json!({ "n": 1 }))
    );
    assert!(found.dropped >= 201 - taken as u64, "{}", found.dropped);
}

#[tokio::test]
async fn the_oldest_of_33_canvases_goes_and_a_name_is_kept() {
    let canvases = canvases();
    for number in 1..=32 {
        let presented = canvases
            .present(page(&format!("t{number}"), "x"))
            .await
            .unwrap();
        assert_eq!(presented.gone, None);
    }
    let mut named = page("named", "x");
    named.name = Some("n".to_owned());
    assert_eq!(
        canvases.present(named.clone()).await.unwrap().gone,
        Some("t1".to_owned())
    );
    let again = canvases.present(named).await.unwrap();
    assert_eq!(
        (again.gone, again.facts.version, again.facts.id.as_str()),
        (None, 2, "c33")
    );
    assert_eq!(canvases.list().await.unwrap().len(), 32);
    let error = canvases.hide("c1").await.unwrap_err();
    assert_eq!(error.error_type().as_str(), "not_found");
}

#[tokio::test]
async fn documents_for_other_hosts_have_their_origins_and_open_no_frames() {
    let list = |text: &str| vec![text.to_owned()];
    let canvases = Canvases::new(Origins::new(&list("https://granted.test"), &[]).unwrap());
    let mut open = page("Open", "<p>x</p>");
    open.origins = Origins::new(&list("https://api.test"), &list("https://cdn.test")).unwrap();
    canvases.present(open).await.unwrap();
    let document = canvases.document("ui://tenon/canvas/c1").unwrap();
    assert_eq!(document.mime_type, "text/html;profile=mcp-app");
    assert_eq!(
        serde_json::to_value(&document.csp).unwrap(),
        json!({ "connectDomains": ["https://api.test", "https://granted.test"], "resourceDomains": ["https://cdn.test"] })
    );
    assert!(
        document
            .text
            .contains("connect-src https://api.test https://granted.test; frame-src 'none'")
    );
    assert_eq!(document.state["html"], "<p>x</p>");
    let template = canvases.document("ui://tenon/canvas").unwrap();
    assert!(
        template
            .text
            .contains("connect-src https://granted.test; frame-src 'none'")
            && !template.text.contains("<p>x</p>")
    );
    for uri in [
        "ui://tenon/canvas/",
        "ui://tenon/canvas/c2",
        "ui://other",
        "",
    ] {
        assert!(canvases.document(uri).is_none(), "{uri}");
    }
}
