//! The pages in a real browser, in the page around them.

use serde_json::json;
use tenon_canvas::{Fragment, Update};

use crate::stage::{Stage, page};

#[tokio::test]
async fn a_canvas_is_shown_and_reports_what_the_user_does_with_and_without_a_script() {
    let html = "<h1>Question</h1><button data-event=approve data-value=yes>Approve it</button>\
        <form data-event=note><input name=why value='because'><button>Send note</button></form>\
        <button id=own>Own</button><script>document.getElementById('own').onclick = () => { tenon.send('own', { n: 1 }); tenon.message('please go on') }</script>";
    let Some((stage, _)) = Stage::new(page("Question", html)).await else {
        return;
    };
    stage.until("Approve it").await;
    stage.click("Approve it").await;
    stage.click("Send note").await;
    stage.click("\"Own\"").await;
    let events = stage.events("c1", 4).await;
    let said: Vec<_> = events
        .into_iter()
        .map(|event| (event.kind, event.data))
        .collect();
    assert_eq!(
        said,
        [
            ("approve".to_owned(), json!("yes")),
            ("note".to_owned(), json!({ "why": "because" })),
            ("own".to_owned(), json!({ "n": 1 })),
            ("message".to_owned(), json!("please go on")),
        ]
    );
}

#[tokio::test]
async fn fields_of_one_name_are_a_list_of_what_the_user_has_chosen() {
    let html = "<form data-event=save>\
        <input type=checkbox name=col value=red checked><input type=checkbox name=col value=blue checked>\
        <input type=checkbox name=col value=green><input type=checkbox name=alone value=x>\
        <input type=radio name=size value=s><input type=radio name=size value=l checked><input type=radio name=none value=n>\
        <select name=all multiple><option selected>p<option selected>q<option>r</select><select name=one><option>o</select>\
        <input name=tag value=a><input name=tag value=b><input name=off value=o disabled><fieldset name=set></fieldset>\
        <button>Save it</button></form>";
    let Some((stage, _)) = Stage::new(page("Form", html)).await else {
        return;
    };
    stage.click("Save it").await;
    let events = stage.events("c1", 1).await;
    assert_eq!(
        events[0].data,
        json!({
            "col": ["red", "blue"],
            "alone": false,
            "size": "l",
            "all": ["p", "q"],
            "one": "o",
            "tag": ["a", "b"],
        })
    );
}

#[tokio::test]
async fn data_come_without_loading_the_page_again_and_content_loads_it() {
    let html = "<p id=n>none</p><p id=loads></p><script>let calls = 0; tenon.onData((data) => { calls += 1; n.textContent = `n=${data.n} calls=${calls}` })</script>";
    let mut shown = page("Data", html);
    shown.data = json!({ "n": 1 });
    let Some((stage, _)) = Stage::new(shown).await else {
        return;
    };
    stage.until("n=1 calls=1").await;
    let data = |n: i32| Update {
        data: Some(json!({ "n": n })),
        ..Update::default()
    };
    stage.canvases.update("c1", data(2)).await.unwrap();
    stage.until("n=2 calls=2").await;
    // While it is hidden nothing is shown; what came then is there afterwards.
    stage.canvases.hide("c1").await.unwrap();
    stage.until("Hidden.").await;
    stage.canvases.update("c1", data(3)).await.unwrap();
    let mut again = page("Data", html);
    again.data = json!({ "n": 4 });
    // Without a name it is another canvas: the hidden one stays hidden.
    stage.canvases.present(again).await.unwrap();
    let text = stage.text().await;
    assert!(!text.contains("n=4") && !text.contains("n=3"), "{text}");
    let fragment = Fragment::of_html("<p>second content</p><script>tenon.onData((data) => document.body.append(` got ${data.n}`))</script>").unwrap();
    stage
        .canvases
        .update(
            "c1",
            Update {
                fragment: Some(fragment),
                ..Update::default()
            },
        )
        .await
        .unwrap();
    let text = stage.text().await;
    assert!(!text.contains("second content"), "{text}");
}

#[tokio::test]
async fn a_canvas_of_a_name_is_shown_again_where_it_was() {
    let mut first = page("Named", "<p>first</p>");
    first.name = Some("n".to_owned());
    let Some((stage, _)) = Stage::new(first.clone()).await else {
        return;
    };
    stage.until("first").await;
    stage.canvases.hide("n").await.unwrap();
    stage.until("Hidden.").await;
    first.fragment = Fragment::of_html("<p>second</p>").unwrap();
    stage.canvases.present(first).await.unwrap();
    stage.until("second").await;
}

#[tokio::test]
async fn errors_of_scripts_come_back_as_events() {
    let html = "<p>x</p><script>setTimeout(() => { missing.call() }, 0); Promise.reject(new Error('lost'))</script>";
    let Some((stage, _)) = Stage::new(page("Errors", html)).await else {
        return;
    };
    let events = stage.events("c1", 2).await;
    assert!(
        events.iter().all(|event| event.kind == "error"),
        "{events:?}"
    );
    let said: Vec<String> = events.iter().map(|event| event.data.to_string()).collect();
    assert!(
        said.iter()
            .any(|text| text.contains("missing is not defined"))
            && said.iter().any(|text| text.contains("lost")),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_flood_of_events_is_dropped_and_the_page_around_lives() {
    let html = "<p>flood</p><script>for (let i = 0; i < 5000; i++) tenon.send('flood', i)</script><p>end</p>";
    let Some((stage, _)) = Stage::new(page("Flood", html)).await else {
        return;
    };
    stage.events("c1", 5).await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let (_, found) = stage.canvases.events("c1", 0).await.unwrap();
    // Two windows of a second, or three where the browser is slow.
    assert!(found.events.len() <= 30, "{}", found.events.len());
    stage.until("end").await;
}

/// Everything that a page could try to get out.
const ESCAPES: &str = r#"
const tried = []
const note = (name, work) => {
  try { const got = work(); tried.push(`${name}: ${got instanceof Promise ? 'promise' : String(got)}`) } catch (error) { tried.push(`${name}: ${error.name}`) }
}
note('origin', () => window.origin)
note('cookie', () => (document.cookie = 'a=1', document.cookie))
note('storage', () => localStorage.length)
note('parent', () => parent.document.title)
note('top', () => top.document.title)
note('top location', () => { top.location = 'http://OTHER/top' })
note('opener', () => window.open('http://OTHER/popup'))
note('frame', () => { const frame = document.createElement('iframe'); frame.src = 'http://OTHER/frame'; document.body.append(frame) })
note('image', () => { new Image().src = 'http://OTHER/image' })
note('script', () => { const script = document.createElement('script'); script.src = 'http://OTHER/script'; document.head.append(script) })
note('style', () => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.href = 'http://OTHER/style'; document.head.append(link) })
note('beacon', () => navigator.sendBeacon('http://OTHER/beacon', 'x'))
note('socket', () => new WebSocket('ws://OTHER/socket').readyState)
note('eval', () => eval('1'))
note('form', () => { const form = document.createElement('form'); form.action = 'http://OTHER/form'; document.body.append(form); form.submit() })
note('base', () => { const base = document.createElement('base'); base.href = 'http://OTHER/'; document.head.append(base) })
note('worker', () => new Worker(URL.createObjectURL(new Blob(['1']))))
fetch('http://OTHER/fetch').then(() => tried.push('fetch: ok'), (error) => tried.push(`fetch: ${error.name}`))
fetch(location.href).then(() => tried.push('self: ok'), (error) => tried.push(`self: ${error.name}`))
const own = location.href.split('/v/')[0]
fetch(`${own}/`).then(() => tried.push('server: ok'), (error) => tried.push(`server: ${error.name}`))
setTimeout(() => { for (const line of tried) { const p = document.createElement('p'); p.textContent = line; document.body.append(p) }
  document.body.append('all tried') }, 1500)
setTimeout(() => { location = 'http://OTHER/away' }, 6000)
"#;

#[tokio::test]
async fn a_page_gets_out_by_no_way() {
    let Some((stage, url)) = Stage::new(page("Host", "<p>wait</p>")).await else {
        return;
    };
    let script = ESCAPES.replace("OTHER", &stage.other);
    let fragment = Fragment::of_html(&format!("<p>Content</p><script>{script}</script>")).unwrap();
    stage
        .canvases
        .update(
            "c1",
            Update {
                fragment: Some(fragment),
                ..Update::default()
            },
        )
        .await
        .unwrap();
    let text = stage.until("all tried").await;
    for line in [
        "origin: null",
        "cookie: SecurityError",
        "storage: SecurityError",
        "parent: SecurityError",
        "top: SecurityError",
        "opener: null",
        "eval: EvalError",
        "fetch: TypeError",
        "self: TypeError",
        "server: TypeError",
    ] {
        assert!(text.contains(line), "{line} in:\n{text}");
    }
    assert!(!text.contains(": ok"), "{text}");
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    assert_eq!(*stage.hits.lock().unwrap(), Vec::<String>::new());
    // The page around is where it was, with the title of the canvas.
    assert_eq!(stage.around("location.href").await.trim_matches('"'), url);
    assert_eq!(
        stage.around("document.title").await.trim_matches('"'),
        "Host"
    );
    assert_eq!(
        stage
            .session
            .tabs(&crate::stage::never())
            .await
            .unwrap()
            .len(),
        1
    );
    // The other server is within reach: what stops the page is the page's policy.
    let other = format!("http://{}/reached", stage.other);
    let options = tenon_browser::NavigateOptions::default();
    let never = crate::stage::never();
    stage
        .session
        .navigate(&other, None, &options, &never)
        .await
        .unwrap();
    assert_eq!(stage.hits.lock().unwrap()[0], "GET /reached HTTP/1.1");
}

#[tokio::test]
async fn a_link_asks_the_user_before_it_is_opened() {
    let Some((stage, url)) = Stage::new(page(
        "Link",
        "<a href='https://example.com/x?y=1'>Elsewhere</a>",
    ))
    .await
    else {
        return;
    };
    stage.click("Elsewhere").await;
    let text = stage.until("The page wants to open").await;
    assert!(text.contains("https://example.com/x?y=1"), "{text}");
    assert_eq!(stage.around("location.href").await.trim_matches('"'), url);
}

#[tokio::test]
async fn a_page_cannot_write_outside_of_itself() {
    let mut shown = page(
        "</script><img src=x onerror=alert(1)>",
        "</body></html><p>after</p><!-- <script>",
    );
    shown.data = json!({ "x": "</script><script>document.body.textContent = 'broken'</script>" });
    let Some((stage, _)) = Stage::new(shown).await else {
        return;
    };
    let text = stage.until("after").await;
    assert!(
        !text.contains("broken") && text.contains("</script><img src=x onerror=alert(1)>"),
        "{text}"
    );
}

#[tokio::test]
async fn a_page_of_256_kib_of_script_runs() {
    let head = "<p id=p>before</p><script>let n = 0;";
    let tail = "p.textContent = `ran ${n}`</script>";
    let room = 256 * 1024 - head.len() - tail.len();
    let count = room / 5;
    let html = format!(
        "{head}{}{}{tail}",
        "n++;\n".repeat(count),
        " ".repeat(room - count * 5)
    );
    assert_eq!(html.len(), 256 * 1024);
    let Some((stage, _)) = Stage::new(page("Large", &html)).await else {
        return;
    };
    stage.until(&format!("ran {count}")).await;
}
