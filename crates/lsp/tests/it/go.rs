//! Go: gopls.

use tenon_lsp::Query;

use crate::projects::GO;
use crate::support::Project;

#[tokio::test(flavor = "multi_thread")]
async fn places_of_all_packages_are_exact() {
    let Some(project) = Project::with("gopls", GO) else {
        return;
    };
    let ask = |file: &'static str, place, query| project.ask(file, place, query);
    let places = [
        "main.go:6:26",
        "shape/shape.go:12:37",
        "shape/shape.go:15:6",
    ];
    assert_eq!(
        ask("shape/shape.go", (15, 6), Query::References).await,
        places
    );
    assert_eq!(ask("main.go", (6, 26), Query::References).await, places);
    assert_eq!(
        ask("main.go", (6, 26), Query::Definition).await,
        ["shape/shape.go:15:6"]
    );
    let hover = ask("main.go", (6, 27), Query::Hover).await;
    assert!(
        hover[0].contains("func shape.Add(a int, b int) int")
            && hover[0].contains("sum of two numbers"),
        "{hover:?}"
    );
    assert_eq!(
        ask("shape/shape.go", (4, 6), Query::Implementation).await,
        ["shape/shape.go:9:6"]
    );
    assert_eq!(
        ask("shape/shape.go", (15, 6), Query::IncomingCalls).await,
        ["Area shape/shape.go:12:17", "twice main.go:5:6"]
    );
    assert_eq!(
        ask("main.go", (9, 6), Query::OutgoingCalls).await,
        ["twice main.go:5:6"]
    );
    let symbols = ask("main.go", (1, 1), Query::DocumentSymbols).await;
    assert_eq!(
        symbols,
        ["function twice main.go:5:6", "function main main.go:9:6"]
    );
    let found = ask(
        "main.go",
        (1, 1),
        Query::WorkspaceSymbols(Some("twice".into())),
    )
    .await;
    assert!(
        found
            .iter()
            .any(|symbol| symbol.starts_with("function") && symbol.ends_with("main.go:5:6")),
        "{found:?}"
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_package_breaks_is_seen() {
    let Some(project) = Project::with("gopls", GO) else {
        return;
    };
    assert_eq!(project.diagnose("main.go").await, Vec::<String>::new());
    let shape = GO[1]
        .1
        .replace("func Add(", "func Sum(")
        .replace("return Add(", "return Sum(");
    project.write("shape/shape.go", &shape);
    let found = project.diagnose("main.go").await;
    assert!(
        found.len() == 1 && found[0].starts_with("error 6:26 ") && found[0].contains("Add"),
        "{found:?}"
    );
    project.write("shape/shape.go", GO[1].1);
    assert_eq!(project.diagnose("main.go").await, Vec::<String>::new());
    project.close().await;
}
