//! Forms.

use tenon_browser::{ActionOptions, Changed, Field};

use crate::web::{Answer, Stage, allow, never, reference, scripting};

const FORM: &str = "<form action=/sent method=get>
  <label>Name <input name=n value=old></label><label>Mail <input name=m type=email></label>
  <label>Note <textarea name=t></textarea></label><label>Day <input name=d type=date></label>
  <label>Size <select name=s><option>Small<option value=xl>Extra large</select></label>
  <label><input type=checkbox name=c> Gift</label><label><input type=radio name=r value=1>First</label><label><input type=radio name=r value=2>Second</label>
  <div contenteditable aria-label=Rich>rich</div><input readonly aria-label=Fixed value=x><input disabled aria-label=Off>
  <button>Send</button></form>";

fn field(text: &str, name: &str, value: &str) -> Field {
    Field {
        reference: reference(text, name),
        value: value.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_filled_and_sent_by_one_call() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage
        .web
        .put("app.test/sent", Answer::html("<h1>Thanks</h1>"));
    let text = stage.open(FORM).await.snapshot.text;
    let fields = [
        field(&text, "textbox \"Rich\"", "poor"),
        field(&text, "textbox \"Note\"", "a\nb"),
        field(&text, "date \"Day\"", "2026-01-31"),
        field(&text, "combobox \"Size\"", "extra LARGE"),
        field(&text, "checkbox \"Gift\"", "true"),
        field(&text, "radio \"Second\"", "true"),
        field(&text, "textbox \"Mail\"", "a@b.example"),
        field(&text, "textbox \"Name\"", "Ann Ö"),
    ];
    let result = stage
        .session
        .fill(&fields, true, &ActionOptions::default(), &never())
        .await
        .unwrap();
    assert_eq!(result.changed, Changed::Navigation);
    assert_eq!(
        result.tab.url,
        "http://app.test/sent?n=Ann+%C3%96&m=a%40b.example&t=a%0D%0Ab&d=2026-01-31&s=xl&c=on&r=2"
    );
    assert_eq!(result.snapshot.unwrap().text, "# Thanks");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_filled_is_said_with_what_can() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage.open(FORM).await.snapshot.text;
    let fill = async |name: &str, value: &str| {
        let fields = [field(&text, name, value)];
        let error = stage
            .session
            .fill(&fields, false, &ActionOptions::default(), &never())
            .await
            .unwrap_err();
        (error.kind(), error.to_string())
    };
    assert_eq!(fill("textbox \"Fixed\"", "y").await.0, "not_editable");
    assert_eq!(fill("textbox \"Off\"", "y").await.0, "disabled");
    assert_eq!(fill("button \"Send\"", "y").await.0, "not_editable");
    assert_eq!(fill("date \"Day\"", "tomorrow").await.0, "not_editable");
    assert_eq!(fill("checkbox \"Gift\"", "perhaps").await.0, "not_editable");
    let (kind, error) = fill("combobox \"Size\"", "Medium").await;
    assert_eq!(
        (kind, error.contains("It has 2: Small, Extra large.")),
        ("invalid", true),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_goes_behind_what_is_there_and_the_page_gets_its_keys() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<input aria-label=Name value=ab><p id=log></p><script>document.querySelector('input').addEventListener('keydown', (event) => { log.textContent += event.key + ' ' })</script>")
        .await
        .snapshot
        .text;
    let name = reference(&text, "textbox \"Name\"");
    let options = ActionOptions::default();
    let result = stage
        .session
        .type_text(Some(&name), "cDé", true, &options, &never())
        .await
        .unwrap();
    assert_eq!(result.changed, Changed::Page);
    assert_eq!(
        result.snapshot.unwrap().text,
        "textbox \"Name\" [e1] =\"abcDé\" (focused)\nc D Enter [new]"
    );
    stage
        .session
        .press("Control+A", Some(&name), &options, &never())
        .await
        .unwrap();
    stage
        .session
        .press("Backspace", None, &options, &never())
        .await
        .unwrap();
    assert_eq!(
        stage.script("document.querySelector('input').value").await,
        "\"\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_are_selected_by_label_or_value() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<select multiple aria-label=Many><option>A<option value=bee>B<option disabled>C</select><select aria-label=One><option>1<option>2</select>")
        .await
        .snapshot
        .text;
    let (many, one) = (
        reference(&text, "listbox \"Many\""),
        reference(&text, "combobox \"One\""),
    );
    let options = ActionOptions::default();
    let values = ["A".to_owned(), "bee".to_owned()];
    stage
        .session
        .select(&many, &values, &options, &never())
        .await
        .unwrap();
    assert_eq!(
        stage
            .script(
                "[...document.querySelector('select').selectedOptions].map((it) => it.text).join()"
            )
            .await,
        "\"A,B\""
    );
    let error = stage
        .session
        .select(&many, &["C".to_owned()], &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
    let error = stage
        .session
        .select(&one, &["1".to_owned(), "2".to_owned()], &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
}

async fn fill(stage: &Stage, text: &str, name: &str, value: &str) -> String {
    let fields = [field(text, name, value)];
    let filled = stage
        .session
        .fill(&fields, false, &ActionOptions::default(), &never())
        .await;
    match filled {
        Ok(_) => "filled".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_refuses_a_value_keeps_what_it_has_and_says_what_it_takes() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<input id=d type=date value=2026-01-01 aria-label=D><input id=r type=range value=3 max=10 aria-label=R>
               <input id=c type=color value='#00ff00' aria-label=C><input id=n type=number value=3 aria-label=N><input id=o type=radio checked aria-label=O>
               <p id=log></p><script>for (const type of ['input', 'change']) addEventListener(type, (event) => { log.textContent += event.target.id })</script>")
        .await
        .snapshot
        .text;
    let refused = "cannot be edited so: a field of the type";
    let cases = [
        ("date \"D\"", "31.01.2026", format!("`e1` {refused} `date` does not take `31.01.2026`; it takes a date such as `2026-01-31`.")),
        ("slider \"R\"", "77", format!("`e2` {refused} `range` does not take `77`; it takes numbers from 0 to 10 in steps of 1.")),
        ("color \"C\"", "reddish", format!("`e3` {refused} `color` does not take `reddish`; it takes a colour such as `#00ff00`.")),
        ("spinbutton \"N\"", "abc", format!("`e4` {refused} `number` does not take `abc`; it takes a number such as `3.5`.")),
        ("radio \"O\"", "false", "`e5` cannot be edited so: a radio button is not unchecked by itself; check another one of its group.".to_owned()),
    ];
    for (name, value, error) in cases {
        assert_eq!(fill(&stage, &text, name, value).await, error);
    }
    let kept = "[d.value, r.value, c.value, n.value, o.checked, log.textContent]";
    assert_eq!(
        stage.script(kept).await,
        "[\"2026-01-01\",\"3\",\"#00ff00\",\"3\",true,\"\"]"
    );
    let typed = stage
        .session
        .type_text(
            Some("e4"),
            "abc",
            false,
            &ActionOptions::default(),
            &never(),
        )
        .await;
    assert_eq!(typed.unwrap_err().kind(), "not_editable");
    for (name, value) in [("slider", "7"), ("color", "red"), ("spinbutton", "-2.5")] {
        assert_eq!(fill(&stage, &text, name, value).await, "filled", "{name}");
    }
    assert_eq!(
        stage.script(kept).await,
        "[\"2026-01-01\",\"7\",\"#ff0000\",\"-2.5\",true,\"rrccn\"]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_tab_is_a_character_and_a_text_that_loses_the_focus_is_an_error() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<textarea id=t aria-label=T></textarea><input id=a aria-label=A maxlength=1 oninput='b.focus()'><input id=b aria-label=B>")
        .await
        .snapshot
        .text;
    let type_text = async |name: &str, typed: &str| {
        let target = reference(&text, name);
        let options = ActionOptions::default();
        stage
            .session
            .type_text(Some(&target), typed, false, &options, &never())
            .await
    };
    type_text("textbox \"T\"", "if x:\n\tfoo\n\tbar")
        .await
        .unwrap();
    assert_eq!(stage.script("t.value").await, "\"if x:\\n\\tfoo\\n\\tbar\"");
    let error = type_text("textbox \"A\"", "1234").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`e2` cannot be edited so: the focus moved to textbox \"B\" [e3] (focused) after 1 of 4 characters; type the rest there."
    );
    assert_eq!(stage.script("[a.value, b.value]").await, "[\"1\",\"\"]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_option_is_shown_as_such_and_a_hidden_one_is_not() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage
        .open("<select aria-label=S><option>One<option disabled>Three<optgroup disabled label=G><option>Four</optgroup><option hidden>Nobody</select>")
        .await
        .snapshot
        .text;
    assert_eq!(
        text,
        "combobox \"S\" [e1] =\"One\" (options: One | Three (disabled) | G: Four (disabled))"
    );
    let values = ["Three".to_owned()];
    let options = ActionOptions::default();
    let error = stage
        .session
        .select("e1", &values, &options, &never())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`e1` cannot be edited so: its option `Three` is disabled."
    );
}

/// An editor that takes keys by itself, as those do that draw their text: its element has no size, what is clicked is beside it.
const EDITOR: &str = "<div style='position:relative;height:40px'><div id=e role=textbox tabindex=0 aria-label=Editor style='position:absolute;width:0;height:20px;overflow:scroll'></div></div><p id=out></p>
 <script>e.onkeydown = (event) => { out.textContent += event.key + '.' }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_keys_without_a_field_is_typed_into() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage.open(EDITOR).await.snapshot.text;
    assert_eq!(text, "textbox \"Editor\" [e1]");
    let options = ActionOptions::default();
    let typed = stage
        .session
        .type_text(Some("e1"), "ab", false, &options, &never())
        .await
        .unwrap();
    assert_eq!(
        typed.snapshot.unwrap().text,
        "textbox \"Editor\" [e1] (focused)\na.b. [new]"
    );
    let fields = [Field {
        reference: "e1".into(),
        value: "c".into(),
    }];
    let filled = stage.session.fill(&fields, false, &options, &never()).await;
    assert_eq!(
        filled.unwrap_err().to_string(),
        "`e1` cannot be edited so: it takes keys only; use `type`, after `press` with `Control+A` to replace what is there."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_reference_is_typed_where_the_focus_is() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage
        .open("<form onsubmit=\"event.preventDefault(); out.textContent = 'sent ' + i.value\"><input id=i></form><p id=out></p>")
        .await;
    let options = ActionOptions::default();
    let typed = stage
        .session
        .type_text(None, "ab", true, &options, &never())
        .await;
    assert_eq!(
        typed.unwrap_err().to_string(),
        "Nothing on the page has the focus. Click what is to take the text first, or give `ref`."
    );
    stage.script("i.focus()").await;
    stage
        .session
        .type_text(None, "abé", true, &options, &never())
        .await
        .unwrap();
    assert_eq!(stage.script("out.textContent").await, "\"sent abé\"");
}
