//! Pages that do not come, or not all of them: what is reported, and what can be done after it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenon_browser::{
    ActionOptions, ActionResult, BrowserError, Changed, Decision, DocumentRequest, LookOptions,
    NavigateOptions, Target,
};

use crate::web::{Answer, Judge, Stage, allow, living, never, reference, scripting};

async fn click(stage: &Stage, text: &str, target: &str) -> ActionResult {
    let target = Target::Ref(reference(text, target));
    let options = ActionOptions::default();
    stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap()
}

async fn look(stage: &Stage) -> Result<String, BrowserError> {
    let options = LookOptions::default();
    let looked = stage.session.snapshot(None, &options, &never()).await?;
    Ok(looked.text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_leads_to_no_page_says_why_and_so_does_every_look() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage
        .open("<a href='https://secure.test/'>Secure</a>")
        .await
        .snapshot
        .text;
    let done = click(&stage, &text, "\"Secure\"").await;
    assert_eq!((done.changed, &done.snapshot), (Changed::Navigation, &None));
    let [blocked] = done.blocked.as_slice() else {
        panic!("{done:?}");
    };
    assert_eq!(blocked.url, "https://secure.test/");
    assert!(blocked.reason.starts_with("net::ERR_"), "{blocked:?}");
    let fault = format!(
        "`https://secure.test/` could not be loaded: {}.",
        blocked.reason
    );
    let options = NavigateOptions::default();
    let session = &stage.session;
    let errors = [
        look(&stage).await.unwrap_err(),
        session
            .text(None, None, 0, None, None, &never())
            .await
            .unwrap_err(),
        session.reload(None, &options, &never()).await.unwrap_err(),
        session
            .navigate("https://secure.test/", None, &options, &never())
            .await
            .unwrap_err(),
        look(&stage).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(
            (error.kind(), error.to_string()),
            ("navigation_failed", fault.clone())
        );
    }
    assert_eq!(stage.open("<h1>Next</h1>").await.snapshot.text, "# Next");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_not_taken_for_a_script_that_does_not_end() {
    let Some(stage) = Stage::new().await else {
        return;
    };
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
    assert_eq!(
        error.to_string(),
        "Loading the page was not done within 500 ms: the server has not answered yet. Try again with a larger `timeout`, or open another address."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_breaks_off_is_waited_for_no_longer_and_said_to_be_incomplete() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let head = "Content-Type: text/html\r\nTransfer-Encoding: chunked";
    let half = Answer::new("200 OK", head, "7\r\n<p>half\r\n");
    stage.web.put("app.test/half", half);
    let started = Instant::now();
    let opened = stage.go("http://app.test/half").await;
    assert!(!opened.loading);
    assert_eq!(
        opened.remark.as_deref(),
        Some("The page broke off while it was loading (net::ERR_INCOMPLETE_CHUNKED_ENCODING)")
    );
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(stage.open("<h1>Next</h1>").await.remark, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_behind_a_user_name_and_a_password_says_so() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let head = "Content-Type: text/html\r\nWWW-Authenticate: Basic realm=\"x\"";
    let closed = Answer::new("401 Unauthorized", head, "<p>Closed</p>");
    stage.web.put("app.test/closed", closed);
    let own = Answer::new(
        "401 Unauthorized",
        "Content-Type: text/html",
        "<p>Sign in</p>",
    );
    stage.web.put("app.test/own", own);
    let opened = stage.go("http://app.test/closed").await;
    assert_eq!(opened.snapshot.text, "Closed");
    let remark = opened.remark.unwrap();
    assert!(
        remark.starts_with("The server wants a user name and a password (HTTP authentication)"),
        "{remark}"
    );
    // A page that asks by itself says what it wants.
    assert_eq!(stage.go("http://app.test/own").await.remark, None);
    let text = stage
        .open("<a href='http://app.test/closed'>In</a>")
        .await
        .snapshot
        .text;
    let done = click(&stage, &text, "\"In\"").await;
    assert_eq!(done.remark, Some(remark));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_whose_page_has_crashed_is_used_again_behind_the_same_guard() {
    let guard = Arc::new(Judge(|request: &DocumentRequest| {
        match request.url.contains("closed.test") {
            true => Decision::Deny {
                reason: "it is closed".to_owned(),
                rule: None,
            },
            false => Decision::Allow,
        }
    }));
    let Some(stage) = Stage::with(guard, scripting()).await else {
        return;
    };
    stage.open("<h1>One</h1>").await;
    for (pid, line) in living(stage.directory.path()) {
        if line.contains("--type=renderer") {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
    let crashed = async {
        while !matches!(look(&stage).await, Err(BrowserError::Crashed { .. })) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), crashed)
        .await
        .unwrap();
    stage.web.page(
        "app.test/again",
        "<button onclick=\"alert('Saved')\">Save</button><a href='http://closed.test/'>Closed</a>",
    );
    let options = NavigateOptions::default();
    let again = async {
        loop {
            let url = "http://app.test/again";
            match stage.session.navigate(url, None, &options, &never()).await {
                // The browser had kept a process ready that was killed with the others.
                Err(BrowserError::Crashed { .. }) => {}
                opened => return opened.unwrap(),
            }
        }
    };
    let opened = tokio::time::timeout(Duration::from_secs(20), again)
        .await
        .unwrap();
    assert_eq!(opened.tab.tab, "t1");
    let text = opened.snapshot.text;
    assert_eq!(click(&stage, &text, "\"Save\"").await.alerts, ["Saved"]);
    let done = click(&stage, &text, "\"Closed\"").await;
    assert_eq!(done.blocked[0].reason, "it is closed");
    assert!(
        !stage
            .web
            .asked()
            .iter()
            .any(|it| it.contains("closed.test"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_advised_instead_of_a_stale_reference_has_another_one() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    for name in ["one", "two"] {
        stage
            .web
            .page(&format!("other.test/{name}"), "<button>Inner</button>");
    }
    for _ in 0..4 {
        let text = stage
            .open("<iframe id=f src='http://other.test/one' width=300 height=100></iframe>")
            .await
            .snapshot
            .text;
        let known = reference(&text, "\"Inner\"");
        stage.script("f.src = 'http://other.test/two'").await;
        let target = Target::Ref(known.clone());
        let options = ActionOptions::default();
        let clicked = stage
            .session
            .click(&target, &Default::default(), &options, &never())
            .await;
        match clicked {
            // It was quicker than the frame.
            Ok(_) => {}
            Err(BrowserError::StaleRef { candidates, .. }) => {
                let again = format!("[{known}]");
                assert!(
                    !candidates.iter().any(|it| it.contains(&again)),
                    "{candidates:?}"
                );
            }
            Err(error) => panic!("{error}"),
        }
    }
}
