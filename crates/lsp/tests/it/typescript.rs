//! TypeScript: three servers, one project, the same places.

use tenon_lsp::Query;

use crate::projects::{TYPESCRIPT, TYPESCRIPT_ADD};
use crate::support::Project;

const SERVERS: [&str; 3] = ["typescript-language-server", "vtsls", "tsgo"];

#[tokio::test(flavor = "multi_thread")]
async fn the_first_question_about_references_is_answered_completely() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        assert_eq!(
            project
                .ask("src/shape.ts", (13, 17), Query::References)
                .await,
            TYPESCRIPT_ADD,
            "{program}"
        );
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn places_behind_characters_of_two_units_are_exact() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        let ask = |place, query| project.ask("src/use.ts", place, query);
        assert_eq!(
            ask((3, 25), Query::Definition).await,
            ["src/shape.ts:13:17"],
            "{program}"
        );
        assert_eq!(
            ask((3, 27), Query::References).await,
            TYPESCRIPT_ADD,
            "{program}"
        );
        let hover = ask((3, 27), Query::Hover).await;
        assert!(
            hover[0].contains("add(a: number, b: number): number")
                && hover[0].contains("Sum of two numbers."),
            "{program} {hover:?}"
        );
        assert_eq!(
            project
                .ask("src/shape.ts", (5, 24), Query::References)
                .await,
            ["src/shape.ts:5:24", "src/use.ts:1:15", "src/use.ts:5:26"],
            "{program}"
        );
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_implementations_and_calls_are_found() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        let symbols = project
            .ask("src/shape.ts", (1, 1), Query::DocumentSymbols)
            .await;
        let tops: Vec<&String> = symbols
            .iter()
            .filter(|symbol| !symbol.starts_with(' '))
            .collect();
        assert_eq!(
            tops,
            [
                "interface Shape src/shape.ts:1:18",
                "class Circle src/shape.ts:5:24",
                "function add src/shape.ts:13:17"
            ],
            "{program}"
        );
        assert!(
            symbols.contains(&" method area src/shape.ts:7:3".to_owned()),
            "{program} {symbols:?}"
        );
        let found = project
            .ask(
                "src/use.ts",
                (1, 1),
                Query::WorkspaceSymbols(Some("twice".into())),
            )
            .await;
        assert!(
            found.len() == 1 && found[0].starts_with("function twice"),
            "{program} {found:?}"
        );
        assert_eq!(
            project
                .ask("src/shape.ts", (2, 3), Query::Implementation)
                .await,
            ["src/shape.ts:7:3"],
            "{program}"
        );
        let callers = project
            .ask("src/shape.ts", (13, 17), Query::IncomingCalls)
            .await;
        for caller in ["run src/other.ts:4:17", "twice src/use.ts:4:17"] {
            assert!(
                callers.contains(&caller.to_owned()),
                "{program} {callers:?}"
            );
        }
        assert_eq!(callers.len(), 4, "{program}: two functions and two modules");
        // At the import of the function, where servers say nothing.
        let from_import = project
            .ask("src/use.ts", (1, 10), Query::IncomingCalls)
            .await;
        assert_eq!(from_import, callers, "{program}");
        let called = project
            .ask("src/use.ts", (4, 17), Query::OutgoingCalls)
            .await;
        assert!(
            called.contains(&"add src/shape.ts:13:17".to_owned()),
            "{program} {called:?}"
        );
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_are_of_the_text_on_disk_and_of_what_it_imports() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        let wrong = ["error 3:14 Type 'number' is not assignable to type 'string'."];
        assert_eq!(project.diagnose("src/other.ts").await, wrong, "{program}");
        assert_eq!(
            project.diagnose("src/use.ts").await,
            Vec::<String>::new(),
            "{program}"
        );
        project.write(
            "src/other.ts",
            "import { add } from './shape.js'\nexport const right: number = add(1, 2)\n",
        );
        assert_eq!(
            project.diagnose("src/other.ts").await,
            Vec::<String>::new(),
            "{program}"
        );
        // A file that nobody opened.
        let shape = TYPESCRIPT[2]
            .1
            .replace("b: number): number", "b: number): string")
            .replace("return a + b", "return `${a}${b}`");
        project.write("src/shape.ts", &shape);
        let found = project.diagnose("src/other.ts").await;
        assert_eq!(
            found,
            ["error 2:14 Type 'string' is not assignable to type 'number'."],
            "{program}"
        );
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_appear_move_and_go_are_seen_by_the_next_call() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        let references = || project.ask("src/shape.ts", (13, 17), Query::References);
        assert_eq!(references().await.len(), 7, "{program}");
        project.write(
            "src/more.ts",
            "import { add } from './shape.js'\nadd(5, 6)\n",
        );
        let found = references().await;
        assert_eq!(
            (found.len(), found[0].as_str()),
            (9, "src/more.ts:1:10"),
            "{program}"
        );
        std::fs::remove_file(project.directory.path().join("src/more.ts")).unwrap();
        std::fs::remove_file(project.directory.path().join("src/other.ts")).unwrap();
        assert_eq!(references().await, TYPESCRIPT_ADD[3..], "{program}");
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_first_questions_is_answered_with_definitions_and_not_with_imports() {
    let files: Vec<(String, String)> = (0..24)
        .flat_map(|number| {
            let definition = format!("export function made{number}(x: number) {{\n  return x\n}}\n");
            let use_ = format!(
                "import {{ made{number} }} from './made{number}.js'\nexport const n{number} = made{number}({number})\n"
            );
            [
                (format!("src/made{number}.ts"), definition),
                (format!("src/use{number}.ts"), use_),
            ]
        })
        .collect();
    let mut all: Vec<(&str, &str)> = TYPESCRIPT[..2].to_vec();
    all.extend(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    for program in SERVERS {
        for _ in 0..2 {
            let Some(project) = Project::with(program, &all) else {
                continue;
            };
            let names: Vec<String> = (0..24)
                .map(|number| format!("src/use{number}.ts"))
                .collect();
            let questions = names
                .iter()
                .map(|name| project.try_ask(name, (2, 20), Query::Definition));
            let hovers = names
                .iter()
                .map(|name| project.try_ask(name, (2, 20), Query::Hover));
            let (replies, hovers) = tokio::join!(
                futures_util::future::join_all(questions),
                futures_util::future::join_all(hovers)
            );
            for (number, (reply, hover)) in replies.into_iter().zip(hovers).enumerate() {
                let reply = reply.unwrap();
                assert_eq!(
                    project.reported(&reply),
                    [format!("src/made{number}.ts:1:17")],
                    "{program} {:?}",
                    reply.status
                );
                let hover = project.reported(&hover.unwrap());
                assert!(
                    hover[0].contains("x: number): number"),
                    "{program} {hover:?}"
                );
            }
            project.close().await;
        }
    }
}

/// At the top of the file system, as in `/app`, tsserver does not watch for what was missing.
#[tokio::test(flavor = "multi_thread")]
async fn modules_that_come_to_be_at_the_top_of_the_file_system_are_found() {
    const MODULE: &str = "export const k = 1;\n";
    const IMPORT: &str = "import { k } from \"./m\";\nconsole.log(k);\n";
    let files = [
        ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true}}"),
        ("package.json", "{\"type\":\"module\"}"),
        ("m.ts", MODULE),
        ("n.ts", IMPORT),
    ];
    for program in SERVERS {
        let Some(project) = Project::with(program, &files) else {
            continue;
        };
        let is_missing = async |name: &str| match project.diagnose("n.ts").await.as_slice() {
            [] => false,
            [finding] if finding.contains(&format!("Cannot find module '{name}'")) => true,
            findings => panic!("{program}: {findings:?}"),
        };
        assert!(!is_missing("./m").await, "{program}");
        std::fs::remove_file(project.directory.path().join("m.ts")).unwrap();
        assert!(is_missing("./m").await, "{program}");
        project.write("m.ts", MODULE);
        assert!(!is_missing("./m").await, "{program}");
        project.write("n.ts", &IMPORT.replace("./m", "pkg"));
        assert!(is_missing("pkg").await, "{program}");
        project.write("node_modules/pkg/package.json", "{\"types\":\"i.d.ts\"}");
        project.write("node_modules/pkg/i.d.ts", MODULE);
        assert!(!is_missing("pkg").await, "{program}");
        project.close().await;
    }
}

/// Most projects have `node_modules` ignored, so that nothing is seen of what is in it.
#[tokio::test(flavor = "multi_thread")]
async fn packages_that_are_installed_are_found_where_they_are_ignored() {
    let files = [
        (
            "src/tsconfig.json",
            "{\"compilerOptions\":{\"strict\":true}}",
        ),
        ("src/.gitignore", "node_modules\n"),
        ("src/package.json", "{\"type\":\"module\"}"),
        ("src/n.ts", "import { k } from \"pkg\";\nconsole.log(k);\n"),
    ];
    for program in SERVERS {
        let Some(project) = Project::with(program, &files) else {
            continue;
        };
        let missing = project.diagnose("src/n.ts").await;
        let is_missing = |finding: &String| finding.contains("Cannot find module 'pkg'");
        assert!(missing.iter().any(is_missing), "{program}: {missing:?}");
        let package = "src/node_modules/pkg";
        project.write(&format!("{package}/package.json"), "{\"types\":\"i.d.ts\"}");
        project.write(&format!("{package}/i.d.ts"), "export const k: number;\n");
        let found = project.diagnose("src/n.ts").await;
        assert!(found.is_empty(), "{program}: {found:?}");
        project.close().await;
    }
}
