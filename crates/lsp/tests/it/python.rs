//! Python: pylsp and pyright.

use tenon_lsp::Query;

use crate::projects::{PYTHON, PYTHON_ADD};
use crate::support::Project;

#[tokio::test(flavor = "multi_thread")]
async fn pylsp_finds_exact_places_though_it_counts_code_points() {
    let Some(project) = Project::with("pylsp", PYTHON) else {
        return;
    };
    assert_eq!(
        project.ask("shapes.py", (11, 5), Query::References).await,
        PYTHON_ADD
    );
    assert_eq!(
        project.ask("use.py", (3, 18), Query::Definition).await,
        ["shapes.py:11:5"]
    );
    let hover = project.ask("use.py", (3, 18), Query::Hover).await;
    assert!(
        hover[0].contains("add(a: int, b: int) -> int") && hover[0].contains("Sum of two numbers."),
        "{hover:?}"
    );
    let symbols = project
        .ask("shapes.py", (1, 1), Query::DocumentSymbols)
        .await;
    let expected = [
        "class Shape shapes.py:1:1",
        " method area shapes.py:2:5",
        "class Circle shapes.py:6:1",
        " method area shapes.py:7:5",
        "function add shapes.py:11:1",
    ];
    assert_eq!(symbols, expected);
    // `🦀` before it is one code point and two units.
    assert_eq!(
        project.diagnose("other.py").await,
        [
            "warning 1:1 'os' imported but unused",
            "error 6:27 undefined name 'missing'"
        ]
    );
    assert_eq!(
        project.diagnose("use.py").await,
        Vec::<String>::new(),
        "the linters are there, so nothing is nothing"
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pyright_answers_completely_and_is_asked_for_its_diagnostics() {
    let Some(project) = Project::with("pyright-langserver", PYTHON) else {
        return;
    };
    assert_eq!(
        project.ask("shapes.py", (11, 5), Query::References).await,
        PYTHON_ADD
    );
    assert_eq!(
        project.ask("use.py", (3, 18), Query::Definition).await,
        ["shapes.py:11:5"]
    );
    assert_eq!(
        project
            .ask(
                "use.py",
                (1, 1),
                Query::WorkspaceSymbols(Some("twice".into()))
            )
            .await,
        ["function twice use.py:6:5"]
    );
    let callers = project
        .ask("shapes.py", (11, 5), Query::IncomingCalls)
        .await;
    assert_eq!(
        callers,
        [
            "(module) use.py use.py:1:1",
            "run other.py:5:5",
            "twice use.py:6:5"
        ]
    );
    let found = project.diagnose("other.py").await;
    assert!(
        found.contains(&"error 6:27 \"missing\" is not defined".to_owned()),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|finding| finding.starts_with("error 6:16 Argument of type")),
        "{found:?}"
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_change_is_seen_by_the_next_call() {
    for program in ["pylsp", "pyright-langserver"] {
        let Some(project) = Project::with(program, PYTHON) else {
            continue;
        };
        let missing = |found: Vec<String>| {
            found
                .into_iter()
                .filter(|finding| finding.contains("missing"))
                .count()
        };
        assert_eq!(missing(project.diagnose("other.py").await), 1, "{program}");
        project.write(
            "other.py",
            "from shapes import add\n\nmissing = add(1, 2)\n",
        );
        assert_eq!(missing(project.diagnose("other.py").await), 0, "{program}");
        project.write("more.py", "from shapes import add\nadd(1, 2)\n");
        let found = project.ask("shapes.py", (11, 5), Query::References).await;
        assert_eq!(
            found[..4],
            [
                "more.py:1:20",
                "more.py:2:1",
                "other.py:1:20",
                "other.py:3:11"
            ],
            "{program}"
        );
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_first_questions_is_answered_with_definitions_and_not_with_imports() {
    let files: Vec<(String, String)> = (0..16)
        .flat_map(|number| {
            [
                (
                    format!("made{number}.py"),
                    format!("def made{number}(x: int) -> int:\n    return x\n"),
                ),
                (
                    format!("use{number}.py"),
                    format!("from made{number} import made{number}\nn = made{number}({number})\n"),
                ),
            ]
        })
        .collect();
    let all: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    for program in ["pylsp", "pyright-langserver"] {
        let Some(project) = Project::with(program, &all) else {
            continue;
        };
        let names: Vec<String> = (0..16).map(|number| format!("use{number}.py")).collect();
        let questions = names
            .iter()
            .map(|name| project.try_ask(name, (2, 6), Query::Definition));
        let replies = futures_util::future::join_all(questions).await;
        for (number, reply) in replies.into_iter().enumerate() {
            let reply = reply.unwrap();
            assert_eq!(
                project.reported(&reply),
                [format!("made{number}.py:1:5")],
                "{program}"
            );
        }
        project.close().await;
    }
}
