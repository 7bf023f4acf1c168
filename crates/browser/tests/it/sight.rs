//! What is seen of a page, and what is not.

use tenon_browser::{ActionOptions, Field, Target};

use crate::web::{Stage, allow, never, reference, scripting};

/// What is not seen, however it is put away: styles of a block with the text.
const PUT_AWAY: &[&str] = &[
    "transform:translateX(-9999px)",
    "translate:-9999px 0",
    "margin-left:-9999px",
    "position:absolute;right:-9999px;top:0",
    "position:fixed;top:200vh",
    "position:fixed;left:200vw",
    "position:relative;top:-5000px",
    "transform:scale(.01)",
    "transform:scaleX(0)",
    "transform:rotateY(90deg)",
    "zoom:0.01",
    "text-indent:200%;white-space:nowrap;overflow:hidden",
    "clip-path:polygon(0 0,0 0,0 0)",
    "clip-path:inset(0 0 0 9999px)",
    "clip-path:circle(0)",
    "mask-image:linear-gradient(transparent,transparent)",
    "letter-spacing:-2em",
    "color:oklch(1 0 0)",
    "color:color(display-p3 1 1 1)",
    "color:lab(100% 0 0)",
    "background:linear-gradient(#000,#000);color:#000",
    "filter:blur(8px)",
    "filter:contrast(0)",
    "contain:strict",
    "-webkit-text-security:disc",
];

/// The text of the page.
async fn text_of(stage: &Stage) -> String {
    let session = &stage.session;
    let text = session.text(None, None, 0, None, None, &never()).await;
    text.unwrap().text.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_put_away_by_any_of_these_styles_is_counted_and_not_shown() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for style in PUT_AWAY {
        let page = stage
            .open(&format!("<p>Seen</p><div style='{style}'>SECRET</div>"))
            .await;
        let text = stage
            .session
            .text(None, None, 0, None, None, &never())
            .await;
        let shown = (page.snapshot.text.as_str(), page.snapshot.hidden_characters);
        assert_eq!(shown, ("Seen", 6), "{style}");
        assert_eq!(text.unwrap().text.trim(), "Seen", "{style}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_can_be_scrolled_to_or_is_only_moved_is_shown() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<div style='overflow:auto;height:50px' id=s><p>passed</p><p style='margin-top:500px'>below</p></div><div style='transform:translateX(30px)'>moved</div>
             <p style='color:oklch(.3 0 0)'>dark</p><div style='background:linear-gradient(#000,#fff);color:#000'>shaded</div><p style='position:absolute;top:3000px'>far down</p>
             <div style='overflow-x:auto;width:100px;white-space:nowrap'><span style='margin-left:900px'>beside</span></div><p style='text-indent:2em;letter-spacing:-.05em'>indented</p>
             <div style='clip-path:polygon(0 0,100% 0,100% 100%)'>triangle</div><div style='clip-path:inset(0 10px 0 0)'>inset</div>
             <div style='will-change:transform;margin-top:2000px'><p style='position:fixed'>fixed within</p></div><script>s.scrollTop = 400</script>",
        )
        .await;
    assert_eq!(
        (page.snapshot.text.as_str(), page.snapshot.hidden_characters),
        (
            "passed\nbelow\nmoved\ndark\nshaded\nfar down\nbeside\nindented\ntriangle\ninset\nfixed within",
            0
        )
    );
    let dark = stage
        .open("<style>:root{color-scheme:dark}</style><p>light</p><p style='color:#121212'>SECRET</p>")
        .await;
    assert_eq!(dark.snapshot.text, "light");
    let backward = stage
        .open("<html dir=rtl><body style='width:3000px'><p>start</p><div style='position:absolute;left:-1000px;top:50px'>end</div>")
        .await;
    assert_eq!(backward.snapshot.text, "start\nend");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_in_for_a_picture_or_a_gauge_is_not_text_of_the_page() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<p>Seen</p><canvas width=50 height=50>c</canvas><video width=50 height=50>v</video><label>Disk <meter value=.3>m</meter></label>
             <progress aria-label=Upload value=40 max=80>p</progress><img alt=SECRET style='opacity:0' width=9 height=9 src=x>",
        )
        .await;
    assert_eq!(
        (page.snapshot.text.as_str(), page.snapshot.hidden_characters),
        (
            "Seen\ncanvas [e1]\nmeter \"Disk\" =\"0.3\" progressbar \"Upload\" =\"50%\"",
            1
        )
    );
    assert_eq!(text_of(&stage).await, "Seen\n\nDisk");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_nobody_sees_is_in_no_snapshot_and_in_no_text() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for style in [
        "opacity:0",
        "position:absolute;left:-9999px",
        "width:1px;height:1px",
        "width:0;height:0;border:0",
    ] {
        stage
            .open(&format!("<p>Seen</p><iframe srcdoc='<p>SECRET<iframe srcdoc=SECRET></iframe>' style='{style}'></iframe>"))
            .await;
        assert_eq!(text_of(&stage).await, "Seen", "{style}");
        assert_eq!(stage.look().await.text, "Seen", "{style}");
    }
    stage
        .open("<p>Seen</p><iframe srcdoc='<p>Framed'></iframe>")
        .await;
    assert_eq!(text_of(&stage).await, "Seen\n\n---\n\nFramed");
}

#[tokio::test(flavor = "multi_thread")]
async fn controls_are_named_by_what_is_seen_of_them() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<a href=/a>ok <span style='opacity:0'>SECRET</span></a><button>ok <span style='font-size:0'>SECRET</span></button><a href=/b style='color:#fff'>SECRET</a>
             <a href=/h style='display:block;width:50px;height:50px;text-indent:-9999px;overflow:hidden;background:red'>Home</a>
             <button>x<span style='position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden'>SECRET</span></button>
             <button><i style='position:absolute;clip:rect(0,0,0,0);width:1px;height:1px;overflow:hidden'>Close</i><img width=9 height=9 src=x alt></button>",
        )
        .await;
    assert_eq!(
        (page.snapshot.text.as_str(), page.snapshot.hidden_characters),
        (
            "link \"ok\" [e1]\nbutton \"ok\" [e2]\nlink [e3] link \"Home\" [e4]\nbutton \"x\" [e5]\nbutton \"Close\" [e6]",
            27
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_shows_more_under_the_pointer_is_still_the_same() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<style>b { opacity: 0 } button:hover b { opacity: 1 }</style><button onclick=\"out.textContent = 'done'\">Copy <b>to clipboard</b></button><p id=out></p>")
        .await
        .snapshot
        .text;
    assert_eq!(text, "button \"Copy\" [e1]");
    let target = Target::Ref("e1".into());
    let options = ActionOptions::default();
    let clicked = stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await;
    clicked.unwrap();
    assert_eq!(stage.script("out.textContent").await, "\"done\"");
}

/// Controls without a box of their own, each with what its click is to say.
const BOXLESS: &str = "<script>addEventListener('click', (event) => { log.textContent += (event.target.closest('[data-n]')?.dataset.n ?? event.target.tagName) + ' '; event.preventDefault() })</script>
 <svg width=300 height=90><text x=5 y=20>Revenue</text><a href='/x' data-n=svg><text x=5 y=40>drawn link</text></a><g role=button tabindex=0 aria-label='Zoom in' data-n=zoom><rect y=50 width=90 height=30 /></g></svg>
 <svg width=200 height=60><defs><text>defined</text></defs><foreignObject width=200 height=60><button data-n=foreign>Foreign</button></foreignObject></svg>
 <button style='display:contents' data-n=contents>Contents</button><p><img usemap=#m alt=map width=50 height=50 src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"50\" height=\"50\"/>'><map name=m><area shape=rect coords=0,0,20,20 href=/a alt=Area data-n=area></map>
 <table><tr><td role=gridcell tabindex=0 data-n=three>3</td><td role=gridcell tabindex=-1>4</td></tr></table><p id=log></p>";

#[tokio::test(flavor = "multi_thread")]
async fn drawings_areas_cells_and_controls_without_a_box_are_shown_and_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(BOXLESS).await.snapshot.text;
    assert_eq!(
        text,
        "Revenue link \"drawn link\" [e1]\nbutton \"Zoom in\" [e2]\nbutton \"Foreign\" [e3]\nbutton \"Contents\" [e4]\nimage \"map\" link \"Area\" [e5]\n| gridcell \"3\" [e6] | gridcell \"4\" [e7]"
    );
    for number in 1..=6 {
        let target = Target::Ref(format!("e{number}"));
        let options = ActionOptions::default();
        let clicked = stage
            .session
            .click(&target, &Default::default(), &options, &never())
            .await;
        clicked.unwrap();
    }
    assert_eq!(
        stage.script("log.textContent").await,
        "\"svg zoom foreign contents area three \""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_is_hidden_is_worked_by_its_label() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<label><input type=file style='display:none'>Upload</label><p><input id=v type=file style='visibility:hidden'><label for=v>Choose</label>
             <p><label><input type=checkbox id=c hidden>Agree</label> <label for=c>(terms)</label><p><label><input type=checkbox style='opacity:0'>Clear</label>",
        )
        .await
        .snapshot
        .text;
    assert_eq!(
        text,
        "file \"Upload\" [e1]\nfile \"Choose\" [e2]\ncheckbox \"Agree (terms)\" [e3]\ncheckbox \"Clear\" [e4]"
    );
    let fields = [Field {
        reference: reference(&text, "\"Agree"),
        value: "true".into(),
    }];
    let options = ActionOptions::default();
    let filled = stage.session.fill(&fields, false, &options, &never()).await;
    filled.unwrap();
    assert_eq!(stage.script("c.checked").await, "true");
}

/// Light text that is seen on what others paint behind it. Each line of it ends in what a user reads.
const SEEN_ON_OTHERS: &str = "<style>p, div, section { position:relative; margin:0 } .o { position:absolute; inset:0; background:#123 } .w { color:#fff; width:max-content } .a::before { content:''; position:absolute; inset:0; background:#222; z-index:-1 }</style>
 <section><i class=o></i><p class=w>beside</p></section>
 <p class=w style='z-index:0'><i class=o style='z-index:-1'></i>within</p>
 <section class=a style='z-index:0'><p class=w>before</p></section>
 <section style='z-index:0'><img class=o style='z-index:-1;width:100%;height:100%' src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>\"><a href=/x class=w>picture</a></section>
 <section><div style='height:0'><div style='height:20px;background:#123'></div></div><p class=w>deeper</p></section>
 <section style='display:grid'><i style='grid-area:1/1;background:#800'></i><b class=w style='grid-area:1/1'>grid</b></section>
 <section><canvas class=o></canvas><p class=w>canvas</p></section>
 <p class=w style='text-shadow:0 0 3px #000'>shadow</p><p class=w style='-webkit-text-stroke:1px #000'>stroke</p>
 <p style='color:transparent;-webkit-text-stroke:1px #000'>outline</p><p style='filter:invert(1)'><b class=w>inverted</b></p>
 <p class=w style='mix-blend-mode:difference'>blended</p><p class=w style='box-shadow:inset 0 0 0 99px #333'>filled</p>
 <p class=w style='border-image:linear-gradient(#000,#000) fill 0/0/0'>framed</p>";

#[tokio::test(flavor = "multi_thread")]
async fn light_text_is_shown_where_others_paint_what_is_behind_it() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage.open(SEEN_ON_OTHERS).await;
    assert_eq!(
        (page.snapshot.text.as_str(), page.snapshot.hidden_characters),
        (
            "beside\nwithin\nbefore\nlink \"picture\" [e1]\ndeeper\ngrid\ncanvas [e2]\ncanvas\nshadow\nstroke\noutline\ninverted\nblended\nfilled\nframed",
            0
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn light_text_on_what_others_paint_elsewhere_or_as_light_is_not_shown() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for block in [
        "<section style='position:relative'><i style='position:absolute;width:3px;height:3px;background:#000'></i><p style='color:#fff'>SECRET</p></section>",
        "<section style='position:relative'><i style='position:absolute;inset:0;background:#fff'></i><p style='color:#fff;position:relative'>SECRET</p></section>",
        "<section style='position:relative'><i style='position:absolute;inset:0;background:rgb(0 0 0/.02)'></i><p style='color:#fff;position:relative'>SECRET</p></section>",
        "<section style='position:relative'><i style='position:absolute;inset:0;background:#000;opacity:0'></i><p style='color:#fff;position:relative'>SECRET</p></section>",
        "<section style='position:relative'><i style='position:absolute;inset:0;background:#000'></i><p style='color:#fff;background:#fff;position:relative'>SECRET</p></section>",
        "<p style='color:#fff'>SECRET</p><div style='background:#000;height:20px'></div>",
        "<p style='color:#fff;text-shadow:0 0 3px #fff'>SECRET</p>",
        "<p style='filter:invert(0)'><b style='color:#fff'>SECRET</b></p>",
        "<p style='color:#fff;box-shadow:inset 0 0 0 1px #333;line-height:40px'>SECRET</p>",
        "<div style='filter:invert(1);background:#fff'><b style='color:#fff'>SECRET</b></div>",
    ] {
        let page = stage.open(&format!("<p>Seen</p>{block}")).await;
        let shown = (page.snapshot.text.as_str(), page.snapshot.hidden_characters);
        assert_eq!(shown, ("Seen", 6), "{block}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_something_else_draws_is_shown_and_one_that_is_put_aside_is_not() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<style>.c { position:absolute; clip-path:inset(50%); width:100%; height:100% }</style>
             <p style='position:relative;width:200px;height:10px;background:#ccc'><input class=c type=range aria-label=Volume value=50 id=v></p>
             <p style='position:relative;width:200px;height:10px'><input class=c aria-label=Trap></p>
             <div style='height:0;overflow:hidden'><input class=c type=range aria-label=Closed></div>
             <input aria-hidden=true tabindex=-1 value=10><textarea aria-hidden=true tabindex=-1 readonly>typed</textarea>
             <label for=p>Price</label><input id=p aria-hidden=true tabindex=-1>",
        )
        .await
        .snapshot
        .text;
    assert_eq!(text, "slider \"Volume\" [e1] =\"50\"\nPrice");
    let fields = [Field {
        reference: "e1".into(),
        value: "30".into(),
    }];
    let options = ActionOptions::default();
    let filled = stage.session.fill(&fields, false, &options, &never()).await;
    filled.unwrap();
    assert_eq!(stage.script("v.value").await, "\"30\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_is_scaled_to_nothing_is_not_shown() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<div style='transform:scale(0)'><button>Closed menu</button></div><a href=/x style='display:block;height:0'>Over</a><a href=/y style='display:block;width:0'>Beside</a><label><input type=checkbox style='width:0;height:0'>Agree</label>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "link \"Over\" [e1] link \"Beside\" [e2]\ncheckbox \"Agree\" [e3]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_as_dots_is_dots() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let field = |html: &str| format!("<div style='-webkit-text-security:disc'>{html}</div>");
    let page = stage
        .open(&[
            field("<input aria-label=A style='-webkit-text-security:inherit' value=SECRET>"),
            field("<textarea aria-label=B style='-webkit-text-security:inherit'>SECRET</textarea>"),
            field("<p contenteditable aria-label=C>SECRET</p>"),
        ].concat())
        .await;
    assert_eq!(
        page.snapshot.text,
        "textbox \"A\" [e1] =\"••••••\"\ntextbox \"B\" [e2] =\"••••••\"\ntextbox \"C\" [e3] =\"••••••\""
    );
}
