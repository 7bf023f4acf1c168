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
                Some(&reference(&text, "\"Inner\"")),
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
        stage.open(&format!("<iframe src=http://{host}/inner width=400 height=200></iframe><div id=path_filter style='position:fixed;inset:0'></div>")).await;
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
        assert!(
            error.to_string().contains("<div id=\"path_filter\">"),
            "{error}"
        );
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

/// Hosts that keep their roots to themselves: one of its own making, one without content, one whose content has no place,
/// one that has it in a slot, one in another, one written in the page.
const CLOSED: &str = "<x-pay>Light</x-pay><div id=empty style='height:40px'></div><div id=text>Placeless text</div><div id=element><b>Placeless element</b></div>
     <template></template><section id=declared><template shadowrootmode=closed><p>Declared</p><button>Declared button</button></template></section>
     <script>const add = (host, html) => { const root = host.attachShadow({ mode: 'closed' }); root.innerHTML = html; return root };
     const pay = add(document.querySelector('x-pay'), '<label>Card <input></label><x-inner></x-inner><slot></slot>');
     const inner = add(pay.querySelector('x-inner'), '<button>Pay</button><button>Other</button>');
     inner.querySelector('button').onclick = (event) => { document.title = 'paid ' + event.isTrusted };
     add(empty, '<button>In the empty one</button>'); add(text, '<p>Shown instead</p>'); add(element, '<p>Shown, too</p>');</script>";

#[tokio::test(flavor = "multi_thread")]
async fn closed_shadow_roots_are_read_and_worked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(CLOSED).await.snapshot.text;
    assert_eq!(
        text,
        "textbox \"Card\" [e1]\nbutton \"Pay\" [e2]\nbutton \"Other\" [e3]\nLight\nbutton \"In the empty one\" [e4]\nShown instead\nShown, too\nDeclared\nbutton \"Declared button\" [e5]"
    );
    let options = ActionOptions::default();
    let clicked = stage
        .session
        .click(
            &Target::Ref("e2".into()),
            &Default::default(),
            &options,
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(clicked.tab.title, "paid true");
    let fields = [Field {
        reference: "e1".into(),
        value: "4111".into(),
    }];
    stage
        .session
        .fill(&fields, false, &options, &never())
        .await
        .unwrap();
    stage
        .session
        .type_text(Some("e1"), " 1111", false, &options, &never())
        .await
        .unwrap();
    let text = stage.look().await.text;
    assert!(
        text.contains("textbox \"Card\" [e1] =\"4111 1111\" (focused)"),
        "{text}"
    );
    let read = stage
        .session
        .text(None, None, 0, None, None, &never())
        .await
        .unwrap();
    for wanted in ["Shown instead", "Declared", "Light"] {
        assert!(read.text.contains(wanted), "{wanted}: {}", read.text);
    }
    assert!(!read.text.contains("Placeless"), "{}", read.text);
    assert_eq!(
        stage
            .script("document.querySelector('x-pay').shadowRoot")
            .await,
        "null"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_within_a_closed_root_gets_no_click() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<x-pay></x-pay><script>const root = document.querySelector('x-pay').attachShadow({ mode: 'closed' });
             root.innerHTML = '<button id=a>Cancel</button><button id=b style=\"position:absolute;left:400px;top:300px\">Delete</button>';
             const [a, b] = root.querySelectorAll('button'); window.hits = [];
             a.onclick = () => hits.push('a'); b.onclick = () => hits.push('b');
             addEventListener('pointermove', () => { const box = a.getBoundingClientRect(); b.style.left = box.left + 'px'; b.style.top = box.top + 'px' })</script>",
        )
        .await
        .snapshot
        .text;
    let target = Target::Ref(reference(&text, "\"Cancel\""));
    let clicked = stage
        .session
        .click(
            &target,
            &Default::default(),
            &ActionOptions::default(),
            &never(),
        )
        .await;
    assert_eq!(clicked.unwrap_err().kind(), "covered");
    assert_eq!(stage.script("hits").await, "[]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_is_attached_later_is_read() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open("<x-late></x-late><h1>Page</h1>").await.snapshot;
    assert_eq!(text.text, "# Page");
    stage.script("customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<p>Late</p>' } })").await;
    assert_eq!(stage.look().await.text, "Late [new]\n# Page");
}

/// A document without frames is looked at while the browser is asked for the frames.
#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_comes_after_the_last_look_is_read() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.web.page("app.test/late", "<p>Inner</p>");
    let page = stage.open("<h1>Page</h1>").await.snapshot;
    assert_eq!(page.text, "# Page");
    assert_eq!(stage.look().await.text, "# Page");
    stage.script("new Promise((loaded) => { const frame = document.createElement('iframe'); frame.src = '/late'; frame.onload = () => loaded(1); document.body.append(frame) })").await;
    assert_eq!(
        stage.look().await.text,
        "# Page\nframe http://app.test/late [new]\n  Inner [new]"
    );
}
