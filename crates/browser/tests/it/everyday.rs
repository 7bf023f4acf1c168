//! Pages as people meet them every day: applications, long data, bars that stay in view.

use tenon_browser::{
    ActionOptions, BrowserError, Changed, Click, Field, LookMode, LookOptions, NavigateOptions,
    Target,
};

use crate::web::{Answer, Stage, allow, never, reference, scripting};

async fn click(stage: &Stage, reference: &str) -> Result<(), BrowserError> {
    let target = Target::Ref(reference.to_owned());
    let (click, options, abort) = (Click::default(), ActionOptions::default(), never());
    let done = stage.session.click(&target, &click, &options, &abort);
    done.await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_within_a_document_shows_the_page_as_it_is_then() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<h1 id=h>List</h1><button onclick=\"history.pushState(1, '', '#item'); h.textContent = 'Item'\">Show</button><script>onpopstate = () => { h.textContent = 'List again' }</script>")
        .await;
    click(&stage, &reference(&page.snapshot.text, "Show"))
        .await
        .unwrap();
    let options = NavigateOptions::default();
    let back = stage.session.back(None, &options, &never()).await.unwrap();
    assert_eq!(
        (back.tab.url.as_str(), back.snapshot.text.as_str()),
        (
            "http://app.test/page",
            "# List again [new]\nbutton \"Show\" [e1] (focused)"
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn data_without_a_break_are_read_part_by_part() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let data: String = (0..6000).map(|i| format!("\"k{i}\":{i},")).collect();
    let answer = Answer::new("200 OK", "Content-Type: application/json", &data);
    stage.web.put("app.test/data", answer);
    stage.go("http://app.test/data").await;
    for most in [12_000, 500] {
        let (mut read, mut offset) = (String::new(), 0);
        loop {
            let options = LookOptions {
                offset,
                max_characters: Some(most),
                ..LookOptions::default()
            };
            let part = stage.look_with(&options).await;
            let lines = part.text.lines().filter(|line| !line.starts_with('…'));
            read.extend(lines);
            let Some(next) = part.next else { break };
            assert!(next > offset, "{next}");
            offset = next;
        }
        assert!(read == data, "{most}: {} of {}", read.len(), data.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bar_that_stays_at_the_edge_keeps_nobody_from_a_click() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open("<style>body { margin:0 } header { position:sticky; top:0; height:80px; background:#eee; z-index:9 } footer { position:fixed; bottom:0; height:80px; width:100%; background:#eee }</style>
               <header>Bar</header><div style='height:900px'></div><button style='display:block' onclick=\"document.title = 'hit'\">Target</button><div style='height:3000px'></div><footer>Foot</footer>")
        .await;
    let target = reference(&page.snapshot.text, "Target");
    for top in [970, 215] {
        stage
            .script(&format!("document.title = ''; scrollTo(0, {top})"))
            .await;
        click(&stage, &target).await.unwrap();
        assert_eq!(stage.script("document.title").await, "\"hit\"", "{top}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_part_that_an_application_scrolls_is_scrolled() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let rows: String = (0..200).map(|i| format!("<p>Row {i}")).collect();
    let scroll = async |reference: Option<&str>, across: f64, down: f64| {
        let (options, abort) = (ActionOptions::default(), never());
        let done = stage
            .session
            .scroll(reference, across, down, &options, &abort);
        done.await.unwrap().0
    };
    stage
        .open(&format!("<style>body {{ margin:0; height:100vh; overflow:hidden }} main {{ height:100vh; overflow:auto }}</style><main id=m>{rows}</main>"))
        .await;
    assert!(scroll(None, 0.0, 500.0).await);
    assert_eq!(stage.script("m.scrollTop").await, "500");
    // A page that scrolls by itself, with a part that does as well.
    stage
        .open(&format!("<div id=m style='height:700px; overflow:auto'>{rows}</div><div style='height:3000px'></div>"))
        .await;
    assert!(scroll(None, 0.0, 300.0).await);
    assert_eq!(stage.script("[scrollY, m.scrollTop]").await, "[300,0]");
    // What is wider than its frame is scrolled sideways.
    let page = stage
        .open("<div id=m style='width:300px; overflow-x:auto'><div style='width:2000px'><button>Wide</button></div></div>")
        .await;
    let wide = reference(&page.snapshot.text, "Wide");
    assert!(scroll(Some(&wide), 200.0, 0.0).await);
    assert_eq!(stage.script("m.scrollLeft").await, "200");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_folded_options_and_rows_are_searched() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let options: String = (0..5000).map(|i| format!("<option>Option {i}")).collect();
    let rows: String = (0..5000).map(|i| format!("<li>Item {i}")).collect();
    let page = stage
        .open(&format!(
            "<select aria-label=Many>{options}</select><ul>{rows}</ul>"
        ))
        .await;
    let found = async |scope: String, query: &str| {
        let options = LookOptions {
            scope: Some(scope),
            query: Some(query.to_owned()),
            ..LookOptions::default()
        };
        let look = stage.look_with(&options).await;
        (look.text, look.truncated, look.next)
    };
    let text = &page.snapshot.text;
    assert_eq!(
        found(reference(text, "Many"), "4987").await,
        ("option \"Option 4987\"".to_owned(), false, None)
    );
    assert_eq!(
        found(reference(text, "items like these"), "4987").await,
        ("- Item 4987 [e3]".to_owned(), false, None)
    );
    // What is found is no more than what is shown of any page.
    let (many, is_cut, next) = found(reference(text, "Many"), "option").await;
    assert!(many.len() < 12_500 && is_cut && next.is_some(), "{next:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_and_states_are_read_as_browsers_read_them() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<div role='unknown BUTTON' tabindex=0>Second</div><div role='none presentation' tabindex=0>Focused</div><div role=doc-noteref tabindex=0>Note</div>
               <div role=button aria-pressed=mixed tabindex=0>Some</div><div role=option aria-selected=TRUE tabindex=0>Chosen</div>
               <div role=textbox contenteditable aria-readonly=true aria-label=Fixed>x</div><input type=checkbox readonly aria-label=Box><input readonly aria-label=Kept>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "button \"Second\" [e1]\nclickable \"Focused\" [e2]\nclickable \"Note\" [e3]\nbutton \"Some\" [e4] (mixed)\noption \"Chosen\" [e5] (selected)\ntextbox \"Fixed\" [e6] =\"x\" (readonly)\ncheckbox \"Box\" [e7]\ntextbox \"Kept\" [e8] (readonly)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_open_dialog_keeps_from_being_worked_is_marked() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<button>Behind</button><dialog id=d><p>Sure?</p><button onclick='d.close()'>Yes</button></dialog><script>d.showModal()</script>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "button \"Behind\" [e1] (behind dialog)\n[dialog]\nSure?\nbutton \"Yes\" [e2] (focused)"
    );
    let error = click(&stage, "e1").await.unwrap_err().to_string();
    assert!(error.starts_with("`e1` is covered by <dialog"), "{error}");
    click(&stage, "e2").await.unwrap();
    assert_eq!(stage.look().await.text, "button \"Behind\" [e1]");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_in_another_order_are_a_change() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<ul id=l><li>One<li>Two<li>Three</ul><button onclick='l.append(l.firstChild)'>Down</button><button>Nothing</button>")
        .await;
    let mut changes = Vec::new();
    for name in ["Nothing", "Nothing", "Down", "Nothing"] {
        let target = Target::Ref(reference(&page.snapshot.text, name));
        let (click, options, abort) = (Click::default(), ActionOptions::default(), never());
        let done = stage.session.click(&target, &click, &options, &abort);
        changes.push(done.await.unwrap().changed);
    }
    // The first click gives the focus, the last one takes it back.
    let (none, page) = (Changed::None, Changed::Page);
    assert_eq!(changes, [page, none, page, page]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canvas_is_shown_and_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open("<canvas id=c width=200 height=100 aria-label=Board></canvas><canvas width=9 height=9></canvas><canvas style='pointer-events:none' width=99 height=99></canvas><canvas role=img aria-label=Sales width=99 height=99></canvas>
               <script>c.onclick = (event) => { document.title = `${event.offsetX},${event.offsetY}` }</script>")
        .await;
    assert_eq!(page.snapshot.text, "canvas \"Board\" [e1]\nimage \"Sales\"");
    click(&stage, "e1").await.unwrap();
    assert_eq!(stage.script("document.title").await, "\"100,50\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_searched_can_be_worked_though_nothing_says_that_it_listens() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let rows: String = (0..30).map(|i| format!("<li>Row {i}")).collect();
    stage
        .web
        .page("app.test/inner", &format!("<ul>{rows}</ul>"));
    stage
        .open("<ul><li>First<li>Second</ul><div id=d>Right click here</div><iframe src=/inner title=In width=300 height=900></iframe>
               <script>d.addEventListener('contextmenu', () => { document.title = 'menu' })</script>")
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let find = async |query: &str, mode| {
        let options = LookOptions {
            query: Some(query.to_owned()),
            mode,
            ..LookOptions::default()
        };
        stage.look_with(&options).await.text
    };
    let found = find("click RIGHT", LookMode::Page).await;
    let place = reference(&found, "click here");
    assert_eq!(found, format!("Right click here [{place}]"));
    assert_eq!(find("click right", LookMode::Controls).await, "");
    // Rows in frames are searched as well, the folded ones among them.
    let found = find("row 27", LookMode::Page).await;
    assert!(found.trim().starts_with("- Row 27 [e"), "{found}");
    let right = Click {
        button: Some("right".to_owned()),
        ..Click::default()
    };
    let (target, options) = (Target::Ref(place), ActionOptions::default());
    let abort = never();
    let clicked = stage.session.click(&target, &right, &options, &abort);
    clicked.await.unwrap();
    assert_eq!(stage.script("document.title").await, "\"menu\"");
    stage.script("d.textContent = 'Delete everything'").await;
    let clicked = stage.session.click(&target, &right, &options, &abort);
    let error = clicked.await.unwrap_err().to_string();
    assert!(error.contains("Delete everything"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn controls_in_slots_and_shadow_roots_of_other_controls_are_shown() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<x-select><div role=option tabindex=-1>Alpha</div></x-select><div role=treeitem tabindex=0>Leaf <x-delete></x-delete></div>
               <script>document.querySelector('x-select').attachShadow({ mode: 'open' }).innerHTML = '<div role=listbox aria-label=Pick tabindex=0><slot></slot></div>';
               document.querySelector('x-delete').attachShadow({ mode: 'open' }).innerHTML = '<button>Delete</button>'</script>")
        .await;
    for line in [
        "listbox \"Pick\" [e1]",
        "option \"Alpha\" [e2]",
        "button \"Delete\" [e4]",
    ] {
        assert!(page.snapshot.text.contains(line), "{}", page.snapshot.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_scrolled_away_in_a_part_of_the_page_is_scrolled_into_view_and_clicked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let spread = "width:900px; display:flex; justify-content:space-between";
    for (dir, style, inner) in [
        ("ltr", "height:100px; overflow:auto", "padding-top:300px"),
        ("ltr", "width:200px; overflow-x:auto", spread),
        ("rtl", "width:200px; overflow-x:auto", spread),
        ("ltr", "width:200px; overflow:hidden", spread),
    ] {
        let page = stage
            .open(&format!("<body dir={dir}><div style='{style}'><div style='{inner}'><b>First</b><button onclick='document.title = 1'>Far</button></div></div><p>After<p>it"))
            .await;
        let far = reference(&page.snapshot.text, "Far");
        click(&stage, &far).await.unwrap();
        assert_eq!(
            stage.script("document.title").await,
            "\"1\"",
            "{dir} {style}"
        );
    }
    // What is placed beside its scroller is in view, and nothing moves for it.
    let page = stage
        .open("<body style='height:3000px'><div style='height:100px; overflow:auto'><div style='position:absolute; top:300px'><button onclick='document.title = scrollY'>Menu</button></div></div>")
        .await;
    click(&stage, &reference(&page.snapshot.text, "Menu"))
        .await
        .unwrap();
    assert_eq!(stage.script("document.title").await, "\"0\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_shows_what_a_script_has_asked_a_server_for() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let mut late = Answer::html("Loaded");
    late.delay = std::time::Duration::from_millis(400);
    stage.web.put("app.test/late", late);
    let mut never_comes = Answer::html("");
    never_comes.delay = std::time::Duration::from_secs(60);
    stage.web.put("app.test/poll", never_comes);
    let page = stage
        .open("<button onclick=\"fetch('/late').then(() => fetch('/late?again')).then((it) => it.text()).then((text) => { o.textContent = text })\">Load</button>
               <button onclick=\"fetch('/poll'); o.textContent = 'Asked'\">Poll</button><button onclick=\"o.textContent = 'Soon'\">Plain</button><p id=o></p>")
        .await;
    let act = async |name: &str| {
        let began = std::time::Instant::now();
        let target = Target::Ref(reference(&page.snapshot.text, name));
        let (click, options, abort) = (Click::default(), ActionOptions::default(), never());
        let done = stage.session.click(&target, &click, &options, &abort);
        let text = done.await.unwrap().snapshot.unwrap().text;
        (text, began.elapsed())
    };
    stage.web.put("app.test/late?again", Answer::html("Loaded"));
    assert!(act("Load").await.0.contains("Loaded"));
    let (text, took) = act("Poll").await;
    assert!(text.contains("Asked"), "{text}");
    assert!(took >= std::time::Duration::from_millis(1_900), "{took:?}");
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
    // What was asked for before an action is not waited for.
    assert!(act("Plain").await.0.contains("Soon"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_comes_once_what_is_behind_it_has_faded_in_is_shown_with_its_action() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<style>.behind { position: fixed; inset: 0; background: #000; opacity: 0; transition: opacity .3s } .behind.in { opacity: .5 }
               .dialog { position: fixed; display: none; opacity: 0; transition: opacity .3s } .dialog.in { opacity: 1 }
               .endless { animation: blink .5s infinite } @keyframes blink { from { opacity: 0 } }</style>
             <button>Open</button><div class=behind hidden></div><div class=dialog>Really?</div><div class=endless style='position:fixed;inset:0;pointer-events:none'></div>
             <script>const [back] = document.getElementsByClassName('behind'), [dialog] = document.getElementsByClassName('dialog');
               document.querySelector('button').onclick = () => { back.hidden = false; back.offsetWidth; back.classList.add('in') };
               back.ontransitionend = () => { dialog.style.display = 'block'; dialog.offsetWidth; dialog.classList.add('in') }</script>",
        )
        .await;
    let target = Target::Ref(reference(&page.snapshot.text, "Open"));
    let (click, options, abort) = (Click::default(), ActionOptions::default(), never());
    let done = stage.session.click(&target, &click, &options, &abort);
    let text = done.await.unwrap().snapshot.unwrap().text;
    assert!(text.contains("Really?"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_to_be_clicked_is_its_field_and_no_second_control() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<style>label { cursor: pointer; display: block } .off { position: absolute; clip: rect(0,0,0,0); pointer-events: none }</style>
             <input type=checkbox class=off id=a><label for=a>Covered</label><label><input type=radio hidden checked>Hidden</label>
             <label for=b>Text</label><input id=b><label>Alone</label><p><label style='cursor: auto'><input type=checkbox><b style='cursor: pointer'>Inner</b></label>",
        )
        .await;
    let wanted = "checkbox \"Covered\" [e1]\nradio \"Hidden\" [e2] (checked)\ntextbox \"Text\" [e3]\nclickable \"Alone\" [e4]\ncheckbox \"Inner\" [e5]";
    assert_eq!(page.snapshot.text, wanted);
    click(&stage, "e1").await.unwrap();
    let text = stage.look().await.text;
    assert!(
        text.contains("checkbox \"Covered\" [e1] (checked"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scrolls_and_takes_focus_for_the_keyboard_is_read_as_any_part_of_the_page() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<div tabindex=0 style='height:40px;overflow:auto'><div>Row 1</div><div>Row 2 <b tabindex=0>cell</b></div></div><div tabindex=0>Focus</div>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "Row 1\nRow 2\nclickable \"cell\" [e1]\nclickable \"Focus\" [e2]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_design_mode_is_a_field() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open("<iframe id=f title=Editor srcdoc='<p>Old <b>text</b>'></iframe><script>f.onload = () => { f.contentDocument.designMode = 'on' }</script>")
        .await;
    let text = page.snapshot.text;
    assert!(text.contains("textbox [e1] =\"Old text\""), "{text}");
    let field = Field {
        reference: "e1".to_owned(),
        value: "New".to_owned(),
    };
    let (options, abort) = (ActionOptions::default(), never());
    let filled = stage.session.fill(&[field], false, &options, &abort).await;
    filled.unwrap();
    let body = stage.script("f.contentDocument.body.innerText").await;
    assert_eq!(body.replace("\\n", ""), "\"New\"");
}

/// What was clicked, where each control of the page says so in the title.
async fn clicked(stage: &Stage, reference: &str) -> Result<String, BrowserError> {
    stage.script("document.title = ''").await;
    click(stage, reference).await?;
    Ok(stage.script("document.title").await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_an_item_never_reaches_one_of_the_items_in_it() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open(
            "<style>ul { margin: 0; padding: 0 } li, p { margin: 0; line-height: 20px }</style>
             <ul role=tree><li role=treeitem aria-expanded=true onclick='at(event, this)'><span>Outer</span>
               <ul role=group><li role=treeitem onclick='at(event, this)'>First</li><li role=treeitem onclick='at(event, this)'>Second</li></ul></li></ul>
             <div onclick='at(event, this)' style='cursor:pointer;width:300px'>Card <button onclick='at(event, this)' style='width:250px;height:60px'>Delete</button></div>
             <script>function at(event, element) { event.stopPropagation(); document.title = element.textContent.trim().split(/\\s+/)[0] }</script>",
        )
        .await;
    let text = &page.snapshot.text;
    for name in ["Outer", "First", "Second", "Card", "Delete"] {
        let reference = reference(text, &format!("\"{name}"));
        let clicked = clicked(&stage, &reference).await.unwrap();
        assert_eq!(clicked, format!("\"{name}\""), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_another_one_fills_is_not_clicked_in_its_place() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open(
            "<div role=treeitem aria-label=Row style='width:200px'><button style='width:200px;height:40px;border:0' onclick=\"document.title = 'deleted'\">Delete</button></div>
             <a href='#x' style='display:inline-block'><button style='width:200px;height:40px;border:0;display:block' onclick=\"document.title = 'went'\">Go</button></a>",
        )
        .await;
    let text = &page.snapshot.text;
    let row = reference(text, "treeitem \"Row\"");
    let delete = reference(text, "button \"Delete\"");
    let error = clicked(&stage, &row).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (
            "covered",
            format!(
                "A click on `{row}` would go to button \"Delete\" [{delete}] in it. Use the reference of that if it is meant; take a snapshot if it has none."
            )
        )
    );
    assert_eq!(stage.script("document.title").await, "\"\"");
    let link = reference(text, "link \"Go\"");
    assert_eq!(clicked(&stage, &link).await.unwrap(), "\"went\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_radio_button_that_nobody_sees_is_worked_by_what_is_drawn_for_it() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let star = |n: usize| {
        format!(
            "<div class=star onclick=\"document.title = 'star {n}'\"><input class=off type=radio name=r aria-label='{n} stars'><svg width=24 height=24><rect width=24 height=24 /></svg></div>"
        )
    };
    let page = stage
        .open(&format!(
            "<style>.star {{ position: relative; width: 24px; height: 24px }} .off {{ position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px; opacity: 0; top: 12px; left: 12px; pointer-events: none }}</style>{}{}",
            star(1), star(2)
        ))
        .await;
    let second = reference(&page.snapshot.text, "2 stars");
    assert_eq!(clicked(&stage, &second).await.unwrap(), "\"star 2\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_lets_clicks_through_is_worked_by_the_select_around_it() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let page = stage
        .open(
            "<div role=combobox aria-expanded=false onclick=\"document.title = 'opened'\" style='width:200px;padding:8px'><div style='cursor:pointer'>Pick <input role=combobox aria-label=Country readonly style='pointer-events:none'></div></div>
             <div onclick=\"document.title = 'row'\" style='width:200px'>Row <button style='pointer-events:none'>Delete</button></div>",
        )
        .await;
    let text = &page.snapshot.text;
    let country = reference(text, "combobox \"Country\"");
    assert_eq!(clicked(&stage, &country).await.unwrap(), "\"opened\"");
    // A button that lets clicks through is off, and its row is another thing.
    let delete = reference(text, "button \"Delete\"");
    assert!(clicked(&stage, &delete).await.is_err());
    assert_eq!(stage.script("document.title").await, "\"\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_says_what_its_field_is_called_anyway_is_no_second_control() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<style>label { cursor: pointer }</style><input type=checkbox id=a aria-label=Check><label for=a> Check </label><p>
             <input type=checkbox id=b aria-label=Other><label for=b>Shown</label>",
        )
        .await;
    assert_eq!(
        page.snapshot.text,
        "checkbox \"Check\" [e1]\ncheckbox \"Other\" [e2]\nclickable \"Shown\" [e3]"
    );
}
