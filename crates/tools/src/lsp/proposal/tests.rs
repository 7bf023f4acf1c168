#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use tempfile::TempDir;
use tenon_contract::FileChange;
use tenon_lsp::Position;
use tenon_workspace::{Journal, JournalOptions};

use super::*;
use crate::commit::preview;
use crate::session::{EditRules, Strictness};

struct Bench {
    _directory: TempDir,
    root: PathBuf,
    session: FileSession,
}

fn bench(files: &[(&str, &str)]) -> Bench {
    bench_with(EditRules::default(), files)
}

fn bench_with(rules: EditRules, files: &[(&str, &str)]) -> Bench {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for (name, text) in files {
        std::fs::write(root.join(name), text).unwrap();
    }
    let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
    let journal = Journal::new(JournalOptions::default());
    Bench {
        _directory: directory,
        root,
        session: FileSession::new(workspace, journal, rules),
    }
}

fn span(start: (u32, u32), end: (u32, u32)) -> Span {
    let at = |(line, character)| Position { line, character };
    Span {
        start: at(start),
        end: at(end),
    }
}

fn proposal(changes: Vec<ProposedChange>) -> Proposal {
    Proposal {
        server: "server".to_owned(),
        encoding: Encoding::Utf16,
        name: None,
        title: None,
        notes: Vec::new(),
        changes,
    }
}

fn text(path: PathBuf, edits: &[(Span, &str)]) -> ProposedChange {
    let edits = edits.iter().map(|(span, text)| (*span, (*text).to_owned()));
    ProposedChange::Text {
        path,
        version: None,
        edits: edits.collect(),
    }
}

impl Bench {
    fn steps(&self, changes: Vec<ProposedChange>) -> Result<Steps, ToolError> {
        Steps::of(&self.session.workspace, &proposal(changes), None)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

#[test]
fn all_kinds_of_steps_become_one_change_set() {
    let bench = bench(&[("a", "one\n"), ("b", "two\n"), ("c", "three\n")]);
    let steps = bench
        .steps(vec![
            text(bench.at("a"), &[(span((0, 0), (0, 3)), "ONE")]),
            text(bench.at("a"), &[(span((0, 3), (0, 3)), "!")]),
            ProposedChange::Create {
                path: bench.at("new"),
                overwrite: false,
                ignore_if_exists: false,
            },
            text(bench.at("new"), &[(span((0, 0), (0, 0)), "fresh\n")]),
            ProposedChange::Rename {
                from: bench.at("b"),
                to: bench.at("moved"),
            },
            text(bench.at("moved"), &[(span((0, 0), (0, 0)), "// ")]),
            ProposedChange::Delete {
                path: bench.at("c"),
            },
        ])
        .unwrap();
    let draft = steps.draft(&bench.session).unwrap();
    let reported = preview(&draft.changes, String::new());
    let change = |path: &str, kind| FileChange {
        path: path.to_owned(),
        kind,
    };
    assert_eq!(
        reported.changes,
        [
            change("a", ChangeKind::Update),
            change("new", ChangeKind::Create),
            change("moved", ChangeKind::Move),
            change("c", ChangeKind::Delete),
        ]
    );
    bench
        .session
        .journal
        .commit(draft.changes, &|| false)
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(bench.at(name)).ok();
    assert_eq!(
        ["a", "b", "c", "moved", "new"].map(read),
        [
            Some("ONE!\n".to_owned()),
            None,
            None,
            Some("// two\n".to_owned()),
            Some("fresh\n".to_owned())
        ]
    );
}

#[test]
fn it_states_what_it_writes_and_a_dry_run_only_what_it_reads() {
    let bench = bench(&[("a", "one\n"), ("b", "two\n")]);
    let steps = bench
        .steps(vec![
            text(bench.at("a"), &[(span((0, 0), (0, 3)), "x")]),
            ProposedChange::Rename {
                from: bench.at("b"),
                to: bench.at("c"),
            },
        ])
        .unwrap();
    let asked = bench.session.workspace.locate("a").unwrap();
    let names = |claims: &[tenon_contract::PathClaim]| {
        claims
            .iter()
            .map(|claim| claim.name.clone())
            .collect::<Vec<_>>()
    };
    let access = steps.access(&asked, false);
    assert_eq!(names(&access.reads), ["a", "b"]);
    assert_eq!(names(&access.writes), ["a", "c"]);
    assert_eq!(names(&access.deletes), ["b"]);
    let dry = steps.access(&asked, true);
    assert_eq!(names(&dry.reads), ["a", "b"]);
    assert_eq!(dry.changed().count(), 0);
}

#[test]
fn what_does_not_fit_the_present_text_is_refused_as_a_whole() {
    let bench = bench(&[("a", "one two\n")]);
    let of_another_text = vec![(span((5, 0), (5, 1)), "x")];
    let backwards = vec![(span((0, 3), (0, 1)), "x")];
    let overlapping = vec![(span((0, 0), (0, 3)), "x"), (span((0, 2), (0, 4)), "y")];
    for (edits, code, said) in [
        (
            of_another_text,
            ErrorCode::StaleFile,
            "an older version of `a`",
        ),
        (
            backwards,
            ErrorCode::Unavailable,
            "that end before they begin",
        ),
        (overlapping, ErrorCode::Unavailable, "that overlap"),
    ] {
        let error = bench.steps(vec![text(bench.at("a"), &edits)]).unwrap_err();
        assert_eq!(error.code, code, "{edits:?}");
        assert!(error.message.contains(said), "{}", error.message);
    }
    let renamed = Proposal {
        name: Some("two".to_owned()),
        ..proposal(vec![text(bench.at("a"), &[(span((0, 0), (0, 3)), "new")])])
    };
    let error = Steps::of(&bench.session.workspace, &renamed, Some("new")).unwrap_err();
    assert_eq!(
        error.code,
        ErrorCode::StaleFile,
        "it would rename another name"
    );
    let outside = bench.steps(vec![text(
        "/etc/hostname".into(),
        &[(span((0, 0), (0, 0)), "x")],
    )]);
    assert_eq!(outside.unwrap_err().code, ErrorCode::OutsideWorkspace);
    let nothing = bench.steps(vec![text(bench.at("a"), &[(span((0, 0), (0, 3)), "one")])]);
    assert_eq!(nothing.unwrap_err().code, ErrorCode::NoChange);
}

#[test]
fn a_file_that_changes_after_the_proposal_is_not_changed() {
    let bench = bench(&[("a", "one\n")]);
    let steps = bench
        .steps(vec![text(bench.at("a"), &[(span((0, 0), (0, 3)), "x")])])
        .unwrap();
    std::fs::write(bench.at("a"), "two\n").unwrap();
    let error = steps.draft(&bench.session).err().unwrap();
    assert_eq!(error.code, ErrorCode::StaleFile);
}

#[test]
fn line_ends_and_what_is_not_ascii_stay_in_their_places() {
    let bench = bench(&[("a", "\u{FEFF}é🦀 x\r\nnext\r\n")]);
    let steps = bench
        .steps(vec![text(
            bench.at("a"),
            &[(span((0, 4), (0, 5)), "y"), (span((1, 0), (1, 0)), "# ")],
        )])
        .unwrap();
    let draft = steps.draft(&bench.session).unwrap();
    bench
        .session
        .journal
        .commit(draft.changes, &|| false)
        .unwrap();
    let after = std::fs::read_to_string(bench.at("a")).unwrap();
    assert_eq!(after, "\u{FEFF}é🦀 y\r\n# next\r\n");
}

#[test]
fn a_change_that_is_proposed_twice_is_made_once() {
    let bench = bench(&[("a", "one two\n")]);
    let steps = bench
        .steps(vec![text(
            bench.at("a"),
            &[
                (span((0, 4), (0, 7)), "2"),
                (span((0, 0), (0, 3)), "1"),
                (span((0, 4), (0, 7)), "2"),
                (span((0, 7), (0, 7)), "!"),
                (span((0, 7), (0, 7)), "!"),
            ],
        )])
        .unwrap();
    assert_eq!(steps.0[0].text.as_deref(), Some("1 2!!\n"));
    let different = vec![(span((0, 0), (0, 3)), "1"), (span((0, 0), (0, 3)), "2")];
    let error = bench
        .steps(vec![text(bench.at("a"), &different)])
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable, "{}", error.message);
}

#[test]
fn what_a_server_proposes_is_reviewed_as_every_change_of_a_text() {
    let files = [("a.ts", "one()\ntwo()\n"), ("b.ts", "three()\n")];
    let broken = |bench: &Bench| {
        vec![
            text(
                bench.at("a.ts"),
                &[(span((0, 0), (2, 0)), "// ... existing code ...\n")],
            ),
            text(bench.at("b.ts"), &[(span((0, 6), (0, 7)), "")]),
        ]
    };
    let bench = bench(&files);
    let steps = bench.steps(broken(&bench)).unwrap();
    let reported = steps.draft(&bench.session).unwrap().reported;
    assert_eq!(
        reported.warnings,
        [
            "Line 1 of `a.ts`, `// ... existing code ...`, is a placeholder, but placeholders are not expanded: 2 lines \
             were lost. Write the full text, or edit only the part that changes.",
            "`b.ts` has a new syntax error: line 1, `(` is not closed.",
        ]
    );
    for (rules, code) in [
        (
            EditRules {
                placeholders: Strictness::Refuse,
                ..EditRules::default()
            },
            ErrorCode::Placeholder,
        ),
        (
            EditRules {
                syntax: Strictness::Refuse,
                ..EditRules::default()
            },
            ErrorCode::BrokenSyntax,
        ),
    ] {
        let bench = bench_with(rules, &files);
        let steps = bench.steps(broken(&bench)).unwrap();
        let error = steps.draft(&bench.session).err().unwrap();
        assert_eq!(error.code, code, "{}", error.message);
    }
}

#[test]
fn a_new_name_that_is_none_of_the_language_is_refused() {
    let bench = bench(&[("a.ts", "let a = 1\nlet one = { a }\n"), ("b.txt", "a\n")]);
    let rename = |new: &str| {
        let changes = vec![
            text(bench.at("b.txt"), &[(span((0, 0), (0, 1)), new)]),
            text(
                bench.at("a.ts"),
                &[
                    (span((0, 4), (0, 5)), new),
                    (span((1, 12), (1, 13)), &format!("a: {new}")),
                ],
            ),
        ];
        let renamed = Proposal {
            name: Some("a".to_owned()),
            ..proposal(changes)
        };
        Steps::of(&bench.session.workspace, &renamed, Some(new))
    };
    let steps = rename("sum").unwrap();
    assert_eq!(
        steps.0[1].text.as_deref(),
        Some("let sum = 1\nlet one = { a: sum }\n")
    );
    for new in ["not valid!", "1abc", "a.b", "class"] {
        let error = rename(new).unwrap_err();
        let expected = format!(
            "Nothing was changed: `{new}` cannot take the place of `a` on line 1 of `a.ts`: it is not a name of TypeScript \
             there. Pass another name."
        );
        assert_eq!(
            (error.code, error.message),
            (ErrorCode::InvalidParams, expected)
        );
    }
}
