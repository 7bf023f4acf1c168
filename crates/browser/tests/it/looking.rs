//! Pages as text.

use tenon_browser::{ActionOptions, LookMode, LookOptions, Target};

use crate::web::{Stage, allow, never, reference, scripting};

#[tokio::test(flavor = "multi_thread")]
async fn text_and_controls_stand_in_their_order_with_names_values_and_states() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<title>Shop</title><nav aria-label=Main><a href=/a>Home</a> <a href=/b>Cart</a></nav>
             <h1>Order <em>now</em></h1><p>Read the <a href=/m>manual</a> first.</p>
             <form aria-label=Order>
               <label>Name <input name=n value=Ann required></label>
               <label for=p>Password</label><input id=p type=password value=hunter2>
               <input placeholder=Card autocomplete=cc-number value=4111111111111111>
               <label><input type=checkbox checked> Gift</label>
               <select aria-label=Size><option>S<option selected>M<option>L</select>
               <textarea aria-label=Note>two\nlines</textarea>
               <button disabled>Send</button>
               <details><summary>More</summary>Inside</details>
             </form>
             <ul><li>One<li>Two</ul><div onclick=x()>Click me</div><img alt='A cat' width=9 height=9 src=x>
             <table><tr><th>No<th>Who<tr><td>1<td><a href=/x>Ann</a></table>",
        )
        .await;
    assert_eq!(
        page.snapshot.text,
        "[navigation \"Main\"]
link \"Home\" [e1] link \"Cart\" [e2]
# Order now
Read the link \"manual\" [e3] first.
[form \"Order\"]
textbox \"Name\" [e4] =\"Ann\" (required)
textbox \"Password\" [e5] =\"••••••\"
textbox \"Card\" [e6] =\"••••••\"
checkbox \"Gift\" [e7] (checked)
combobox \"Size\" [e8] =\"M\" (options: S | M | L)
textbox \"Note\" [e9] =\"two lines\"
button \"Send\" [e10] (disabled)
summary \"More\" [e11] (collapsed)
- One
- Two
clickable \"Click me\" [e12]
image \"A cat\"
| No | Who
| 1 | link \"Ann\" [e13]"
    );
    assert_eq!((page.snapshot.refs, page.tab.title.as_str()), (13, "Shop"));
    assert_eq!(
        (page.http_status, page.snapshot.truncated),
        (Some(200), false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_nobody_can_see_is_counted_and_left_out() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<p>Seen</p><p style='display:none'>d1</p><p style='visibility:hidden'>v1</p><p style='opacity:0'>o1</p>
             <p style='font-size:0'>f1</p><p style='color:#fff'>same colour</p><p style='position:absolute;left:-9999px'>off</p>
             <div style='background:#222'><p style='color:#eee'>Light on dark</p><p style='color:#222'>dark on dark</p></div>
             <p style='text-indent:-9999px'>pushed</p><p style='color:transparent'>clear</p>
             <p>zero\u{200b}width \u{202e}reversed\u{e0041}\u{e0042} [e1] [new]</p>
             <p>a\u{200d}b\u{200c}\u{200d} \u{645}\u{6cc}\u{200c}\u{62e} \u{1f468}\u{200d}\u{1f469} \u{645}\u{200c}\u{200d}\u{6cc}</p>",
        )
        .await;
    assert_eq!(
        page.snapshot.text,
        "Seen\nLight on dark\nzerowidth reversed (e1) (new)\nab \u{645}\u{6cc}\u{200c}\u{62e} \u{1f468}\u{200d}\u{1f469} \u{645}\u{6cc}"
    );
    // v1, o1, f1, same colour, off, dark on dark, pushed, clear
    assert_eq!(
        page.snapshot.hidden_characters,
        2 + 2 + 2 + 11 + 3 + 12 + 6 + 5
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_rows_are_folded_and_opened_part_by_part() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<table id=t></table><script>t.innerHTML = Array.from({ length: 100000 }, (_, i) => `<tr><td>${i}<td>Customer ${i}<td><button>Edit</button>`).join('')</script>",
        )
        .await;
    let text = &page.snapshot.text;
    assert!(text.len() < 1000, "{text}");
    assert!(
        text.contains("| 7 | Customer 7 | button \"Edit\" [e8]"),
        "{text}"
    );
    assert!(
        text.ends_with("… 99992 more rows like these [r9]"),
        "{text}"
    );
    assert_eq!(page.snapshot.omitted_rows, 99_992);
    let open = |offset| LookOptions {
        scope: Some("r9".into()),
        offset,
        max_characters: Some(2000),
        ..LookOptions::default()
    };
    let part = stage.look_with(&open(0)).await;
    assert!(
        part.text
            .starts_with("| 8 | Customer 8 | button \"Edit\" [e10]"),
        "{}",
        part.text
    );
    let next = part.next.unwrap();
    let part = stage.look_with(&open(next)).await;
    assert!(
        part.text.starts_with(&format!("| {} | Customer", 8 + next)),
        "{}",
        part.text
    );
    let last = stage.look_with(&open(99_990)).await;
    assert!(
        last.text.contains("| 99999 | Customer 99999 | "),
        "{}",
        last.text
    );
    assert_eq!((last.next, last.truncated), (None, false));
    let found = LookOptions {
        query: Some("customer 99998".into()),
        ..LookOptions::default()
    };
    let found = stage.look_with(&LookOptions { ..found }).await;
    assert!(
        found.truncated || found.text.contains("Customer 99998"),
        "{}",
        found.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_of_a_long_select_are_folded_and_opened() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let options: String = (0..200)
        .map(|i| format!("<option value=v{i}>Country {i}"))
        .collect();
    let page = stage
        .open(&format!(
            "<label>Country <select>{options}</select></label>"
        ))
        .await;
    assert_eq!(
        page.snapshot.text,
        "combobox \"Country\" [e1] =\"Country 0\" (200 options)"
    );
    assert_eq!(page.snapshot.omitted_options, 200);
    let part = stage
        .look_with(&LookOptions {
            scope: Some("e1".into()),
            offset: 198,
            ..LookOptions::default()
        })
        .await;
    assert_eq!(
        part.text,
        "option \"Country 198\" value=\"v198\"\noption \"Country 199\" value=\"v199\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_there_at_the_last_look_is_marked() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let first = stage
        .open("<p>Old text</p><button>Old</button><div id=more></div>")
        .await;
    assert_eq!(first.snapshot.text, "Old text\nbutton \"Old\" [e1]");
    stage
        .script("more.innerHTML = '<p>New text</p><button>New</button>'")
        .await;
    let second = stage.look().await;
    assert_eq!(
        second.text,
        "Old text\nbutton \"Old\" [e1]\nNew text [new]\nbutton \"New\" [e2] [new]"
    );
    assert_eq!((second.refs, second.new_refs), (2, 1));
    assert_eq!(stage.look().await.new_refs, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_cannot_reach_the_script_that_reads_it() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<script>
               JSON.stringify = () => 'lies'; JSON.parse = () => { throw 1 };
               for (const name of ['map', 'push', 'join', 'filter', 'slice', 'includes']) Array.prototype[name] = () => { throw new Error(name) };
               String.prototype.replace = () => 'lies'; Map.prototype.get = WeakMap.prototype.get = () => { throw 2 };
               Reflect.apply = () => { throw 3 }; Object.defineProperty(Array.prototype, Symbol.iterator, { value() { throw 4 } });
               Element.prototype.getAttribute = () => 'lies'; window.getComputedStyle = () => { throw 5 };
               Object.defineProperty(Node.prototype, 'firstChild', { get() { throw 6 } });
             </script>
             <h1>Honest</h1>
             <form><input name=childNodes><input name=firstChild><input name=parentNode><input name=getAttribute><input name=nodeType>
               <input name=localName><input name=shadowRoot><input name=children><input name=tagName><input name=scrollHeight><button>Go</button></form>
             <title>Named</title><img name=title><img name=URL><img name=body><img name=getElementById><img name=activeElement><img name=elementFromPoint>
             <a id=getComputedStyle href=/x>x</a><a id=Reflect href=/y>y</a>
             <script>const odd = document.createElementNS('urn:x', 'input'); odd.textContent = 'odd'; document.documentElement.append(odd)</script>",
        )
        .await;
    assert_eq!(
        (page.tab.title.as_str(), page.tab.url.as_str()),
        ("Named", "http://app.test/page")
    );
    let text = page.snapshot.text;
    assert!(text.starts_with("# Honest\ntextbox [e1]\n"), "{text}");
    assert!(text.contains("button \"Go\" [e11]"), "{text}");
    assert!(text.ends_with("odd"), "{text}");
    let clicked = stage
        .session
        .click(
            &tenon_browser::Target::Ref(reference(&text, "button \"Go\"")),
            &Default::default(),
            &Default::default(),
            &never(),
        )
        .await
        .unwrap();
    assert!(
        clicked.tab.url.contains("?childNodes="),
        "{}",
        clicked.tab.url
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_page_shows_what_is_in_view_and_an_outline_of_the_rest() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let body: String = (0..60)
        .map(|i| {
            format!(
                "<h2>Chapter {i}</h2><p>{}</p>",
                format!("word{i} ").repeat(100)
            )
        })
        .collect();
    let page = stage.open(&body).await;
    let text = &page.snapshot.text;
    assert!(text.chars().count() <= 12_000, "{}", text.chars().count());
    assert!(text.starts_with("## Chapter 0\nword0"), "{}", &text[..100]);
    assert!(
        text.contains("## Chapter 30\n… 1 line (offset 61)"),
        "{}",
        &text[text.len() - 2000..]
    );
    assert!(page.snapshot.truncated);
    let next = stage
        .look_with(&LookOptions {
            offset: page.snapshot.next.unwrap(),
            ..LookOptions::default()
        })
        .await;
    assert!(
        next.text.lines().next().unwrap().starts_with("word") || next.text.starts_with("## "),
        "{}",
        &next.text[..100]
    );
    stage
        .script("document.querySelectorAll('h2')[50].scrollIntoView()")
        .await;
    let below = stage.look().await;
    assert!(below.text.contains("word50"), "{}", below.text);
    let outline = stage
        .look_with(&LookOptions {
            mode: LookMode::Outline,
            ..LookOptions::default()
        })
        .await;
    assert_eq!(outline.text.matches("## Chapter").count(), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn controls_alone_and_lines_by_words() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage
        .open("<h1>Title</h1><p>Text</p><button>Save</button><p>More <a href=/x>link</a></p>")
        .await;
    let controls = stage
        .look_with(&LookOptions {
            mode: LookMode::Controls,
            ..LookOptions::default()
        })
        .await;
    assert_eq!(
        controls.text,
        "button \"Save\" [e1]\nMore link \"link\" [e2]"
    );
    let found = stage
        .look_with(&LookOptions {
            query: Some("more LINK".into()),
            ..LookOptions::default()
        })
        .await;
    assert_eq!(found.text, "More link \"link\" [e2]");
    // The number of a reference is no word of the page.
    let none = LookOptions {
        query: Some("2".into()),
        ..LookOptions::default()
    };
    let none = stage.look_with(&none).await;
    assert_eq!((none.text.as_str(), none.is_searched), ("", true));
    let scoped = stage
        .look_with(&LookOptions {
            scope: Some("e1".into()),
            ..LookOptions::default()
        })
        .await;
    assert_eq!(scoped.text, "button \"Save\" [e1]");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_for_reading_is_markdown_of_what_can_be_seen() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage
        .open("<title>T</title><h1>Head</h1><p>One <b>bold</b> <a href=/x>link</a></p><p style='display:none'>gone</p><x-a></x-a><script>document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<p>Shadow</p>'</script>")
        .await;
    let text = stage
        .session
        .text(None, None, 0, None, None, &never())
        .await
        .unwrap();
    assert_eq!(
        text.text.trim(),
        "# T\n\n## Head\n\nOne **bold** [link](http://app.test/x)\n\nShadow"
    );
    let part = stage
        .session
        .text(None, None, 2, Some(3), None, &never())
        .await
        .unwrap();
    assert_eq!(
        (part.text.as_str(), part.truncated, part.next),
        ("T\n\n", true, Some(5))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_holds_controls_keeps_its_own_reference_where_it_says_something() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let shown = stage.open("<div tabindex=0 style='cursor:pointer'>Menu<ul style='display:none'><li><button>Sub</button></ul></div><div tabindex=0 onclick=1>Card <button>Like</button></div><div tabindex=0><button>A</button><button>B</button></div><div role=listitem style='cursor:pointer'>Text</div><label style='cursor:pointer'><input type=checkbox>Box</label><div role=dialog onclick=1>Sure? <button>Yes</button></div><table><tr onclick=1><td>1<td><button>Edit</button></table>").await.snapshot.text;
    let wanted = "clickable \"Menu\" [e1]\nclickable \"Card\" [e2] button \"Like\" [e3]\nbutton \"A\" [e4]\nbutton \"B\" [e5]\nclickable \"Text\" [e6]\ncheckbox \"Box\" [e7]\n[dialog]\nSure?\nbutton \"Yes\" [e8]\n| 1 | button \"Edit\" [e9]";
    assert_eq!(shown, wanted);
    let target = Target::Ref("e2".to_owned());
    let options = ActionOptions::default();
    stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_style_sheets_is_read_where_it_is_seen() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let styles = "<style>.x::before{content:'+'}.p::after{content:' EUR'}.h:hover::after{content:'!'}.i::before{content:'\\e123'}.o::after{content:'SECRET';opacity:0}.a::after{content:attr(data-u)}.u::before{content:url('data:,x')}.w::after{content:'SECRET';color:#fff}.n::before{content:'#';counter-reset:n}</style>";
    let page = format!(
        "{styles}<button class=x></button><p class=p>100</p><a class=h href=/a>Link</a><button class=i>Icon</button><p class=o>seen</p><p class=a data-u=kg>5</p><p class=u>picture</p><p class=w>white</p><a class='w n' href=/b>named</a>"
    );
    let shown = stage.open(&page).await.snapshot.text;
    let wanted = "button \"+\" [e1]\n100 EUR\nlink \"Link\" [e2]\nbutton \"Icon\" [e3]\nseen\n5kg\npicture\nwhite\nlink \"#named\" [e4]";
    assert_eq!(shown, wanted);
    // What shows only under the pointer changes nothing of what the link is.
    let target = Target::Ref("e2".to_owned());
    let options = ActionOptions::default();
    let session = &stage.session;
    session.hover(&target, &options, &never()).await.unwrap();
    let clicked = session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap();
    assert_eq!(clicked.tab.url, "http://app.test/a");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_put_together_as_the_standard_says() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let shown = stage.open("<button>Save<br>file</button><br><button>a<span style='display:inline-block'>b</span>c</button><label><input type=checkbox> Take <select><option>one<option selected>two</select> pills</label><label><input type=checkbox> Volume <input type=range value=30></label><label><input type=checkbox> Word <input type=password value=SECRET></label><button aria-labelledby=h>x</button><div id=h hidden>Q <span style='display:none'>w</span><b>z</b> y</div><input aria-labelledby=s><select id=s size=2><option selected>s1<option disabled>s2</select><div role=progressbar aria-valuenow=40 aria-label=Load style='height:9px;background:#00f'></div>").await.snapshot.text;
    let wanted = "button \"Save file\" [e1]\nbutton \"a b c\" [e2]\ncheckbox \"Take two pills\" [e3]\ncombobox [e4] =\"two\" (options: one | two)\ncheckbox \"Volume 30\" [e5]\nslider [e6] =\"30\"\ncheckbox \"Word\" [e7]\ntextbox [e8] =\"••••••\"\nbutton \"Q w z y\" [e9]\ntextbox \"s1\" [e10]\nlistbox [e11] =\"s1\" (options: s1 | s2 (disabled))\nprogressbar \"Load\" =\"40\"";
    assert_eq!(shown, wanted);
}

/// Style sheets that write `GENERATED` before or after the paragraph, wherever their rule is.
const WRITERS: &[&str] = &[
    "<style>p::before{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>p:after{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>::before{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>body > ::before{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>.b, .a:not(.c, [title=\"),::before\"])::before{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>:is(p,b).a::after{content:'GENERATED'}</style><p class=a>x</p>",
    "<style>.\\:before\\,x::after{content:'GENERATED'}</style><p class=':before,x'>x</p>",
    "<style>#i::after{content:'GENERATED'}</style><p id=i>x</p>",
    "<style>p::after{content:attr(title)}</style><p title=GENERATED>x</p>",
    "<style>p::after{content:var(--x)}</style><p style='--x:\"GENERATED\"'>x</p>",
    "<style>p::after{content:'';content:'GENERATED'}</style><p class=a>x</p>",
    "<style>p{&::after{content:'GENERATED'}}</style><p class=a>x</p>",
    "<style>p::after{@media all{content:'GENERATED'}}</style><p class=a>x</p>",
    "<style>@media all{@supports(color:red){@layer z{p::after{content:'GENERATED'}}}}</style><p class=a>x</p>",
    "<style>@scope(body){:scope > p::after{content:'GENERATED'}}</style><p class=a>x</p>",
    "<style>@import url(\"data:text/css,p::after{content:'GENERATED'}\");</style><p class=a>x</p>",
    "<link rel=stylesheet href=\"data:text/css,p::after{content:'GENERATED'}\"><p class=a>x</p>",
    "<p class=a>x</p><script>const s = new CSSStyleSheet(); s.replaceSync('p::after{content:\"GENERATED\"}'); document.adoptedStyleSheets = [s]</script>",
    "<div id=h></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<style>p::after{content:\"GENERATED\"}</style><p>x</p>'</script>",
    "<div id=h></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<style>:host::after{content:\"GENERATED\"}</style><b>x</b>'</script>",
    "<div id=h><p>x</p></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<style>::slotted(p)::after{content:\"GENERATED\"}</style><slot></slot>'</script>",
    "<div id=h></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<p part=q>x</p>'</script><style>::part(q)::after{content:'GENERATED'}</style>",
    "<x-k></x-k><script>document.querySelector('x-k').attachShadow({ mode: 'closed' }).innerHTML = '<style>p::after{content:\"GENERATED\"}</style><p>x</p>'</script>",
    "<img name=styleSheets><style>p::after{content:'GENERATED'}</style><p class=a>x</p>",
];

#[tokio::test(flavor = "multi_thread")]
async fn text_of_style_sheets_is_read_wherever_its_rule_is() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for page in WRITERS {
        let shown = stage.open(page).await.snapshot.text;
        assert!(shown.contains("GENERATED"), "{page}\n{shown}");
    }
}

/// Ways of a script to have `2` written after the paragraph, of which no rule says anything before.
const CHANGES: &[&str] = &[
    "rules[0].selectorText = 'p::after'",
    "rules[1].style.content = '`2`'",
    "rules[1].style.cssText = 'content:`2`'",
    "rules[2].insertRule('&::after{content:`2`}')",
    "rules[3].insertRule('p::after{content:`2`}')",
    "rules[3].deleteRule(0); rules[3].insertRule('p::after{content:`2`}')",
    "rules[3].cssRules[0].style.content = '`2`'",
    "sheet.insertRule('p::after{content:`2`}')",
    "sheet.deleteRule(0); sheet.insertRule('p::after{content:`2`}')",
    "sheet.deleteRule(4); sheet.insertRule('p::after{content:`2`}', 4)",
    "adopted.replaceSync('p::after{content:`2`}')",
    "document.adoptedStyleSheets = [other]",
    "document.querySelector('style').textContent = 'p::after{content:`2`}'",
    "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p::after{content:`2`}' }))",
];

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_scripts_change_are_read_as_they_are_now() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for (at, change) in CHANGES.iter().enumerate() {
        let change = change.replace('`', "\"");
        let reference = format!("e{}", at + 1);
        let page = format!(
            "<style>b::after{{content:'2'}} p::after{{}} p{{color:black}} @media all{{p::after{{}}}} @font-face{{font-family:x;src:url(x)}}</style>
             <p>one</p><button>Change</button><script>
             const [sheet] = document.styleSheets;
             const rules = sheet.cssRules;
             const [adopted, other] = [new CSSStyleSheet(), new CSSStyleSheet()];
             adopted.replaceSync('b::after{{content:\"2\"}}');
             other.replaceSync('p::after{{content:\"2\"}}');
             document.adoptedStyleSheets = [adopted];
             document.querySelector('button').onclick = () => {{ {change} }};
             </script>"
        );
        let opened = stage.open(&page).await.snapshot;
        let button = format!("button \"Change\" [{reference}]");
        assert_eq!(opened.text, format!("one\n{button}"), "before {change}");
        click(&stage, &reference).await;
        let shown = stage.look().await.text;
        assert_eq!(shown, format!("one2\n{button} (focused)"), "after {change}");
    }
}

async fn click(stage: &Stage, reference: &str) {
    let target = Target::Ref(reference.to_owned());
    stage
        .session
        .click(
            &target,
            &Default::default(),
            &ActionOptions::default(),
            &never(),
        )
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fields_of_a_form_are_all_shown_though_a_library_makes_them_alike() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let parts = |count: usize, inner: fn(usize) -> String| -> String {
        let part = |at: usize| format!("<div class=part><div>{}</div></div>", inner(at));
        (0..count).map(part).collect()
    };
    let field = |at: usize| format!("<input aria-label='Field {at}'>");
    let text = stage.open(&parts(14, field)).await.snapshot.text;
    assert_eq!(text.lines().count(), 14, "{text}");
    assert!(text.contains("textbox \"Field 13\" [e14]"), "{text}");
    // More than anybody would fill in are folded, as is what is no field.
    let text = stage.open(&parts(60, field)).await.snapshot.text;
    assert!(text.contains("… 52 more parts like these"), "{text}");
    let text = stage.open(&parts(14, |at| format!("Part {at}"))).await;
    let text = text.snapshot.text;
    assert!(text.contains("… 6 more parts like these"), "{text}");
}
