use serde_json::json;

use crate::{CallRequest, Options, Ports, Toolkit};

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::fs::write(folder.path().join("work/a.txt"), "a\n").unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self { folder }
    }

    fn toolkit(
        &self,
        settings: serde_json::Value,
        more: serde_json::Value,
    ) -> Result<Toolkit, String> {
        let root = self.folder.path().display().to_string();
        let settings = settings.to_string().replace("$ROOT", &root);
        let mut options = json!({"workspace": format!("{root}/work"), "settings": serde_json::from_str::<serde_json::Value>(&settings).unwrap()});
        for (name, value) in more.as_object().unwrap() {
            options[name] = value.clone();
        }
        let options = Options::from_json(&options.to_string()).map_err(|error| error.message)?;
        Toolkit::new(options, Ports::default())
            .map_err(|error| error.message.replace(&root, "$ROOT"))
    }
}

fn verdict(toolkit: &Toolkit, tool: &str, params: serde_json::Value) -> String {
    let decision = toolkit.decide(tool, params).unwrap().decision;
    decision.verdict.name().to_owned()
}

#[test]
fn every_format_says_the_same() {
    let bench = Bench::new(&[
        (
            "a.json",
            r#"{"permissions": {"deny": ["Bash(rm:*)"], "allow": [{"rule": "Bash(ls:*)", "because": "harmless", "match": ["ls -l"]}]}}"#,
        ),
        (
            "a.json5",
            "// ours\n{permissions: {deny: ['Bash(rm:*)',], allow: ['Bash(ls:*)']}}",
        ),
        (
            "a.yaml",
            "permissions:\n  deny:\n    - Bash(rm:*)\n  allow:\n    - Bash(ls:*)\n",
        ),
    ]);
    for file in ["$ROOT/a.json", "$ROOT/a.json5", "$ROOT/a.yaml"] {
        let toolkit = bench.toolkit(json!(file), json!({})).unwrap();
        let told = ["ls -l", "rm x", "cat x"]
            .map(|command| verdict(&toolkit, "exec", json!({"command": command})));
        assert_eq!(told, ["allow", "deny", "ask"], "{file}");
    }
}

#[test]
fn several_files_merge_and_deny_wins() {
    let bench = Bench::new(&[
        (
            "a.json",
            r#"{"permissions": {"allow": ["Bash(git:*)"], "defaultMode": "ask"}}"#,
        ),
        (
            "b.yml",
            "permissions: {deny: ['Bash(git push:*)'], defaultMode: deny}\ntools: {deny: [write]}\n",
        ),
    ]);
    for files in [
        json!(["$ROOT/a.json", "$ROOT/b.yml"]),
        json!(["$ROOT/b.yml", "$ROOT/a.json"]),
    ] {
        let toolkit = bench.toolkit(files, json!({})).unwrap();
        let told = ["git log", "git push", "ls"]
            .map(|command| verdict(&toolkit, "exec", json!({"command": command})));
        assert_eq!(told, ["allow", "deny", "deny"]);
        assert!(toolkit.catalog().iter().all(|tool| tool.name != "write"));
    }
}

#[test]
fn a_file_inside_of_the_workspace_can_only_restrict_unless_it_is_trusted() {
    let bench = Bench::new(&[(
        "work/s.json",
        r#"{"permissions": {"allow": ["Bash(ls:*)"], "deny": ["Bash(rm:*)"], "defaultMode": "allow"}}"#,
    )]);
    let options = json!({"permissions": {"defaultMode": "ask"}});
    let toolkit = bench
        .toolkit(json!("$ROOT/work/s.json"), options.clone())
        .unwrap();
    let told = |toolkit: &Toolkit| {
        ["ls", "rm x"].map(|command| verdict(toolkit, "exec", json!({"command": command})))
    };
    assert_eq!(told(&toolkit), ["ask", "deny"]);
    assert_eq!(toolkit.notices().len(), 1);
    let toolkit = bench
        .toolkit(
            json!({"files": ["$ROOT/work/s.json"], "trust": true}),
            options,
        )
        .unwrap();
    assert_eq!(told(&toolkit), ["allow", "deny"]);
}

#[test]
fn a_broken_file_is_an_error_with_its_place() {
    let bench = Bench::new(&[
        ("a.json", "{\n  \"permissions\": {,}\n}"),
        ("b.json", "{\n  \"permisions\": {}\n}"),
        ("c.json5", "{\n  permissions: {deny: [}\n}"),
        ("d.yaml", "permissions:\n  deny: [\n"),
        ("e.yaml", "permissions:\n  deny:\n    - Bash(git:* push)\n"),
        ("f.toml", ""),
    ]);
    let message = |file: &str| {
        bench
            .toolkit(json!(format!("$ROOT/{file}")), json!({}))
            .err()
            .unwrap()
    };
    assert!(
        message("a.json")
            .starts_with("The settings file `$ROOT/a.json`, line 2, column 19 cannot be used: "),
        "{}",
        message("a.json")
    );
    assert!(
        message("b.json").contains("line 2, column 14 cannot be used: unknown field `permisions`"),
        "{}",
        message("b.json")
    );
    assert!(
        message("c.json5").contains("`$ROOT/c.json5`, line 2, column "),
        "{}",
        message("c.json5")
    );
    assert!(
        message("d.yaml").contains("`$ROOT/d.yaml`, line "),
        "{}",
        message("d.yaml")
    );
    assert!(message("e.yaml").starts_with("`$ROOT/e.yaml`, line 3, column 7: `permissions.deny[0]` cannot be used: `Bash(git:* push)`"), "{}", message("e.yaml"));
    assert!(
        message("f.toml").contains("must end in `.json`"),
        "{}",
        message("f.toml")
    );
    assert!(
        message("nope.json").contains("cannot be read"),
        "{}",
        message("nope.json")
    );
}

#[tokio::test]
async fn inline_settings_hold_for_calls() {
    let bench = Bench::new(&[]);
    let toolkit = bench
        .toolkit(json!({"permissions": {"deny": ["Read(a.txt)"]}}), json!({}))
        .unwrap();
    let error = toolkit
        .call(CallRequest::new("read", json!({"file_path": "a.txt"})))
        .await
        .unwrap_err();
    assert!(
        error
            .message
            .contains("The rule `Read(a.txt)` denies reading `a.txt`"),
        "{}",
        error.message
    );
}

#[test]
fn a_change_of_rules_shows_what_it_would_have_decided() {
    let bench = Bench::new(&[]);
    let toolkit = bench
        .toolkit(json!({"permissions": {"allow": ["Bash(ls:*)"]}}), json!({}))
        .unwrap();
    let calls =
        ["ls", "cat a.txt"].map(|command| json!({"tool": "exec", "params": {"command": command}}));
    let calls = serde_json::from_value(json!(calls)).unwrap();
    let other = serde_json::from_value(json!({"allow": ["Bash(cat:*)", "Bash(ls:*)"]})).unwrap();
    let told: Vec<_> = toolkit
        .simulate(calls, other)
        .unwrap()
        .iter()
        .map(|one| {
            (
                one.before.unwrap().name(),
                one.after.unwrap().name(),
                one.changed,
            )
        })
        .collect();
    assert_eq!(told, [("allow", "allow", false), ("ask", "allow", true)]);
}

#[test]
fn a_settings_file_without_content_is_broken_in_every_format() {
    let texts = ["", "# nothing\n", "---\n", "null\n"];
    for (name, texts) in [
        ("s.json", &texts[..1]),
        ("s.json5", &texts[..1]),
        ("s.yaml", &texts),
        ("s.yml", &texts),
    ] {
        for text in texts {
            let bench = Bench::new(&[(name, text)]);
            let told = bench.toolkit(json!(format!("$ROOT/{name}")), json!({}));
            let told = told.map(|_| "nothing is restricted").unwrap_err();
            assert!(
                told.starts_with(&format!("The settings file `$ROOT/{name}`")),
                "{told}"
            );
        }
    }
    let bench = Bench::new(&[("s.yaml", "{}\n")]);
    assert!(bench.toolkit(json!("$ROOT/s.yaml"), json!({})).is_ok());
}
