//! Notebooks: read as cells, changed cell by cell.

use serde_json::{Value, json};

use crate::support::Bench;

fn notebook() -> String {
    let cells = json!([
        { "cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "Text"] },
        {
            "cell_type": "code", "execution_count": 7, "id": "sum", "metadata": {},
            "outputs": [
                { "output_type": "stream", "name": "stdout", "text": ["\u{1b}[31mred\u{1b}[0m\n", "two\n"] },
                { "output_type": "display_data", "data": { "image/png": "aGVsbG8=", "text/plain": ["<Figure>"] } },
                { "output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["line 1", "line 2"] },
            ],
            "source": "1 + 1",
        },
    ]);
    json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }).to_string()
}

#[tokio::test]
async fn a_notebook_is_read_as_its_cells() {
    let bench = Bench::canonical();
    bench.write("n.ipynb", notebook());
    let read = async |params: Value| bench.ok("Read", params).await;
    let path = bench.path("n.ipynb");
    let (text, details) = read(json!({ "file_path": path })).await;
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split_once('\t').unwrap().1)
        .collect();
    assert_eq!(
        lines,
        [
            "Notebook of 2 cells, language python.",
            "",
            "[cell 1: markdown, id intro]",
            "# Title",
            "Text",
            "",
            "[cell 2: code, id sum, run 7]",
            "1 + 1",
            "[output]",
            "red",
            "two",
            "[image/png, 8 bytes as stored]",
            "<Figure>",
            "line 1",
            "line 2",
        ]
    );
    assert_eq!(details["total_lines"], 15);
    let (text, _) = read(json!({ "file_path": path, "pages": "2" })).await;
    assert!(
        !text.contains("# Title") && text.contains("1 + 1"),
        "{text}"
    );
    let (text, _) = read(json!({ "file_path": path, "offset": 4, "limit": 1 })).await;
    assert!(text.starts_with("     4\t# Title\n"), "{text}");
    let (code, message) = bench
        .refusal("Read", json!({ "file_path": path, "pages": "9" }))
        .await;
    assert_eq!(code, "invalid_params");
    assert!(
        message.contains("There is no cell 9: there are 2"),
        "{message}"
    );
}

#[tokio::test]
async fn every_vocabulary_shows_a_notebook_as_its_cells() {
    for (dialect, tool, param) in [
        ("agent", "read", "file_path"),
        ("canonical", "Read", "file_path"),
        ("coder", "read", "path"),
        ("manager", "read_file", "path"),
        ("acp", "read_file", "path"),
    ] {
        let bench = Bench::new(json!({ "dialect": dialect }));
        bench.write("n.ipynb", notebook());
        let (text, _) = bench
            .ok(tool, json!({ param: bench.path("n.ipynb") }))
            .await;
        assert!(
            text.contains("Notebook of 2 cells") && text.contains("[cell 2: code, id sum, run 7]"),
            "{dialect}: {text}"
        );
    }
}

#[tokio::test]
async fn notebook_edit_changes_one_cell() {
    let bench = Bench::canonical();
    bench.write("n.ipynb", notebook());
    let path = bench.path("n.ipynb");
    let edit = json!({ "notebook_path": path, "cell_id": "sum", "new_source": "2 + 2" });
    let (text, details) = bench.ok("NotebookEdit", edit).await;
    assert_eq!(
        details,
        json!({ "success": true, "cell_id": "sum", "cell_type": "code", "edit_mode": "replace", "total_cells": 2 })
    );
    assert_eq!(text, "Replaced code cell sum (number 2 of 2) in n.ipynb.");
    let after: Value = serde_json::from_str(&bench.read("n.ipynb")).unwrap();
    assert_eq!(
        after["cells"][1],
        json!({ "cell_type": "code", "execution_count": null, "id": "sum", "metadata": {}, "outputs": [], "source": "2 + 2" })
    );
    assert_eq!(after["cells"][0]["id"], "intro");
    let (code, _) = bench
        .refusal(
            "NotebookEdit",
            json!({ "notebook_path": path, "cell_id": "0", "edit_mode": "move" }),
        )
        .await;
    assert_eq!(code, "invalid_params");
}

#[tokio::test]
async fn levels_hold_no_companions() {
    let tools = |options: Value| -> Vec<String> {
        let bench = Bench::new(options);
        bench
            .toolkit
            .catalog()
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    };
    let all = tools(json!({ "dialect": "canonical" }));
    assert!(all.iter().any(|name| name == "NotebookEdit"), "{all:?}");
    for level in 1..=3 {
        let shown = tools(json!({ "dialect": "canonical", "level": level }));
        assert!(
            !shown.iter().any(|name| name == "NotebookEdit"),
            "{shown:?}"
        );
        for name in ["Read", "Write", "Edit", "Glob", "Grep", "Bash"] {
            assert!(shown.iter().any(|shown| shown == name), "{name}: {shown:?}");
        }
    }
}
