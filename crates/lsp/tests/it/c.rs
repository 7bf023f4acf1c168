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

/// A project in C++: a function in another file, and one in a header.
const MOVING: &[(&str, &str)] = &[
    (
        "compile_commands.json",
        r#"[{"directory": "ROOT", "command": "c++ -c add.cpp", "file": "add.cpp"},
            {"directory": "ROOT", "command": "c++ -c use.cpp", "file": "use.cpp"}]"#,
    ),
    (
        "add.hpp",
        "#pragma once\nint add(int a, int b);\ninline int one() { return 1; }\n",
    ),
    (
        "add.cpp",
        "#include \"add.hpp\"\nint add(int a, int b) { return a + b; }\n",
    ),
    (
        "use.cpp",
        "#include \"add.hpp\"\nint total() { return add(one(), 2); }\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn symbols_that_moved_on_disk_are_never_answered_at_their_old_place() {
    let Some(project) = Project::with("clangd", MOVING) else {
        return;
    };
    let add = || project.ask("use.cpp", (2, 22), Query::Definition);
    let one = || project.ask("use.cpp", (2, 26), Query::Definition);
    let symbols = || {
        let query = Query::WorkspaceSymbols(Some("add".into()));
        project.ask("use.cpp", (1, 1), query)
    };
    // The index that knows the definition is built first.
    assert_eq!(
        project
            .ask("use.cpp", (2, 22), Query::References)
            .await
            .len(),
        3
    );
    assert_eq!(
        (add().await, one().await),
        (
            vec!["add.cpp:2:5".to_owned()],
            vec!["add.hpp:3:12".to_owned()]
        )
    );
    for line in [12, 4, 40] {
        let gap = "\n".repeat(line - 2);
        let text =
            format!("#include \"add.hpp\"\n{gap}int add(int a, int b) {{ return a + b; }}\n");
        project.write("add.cpp", &text);
        assert_eq!(add().await, [format!("add.cpp:{line}:5")]);
        let text = format!(
            "#pragma once\n{gap}int add(int a, int b);\ninline int one() {{ return 1; }}\n"
        );
        project.write("add.hpp", &text);
        assert_eq!(one().await, [format!("add.hpp:{}:12", line + 1)]);
        let mut own = symbols().await;
        own.retain(|symbol| !symbol.contains(" outside:"));
        assert_eq!(own, [format!("function add add.cpp:{line}:5")]);
    }
    project.close().await;
}
