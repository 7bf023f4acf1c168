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
