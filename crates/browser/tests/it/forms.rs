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
        .type_text(&name, "cDé", true, &options, &never())
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
    assert_eq!(error.kind(), "invalid");
    let error = stage
        .session
        .select(&one, &["1".to_owned(), "2".to_owned()], &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
}
