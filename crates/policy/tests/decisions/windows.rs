//! What names of Windows lead to in the texts of a `bash` there.

use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim};
use tenon_policy::{DefaultMode, Engine, LexicalPaths, Permissions, Question, RuleSet};

use crate::table::resolve;

/// The workspace, as the system writes it.
const ROOT: &str = r"C:\work";

fn decide(permissions: &Permissions, text: &str) -> &'static str {
    let rules = RuleSet::new(permissions, &resolve).unwrap();
    let engine = Engine::new(rules, permissions.mode(false), ROOT);
    let access = Access {
        commands: vec![CommandClaim {
            text: text.to_owned(),
            directory: PathClaim {
                name: ".".to_owned(),
                target: ROOT.into(),
            },
            environment: Vec::new(),
        }],
        ..Access::default()
    };
    let question = Question {
        operation: Operation::Execute,
        effect: Effect::Execute,
        tool: "Bash",
        access: &access,
    };
    let decision = engine.decide(&question, &LexicalPaths::new(ROOT));
    decision.verdict.name()
}

#[test]
fn a_denied_file_is_denied_by_each_of_its_names() {
    let permissions = Permissions {
        deny: vec![
            "Read(.env)".into(),
            r"Read(C:\Users\me\.ssh\**)".into(),
            "Edit(/d/data/**)".into(),
        ],
        default_mode: Some(DefaultMode::Allow),
        ..Permissions::default()
    };
    for text in [
        "cat .env",
        "cat .env.",
        "cat '.env::$DATA'",
        r"cat 'src\..\.env'",
        "cat C:/work/.env",
        r"cat 'c:\work\.env'",
        "cat /c/work/.env",
        "cat /C/Users/me/.ssh/id",
        "cat C:/Users/me/.ssh/id",
        r"cat C:\\Users\\me\\.ssh\\id",
        "cat /cygdrive/c/Users/me/.ssh/id",
        "cat /mnt/c/Users/me/.ssh/id",
        "cat //./C:/Users/me/.ssh/id",
        "echo x > D:/data/a",
        r"echo x > 'D:\data\a'",
    ] {
        assert_eq!(decide(&permissions, text), "deny", "{text}");
    }
    // Without a disk it is not known where another directory leads.
    for text in [
        "cd /c/Users/me && cat .ssh/id",
        "cd C:/Users/me && cat .ssh/id",
    ] {
        assert_eq!(decide(&permissions, text), "ask", "{text}");
    }
    for text in ["cat C:/Users/me/a", "cat src/a"] {
        assert_eq!(decide(&permissions, text), "allow", "{text}");
    }
}

#[test]
fn the_workspace_is_known_by_each_of_its_names_and_another_drive_is_outside() {
    let permissions = Permissions {
        allow: vec!["Bash(echo:*)".into(), "Edit(**)".into()],
        ..Permissions::default()
    };
    for text in [
        "echo x > src/a",
        r"echo x > 'src\a'",
        "echo x > C:/work/src/a",
        r"echo x > 'C:\work\src\a'",
        "echo x > /c/work/src/a",
    ] {
        assert_eq!(decide(&permissions, text), "allow", "{text}");
    }
    for text in [
        "echo x > D:/work/src/a",
        "echo x > /d/work/src/a",
        "echo x > /work/src/a",
        r"echo x > '\work\src\a'",
        r"echo x > 'src\..\..\a'",
        "echo x > //server/work/a",
        "echo x > D:a",
    ] {
        assert_eq!(decide(&permissions, text), "ask", "{text}");
    }
}
