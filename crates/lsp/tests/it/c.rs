//! C: clangd.

use tenon_lsp::Query;

use crate::projects::C;
use crate::support::Project;

#[tokio::test(flavor = "multi_thread")]
async fn the_index_is_waited_for_and_places_are_exact() {
    let Some(project) = Project::with("clangd", C) else {
        return;
    };
    let places = [
        "add.c:3:5",
        "add.h:3:5",
        "other.c:3:24",
        "use.c:3:59",
        "use.c:5:27",
    ];
    assert_eq!(
        project.ask("add.h", (3, 5), Query::References).await,
        places
    );
    assert_eq!(
        project.ask("use.c", (3, 59), Query::References).await,
        places
    );
    assert_eq!(
        project.ask("use.c", (3, 59), Query::Definition).await,
        ["add.c:3:5"]
    );
    let hover = project.ask("use.c", (3, 60), Query::Hover).await;
    assert!(hover[0].contains("int add(int a, int b)"), "{hover:?}");
    let callers = ["run other.c:3:5", "total use.c:3:38", "twice use.c:5:5"];
    assert_eq!(
        project.ask("add.h", (3, 5), Query::IncomingCalls).await,
        callers
    );
    let called = project.ask("use.c", (5, 5), Query::OutgoingCalls).await;
    assert_eq!(
        called
            .iter()
            .map(|call| call.split(' ').next().unwrap())
            .collect::<Vec<_>>(),
        ["add", "total"]
    );
    let symbols = project.ask("use.c", (1, 1), Query::DocumentSymbols).await;
    assert_eq!(
        symbols,
        [
            "variable crab use.c:3:20",
            "function total use.c:3:38",
            "function twice use.c:5:5"
        ]
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_header_is_seen_in_the_file_that_includes_it() {
    let Some(project) = Project::with("clangd", C) else {
        return;
    };
    assert_eq!(
        project.diagnose("other.c").await,
        ["error 3:31 Use of undeclared identifier 'missing'"]
    );
    assert_eq!(project.diagnose("use.c").await, Vec::<String>::new());
    project.write(
        "add.h",
        "#pragma once\nint add(int a);\n#define missing 4\n",
    );
    let found = project.diagnose("other.c").await;
    assert!(
        found.len() == 1 && found[0].contains("oo many arguments"),
        "{found:?}"
    );
    project.write(
        "add.h",
        "#pragma once\nint add(int a, int b);\n#define missing 4\n",
    );
    assert_eq!(project.diagnose("other.c").await, Vec::<String>::new());
    assert_eq!(project.diagnose("use.c").await, Vec::<String>::new());
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_compilation_database_it_is_said_that_other_files_are_not_known() {
    let loose: Vec<(&str, &str)> = C
        .iter()
        .copied()
        .filter(|(name, _)| *name != "compile_commands.json")
        .collect();
    for (files, is_partial) in [(loose.as_slice(), true), (C, false)] {
        let Some(project) = Project::with("clangd", files) else {
            return;
        };
        let reply = project.try_ask("add.c", (3, 5), Query::References).await;
        let notes = reply.unwrap().notes;
        let said = notes
            .iter()
            .any(|note| note.contains("compile_commands.json"));
        assert_eq!(said, is_partial, "{notes:?}");
        project.close().await;
    }
}
