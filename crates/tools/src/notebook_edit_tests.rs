use super::*;

const JUPYTER: &str = r##"{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "aaa",
   "metadata": {"x": 1.50},
   "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["hi\n"]}
   ],
   "source": [
    "a = 1\n",
    "b"
   ]
  },
  {
   "cell_type": "markdown",
   "id": "bbb",
   "metadata": {},
   "source": [
    "# Ti\u0074le"
   ]
  }
 ],
 "metadata": {"kernelspec": {"language": "julia"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn edited(text: &str, params: Value) -> Result<String, String> {
    let directory = tempfile::tempdir().unwrap();
    let workspace = tenon_workspace::Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    std::fs::write(directory.path().join("n.ipynb"), text).unwrap();
    let mut params = params;
    params["path"] = json!("n.ipynb");
    let plan = NotebookEditPlan {
        file: workspace.locate("n.ipynb").unwrap(),
        params: serde_json::from_value(params).unwrap(),
    };
    let journal = tenon_workspace::Journal::new(tenon_workspace::JournalOptions::default());
    let session = FileSession::new(workspace, journal, crate::session::EditRules::default());
    let (changes, ..) = draft(&plan, &session).map_err(|error| error.message)?;
    changes.commit(&|| false).unwrap();
    let after = std::fs::read_to_string(directory.path().join("n.ipynb")).unwrap();
    Notebook::parse(&after).unwrap();
    Ok(after)
}

#[test]
fn a_cell_is_replaced_and_nothing_else_is_touched() {
    let after = edited(
        JUPYTER,
        json!({"cell_id": "aaa", "new_source": "c = 2\n\nd"}),
    )
    .unwrap();
    let (_, rest) = JUPYTER.split_once("  },\n").unwrap();
    let expected = format!(
        r#"{{
 "cells": [
  {{
   "cell_type": "code",
   "execution_count": null,
   "id": "aaa",
   "metadata": {{
    "x": 1.5
   }},
   "outputs": [],
   "source": [
    "c = 2\n",
    "\n",
    "d"
   ]
  }},
{rest}"#
    );
    assert_eq!(after, expected);
}

#[test]
fn a_cell_may_become_one_of_another_kind() {
    let after = edited(
        JUPYTER,
        json!({"cell_id": "cell-0", "new_source": "text", "cell_type": "markdown"}),
    )
    .unwrap();
    let cell = &Notebook::parse(&after).unwrap().cells[0].value;
    assert_eq!(
        cell,
        &json!({"cell_type": "markdown", "id": "aaa", "metadata": {"x": 1.5}, "source": ["text"]})
    );
}

/// Jupyter refuses to open a notebook with them.
#[test]
fn a_cell_that_becomes_code_loses_its_attachments() {
    let metadata = "\"metadata\": {},\n   \"source\": [\n    \"# Ti";
    let attachments = "\"attachments\": {\"a.png\": {\"image/png\": \"AAAA\"}},\n   ";
    let text = JUPYTER.replace(metadata, &format!("{attachments}{metadata}"));
    assert_ne!(text, JUPYTER);
    let kept = edited(&text, json!({"cell_id": "bbb", "new_source": "x"})).unwrap();
    assert!(kept.contains("attachments"));
    let code = json!({"cell_id": "bbb", "new_source": "x", "cell_type": "code"});
    assert!(!edited(&text, code).unwrap().contains("attachments"));
}

#[test]
fn cells_are_inserted_at_the_start_after_another_and_into_nothing() {
    let insert = |text: &str, after: Value| {
        let params = json!({"cell_id": after, "new_source": "x", "cell_type": "markdown", "edit_mode": "insert"});
        edited(text, params).unwrap()
    };
    let sources = |text: &str| -> Vec<String> {
        let notebook = Notebook::parse(text).unwrap();
        notebook.cells.iter().map(Cell::source).collect()
    };
    let start = insert(JUPYTER, json!(null));
    assert_eq!(sources(&start), ["x", "a = 1\nb", "# Title"]);
    let between = insert(JUPYTER, json!("aaa"));
    assert_eq!(sources(&between), ["a = 1\nb", "x", "# Title"]);
    let end = insert(JUPYTER, json!("1"));
    assert_eq!(sources(&end), ["a = 1\nb", "# Title", "x"]);
    // What was there stands as it stood.
    let (head, _) = JUPYTER.split_once("\n ],\n \"metadata\"").unwrap();
    assert!(end.starts_with(&format!(
        "{head},\n  {{\n   \"cell_type\": \"markdown\",\n   \"id\": \""
    )));
    let id = Notebook::parse(&end).unwrap().cells[2].id().unwrap().len();
    assert_eq!(id, 8);

    let empty = "{\n  \"cells\": [],\n  \"metadata\": {},\n  \"nbformat\": 4,\n  \"nbformat_minor\": 2\n}\n";
    let first = "{\n  \"cells\": [\n    {\n      \"cell_type\": \"markdown\",\n      \"metadata\": {},\n      \"source\": [\n        \"x\"\n      ]\n    }\n  ],\n  \"metadata\": {},\n  \"nbformat\": 4,\n  \"nbformat_minor\": 2\n}\n";
    assert_eq!(insert(empty, json!(null)), first);
    let dense = r#"{"cells":[{"cell_type":"raw","source":"r"}],"nbformat":4}"#;
    assert_eq!(
        insert(dense, json!("0")),
        r#"{"cells":[{"cell_type":"raw","source":"r"},{"cell_type":"markdown","metadata":{},"source":["x"]}],"nbformat":4}"#
    );
}

#[test]
fn cells_are_deleted_with_their_comma() {
    let delete = |id: &str| edited(JUPYTER, json!({"cell_id": id, "edit_mode": "delete"})).unwrap();
    let (head, tail) = JUPYTER
        .split_once(",\n  {\n   \"cell_type\": \"markdown\"")
        .unwrap();
    let (_, end) = tail.split_once("\n  }").unwrap();
    assert_eq!(delete("bbb"), format!("{head}{end}"));
    assert_eq!(Notebook::parse(&delete("aaa")).unwrap().cells.len(), 1);
    let one = r#"{"cells": [ {"cell_type": "raw"} ], "nbformat": 4}"#;
    assert_eq!(
        edited(one, json!({"cell_id": "0", "edit_mode": "delete"})).unwrap(),
        r#"{"cells": [], "nbformat": 4}"#
    );
}

#[test]
fn line_ends_of_the_file_are_kept() {
    let text = JUPYTER.replace('\n', "\r\n");
    let after = edited(&text, json!({"cell_id": "bbb", "new_source": "one\ntwo"})).unwrap();
    assert!(!after.replace("\r\n", "").contains('\n'));
    assert!(after.contains(r#""one\n","#), "{after}");
}

#[test]
fn what_cannot_be_done_is_reported_with_what_there_is() {
    let refusal = |params: Value| edited(JUPYTER, params).unwrap_err();
    assert_eq!(
        refusal(json!({"cell_id": "zzz", "new_source": ""})),
        "`n.ipynb` was not changed: it has no cell `zzz` among its 2. The first are `aaa`, `bbb`; indexes count from 0, as in `cell-0`."
    );
    assert_eq!(
        edited(
            r#"{"cells": [], "nbformat": 4}"#,
            json!({"cell_id": "cell-0", "new_source": ""})
        )
        .unwrap_err(),
        "`n.ipynb` was not changed: it has no cells. Insert one without `cell_id`."
    );
    assert!(refusal(json!({"cell_id": "2", "new_source": ""})).contains("no cell `2`"));
    assert!(refusal(json!({"new_source": "x"})).contains("`cell_id` is required"));
    assert!(refusal(json!({"cell_id": "aaa"})).contains("`new_source` is required"));
    assert!(refusal(json!({"cell_id": "bbb", "new_source": "# Title"})).contains("already"));
    assert!(
        edited("{", json!({"cell_id": "0"}))
            .unwrap_err()
            .contains("not JSON")
    );
    assert!(
        edited("{}", json!({"cell_id": "0"}))
            .unwrap_err()
            .contains("no list of `cells`")
    );
}
