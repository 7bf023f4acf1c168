//! Opening pages: what is opened, who decides, and when it counts as loaded.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenon_browser::{
    ActionOptions, Blocked, Decision, DocumentKind, DocumentRequest, Guard, JudgeFuture,
    LookOptions, NavigateOptions, ScreenshotOptions, SessionOptions, Target, WaitFor,
};

use crate::web::{Answer, Judge, Stage, allow, never, reference, scripting};

async fn refused(stage: &Stage, url: &str) -> (String, String) {
    let options = NavigateOptions::default();
    let error = stage
        .session
        .navigate(url, None, &options, &never())
        .await
        .unwrap_err();
    (error.kind().to_owned(), error.to_string())
}

fn metadata_guard(seen: &Arc<Mutex<Vec<String>>>) -> Arc<dyn Guard> {
    let seen = Arc::clone(seen);
    Arc::new(Judge(move |request: &DocumentRequest| {
        let kind = match request.kind {
            DocumentKind::Page => "page",
            DocumentKind::Frame => "frame",
            DocumentKind::Data => "data",
        };
        seen.lock().unwrap().push(format!(
            "{kind} {} {} {}",
            request.method, request.url, request.is_redirect
        ));
        if request.url.contains("169.254.169.254") {
            return Decision::Deny {
                reason: "it is an address of this machine's network".to_owned(),
                rule: Some("Browser(domain:169.254.169.254)".to_owned()),
            };
        }
        Decision::Allow
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hop_is_judged_and_a_redirect_inward_is_refused() {
    let seen = Arc::default();
    let Some(stage) = Stage::with(metadata_guard(&seen), SessionOptions::default()).await else {
        return;
    };
    stage
        .web
        .put("a.test/1", Answer::redirect("http://b.test/2"));
    stage.web.put(
        "b.test/2",
        Answer::redirect("http://169.254.169.254/latest"),
    );
    let (kind, error) = refused(&stage, "http://a.test/1").await;
    assert_eq!(kind, "blocked");
    assert_eq!(
        error,
        "`http://169.254.169.254/latest` is not opened: it is an address of this machine's network."
    );
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "page GET http://a.test/1 false",
            "page GET http://b.test/2 true",
            "page GET http://169.254.169.254/latest true"
        ]
    );
    assert!(
        !stage
            .web
            .asked()
            .iter()
            .any(|asked| asked.contains("169.254"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_frames_forms_and_scripts_are_judged_as_well() {
    let seen = Arc::default();
    let Some(stage) = Stage::with(metadata_guard(&seen), scripting()).await else {
        return;
    };
    let html = "<a href=http://169.254.169.254/a>Link</a><form method=post action=http://169.254.169.254/f><button>Post</button></form><iframe src=http://169.254.169.254/i></iframe>";
    for name in ["\"Link\"", "\"Post\""] {
        let text = stage.open(html).await.snapshot.text;
        let target = Target::Ref(reference(&text, name));
        let result = stage
            .session
            .click(&target, &Default::default(), &Default::default(), &never())
            .await
            .unwrap();
        assert_eq!(result.blocked.len(), 1, "{name}");
        assert_eq!(
            result.blocked[0].rule.as_deref(),
            Some("Browser(domain:169.254.169.254)")
        );
    }
    stage.open(html).await;
    stage
        .script("setTimeout(() => { location = 'http://169.254.169.254/s' }, 10); 1")
        .await;
    stage
        .script("setTimeout(() => open('http://169.254.169.254/o'), 10); 1")
        .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let seen = seen.lock().unwrap().clone();
    for wanted in [
        "page GET http://169.254.169.254/a false",
        "page POST http://169.254.169.254/f false",
        "frame GET http://169.254.169.254/i false",
        "page GET http://169.254.169.254/s false",
    ] {
        assert!(seen.contains(&wanted.to_owned()), "{wanted} in {seen:#?}");
    }
    assert!(
        !stage
            .web
            .asked()
            .iter()
            .any(|asked| asked.contains("169.254"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_leads_to_a_file_of_this_machine() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    for url in [
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://app.test/",
        "data:text/html,x",
        "javascript:1",
    ] {
        assert_eq!(refused(&stage, url).await.0, "blocked", "{url}");
    }
    stage.web.page(
        "app.test/meta",
        "<meta http-equiv=refresh content='0;url=file:///etc/passwd'><h1>Meta</h1>",
    );
    stage.go("http://app.test/meta").await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    stage
        .web
        .put("app.test/redirect", Answer::redirect("file:///etc/passwd"));
    assert_eq!(
        refused(&stage, "http://app.test/redirect").await.0,
        "navigation_failed"
    );
    stage.open("<a href=file:///etc/passwd>File</a><iframe src=file:///etc/passwd width=300 height=300></iframe>").await;
    stage.script("document.querySelector('a').click(); location = 'file:///etc/passwd'; open('file:///etc/passwd'); 1").await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    for tab in stage.session.tabs(&never()).await.unwrap() {
        assert!(!tab.url.starts_with("file:"), "{tab:?}");
    }
    assert!(!stage.look().await.text.contains("root:"));
}

struct Slow;

impl Guard for Slow {
    fn judge(&self, _: DocumentRequest) -> JudgeFuture {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            Decision::Allow
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_may_take_longer_than_the_time_limit() {
    let Some(stage) = Stage::with(Arc::new(Slow), SessionOptions::default()).await else {
        return;
    };
    stage.web.page("app.test/page", "<h1>Hello</h1>");
    let options = NavigateOptions {
        timeout: Some(Duration::from_millis(1000)),
        ..NavigateOptions::default()
    };
    let opened = stage
        .session
        .open("http://app.test/page", &options, &never())
        .await
        .unwrap();
    assert_eq!(opened.snapshot.text, "# Hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_loaded_is_said_with_the_error_of_the_network() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let (kind, error) = refused(&stage, "https://secure.test/").await;
    assert_eq!(kind, "navigation_failed");
    assert!(error.contains("net::ERR_"), "{error}");
    let missing = stage.go("http://app.test/nowhere").await;
    assert_eq!(
        (missing.http_status, missing.snapshot.text.as_str()),
        (Some(404), "# Not here")
    );
    let mut slow = Answer::html("late");
    slow.delay = Duration::from_secs(30);
    stage.web.put("app.test/slow", slow);
    let options = NavigateOptions {
        timeout: Some(Duration::from_millis(500)),
        ..NavigateOptions::default()
    };
    let error = stage
        .session
        .navigate("http://app.test/slow", None, &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "timeout");
    // The tab is of use all the same.
    assert_eq!(stage.open("<h1>Next</h1>").await.snapshot.text, "# Next");
}

#[tokio::test(flavor = "multi_thread")]
async fn back_reload_wait_and_tabs() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.open("<h1>One</h1>").await;
    stage.web.page("app.test/two", "<title>Two</title><h1>Two</h1><script>setTimeout(() => { document.body.append('Late') }, 400)</script>");
    stage.go("http://app.test/two").await;
    let late = stage
        .session
        .wait(None, &WaitFor::Text("Late".into()), None, &never())
        .await
        .unwrap();
    assert!(late.matched);
    let never_there = stage
        .session
        .wait(
            None,
            &WaitFor::Text("Never".into()),
            Some(Duration::from_millis(300)),
            &never(),
        )
        .await
        .unwrap();
    assert!(!never_there.matched);
    let options = NavigateOptions::default();
    let back = stage.session.back(None, &options, &never()).await.unwrap();
    assert_eq!(back.snapshot.text, "# One");
    let error = stage
        .session
        .back(None, &options, &never())
        .await
        .map(|back| back.tab.url);
    assert!(
        error
            .as_deref()
            .unwrap_or("about:blank")
            .starts_with("about:blank"),
        "{error:?}"
    );
    stage.go("http://app.test/two").await;
    let again = stage
        .session
        .reload(None, &options, &never())
        .await
        .unwrap();
    assert!(
        again.snapshot.text.starts_with("# Two"),
        "{}",
        again.snapshot.text
    );
    let other = stage
        .session
        .open("http://app.test/page", &options, &never())
        .await
        .unwrap();
    assert_eq!((other.tab.tab.as_str(), other.tab.active), ("t2", true));
    let focused = stage.session.focus("t1", &never()).await.unwrap();
    assert_eq!((focused.title.as_str(), focused.active), ("Two", true));
    let left = stage.session.close_tab(Some("t1"), &never()).await.unwrap();
    let left: Vec<&str> = left.iter().map(|tab| tab.tab.as_str()).collect();
    assert_eq!(left, ["t2"]);
    let error = stage.session.focus("t1", &never()).await.unwrap_err();
    assert_eq!(error.to_string(), "There is no tab `t1`. Open are: t2.");
}

/// The page of a snapshot, which is not asked of the browser.
async fn seen(stage: &Stage) -> (String, String) {
    let options = LookOptions::default();
    let (_, page) = stage
        .session
        .snapshot_with_page(None, &options, &never())
        .await
        .unwrap();
    (page.title, page.url)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_has_the_title_and_address_that_the_page_has_now() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let is = |title: &str, url: &str| (title.to_owned(), url.to_owned());
    stage.open("<title>One</title><h1>One</h1>").await;
    assert_eq!(seen(&stage).await, is("One", "http://app.test/page"));
    stage
        .script("document.title = ' Two  words '; history.pushState(0, '', '/other?x#part')")
        .await;
    let now = "http://app.test/other?x#part";
    assert_eq!(seen(&stage).await, is("Two words", now));
    assert_eq!(stage.session.address_of(None, None).as_deref(), Some(now));
    // A document that is written over keeps its address.
    stage
        .script("document.open(); document.write('<title>Three</title>three'); document.close()")
        .await;
    assert_eq!(seen(&stage).await, is("Three", now));
    assert_eq!(stage.session.address_of(None, None).as_deref(), Some(now));
    // Without a title it has the name that the browser gives it.
    stage.script("document.title = ''").await;
    assert_eq!(seen(&stage).await.1, now);
    let long = "document.title = '\\ud800' + 'x'.repeat(5e6) + '\\u{1f600}'";
    stage.script(long).await;
    let (title, _) = seen(&stage).await;
    assert!(title.starts_with("\u{fffd}xxx"), "{title}");
    assert_eq!(title.chars().count(), 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_another_page_writes_has_the_address_of_that_page() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<title>Opener</title><button onclick=\"const w = window.open('about:blank'); w.document.open(); w.document.write('<title>Written</title><p>Words</p>'); w.document.close()\">Open</button>")
        .await
        .snapshot
        .text;
    let target = Target::Ref(reference(&text, "\"Open\""));
    stage
        .session
        .click(&target, &Default::default(), &Default::default(), &never())
        .await
        .unwrap();
    let address = stage.session.address_of(Some("t2"), None);
    assert_eq!(address.as_deref(), Some("http://app.test/page"));
    let options = LookOptions::default();
    let (snapshot, page) = stage
        .session
        .snapshot_with_page(Some("t2"), &options, &never())
        .await
        .unwrap();
    assert_eq!(
        (
            snapshot.text.as_str(),
            page.title.as_str(),
            page.url.as_str()
        ),
        ("Words", "Written", "http://app.test/page")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_windows_ends_at_ten_tabs() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open("<button onclick=\"for (let i = 0; i < 40; i++) window.open('/page?' + i, '_blank')\">Storm</button>").await.snapshot.text;
    let target = Target::Ref(reference(&text, "\"Storm\""));
    for _ in 0..15 {
        stage.session.focus("t1", &never()).await.unwrap();
        let clicked = stage
            .session
            .click(&target, &Default::default(), &Default::default(), &never())
            .await;
        if let Err(error) = clicked {
            let tabs = stage.session.tabs(&never()).await;
            let looked = stage
                .session
                .snapshot(Some("t1"), &Default::default(), &never())
                .await;
            panic!("{error:?} {tabs:#?} {looked:?}");
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let tabs = stage.session.tabs(&never()).await.unwrap();
    assert!(tabs.len() > 1 && tabs.len() <= 10, "{}", tabs.len());
    let error = match stage.session.tabs(&never()).await.unwrap().len() {
        10 => stage
            .session
            .open("http://app.test/page", &Default::default(), &never())
            .await
            .unwrap_err(),
        _ => return,
    };
    assert_eq!(error.kind(), "invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_crashes_or_hangs_is_said_and_another_can_be_opened() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.open("<h1>One</h1>").await;
    let started = Instant::now();
    let options = NavigateOptions::default();
    let abort = never();
    let crash = stage
        .session
        .evaluate(None, "new Promise(() => {})", None, None, &abort);
    let kill = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        for (pid, line) in crate::web::living(stage.directory.path()) {
            if line.contains("--type=renderer") {
                rustix::process::kill_process(
                    rustix::process::Pid::from_raw(pid).unwrap(),
                    rustix::process::Signal::KILL,
                )
                .unwrap();
            }
        }
    };
    let (crashed, ()) = tokio::join!(crash, kill);
    assert_eq!(crashed.unwrap_err().kind(), "crashed");
    assert!(started.elapsed() < Duration::from_secs(3));
    let opened = stage
        .session
        .open("http://app.test/page", &options, &never())
        .await
        .unwrap();
    assert_eq!(opened.snapshot.text, "# One");
    let error = stage
        .session
        .evaluate(None, "while (true) {}", None, None, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "timeout");
    let tabs = stage.session.tabs(&never()).await.unwrap();
    assert!(!tabs.is_empty());
    let opened = stage
        .session
        .open("http://other.test/page", &options, &never())
        .await
        .unwrap();
    assert_eq!(opened.http_status, Some(404));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_does_not_end_fails_every_action_within_its_limit_and_says_so() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage
        .open("<button onclick='setTimeout(() => { while (true); }, 1500)'>Hang</button>")
        .await;
    let session = &stage.session;
    let timeout = Some(Duration::from_millis(400));
    let options = ActionOptions { tab: None, timeout };
    let button = Target::Ref("e1".into());
    let (never, click) = (never(), Default::default());
    session
        .click(&button, &click, &ActionOptions::default(), &never)
        .await
        .unwrap();
    // The click was answered; from then on nothing is.
    tokio::time::sleep(Duration::from_millis(2000)).await;
    let started = Instant::now();
    let look = LookOptions {
        timeout,
        ..LookOptions::default()
    };
    let picture = ScreenshotOptions {
        timeout,
        ..ScreenshotOptions::default()
    };
    let errors = [
        session.snapshot(None, &look, &never).await.unwrap_err(),
        session
            .text(None, None, 0, None, timeout, &never)
            .await
            .unwrap_err(),
        session
            .evaluate(None, "1", None, timeout, &never)
            .await
            .unwrap_err(),
        session
            .screenshot(None, &picture, &never)
            .await
            .unwrap_err(),
        session
            .click(&button, &click, &options, &never)
            .await
            .unwrap_err(),
    ];
    let what = [
        "The snapshot",
        "Reading the text",
        "The expression",
        "The screenshot",
        "Finding `e1`",
    ];
    for (error, what) in errors.iter().zip(what) {
        assert_eq!(
            error.to_string(),
            format!(
                "{what} was not done within 400 ms: the page does not answer, since a script of it is busy or does not end. Wait and try again, or close its tab with the action `close`."
            )
        );
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(session.close_tab(None, &never).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_does_not_exist_is_not_said_to_be_denied() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let mut said = Vec::new();
    for (status, error) in [
        ("502 Host Not Found", "dns_error"),
        ("502 Bad Gateway", "destination_unavailable"),
        ("403 Forbidden", "http_request_denied"),
    ] {
        let headers = format!("Proxy-Status: tenon; error={error}");
        stage
            .web
            .put("gone.test", Answer::new(status, &headers, "x"));
        let options = NavigateOptions::default();
        let opened = stage
            .session
            .open("http://gone.test/", &options, &never())
            .await;
        said.push(opened.unwrap_err().to_string());
    }
    assert_eq!(
        said,
        [
            "`http://gone.test/` could not be loaded: its host could not be found; check its spelling.",
            "`http://gone.test/` could not be loaded: the host cannot be reached.",
            "`http://gone.test/` is not opened: its host leads to an address that is not public, or a rule denies it.",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_popup_is_reported_where_it_was_opened() {
    let guard = Judge(
        |request: &DocumentRequest| match request.url.contains("denied.test") {
            true => Decision::Deny {
                reason: "its host is denied".to_owned(),
                rule: Some("Browser(domain:denied.test)".to_owned()),
            },
            false => Decision::Allow,
        },
    );
    let Some(stage) = Stage::with(Arc::new(guard), SessionOptions::default()).await else {
        return;
    };
    stage.web.page(
        "app.test/to",
        "<script>location = 'http://denied.test/later'</script>",
    );
    let text = stage.open("<form method=post target=_blank action='http://denied.test/form'><input type=hidden name=a value=1><button>Form</button></form><button onclick=\"window.open('http://denied.test/script')\">Script</button><a target=_blank href='http://denied.test/link'>Link</a><button onclick=\"window.open('/to')\">Later</button>").await.snapshot.text;
    for (name, path) in [
        ("Form", "form"),
        ("Script", "script"),
        ("Link", "link"),
        ("Later", "later"),
    ] {
        let target = Target::Ref(reference(&text, &format!("\"{name}\"")));
        let options = ActionOptions {
            tab: Some("t1".to_owned()),
            ..ActionOptions::default()
        };
        let result = stage
            .session
            .click(&target, &Default::default(), &options, &never())
            .await
            .unwrap();
        let wanted = Blocked {
            url: format!("http://denied.test/{path}"),
            reason: "its host is denied".to_owned(),
            rule: Some("Browser(domain:denied.test)".to_owned()),
        };
        assert_eq!(result.blocked, [wanted], "{name}: {result:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_tab_that_is_one_too_many_is_reported_where_it_was_opened() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.web.page("app.test/other", "<h1>Other</h1>");
    let text = stage
        .open("<a target=_blank href='/other'>Link</a>")
        .await
        .snapshot
        .text;
    for _ in 1..10 {
        let options = NavigateOptions::default();
        let opened = stage.session.open("about:blank", &options, &never()).await;
        opened.unwrap();
    }
    let target = Target::Ref(reference(&text, "\"Link\""));
    let options = ActionOptions {
        tab: Some("t1".to_owned()),
        ..ActionOptions::default()
    };
    let result = stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap();
    let wanted = Blocked {
        url: "a new tab".to_owned(),
        reason: "10 tabs are open, which is the most; close one with the action `close`".to_owned(),
        rule: None,
    };
    assert_eq!(result.blocked, [wanted]);
}
