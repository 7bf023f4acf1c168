//! Questions of pages.

use std::time::Duration;

use tenon_browser::{ActionOptions, BrowserError, DialogInfo, Target};

use crate::web::{Stage, allow, never, reference, scripting};

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_is_closed_and_repeated() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage.open("<button onclick=\"alert('Saved'); alert('Twice'); out.textContent = 'after'\">Save</button><p id=out></p>").await.snapshot.text;
    let target = Target::Ref(reference(&text, "\"Save\""));
    let result = stage
        .session
        .click(&target, &Default::default(), &Default::default(), &never())
        .await
        .unwrap();
    assert_eq!(result.alerts, ["Saved", "Twice"]);
    assert!(result.snapshot.unwrap().text.contains("after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_for_its_answer_and_nothing_else_is_done_meanwhile() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage.open("<button onclick=\"out.textContent = confirm('Delete all?') + ' ' + prompt('Why?')\">Ask</button><p id=out></p>").await.snapshot.text;
    let target = Target::Ref(reference(&text, "\"Ask\""));
    let result = stage
        .session
        .click(&target, &Default::default(), &Default::default(), &never())
        .await
        .unwrap();
    let question = |kind: &str, message: &str| DialogInfo {
        kind: kind.to_owned(),
        message: message.to_owned(),
    };
    assert_eq!(result.dialog, Some(question("confirm", "Delete all?")));
    let error = stage
        .session
        .click(&target, &Default::default(), &Default::default(), &never())
        .await
        .unwrap_err();
    assert_eq!(
        error,
        BrowserError::DialogOpen(question("confirm", "Delete all?"))
    );
    assert_eq!(stage.session.tabs(&never()).await.unwrap().len(), 1);
    let (asked, result) = stage
        .session
        .dialog(None, true, None, &never())
        .await
        .unwrap();
    assert_eq!(asked.message, "Delete all?");
    assert_eq!(result.dialog, Some(question("prompt", "Why?")));
    let (_, result) = stage
        .session
        .dialog(None, true, Some("because"), &never())
        .await
        .unwrap();
    assert!(result.snapshot.unwrap().text.contains("true because"));
    let error = stage
        .session
        .dialog(None, true, None, &never())
        .await
        .unwrap_err();
    assert_eq!(error, BrowserError::NoDialog);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_does_not_want_to_be_left_is_left() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open("<input aria-label=Name><script>addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'x' })</script>").await.snapshot.text;
    stage
        .session
        .type_text(
            Some(&reference(&text, "\"Name\"")),
            "x",
            false,
            &ActionOptions::default(),
            &never(),
        )
        .await
        .unwrap();
    stage.web.page("app.test/next", "<h1>Next</h1>");
    assert_eq!(
        stage.go("http://app.test/next").await.snapshot.text,
        "# Next"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_alerts_for_ever_ends_with_the_time_limit() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage
        .open("<button onclick=\"while (true) alert('again')\">Loop</button>")
        .await
        .snapshot
        .text;
    let target = Target::Ref(reference(&text, "\"Loop\""));
    let options = ActionOptions {
        timeout: Some(Duration::from_millis(800)),
        ..ActionOptions::default()
    };
    let error = stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "timeout");
    let left = stage.session.close_tab(None, &never()).await.unwrap();
    assert_eq!(left, []);
    assert_eq!(stage.open("<h1>Next</h1>").await.snapshot.text, "# Next");
}
