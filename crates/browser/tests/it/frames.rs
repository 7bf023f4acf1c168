//! Frames of the same site and of others, and shadow roots.

use tenon_browser::{ActionOptions, Field, ScreenshotOptions, Target};

use crate::web::{Stage, allow, never, reference, scripting};

const INNER: &str = "<label>Inner <input name=i></label><button onclick=\"this.insertAdjacentText('afterend', 'clicked ' + event.isTrusted)\">Press</button>";

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_the_same_and_of_another_site_are_read_and_worked() {
    for host in ["app.test", "foreign.example"] {
        let Some(stage) = Stage::with(allow(), scripting()).await else {
            return;
        };
        stage.web.page(&format!("{host}/inner"), INNER);
        stage.web.page(&format!("{host}/middle"), "<p>Middle</p><iframe src=/inner width=400 height=200 style='border:7px solid;padding:5px'></iframe>");
        let page = stage
            .open(&format!("<h1>Outer</h1><iframe title=Pay src=http://{host}/middle width=600 height=300 style='margin:40px;border:3px solid'></iframe><p>After</p>"))
            .await;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        drop(page);
        let text = stage.look().await.text;
        let wanted = format!(
            "# Outer\nframe \"Pay\" http://{host}/middle\n  Middle\n  frame http://{host}/inner\n    textbox \"Inner\" [e"
        );
        assert!(text.starts_with(&wanted), "{text}");
        assert!(text.contains("\nAfter"), "{text}");
        let target = Target::Ref(reference(&text, "\"Press\""));
        let result = stage
            .session
            .click(
                &target,
                &Default::default(),
                &ActionOptions::default(),
                &never(),
            )
            .await
            .unwrap();
        assert!(
            result.snapshot.unwrap().text.contains("clicked true"),
            "{host}"
        );
        let fields = [Field {
            reference: reference(&text, "\"Inner\""),
            value: "filled".into(),
        }];
        stage
            .session
            .fill(&fields, false, &ActionOptions::default(), &never())
            .await
            .unwrap();
        stage
            .session
            .type_text(
                &reference(&text, "\"Inner\""),
                " typed",
                false,
                &ActionOptions::default(),
                &never(),
            )
            .await
            .unwrap();
        let text = stage.look().await.text;
        assert!(text.contains("=\"filled typed\""), "{host}: {text}");
        let scoped = ScreenshotOptions {
            scope: Some(reference(&text, "\"Press\"")),
            ..ScreenshotOptions::default()
        };
        stage
            .session
            .screenshot(None, &scoped, &never())
            .await
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_over_a_frame_is_named() {
    for host in ["app.test", "foreign.example"] {
        let Some(stage) = Stage::with(allow(), scripting()).await else {
            return;
        };
        stage.web.page(&format!("{host}/inner"), INNER);
        stage.open(&format!("<iframe src=http://{host}/inner width=400 height=200></iframe><div id=veil style='position:fixed;inset:0'></div>")).await;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let text = stage.look().await.text;
        let target = Target::Ref(reference(&text, "\"Press\""));
        let error = stage
            .session
            .click(
                &target,
                &Default::default(),
                &ActionOptions::default(),
                &never(),
            )
            .await
            .unwrap_err();
        assert_eq!(error.kind(), "covered", "{host}: {error}");
        assert!(error.to_string().contains("<div id=\"veil\">"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_was_loaded_again_has_other_references() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.web.page("app.test/inner", INNER);
    stage
        .open("<iframe id=f src=/inner width=400 height=200></iframe>")
        .await;
    let text = stage.look().await.text;
    let target = Target::Ref(reference(&text, "\"Press\""));
    stage.script("new Promise((done) => { f.onload = () => done(1); f.contentWindow.location.reload() })").await;
    let error = stage
        .session
        .click(
            &target,
            &Default::default(),
            &ActionOptions::default(),
            &never(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "stale_ref", "{error}");
    assert!(error.to_string().contains("button \"Press\""), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn shadow_roots_and_slots_are_read_and_worked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<x-card><b slot=head>Slotted</b><button id=own>Own</button></x-card><script>
             const root = document.querySelector('x-card').attachShadow({ mode: 'open' });
             root.innerHTML = '<h2><slot name=head></slot></h2><x-deep></x-deep><slot></slot><label for=i>Deep field</label><input id=i>';
             const deep = root.querySelector('x-deep').attachShadow({ mode: 'open' });
             deep.innerHTML = '<button>Deep</button>'; deep.querySelector('button').onclick = () => { document.title = 'deep' }</script>",
        )
        .await
        .snapshot
        .text;
    assert_eq!(
        text,
        "## Slotted\nbutton \"Deep\" [e1]\nbutton \"Own\" [e2]\ntextbox \"Deep field\" [e3]"
    );
    let options = ActionOptions::default();
    let clicked = stage
        .session
        .click(
            &Target::Ref("e1".into()),
            &Default::default(),
            &options,
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(clicked.tab.title, "deep");
    let fields = [Field {
        reference: "e3".into(),
        value: "x".into(),
    }];
    let filled = stage
        .session
        .fill(&fields, false, &options, &never())
        .await
        .unwrap();
    assert_eq!(
        filled.snapshot.unwrap().text,
        "button \"Deep\" [e1]\ntextbox \"Deep field\" [e3] =\"x\" (focused)"
    );
}
