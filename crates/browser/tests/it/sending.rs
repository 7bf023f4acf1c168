//! What pages and their workers send, by requests and over WebSockets, waits for a decision about its host.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenon_browser::{
    Blocked, Decision, DocumentKind, DocumentRequest, Guard, JudgeFuture, NavigateOptions,
    SessionOptions, Target,
};

use crate::web::{Answer, SOON, Stage, never, reference};

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
    // One that is shared obeys no such rule, and is not started, nor when its page goes.
    stage.go("http://app.test/elsewhere").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
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

/// What a window sends when it goes: at once, in its last moment, later than that, and by way of a redirect.
fn parting(host: &str) -> String {
    format!(
        "<script>const post = (way) => fetch('http://{host}/' + way, {{ method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' }});
         for (let i = 0; i < 100; i++) navigator.sendBeacon('http://{host}/beacon', 'x'); post('keep'); navigator.sendBeacon('/redirect', 'x');
         try {{ fetchLater('http://{host}/later', {{ method: 'POST', mode: 'no-cors', body: 'x' }}) }} catch {{}}
         onpagehide = () => {{ navigator.sendBeacon('http://{host}/hidden-beacon', 'x'); post('hidden-keep') }}; close()</script>"
    )
}

/// Opens the window, and returns what reached the host until there was enough of it, or time for it.
async fn parted(stage: &Stage, host: &str, enough: usize) -> Vec<String> {
    let mut redirect = Answer::new(
        "307 Temporary Redirect",
        &format!("Location: http://{host}/redirected"),
        "",
    );
    redirect.delay = Duration::from_millis(300);
    stage.web.put("localhost/redirect", redirect);
    stage.web.page("localhost/window", &parting(host));
    stage.web.page(
        "localhost/page",
        "<h1>Opener</h1><button onclick='window.open(\"/window\")'>Open</button>",
    );
    let text = stage.go("http://localhost/page").await.snapshot.text;
    let target = Target::Ref(reference(&text, "\"Open\""));
    stage
        .session
        .click(&target, &Default::default(), &Default::default(), &never())
        .await
        .unwrap();
    let started = Instant::now();
    loop {
        let asked = stage.web.asked();
        let reached: Vec<String> = asked
            .into_iter()
            .filter(|asked| asked.contains(&format!("//{host}/")))
            .collect();
        if reached.len() >= enough || started.elapsed() > Duration::from_secs(3) {
            return reached;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_closes_itself_sends_nothing_to_a_host_that_nobody_has_named() {
    let strict = Arc::new(Strict::default());
    let Some(stage) = stage(&strict).await else {
        return;
    };
    strict.named.lock().unwrap().push("localhost".into());
    assert_eq!(parted(&stage, "other.test", 1).await, [""; 0]);
    // Its opener was sent there, and is there still.
    assert!(
        stage
            .web
            .asked()
            .contains(&"POST http://localhost/redirect".to_owned())
    );
    assert!(
        strict
            .asked
            .lock()
            .unwrap()
            .contains(&"http://other.test/hidden-beacon".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_window_sends_when_it_closes_reaches_a_host_that_was_named() {
    let strict = Arc::new(Strict::default());
    let Some(stage) = stage(&strict).await else {
        return;
    };
    strict
        .named
        .lock()
        .unwrap()
        .extend(["localhost".into(), "other.test".into()]);
    let reached = parted(&stage, "other.test", 104).await;
    for way in [
        "beacon",
        "keep",
        "redirected",
        "hidden-beacon",
        "hidden-keep",
    ] {
        assert!(
            reached.contains(&format!("POST http://other.test/{way}")),
            "{way}: {reached:?}"
        );
    }
    // A session that holds nothing is not held by the browser either.
    let free = stage
        .browser
        .session(SessionOptions::default(), crate::web::allow(), &never())
        .await
        .unwrap();
    stage.web.page("free.test/page", "<h1>Free</h1><iframe srcdoc=\"<script>fetch('http://free.test/sent', { method: 'POST', body: 'x' })</script>\"></iframe>");
    free.navigate(
        "http://free.test/page",
        None,
        &NavigateOptions::default(),
        &never(),
    )
    .await
    .unwrap();
    let started = Instant::now();
    while !stage
        .web
        .asked()
        .contains(&"POST http://free.test/sent".to_owned())
    {
        assert!(started.elapsed() < SOON, "{:?}", stage.web.asked());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
