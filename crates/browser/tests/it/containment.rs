//! Nothing of a browser reaches anybody but its proxy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tenon_browser::{LaunchOptions, Profile, ProxyAddress, SessionOptions};
use tokio::net::{TcpListener, UdpSocket};

use crate::web::{Stage, Web, allow, directory, launched, never, processes, scripting};

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_request_goes_to_the_proxy_those_to_this_machine_too() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let direct = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = direct.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while direct.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let at = format!("127.0.0.1:{port}");
    stage
        .open(&format!(
            "<img src=http://{at}/image><link rel=stylesheet href=http://{at}/style><link rel=prefetch href=http://{at}/prefetch><link rel=preconnect href=http://{at}>
             <script>fetch('http://{at}/fetch', {{ mode: 'no-cors' }}); navigator.sendBeacon('http://{at}/beacon', 'x'); new WebSocket('ws://{at}/socket');
             new Worker(URL.createObjectURL(new Blob([`fetch('http://{at}/worker', {{ mode: 'no-cors' }})`])));
             new EventSource('http://localhost:{port}/events')</script><iframe src=http://{at}/frame></iframe>"
        ))
        .await;
    let started = std::time::Instant::now();
    while started.elapsed() < Duration::from_secs(5)
        && !stage
            .web
            .asked()
            .iter()
            .any(|asked| asked.ends_with("/worker"))
    {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let asked = stage.web.asked();
    for wanted in [
        format!("GET http://{at}/image"),
        format!("GET http://{at}/style"),
        format!("GET http://{at}/fetch"),
        format!("POST http://{at}/beacon"),
        format!("CONNECT {at}"),
        format!("GET http://{at}/worker"),
        format!("GET http://localhost:{port}/events"),
        format!("GET http://{at}/frame"),
    ] {
        assert!(asked.contains(&wanted), "{wanted} in {asked:#?}");
    }
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_datagram_leaves_by_webrtc() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = socket.local_addr().unwrap().port();
    stage.open("<p>x</p>").await;
    stage
        .script(&format!(
            "(async () => {{ const peer = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }});
             peer.createDataChannel('x'); await peer.setLocalDescription(await peer.createOffer());
             await new Promise((done) => setTimeout(done, 1500)); return 1 }})()"
        ))
        .await;
    let mut buffer = [0; 64];
    let received =
        tokio::time::timeout(Duration::from_millis(300), socket.recv_from(&mut buffer)).await;
    assert!(received.is_err(), "{received:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_gets_its_credentials_over_the_pipe() {
    // user:secret
    let web = Web::new(Some("dXNlcjpzZWNyZXQ=")).await;
    let directory = directory();
    let proxy = ProxyAddress {
        address: web.address,
        credentials: Some(("user".into(), "secret".into())),
    };
    let mut options = LaunchOptions::new(proxy);
    options.profile = Profile::Private {
        parent: Some(directory.path().to_owned()),
    };
    let processes = processes(true);
    let Some(browser) = launched(&options, &processes).await else {
        return;
    };
    let session = browser
        .session(SessionOptions::default(), allow(), &never())
        .await
        .unwrap();
    web.page("app.test/page", "<h1>Hello</h1><img src=/image>");
    let opened = session
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    assert_eq!(opened.snapshot.text, "# Hello");
    assert!(
        web.asked()
            .contains(&"GET http://app.test/image".to_owned()),
        "{:?}",
        web.asked()
    );
    for line in crate::web::survivors(directory.path()) {
        assert!(!line.contains("secret"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_have_proxies_of_their_own() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let other = Web::new(None).await;
    other.page("app.test/page", "<h1>Other web</h1>");
    let options = SessionOptions {
        proxy: Some(ProxyAddress::new(other.address)),
        ..SessionOptions::default()
    };
    let session = stage
        .browser
        .session(options, allow(), &never())
        .await
        .unwrap();
    let opened = session
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    assert_eq!(opened.snapshot.text, "# Other web");
    assert_eq!(stage.web.asked(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn permissions_are_denied_and_service_workers_serve_no_documents() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.web.put(
        "localhost/worker.js",
        crate::web::Answer::new("200 OK", "Content-Type: text/javascript", "addEventListener('install', () => skipWaiting()); addEventListener('activate', (event) => event.waitUntil(clients.claim())); addEventListener('fetch', (event) => event.respondWith(new Response('<h1>From the worker</h1>', { headers: { 'content-type': 'text/html' } })))"),
    );
    stage.web.page("localhost/page", "<h1>From the web</h1>");
    stage.go("http://localhost/page").await;
    let permission = stage.script("Promise.all(['geolocation', 'notifications', 'camera', 'clipboard-read'].map((name) => navigator.permissions.query({ name }).then((it) => it.state, (error) => error.name)))").await;
    assert_eq!(permission, "[\"denied\",\"denied\",\"denied\",\"denied\"]");
    let registered = stage.script("navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 'ready', (error) => error.name)").await;
    let opened = stage.go("http://localhost/page").await;
    assert_eq!(opened.snapshot.text, "# From the web", "{registered}");
}
