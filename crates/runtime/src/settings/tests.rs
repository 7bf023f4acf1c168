use serde_json::json;

use crate::{CallRequest, HostCallbacks, Options, Toolkit};

struct Bench {
    directory: tempfile::TempDir,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("work")).unwrap();
        std::fs::write(directory.path().join("work/a.txt"), "a\n").unwrap();
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        Self { directory }
    }

    fn toolkit(
        &self,
        settings: serde_json::Value,
        more: serde_json::Value,
    ) -> Result<Toolkit, String> {
        let root = self.directory.path().display().to_string();
        let settings = settings.to_string().replace("$ROOT", &root);
        let mut options = json!({"workspace": format!("{root}/work"), "settings": serde_json::from_str::<serde_json::Value>(&settings).unwrap()});
        for (name, value) in more.as_object().unwrap() {
            options[name] = value.clone();
        }
        let options = Options::from_json(&options.to_string()).map_err(|error| error.message)?;
        Toolkit::new(options, HostCallbacks::default())
            .map_err(|error| error.message.replace(&root, "$ROOT"))
    }
}

fn verdict(toolkit: &Toolkit, tool: &str, params: serde_json::Value) -> String {
    let decision = toolkit.decide(tool, params).decision;
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
        let reported = ["ls -l", "rm x", "cat x"]
            .map(|command| verdict(&toolkit, "exec", json!({"command": command})));
        assert_eq!(reported, ["allow", "deny", "ask"], "{file}");
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
        let reported = ["git log", "git push", "ls"]
            .map(|command| verdict(&toolkit, "exec", json!({"command": command})));
        assert_eq!(reported, ["allow", "deny", "deny"]);
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
    let reported = |toolkit: &Toolkit| {
        ["ls", "rm x"].map(|command| verdict(toolkit, "exec", json!({"command": command})))
    };
    assert_eq!(reported(&toolkit), ["ask", "deny"]);
    assert_eq!(toolkit.notices().len(), 2);
    let toolkit = bench
        .toolkit(
            json!({"files": ["$ROOT/work/s.json"], "trust": true}),
            options,
        )
        .unwrap();
    assert_eq!(reported(&toolkit), ["allow", "deny"]);
}

#[cfg(unix)]
#[test]
fn a_file_behind_a_link_of_the_workspace_can_only_restrict_and_one_behind_a_link_outside_is_read() {
    let rules = r#"{"permissions": {"allow": ["Bash(ls:*)"]}}"#;
    let bench = Bench::new(&[("s.json", rules)]);
    let place = |name: &str| bench.directory.path().join(name);
    std::fs::create_dir(place("outside")).unwrap();
    std::fs::write(place("outside/s.json"), rules).unwrap();
    std::os::unix::fs::symlink(place("outside"), place("work/settings")).unwrap();
    std::os::unix::fs::symlink("outside/s.json", place("linked.json")).unwrap();
    let options = json!({"permissions": {"defaultMode": "ask"}});
    for (file, expected) in [
        ("work/settings/s.json", "ask"),
        ("work/../work/settings/s.json", "ask"),
        ("work/../s.json", "allow"),
        ("linked.json", "allow"),
    ] {
        let file = json!(format!("$ROOT/{file}"));
        let toolkit = bench.toolkit(file.clone(), options.clone()).unwrap();
        let decided = verdict(&toolkit, "exec", json!({"command": "ls"}));
        assert_eq!(decided, expected, "{file}");
    }
}

#[test]
fn a_file_that_is_protected_by_its_name_is_not_warned_of() {
    let bench = Bench::new(&[]);
    let place = bench.directory.path().join("work/.tenon");
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("policy.json"), "{}").unwrap();
    let settings = json!("$ROOT/work/.tenon/policy.json");
    let toolkit = bench.toolkit(settings, json!({})).unwrap();
    assert_eq!(toolkit.notices(), Vec::<String>::new());
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
        ("g.json", "[]"),
    ]);
    let message = |file: &str| {
        bench
            .toolkit(json!(format!("$ROOT/{file}")), json!({}))
            .err()
            .unwrap()
    };
    assert_eq!(
        message("a.json"),
        "The settings file `$ROOT/a.json`, line 2, column 19: It is not valid JSON: key must be a string."
    );
    assert_eq!(
        message("b.json"),
        "The settings file `$ROOT/b.json`, line 2, column 4: Unknown setting `permisions`. Did you mean `permissions`?"
    );
    assert_eq!(
        message("g.json"),
        "The settings file `$ROOT/g.json`: `settings` must be an object, not a list."
    );
    assert_eq!(
        message("c.json5"),
        "The settings file `$ROOT/c.json5`, line 2, column 24: It is not valid JSON5: expected value."
    );
    assert!(
        message("d.yaml").starts_with("The settings file `$ROOT/d.yaml`, line "),
        "{}",
        message("d.yaml")
    );
    assert!(message("e.yaml").starts_with("`$ROOT/e.yaml`, line 3, column 7: Invalid rule in `permissions.deny[0]`: `Bash(git:* push)`"), "{}", message("e.yaml"));
    assert_eq!(
        message("f.toml"),
        "The settings file `$ROOT/f.toml`: Its name must end in `.json`, `.json5`, `.jsonc`, `.yaml` or `.yml`."
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
    assert_eq!(
        error.message,
        "Denied by the rule `Read(a.txt)`. Do not retry the same call."
    );
    assert_eq!(
        serde_json::to_value(&error.details).unwrap(),
        json!({"subject": "a.txt", "file": "a.txt", "matched_rule": "Read(a.txt)", "list": "deny"})
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
    let reported: Vec<_> = toolkit
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
    assert_eq!(
        reported,
        [("allow", "allow", false), ("ask", "allow", true)]
    );
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
            let reported = bench.toolkit(json!(format!("$ROOT/{name}")), json!({}));
            let reported = reported.map(|_| "nothing is restricted").unwrap_err();
            assert!(
                reported.starts_with(&format!("The settings file `$ROOT/{name}`")),
                "{reported}"
            );
        }
    }
    let bench = Bench::new(&[("s.yaml", "{}\n")]);
    assert!(bench.toolkit(json!("$ROOT/s.yaml"), json!({})).is_ok());
}

/// What three commands and a listing of tools come to under the rules of one file inside of the workspace.
const RULES: [(&str, &str); 3] = [
    (
        "work/s.json",
        r#"{"permissions": {"allow": ["Bash(ls:*)"], "deny": ["Bash(dd:*)"]}}"#,
    ),
    (
        "work/s.json5",
        "{permissions: {allow: ['Bash(ls:*)'], deny: ['Bash(dd:*)']}} // ours",
    ),
    (
        "work/s.yaml",
        "permissions:\n  allow: ['Bash(ls:*)']\n  deny: ['Bash(dd:*)']\n",
    ),
];

fn of_commands(toolkit: &Toolkit) -> [String; 3] {
    ["rm -rf src", "ls", "dd if=a"]
        .map(|command| verdict(toolkit, "exec", json!({"command": command})))
}

#[test]
fn an_allow_list_that_a_file_loses_still_requires_approval_for_the_rest() {
    let bench = Bench::new(&RULES);
    for (file, _) in RULES {
        let file = format!("$ROOT/{file}");
        let toolkit = bench.toolkit(json!(file), json!({})).unwrap();
        assert_eq!(of_commands(&toolkit), ["ask", "ask", "deny"], "{file}");
        let root = bench.directory.path().display().to_string();
        assert_eq!(
            toolkit
                .notices()
                .iter()
                .map(|notice| notice.replace(&root, "$ROOT"))
                .collect::<Vec<_>>(),
            [
                format!(
                    "`{file}` is inside the workspace, so it can only restrict: `permissions.allow` is ignored. Set `trust: true` to use all of it."
                ),
                format!(
                    "`{file}` is inside the workspace, where the agent can change it for the next start. Keep it in `.tenon`, which is protected, or deny `Edit({})`.",
                    file.trim_start_matches("$ROOT/work/")
                ),
            ]
        );
        let trusted = json!({"files": [file], "trust": true});
        let toolkit = bench.toolkit(trusted, json!({})).unwrap();
        assert_eq!(of_commands(&toolkit), ["ask", "allow", "deny"], "{file}");
    }
}

#[test]
fn what_a_lost_allow_list_implied_stays_whatever_it_is_merged_with() {
    let mut files = RULES.to_vec();
    files.push(("a.json", r#"{"permissions": {"deny": ["Bash(cp:*)"]}}"#));
    files.push(("b.json", r#"{"permissions": {"defaultMode": "deny"}}"#));
    files.push(("c.json", r#"{"permissions": {"defaultMode": "allow"}}"#));
    let bench = Bench::new(&files);
    let merged = |other: &str| {
        [["$ROOT/work/s.json", other], [other, "$ROOT/work/s.json"]]
            .map(|files| of_commands(&bench.toolkit(json!(files), json!({})).unwrap()))
    };
    assert_eq!(merged("$ROOT/a.json"), [["ask", "ask", "deny"]; 2]);
    assert_eq!(merged("$ROOT/b.json"), [["deny", "deny", "deny"]; 2]);
    // Who says it outright says it for trusted files too.
    assert_eq!(merged("$ROOT/c.json"), [["allow", "allow", "deny"]; 2]);
}

#[test]
fn lists_of_tools_in_a_file_of_the_workspace_only_take_tools_away() {
    let bench = Bench::new(&[(
        "work/s.json",
        r#"{"tools": {"profile": "coding", "allow": ["read", "group:mine", "web_fetch"], "groups": {"mine": ["exec"]}}}"#,
    )]);
    let names = |more| {
        let toolkit = bench.toolkit(json!("$ROOT/work/s.json"), more).unwrap();
        let names = toolkit
            .catalog()
            .into_iter()
            .map(|tool| tool.name.into_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(json!({})), ["read", "exec"]);
    assert_eq!(names(json!({"tools": {"deny": ["exec"]}})), ["read"]);
    assert_eq!(names(json!({"tools": {"allow": ["ls", "read"]}})), ["read"]);
}

#[test]
fn servers_that_nobody_connects_to_are_a_notice() {
    let servers = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
    let bench = Bench::new(&[("s.json", servers)]);
    let toolkit = bench.toolkit(json!("$ROOT/s.json"), json!({})).unwrap();
    let root = bench.directory.path().display().to_string();
    assert_eq!(
        toolkit.notices(),
        [format!(
            "`mcpServers` in `{root}/s.json` is ignored. Use the option `mcpServers`, or `importMcpServers` with the text of the file."
        )]
    );
}

#[test]
fn a_fault_in_a_settings_file_is_reported_with_its_line_and_column_in_every_format() {
    let rows = [
        (
            "s.json",
            "{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\", 5],\n    \"alow\": []\n  }\n}",
            [", line 3, column 28", ", line 4, column 6"],
        ),
        (
            "s.json5",
            "{\n  // alow\n  permissions: {\n    deny: ['Bash(rm:*)', 5],\n    alow: [],\n  },\n}",
            [", line 4, column 26", ", line 5, column 5"],
        ),
        (
            "s.yaml",
            "# alow\npermissions:\n  deny:\n    - Bash(rm:*)\n    - 5: 6\n  alow: []\n",
            [", line 5, column 7", ", line 6, column 3"],
        ),
    ];
    for (name, text, places) in rows {
        let bench = Bench::new(&[(name, text)]);
        let message = bench.toolkit(json!(format!("$ROOT/{name}")), json!({}));
        let message = message.map(|_| "taken").unwrap_err();
        let alow = "Unknown setting `permissions.alow`. Did you mean `allow`?";
        let [first, second] = places;
        assert!(
            message.contains(&format!("`$ROOT/{name}`{second}: {alow}")),
            "{message}"
        );
        assert!(
            message.starts_with(&format!("The settings file `$ROOT/{name}`{first}: ")),
            "{message}"
        );
    }
}

#[test]
fn a_name_that_appears_twice_is_no_list_that_was_lost() {
    for (name, text) in [
        (
            "s.json",
            r#"{"permissions": {"deny": ["Bash"], "deny": []}}"#,
        ),
        ("s.json5", "{permissions: {deny: ['Bash'], deny: []}}"),
        ("s.yaml", "permissions:\n  deny: [Bash]\n  deny: []\n"),
    ] {
        let bench = Bench::new(&[(name, text)]);
        let message = bench.toolkit(json!(format!("$ROOT/{name}")), json!({}));
        let message = message.map(|_| "taken").unwrap_err();
        assert!(
            message.contains("twice") || message.contains("duplicate"),
            "{message}"
        );
    }
}

/// A row with an example, as options and settings files write it.
fn shipit() -> serde_json::Value {
    json!([{
        "names": "shipit",
        "command": {"deploy": {"aliases": "up", "options": {"write": "-o= --output="}}},
        "examples": {"shipit up -o a": "write a"}
    }])
}

#[test]
fn programs_of_the_host_are_known_by_their_rows() {
    let bench = Bench::new(&[(
        "s.yaml",
        "permissions: {deny: ['Edit(secret/**)']}\nprograms:\n  - names: packit\n    operands: write*\n    examples: {packit a: write a}\n",
    )]);
    let toolkit = bench
        .toolkit(json!("$ROOT/s.yaml"), json!({"programs": shipit()}))
        .unwrap();
    let decide = |command: &str| verdict(&toolkit, "exec", json!({"command": command}));
    assert_eq!(decide("shipit up -o secret/a"), "deny");
    assert_eq!(decide("packit secret/a"), "deny");
    assert_eq!(decide("packit a"), "allow");
    let rules = json!({"permissions": {"deny": ["Edit(secret/**)"]}, "programs": shipit()});
    let inline = bench.toolkit(rules, json!({})).unwrap();
    let command = json!({"command": "shipit up -o secret/a"});
    assert_eq!(verdict(&inline, "exec", command), "deny");
}

#[test]
fn programs_in_a_file_of_the_workspace_can_only_make_stricter() {
    let programs = json!([
        {"names": "cat", "operands": "none", "traits": "own_operands arguments_are_data"},
        {"names": "shipit", "operands": "write*"},
    ]);
    let text =
        json!({"permissions": {"deny": ["Read(.env)", "Edit(secret/**)"]}, "programs": programs});
    let bench = Bench::new(&[("work/s.json", text.to_string().as_str())]);
    let decide = |settings: serde_json::Value, command: &str| {
        let toolkit = bench.toolkit(settings, json!({})).unwrap();
        verdict(&toolkit, "exec", json!({"command": command}))
    };
    let file = || json!("$ROOT/work/s.json");
    assert_eq!(decide(file(), "cat .env"), "deny");
    assert_eq!(decide(file(), "shipit secret/a"), "deny");
    let trusted = json!({"files": [file()], "trust": true});
    // It is no reading any more, but the name of a denied file is still among the words.
    assert_eq!(decide(trusted, "cat .env"), "ask");
}

#[test]
fn what_is_wrong_with_a_row_of_a_program_is_an_error_with_its_place() {
    let bench = Bench::new(&[(
        "s.json",
        r#"{"programs": [{"names": "a", "operands": "reads"}]}"#,
    )]);
    let refused = |settings, programs: serde_json::Value| {
        let more = json!({"programs": programs});
        bench.toolkit(settings, more).err().unwrap()
    };
    let message = refused(json!("$ROOT/s.json"), json!([]));
    assert!(
        message.starts_with(
            "`$ROOT/s.json`: programs[0]: a: `reads` is not what operands can be. Use `read*`,"
        ),
        "{message}"
    );
    let programs = json!([
        {"names": "a", "operands": "read*", "examples": {"a b": "write b", "b a": ""}},
        {"names": "c", "examples": {"c 'd": ""}},
    ]);
    let message = refused(json!({}), programs);
    assert!(
        message.starts_with(
            "programs[0]: a: the example `a b` does \"read b\" by the row, not \"write b\". Correct the one or the other. \
             programs[0]: a: the example `b a` is about another program. Begin it with `a`. \
             programs[1]: c: the example `c 'd` is no command: "
        ),
        "{message}"
    );
    let message = refused(json!({}), json!([{"names": "a", "operand": "read*"}]));
    assert!(message.contains("operand"), "{message}");
}
