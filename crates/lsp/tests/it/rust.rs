//! Rust: rust-analyzer.

use tenon_lsp::Query;

use crate::projects::RUST;
use crate::support::Project;

#[tokio::test(flavor = "multi_thread")]
async fn the_project_is_loaded_before_anything_is_believed() {
    let Some(project) = Project::with("rust-analyzer", RUST) else {
        return;
    };
    let places = [
        "src/main.rs:2:13",
        "src/main.rs:5:20",
        "src/shape.rs:14:8",
        "src/shape.rs:9:9",
    ];
    assert_eq!(
        project
            .ask("src/shape.rs", (14, 8), Query::References)
            .await,
        places
    );
    assert_eq!(
        project.ask("src/main.rs", (5, 20), Query::Definition).await,
        ["src/shape.rs:14:8"]
    );
    assert_eq!(
        project
            .ask("src/shape.rs", (1, 11), Query::Implementation)
            .await,
        ["src/shape.rs:7:15"]
    );
    assert_eq!(project.diagnose("src/main.rs").await, Vec::<String>::new());
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn places_behind_characters_of_two_units_are_exact() {
    let Some(project) = Project::with("rust-analyzer", RUST) else {
        return;
    };
    let ask = |file: &'static str, place, query| project.ask(file, place, query);
    let hover = ask("src/main.rs", (5, 21), Query::Hover).await;
    assert!(
        hover[0].contains("pub fn add(a: i32, b: i32) -> i32")
            && hover[0].contains("Sum of two numbers."),
        "{hover:?}"
    );
    assert_eq!(
        ask("src/main.rs", (9, 34), Query::References).await,
        [
            "src/main.rs:2:24",
            "src/main.rs:9:33",
            "src/shape.rs:5:12",
            "src/shape.rs:7:15"
        ]
    );
    assert_eq!(
        ask("src/shape.rs", (14, 8), Query::IncomingCalls).await,
        ["area src/shape.rs:8:8", "twice src/main.rs:4:4"]
    );
    assert_eq!(
        ask("src/main.rs", (4, 4), Query::OutgoingCalls).await,
        ["add src/shape.rs:14:8"]
    );
    let symbols = ask("src/shape.rs", (1, 1), Query::DocumentSymbols).await;
    let tops: Vec<&String> = symbols
        .iter()
        .filter(|symbol| !symbol.starts_with(' '))
        .collect();
    assert_eq!(tops.len(), 4, "{symbols:?}");
    assert_eq!(tops[3], "function add src/shape.rs:14:8");
    let found = ask(
        "src/main.rs",
        (1, 1),
        Query::WorkspaceSymbols(Some("twice".into())),
    )
    .await;
    assert_eq!(found, ["function twice src/main.rs:4:4"]);
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_file_breaks_is_seen() {
    let Some(project) = Project::with("rust-analyzer", RUST) else {
        return;
    };
    assert_eq!(project.diagnose("src/main.rs").await, Vec::<String>::new());
    let shape = RUST[2].1.replace(
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}",
        "pub fn add(a: i32, b: i32) -> bool {\n    a == b\n}",
    );
    project.write("src/shape.rs", &shape);
    let found = project.diagnose("src/main.rs").await;
    assert!(
        found.len() == 1
            && found[0].starts_with("error 5:20 ")
            && found[0].contains("expected i32, found bool"),
        "{found:?}"
    );
    project.write("src/shape.rs", RUST[2].1);
    assert_eq!(project.diagnose("src/main.rs").await, Vec::<String>::new());
    project.close().await;
}
