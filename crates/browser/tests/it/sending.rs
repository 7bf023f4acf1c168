//! What pages and their workers send, by requests and over WebSockets, waits for a decision about its host.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenon_browser::{
    Blocked, Decision, DocumentKind, DocumentRequest, Guard, JudgeFuture, NavigateOptions,
    SessionOptions,
};

use crate::web::{Answer, SOON, Stage, never};

/// Nothing is sent but to hosts that are named.
#[derive(Default)]
struct Strict {
    named: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
    /// Whether approval is given.
    allows: bool,
}

struct Shared(Arc<Strict>);

impl Guard for Shared {
    fn judge(&self, request: DocumentRequest) -> JudgeFuture {
        let strict = Arc::clone(&self.0);
        Box::pin(async move {
            let host = request.url.split('/').nth(2).unwrap_or_default();
            let host = host.split(':').next().unwrap().to_owned();
            if request.kind != DocumentKind::Data || strict.named.lock().unwrap().contains(&host) {
                return Decision::Allow;
            }
            strict.asked.lock().unwrap().push(request.url);
            if strict.allows {
                strict.named.lock().unwrap().push(host);
                return Decision::Allow;
            }
            Decision::Deny {
                reason: "nobody has named it".into(),
                rule: None,
            }
        })
    }

    fn sockets(&self) -> Option<Vec<String>> {
        Some(self.0.named.lock().unwrap().clone())
    }
}

async fn stage(strict: &Arc<Strict>) -> Option<Stage> {
    let options = SessionOptions {
        judges_writes: true,
        evaluate: true,
        ..SessionOptions::default()
    };
    Stage::with(Arc::new(Shared(Arc::clone(strict))), options).await
}

/// Sends by every way to this host.
fn sender(kind: &str, host: &str) -> String {
    format!(
        "fetch('http://{host}/{kind}-post', {{ method: 'POST', mode: 'no-cors', body: 'x' }}).catch(() => 0); new WebSocket('ws://{kind}.{host}/{kind}-socket');"
    )
}

fn put_pages(stage: &Stage, host: &str) {
    let script = |text: &str| Answer::new("200 OK", "Content-Type: text/javascript", text);
    stage
        .web
        .put("localhost/shared.js", script(&sender("shared", host)));
    let service = format!(
        "addEventListener('install', () => skipWaiting()); addEventListener('activate', (event) => event.waitUntil(clients.claim())); {}",
        sender("service", host)
    );
    stage.web.put("localhost/service.js", script(&service));
    let nested = sender("nested", host).replace('\'', "\\\"");
    let worker = format!(
        "{} new Worker(URL.createObjectURL(new Blob([\"{nested}\"])));",
        sender("worker", host)
    );
    stage.web.put("localhost/worker.js", script(&worker));
    stage.web.page(
        "localhost/page",
        &format!(
            "<h1>Sender</h1><iframe srcdoc=\"<script>{}</script>\"></iframe><script>{} navigator.sendBeacon('http://{host}/beacon-post', 'x');
             new Worker('/worker.js'); new SharedWorker('/shared.js'); navigator.serviceWorker.register('/service.js');</script>
             <meta http-equiv=Content-Security-Policy content=\"img-src 'none'\"><img src=/x>",
            sender("frame", host),
            sender("page", host)
        ),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_and_sockets_send_nothing_to_a_host_that_nobody_has_named() {
    let strict = Arc::new(Strict::default());
    let Some(stage) = stage(&strict).await else {
        return;
    };
    put_pages(&stage, "other.test");
    strict.named.lock().unwrap().push("localhost".into());
    stage.go("http://localhost/page").await;
    let kinds = ["page", "frame", "worker", "nested", "service"];
    let started = Instant::now();
    loop {
        let asked = strict.asked.lock().unwrap().clone();
        let posts = kinds
            .iter()
            .filter(|kind| asked.contains(&format!("http://other.test/{kind}-post")))
            .count();
        if posts == kinds.len() && asked.iter().any(|url| url.ends_with("-socket")) {
            break;
        }
        assert!(started.elapsed() < SOON, "{asked:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let reached: Vec<String> = stage
        .web
        .asked()
        .into_iter()
        .filter(|asked| asked.contains("other.test"))
        .collect();
    assert_eq!(reached, [""; 0]);
    let blocked: Vec<Blocked> = stage
        .session
        .navigate(
            "http://localhost/page",
            None,
            &NavigateOptions::default(),
            &never(),
        )
        .await
        .unwrap()
        .blocked;
    assert!(!blocked.is_empty());
    // One that is shared obeys no such rule, and is not started.
    let asked = strict.asked.lock().unwrap().clone();
    assert!(!asked.iter().any(|url| url.contains("shared")), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_allowed_is_connected_at_the_next_attempt() {
    let strict = Arc::new(Strict {
        allows: true,
        ..Strict::default()
    });
    let Some(stage) = stage(&strict).await else {
        return;
    };
    stage
        .open("<h1>Sender</h1><script>const connect = () => { const socket = new WebSocket('ws://other.test/socket'); socket.onclose = () => setTimeout(connect, 50) }; connect()</script>")
        .await;
    let started = Instant::now();
    while !stage
        .web
        .asked()
        .contains(&"CONNECT other.test:80".to_owned())
    {
        assert!(started.elapsed() < SOON, "{:?}", stage.web.asked());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let asked = strict.asked.lock().unwrap().clone();
    assert_eq!(asked, ["http://other.test/socket"]);
}
