//! Changes that servers work out: complete, and nothing is changed by asking.

use std::fs;

use tenon_lsp::{Address, Proposal, ProposedChange};
use tokio_util::sync::CancellationToken;

use crate::projects::{TYPESCRIPT, TYPESCRIPT_ADD};
use crate::support::Project;

/// Both count as UTF-16 does, so that their places can be compared with the shared list.
const SERVERS: [&str; 2] = ["typescript-language-server", "vtsls"];

fn address(line: u32, character: u32) -> Address {
    Address {
        line: Some(line),
        character: Some(character),
        symbol: None,
        place: None,
    }
}

/// Every replacement as `file:line:character text`, from 1, sorted.
fn reported(project: &Project, proposal: &Proposal) -> Vec<String> {
    let root = project.directory.path().canonicalize().unwrap();
    let mut reported = Vec::new();
    for change in &proposal.changes {
        let ProposedChange::Text { path, edits, .. } = change else {
            reported.push(format!("{change:?}"));
            continue;
        };
        let file = path.strip_prefix(&root).unwrap().display();
        reported.extend(edits.iter().map(|(span, text)| {
            let (line, character) = (span.start.line + 1, span.start.character + 1);
            format!("{file}:{line}:{character} {text}")
        }));
    }
    reported.sort();
    reported
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_asked_first_of_all_names_every_place() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        let file = project.servers.workspace().locate("src/shape.ts").unwrap();
        let before = fs::read(project.directory.path().join("src/shape.ts")).unwrap();
        let proposal = project
            .servers
            .rename(&file, &address(13, 17), "sum", &CancellationToken::new())
            .await
            .unwrap();
        let expected: Vec<String> = TYPESCRIPT_ADD
            .iter()
            .map(|place| format!("{place} sum"))
            .collect();
        assert_eq!(reported(&project, &proposal), expected, "{program}");
        let after = fs::read(project.directory.path().join("src/shape.ts")).unwrap();
        assert_eq!(after, before, "{program} only proposes");
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repair_is_chosen_by_its_title() {
    for program in SERVERS {
        let Some(project) = Project::with(program, TYPESCRIPT) else {
            continue;
        };
        project.write("src/late.ts", "export const three = add(1, 2);\n");
        let file = project.servers.workspace().locate("src/late.ts").unwrap();
        let cancellation = CancellationToken::new();
        let place = address(1, 22);
        let offered = project
            .servers
            .actions(&file, &place, &cancellation)
            .await
            .unwrap();
        let title = "Add import from \"./shape";
        let fitting = |title: &str| {
            offered
                .actions
                .iter()
                .filter(|action| action.title.starts_with(title))
                .count()
        };
        assert_eq!(fitting(title), 1, "{program} {offered:?}");
        let proposal = project
            .servers
            .action(&file, &place, title, &cancellation)
            .await
            .unwrap()
            .unwrap();
        let reported = reported(&project, &proposal);
        assert!(
            reported.len() == 1 && reported[0].starts_with("src/late.ts:1:1 import { add } from"),
            "{program} {reported:?}"
        );
        let unknown = project
            .servers
            .action(&file, &place, "no such repair", &cancellation)
            .await
            .unwrap();
        assert_eq!(unknown.unwrap_err(), offered.actions, "{program}");
        project.close().await;
    }
}
