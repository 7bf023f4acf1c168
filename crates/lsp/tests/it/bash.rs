//! bash: bash-language-server, with shellcheck and without.

use tenon_lsp::{LspOptions, Query};

use crate::projects::BASH;
use crate::support::{Project, installed};

#[tokio::test(flavor = "multi_thread")]
async fn files_that_were_never_opened_are_known() {
    let Some(project) = Project::with("bash-language-server", BASH) else {
        return;
    };
    let places = ["lib.sh:3:1", "main.sh:3:13", "main.sh:4:1"];
    assert_eq!(
        project.ask("lib.sh", (3, 1), Query::References).await,
        places
    );
    assert_eq!(
        project.ask("main.sh", (3, 13), Query::References).await,
        places
    );
    assert_eq!(
        project.ask("main.sh", (3, 16), Query::Definition).await,
        ["lib.sh:3:1"]
    );
    let hover = project.ask("main.sh", (3, 13), Query::Hover).await;
    assert!(
        hover[0].contains("greet") && hover[0].contains("Greets somebody."),
        "{hover:?}"
    );
    assert_eq!(
        project.ask("lib.sh", (1, 1), Query::DocumentSymbols).await,
        ["function greet lib.sh:3:1"]
    );
    assert_eq!(
        project
            .ask(
                "main.sh",
                (1, 1),
                Query::WorkspaceSymbols(Some("greet".into()))
            )
            .await,
        ["function greet lib.sh:3:1"]
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_files_at_once_all_get_their_diagnostics() {
    if installed("shellcheck").is_none() {
        return;
    }
    let Some(project) = Project::with("bash-language-server", BASH) else {
        return;
    };
    let (bad, main, lib) = tokio::join!(
        project.diagnose("bad.sh"),
        project.diagnose("main.sh"),
        project.diagnose("lib.sh")
    );
    let expected = [
        "warning 2:18 undefined_thing is referenced but not assigned.",
        "information 2:18 Double quote to prevent globbing and word splitting.",
    ];
    assert_eq!(bad, expected);
    assert_eq!((main, lib), (Vec::new(), Vec::new()));
    project.write("bad.sh", "#!/usr/bin/env bash\necho fine\n");
    assert_eq!(project.diagnose("bad.sh").await, Vec::<String>::new());
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_shellcheck_an_empty_list_is_not_taken_for_a_clean_file() {
    let Some(bin) = installed("bash-language-server") else {
        return;
    };
    if std::path::Path::new("/usr/bin/shellcheck").exists() {
        println!("skipped: shellcheck is installed on this system");
        return;
    }
    let project = Project::at(&[&bin], BASH, LspOptions::default());
    let report = project.report("bad.sh").await;
    assert_eq!(
        (report.is_answered, report.blind.map(|canary| canary.needs)),
        (false, Some("shellcheck"))
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_that_moved_on_disk_are_never_answered_at_their_old_place() {
    let Some(project) = Project::with("bash-language-server", BASH) else {
        return;
    };
    let definition = || project.ask("main.sh", (3, 16), Query::Definition);
    let symbols = || {
        let query = Query::WorkspaceSymbols(Some("greet".into()));
        project.ask("main.sh", (1, 1), query)
    };
    assert_eq!(definition().await, ["lib.sh:3:1"]);
    // Moved down, moved up, moved into another file; each by somebody else, in a file that is not asked about.
    for line in [9, 2, 30] {
        let text = format!(
            "#!/usr/bin/env bash\n{}greet() {{\n  :\n}}\n",
            "\n".repeat(line - 2)
        );
        project.write("lib.sh", &text);
        assert_eq!(definition().await, [format!("lib.sh:{line}:1")]);
        assert_eq!(symbols().await, [format!("function greet lib.sh:{line}:1")]);
    }
    project.write("lib.sh", "#!/usr/bin/env bash\n");
    project.write("moved.sh", "#!/usr/bin/env bash\n\ngreet() {\n  :\n}\n");
    project.write(
        "main.sh",
        "#!/usr/bin/env bash\nsource ./moved.sh\nname='ü🦀'; greet \"$name\"\n",
    );
    assert_eq!(symbols().await, ["function greet moved.sh:3:1"]);
    assert_eq!(definition().await, ["moved.sh:3:1"]);
    std::fs::remove_file(project.directory.path().join("moved.sh")).unwrap();
    assert_eq!(symbols().await, Vec::<String>::new());
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_that_change_at_once_are_all_read_again() {
    let files: Vec<(String, String)> = (0..60)
        .map(|number| {
            (
                format!("part{number}.sh"),
                format!("part{number}() {{\n  :\n}}\n"),
            )
        })
        .collect();
    let mut all: Vec<(&str, &str)> = BASH.to_vec();
    all.extend(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    let Some(project) = Project::with("bash-language-server", &all) else {
        return;
    };
    let symbol = |number: usize| {
        let query = Query::WorkspaceSymbols(Some(format!("part{number}")));
        project.ask("main.sh", (1, 1), query)
    };
    assert_eq!(symbol(59).await, ["function part59 part59.sh:1:1"]);
    for (name, text) in &files {
        project.write(name, &format!("\n\n{text}"));
    }
    for number in [59, 30, 7] {
        let expected = format!("function part{number} part{number}.sh:3:1");
        assert!(symbol(number).await.contains(&expected), "{number}");
    }
    project.close().await;
}
