//! Clicks that hit what they were meant for, or nothing.

use std::time::{Duration, Instant};

use tenon_browser::{
    ActionOptions, ActionResult, BrowserError, Changed, Click, ScreenshotOptions, Target,
};

use crate::web::{Stage, allow, never, reference, scripting};

async fn click(stage: &Stage, target: &str) -> Result<ActionResult, BrowserError> {
    let target = Target::Ref(target.to_owned());
    stage
        .session
        .click(
            &target,
            &Click::default(),
            &ActionOptions::default(),
            &never(),
        )
        .await
}

const LOG: &str = "<p id=log></p><script>for (const type of ['mousedown', 'click']) document.addEventListener(type, (event) => { log.textContent += type + ':' + (event.target.id || event.target.tagName) + ' ' })</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_click_says_what_it_changed() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage
        .open("<button onclick=\"out.textContent = 'done'; console.error('careful')\">Do</button><p id=out></p><button>Nothing</button>")
        .await
        .snapshot
        .text;
    let result = click(&stage, &reference(&text, "\"Do\"")).await.unwrap();
    assert_eq!(result.changed, Changed::Page);
    let snapshot = result.snapshot.unwrap();
    assert!(snapshot.text.contains("done [new]"), "{}", snapshot.text);
    assert_eq!(result.console_errors, ["careful"]);
    stage.look().await;
    click(&stage, &reference(&text, "\"Nothing\""))
        .await
        .unwrap();
    let again = click(&stage, &reference(&text, "\"Nothing\""))
        .await
        .unwrap();
    assert_eq!((again.changed, again.snapshot), (Changed::None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_says_something_else_is_not_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!("<button id=b>Save</button>{LOG}"))
        .await
        .snapshot
        .text;
    let save = reference(&text, "\"Save\"");
    stage.script("b.textContent = 'Delete everything'").await;
    let error = click(&stage, &save).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{save}` is not what it was: it was shown as button \"Save\" and is now button \"Delete everything\" [{save}]. Use it again if that is what you mean."
        )
    );
    assert_eq!(stage.script("log.textContent").await, "\"\"");
    // The caller has seen what it says now.
    click(&stage, &save).await.unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_recycled_for_somebody_else_is_not_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!(
            "<table><tr><td id=who>Ann<td><button>Delete</button></table>{LOG}"
        ))
        .await
        .snapshot
        .text;
    let delete = reference(&text, "\"Delete\"");
    stage.script("who.textContent = 'Bob'").await;
    let error = click(&stage, &delete).await.unwrap_err();
    assert_eq!(error.kind(), "changed_ref");
    assert!(error.to_string().contains("in the row \"Ann\""), "{error}");
    assert_eq!(stage.script("log.textContent").await, "\"\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_element_is_stale_and_its_likeness_is_named() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!("<div id=box><button>Save</button></div>{LOG}"))
        .await
        .snapshot
        .text;
    let save = reference(&text, "\"Save\"");
    stage
        .script("box.innerHTML = '<button>Save</button><button>Save as</button>'")
        .await;
    let error = click(&stage, &save).await.unwrap_err();
    let BrowserError::StaleRef { candidates, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        candidates,
        &["button \"Save\" [e2]", "button \"Save as\" [e3]"]
    );
    assert_eq!(stage.script("log.textContent").await, "\"\"");
    click(&stage, "e2").await.unwrap();
    let error = click(&stage, "e99").await.unwrap_err();
    assert_eq!(error, BrowserError::UnknownRef("e99".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_element_is_found_where_it_is_and_another_page_has_other_references() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(&format!("<div id=a><button id=b>Save</button></div><div style='height:3000px'></div><div id=z></div>{LOG}")).await.snapshot.text;
    let save = reference(&text, "\"Save\"");
    stage.script("z.append(b)").await;
    click(&stage, &save).await.unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
    stage.web.page("app.test/other", "<button>Save</button>");
    stage.go("http://app.test/other").await;
    let error = click(&stage, &save).await.unwrap_err();
    assert_eq!(error.kind(), "stale_ref");
    assert!(
        error.to_string().contains("button \"Save\" [e2]"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_above_is_named() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!("<button id=b>Save</button>{LOG}<div id=banner style='position:fixed;inset:0;background:#fff8' role=dialog>We use <button>Accept</button></div>"))
        .await
        .snapshot
        .text;
    let error = click(&stage, &reference(&text, "\"Save\""))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "covered");
    assert!(
        error
            .to_string()
            .contains("is covered by <div id=\"banner\"> \"We use Accept\""),
        "{error}"
    );
    assert_eq!(stage.script("log.textContent").await, "\"\"");
    stage.script("setTimeout(() => banner.remove(), 700)").await;
    click(&stage, &reference(&text, "\"Save\"")).await.unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_and_disabled_elements_are_waited_for_and_then_named() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!(
            "<button id=a>One</button><button id=b disabled>Two</button>{LOG}"
        ))
        .await
        .snapshot
        .text;
    let (one, two) = (reference(&text, "\"One\""), reference(&text, "\"Two\""));
    let short = ActionOptions {
        timeout: Some(Duration::from_millis(500)),
        ..ActionOptions::default()
    };
    let error = stage
        .session
        .click(
            &Target::Ref(two.clone()),
            &Click::default(),
            &short,
            &never(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "disabled");
    stage.script("a.style.display = 'none'").await;
    let error = stage
        .session
        .click(&Target::Ref(one), &Click::default(), &short, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_visible");
    stage
        .script("setTimeout(() => { b.disabled = false }, 300)")
        .await;
    click(&stage, &two).await.unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_moves_is_waited_for() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(&format!("<style>@keyframes k {{ from {{ margin-left: 0 }} to {{ margin-left: 600px }} }}</style><button id=b>Run</button>{LOG}"))
        .await
        .snapshot
        .text;
    stage
        .script("b.style.animation = 'k 1s linear forwards'")
        .await;
    click(&stage, &reference(&text, "\"Run\"")).await.unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_ends_everything_within_50_ms() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<button disabled>Never</button>")
        .await
        .snapshot
        .text;
    let never_ready = reference(&text, "\"Never\"");
    for what in ["click", "evaluate", "wait"] {
        let abort = never();
        let aborting = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            abort.cancel();
            Instant::now()
        };
        let work = async {
            let error = match what {
                "click" => {
                    let options = ActionOptions {
                        timeout: Some(Duration::from_secs(30)),
                        ..ActionOptions::default()
                    };
                    stage
                        .session
                        .click(
                            &Target::Ref(never_ready.clone()),
                            &Click::default(),
                            &options,
                            &abort,
                        )
                        .await
                        .unwrap_err()
                }
                "evaluate" => stage
                    .session
                    .evaluate(None, "new Promise(() => {})", None, None, &abort)
                    .await
                    .unwrap_err(),
                _ => stage
                    .session
                    .wait(
                        None,
                        &tenon_browser::WaitFor::Text("never".into()),
                        None,
                        &abort,
                    )
                    .await
                    .unwrap_err(),
            };
            (error, Instant::now())
        };
        let ((error, ended), aborted) = tokio::join!(work, aborting);
        assert_eq!(error, BrowserError::Cancelled, "{what}");
        let took = ended.saturating_duration_since(aborted);
        assert!(took < Duration::from_millis(50), "{what}: {took:?}");
    }
    // The session is as good as before.
    assert_eq!(stage.script("1 + 1").await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_small_enough_and_their_points_can_be_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(&format!("<button id=b style='position:absolute;left:300px;top:200px;width:100px;height:50px'>Here</button><div style='height:6000px'></div>{LOG}")).await.snapshot.text;
    let plain = stage
        .session
        .screenshot(None, &ScreenshotOptions::default(), &never())
        .await
        .unwrap();
    assert_eq!(
        (plain.width, plain.scale, plain.mime_type),
        (1280, 1.0, "image/jpeg")
    );
    let full = ScreenshotOptions {
        full_page: true,
        labels: true,
        format: tenon_browser::ImageFormat::Png,
        ..ScreenshotOptions::default()
    };
    let full = stage
        .session
        .screenshot(None, &full, &never())
        .await
        .unwrap();
    assert_eq!(full.height, 2000);
    let at = Target::Point {
        x: 350.0 * full.scale,
        y: 225.0 * full.scale,
    };
    stage
        .session
        .click(&at, &Click::default(), &ActionOptions::default(), &never())
        .await
        .unwrap();
    assert_eq!(
        stage.script("log.textContent").await,
        "\"mousedown:b click:b \""
    );
    let scoped = ScreenshotOptions {
        scope: Some(reference(&text, "\"Here\"")),
        ..ScreenshotOptions::default()
    };
    let scoped = stage
        .session
        .screenshot(None, &scoped, &never())
        .await
        .unwrap();
    assert_eq!((scoped.width, scoped.height), (100, 50));
}

#[tokio::test(flavor = "multi_thread")]
async fn hovering_dragging_and_scrolling() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<button onmouseenter=\"out.textContent = 'over'\">Menu</button><p id=out></p>
               <div id=a role=button style='width:90px;height:30px'>From</div><div id=b role=button style='width:90px;height:30px'>Onto</div>
               <script>let from; a.onmousedown = () => { from = 'a' }; b.onmouseup = () => { out.textContent = from + ' to b' }</script><div style='height:5000px'></div><p>Bottom</p>")
        .await
        .snapshot
        .text;
    let options = ActionOptions::default();
    let over = stage
        .session
        .hover(
            &Target::Ref(reference(&text, "\"Menu\"")),
            &options,
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(over.snapshot.unwrap().text, "over [new]");
    let (from, to) = (
        Target::Ref(reference(&text, "\"From\"")),
        Target::Ref(reference(&text, "\"Onto\"")),
    );
    let dragged = stage
        .session
        .drag(&from, &to, &options, &never())
        .await
        .unwrap();
    assert_eq!(dragged.snapshot.unwrap().text, "a to b [new]");
    let (moved, _) = stage
        .session
        .scroll(None, 0.0, 2000.0, &options, &never())
        .await
        .unwrap();
    assert_eq!(
        (moved, stage.script("scrollY").await.as_str()),
        (true, "2000")
    );
    let (moved, _) = stage
        .session
        .scroll(None, 0.0, -9000.0, &options, &never())
        .await
        .unwrap();
    assert!(moved);
    let (moved, _) = stage
        .session
        .scroll(None, 0.0, -10.0, &options, &never())
        .await
        .unwrap();
    assert!(!moved);
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_are_evaluated_only_where_that_is_enabled() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.open("<p>x</p>").await;
    let error = stage
        .session
        .evaluate(None, "1", None, None, &never())
        .await
        .unwrap_err();
    assert_eq!(error, BrowserError::EvaluateOff);
    let other = stage
        .browser
        .session(scripting(), allow(), &never())
        .await
        .unwrap();
    other
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    let evaluate =
        async |expression: &str| other.evaluate(None, expression, None, None, &never()).await;
    assert_eq!(
        evaluate("({ a: [1, 'x', null] })").await.unwrap().value,
        "{\"a\":[1,\"x\",null]}"
    );
    assert_eq!(
        evaluate("await Promise.resolve(7)").await.unwrap().value,
        "7"
    );
    assert_eq!(evaluate("-0").await.unwrap().value, "-0");
    assert_eq!(
        evaluate("() => document.title;").await.unwrap().value,
        "\"\""
    );
    assert_eq!(
        evaluate("async () => { return 1 }").await.unwrap().value,
        "1"
    );
    // Both were evaluated twice, since they are functions.
    for function in [
        "(window.count = (window.count ?? 0) + 1, () => window.count)",
        "count += 1, () => count",
    ] {
        evaluate(function).await.unwrap();
    }
    assert_eq!(evaluate("count").await.unwrap().value, "2");
    assert_eq!(
        evaluate("throw new TypeError('no')").await.unwrap_err(),
        BrowserError::Script("TypeError: no".into())
    );
    let long = evaluate("'x'.repeat(100000)").await.unwrap();
    assert_eq!((long.value.len(), long.truncated), (20_000, true));
}

/// A board as plain HTML has it: cards that are dragged, columns that take them.
const BOARD: &str = "<div style='height:60px' ondragover='event.preventDefault()' ondrop='this.append(card)'><h3>To do</h3><div id=card draggable=true ondragstart='event.dataTransfer.setData(\"text/plain\", 1)' style='width:90px;height:20px'>Card</div></div>
 <div id=done style='height:60px' ondragover='event.preventDefault()' ondrop='this.append(card)'><h3>Done</h3></div><div tabindex=0 role=group aria-label='Drop zone' style='height:20px'>Drop here</div>";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dragged_and_what_it_is_dropped_on_have_references() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(BOARD).await.snapshot.text;
    assert_eq!(
        text,
        "clickable \"To do\" [e1]\n### To do\nclickable \"Card\" [e2]\nclickable \"Done\" [e3]\nclickable \"Drop zone\" [e4] Drop here"
    );
    let options = ActionOptions::default();
    let from = Target::Ref("e2".to_owned());
    let to = Target::Ref("e3".to_owned());
    stage
        .session
        .drag(&from, &to, &options, &never())
        .await
        .unwrap();
    assert_eq!(stage.script("card.parentNode.id").await, "\"done\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn something_is_dragged_from_one_point_of_a_picture_to_another() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage
        .open("<style>body { margin:0 }</style><canvas id=c width=300 height=100></canvas><script>let from; c.onmousedown = (event) => { from = event.x }; c.onmouseup = (event) => { c.title = from + ' to ' + event.x }</script>")
        .await;
    let taken = stage
        .session
        .screenshot(None, &ScreenshotOptions::default(), &never())
        .await;
    assert_eq!(taken.unwrap().scale, 1.0);
    let options = ActionOptions::default();
    let from = Target::Point { x: 20.0, y: 30.0 };
    let to = Target::Point { x: 220.0, y: 40.0 };
    stage
        .session
        .drag(&from, &to, &options, &never())
        .await
        .unwrap();
    assert_eq!(stage.script("c.title").await, "\"20 to 220\"");
}
