//! Files of variables (`.env`) show names: whatever reads them, and nothing else is hidden for that.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tenon_runtime::{AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, HostCallbacks};

use crate::support::Bench;

/// The values of [`FILE`] that nobody may see.
const VALUES: [&str; 4] = ["firstword", "otherword1", "secondword", "thirdword"];
const FILE: &str =
    "DB_PASS=firstword\nOTHER=otherword1\nMULTI=\"secondword one\nthirdword here\"\nX=1\n";

fn allowing(mut options: Value) -> Bench {
    options["permissions"] = json!({ "defaultMode": "allow" });
    let bench = Bench::new(options);
    bench.write(".env", FILE).write("a.txt", "hi\n");
    bench
}

/// What a call reports, its error if it has one.
async fn reported(bench: &Bench, tool: &str, params: Value) -> String {
    match bench.call(tool, params).await {
        Ok(outcome) => {
            let text = crate::support::text(&outcome);
            format!("{text}\n{}", outcome.details.into_value())
        }
        Err(error) => format!("{} {}", error.message, Value::Object(error.details)),
    }
}

fn assert_hidden(shown: &str, what: &Value) {
    let leaked: Vec<&&str> = VALUES
        .iter()
        .filter(|value| shown.contains(**value))
        .collect();
    assert!(leaked.is_empty(), "{what}: {leaked:?} in {shown}");
}

struct Yes;

impl Approver for Yes {
    fn decide(&self, _: ApprovalRequest) -> AnswerFuture {
        Box::pin(async { Ok(ApprovalAnswer::Once) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_before_a_question_shows_no_values() {
    let callbacks = HostCallbacks {
        approver: Some(Arc::new(Yes)),
        ..HostCallbacks::default()
    };
    let bench = Bench::with_ports(json!({}), callbacks);
    bench.write(".env", FILE);
    let patch = "*** Begin Patch\n*** Update File: .env\n@@\n-DB_PASS=x\n+A=1\n*** End Patch";
    for (tool, params) in [
        (
            "edit",
            json!({ "file_path": ".env", "oldText": "OTHER=wrong", "newText": "Q=1" }),
        ),
        ("apply_patch", json!({ "input": patch, "dryRun": true })),
    ] {
        let shown = reported(&bench, tool, params.clone()).await;
        assert!(shown.contains("[redacted: value of a variable"), "{shown}");
        assert_hidden(&shown, &params);
    }
    bench.ok("read", json!({ "file_path": ".env" })).await;
    bench.write(".env", FILE.replace("firstword", "secondword"));
    for (tool, params) in [
        ("write", json!({ "file_path": ".env", "content": "q=1\n" })),
        (
            "edit",
            json!({ "file_path": ".env", "oldText": "DB_PASS=", "newText": "P=" }),
        ),
    ] {
        assert_hidden(&reported(&bench, tool, params.clone()).await, &params);
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_a_file_of_variables_shows_names_only() {
    let bench = allowing(json!({}));
    std::os::unix::fs::symlink(".env", bench.path("lnk")).unwrap();
    bench.write("sub/b.txt", "");
    let command = |text: &str| ("exec", json!({ "command": text }));
    for (tool, params) in [
        ("read", json!({ "file_path": "lnk" })),
        ("read", json!({ "file_path": ".env", "offset": 4 })),
        (
            "read",
            json!({ "file_path": "a.txt", "more": [".env", "lnk:4-5"] }),
        ),
        ("grep", json!({ "pattern": "word" })),
        ("grep", json!({ "pattern": "word", "path": "lnk" })),
        (
            "grep",
            json!({ "pattern": "word", "path": ".env", "context": 1 }),
        ),
        command("cat .env*"),
        command("cat .e?v"),
        command("cat {.env,a.txt}"),
        command("cat lnk"),
        command("cd sub && cat ../.en*"),
        command("find . -name .env -exec cat {} +"),
        command("cut -d= -f2 .env"),
        command("tac .env"),
        command("diff .env a.txt"),
        command("for f in .env*; do tail -n 3 $f; done"),
        command("sed -n 4p < .env"),
        command("while read l; do echo $l; done < .env"),
        command("{ cat; } < .env"),
        command("(cat) < .env"),
        command("if true; then cat; fi < .env"),
        command("for i in 1; do cat; done < .e?v"),
        command("echo $(< .env)"),
        command("f() { cat; }; f < .env"),
        command("f() { cat; } < .env; f"),
    ] {
        let shown = reported(&bench, tool, params.clone()).await;
        assert!(
            shown.contains("[redacted: value of a variable"),
            "{params}: {shown}"
        );
        assert_hidden(&shown, &params);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn details_of_a_search_have_no_part_of_a_value() {
    let bench = allowing(json!({ "dialect": "manager" }));
    for query in ["[a-z]+word", "first", "[a-z]+word1", "third.* "] {
        let params = json!({ "query": query, "regex": true });
        let (text, details) = bench.ok("search_code", params.clone()).await;
        assert_hidden(&format!("{text}{details}"), &params);
        let found = &details["matches"][0];
        let part = found["match"].as_str().unwrap_or_default();
        assert!(part.starts_with("[redacted: "), "{details}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_as_base64_hides_what_a_read_as_text_does() {
    let bench = allowing(json!({ "dialect": "manager" }));
    let token = "token ghp_X1B2c3D4ea1B2c3D4ea1B2c3D4ea1B2c3D4e\n";
    bench.write("token.txt", token);
    for (path, clean) in [
        (
            ".env",
            "DB_PASS=[redacted: value of a variable, 9 characters]\n\
             OTHER=[redacted: value of a variable, 10 characters]\n\
             MULTI=[redacted: value of a variable, 15 characters]\n\
             [redacted: value of a variable, 14 characters]\"\nX=1\n",
        ),
        (
            "token.txt",
            "token [redacted: GitHub token, 40 characters]\n",
        ),
        ("a.txt", "hi\n"),
    ] {
        let params = json!({ "path": path, "encoding": "base64" });
        let (text, details) = bench.ok("read_file", params).await;
        let shown = STANDARD.decode(text.lines().next().unwrap()).unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), clean);
        assert!(!details.to_string().contains("Zmlyc3R3b3Jk"), "{details}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_never_taken_for_a_value() {
    let bench = allowing(json!({}));
    bench.write(".env", "A=alpha\nB=beta\nC=3\n");
    let long: String = (1..=3000)
        .map(|line| format!("V{line}=w{line}x\n"))
        .collect();
    bench
        .write("long.env", &long)
        .write("b.txt", "line\n".repeat(3000));
    let first = json!({ "file_path": ".env", "limit": 1 });
    assert_eq!(
        bench.ok("read", first).await.0,
        "A=[redacted: value of a variable, 5 characters]\n\n[2 more lines in file. Use offset=2 to continue.]"
    );
    for name in ["long.env", "b.txt"] {
        let (text, _) = bench.ok("read", json!({ "file_path": name })).await;
        assert!(text.ends_with("Use offset=2001 to continue.]"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_files_only_those_of_variables_are_hidden() {
    let bench = allowing(json!({}));
    let code = "const port=3000\nlet mode=production-value-1\nfoo=bar baz qux\n";
    bench.write("a.js", code);
    let several = json!({ "file_path": "a.js", "more": [".env"] });
    let (text, _) = bench.ok("read", several).await;
    assert!(text.contains(code.trim_end()), "{text}");
    assert_hidden(&text, &json!("several"));
    let (text, _) = bench.ok("read", json!({ "file_path": "a.js" })).await;
    assert_eq!(text, code);
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_values_of_a_file_of_variables_are_shown_everywhere_else() {
    let bench = allowing(json!({}));
    let directory = bench.path("config").display().to_string();
    let variables = format!("NODE_ENV=production\nDATA_DIR={directory}\nDB_PASSWORD=production9\n");
    bench
        .write(".env", &variables)
        .write("config/production/a.js", "needle\n")
        .write(
            "src/production9/b.js",
            "if (mode === 'production') go('production9')\n",
        );
    let (text, _) = bench.ok("read", json!({ "file_path": ".env" })).await;
    assert!(
        !text.contains("=production") && !text.contains(&directory),
        "{text}"
    );
    let (text, details) = bench.ok("find", json!({ "pattern": "*.js" })).await;
    for shown in [text, details["files"].to_string()] {
        assert!(shown.contains("config/production/a.js"), "{shown}");
        assert!(shown.contains("src/production9/b.js"), "{shown}");
    }
    let (text, _) = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert!(text.contains("config/production/a.js"), "{text}");
    let mark = "[redacted: value of a variable, 11 characters]";
    let (text, _) = bench
        .ok("read", json!({ "file_path": "src/production9/b.js" }))
        .await;
    assert_eq!(text, format!("if (mode === 'production') go('{mark}')\n"));
    // What was shown as a name can be given as one.
    let named = json!({ "file_path": format!("src/{mark}/b.js") });
    assert_eq!(bench.ok("read", named).await.0, text);
    let (text, _) = bench
        .ok("exec", json!({ "command": format!("ls -d {directory}/*") }))
        .await;
    assert_eq!(text, format!("{directory}/production\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_copied_through_its_mark_is_hidden_in_the_copy_and_in_names() {
    let bench = allowing(json!({}));
    bench.write(
        ".env",
        "DB_PASS=correcthorsebattery\nAPI_KEY=hunter2hunter2\n",
    );
    let (text, _) = bench.ok("read", json!({ "file_path": ".env" })).await;
    let mark = text
        .lines()
        .next()
        .unwrap()
        .strip_prefix("DB_PASS=")
        .unwrap();
    let key = text
        .lines()
        .nth(1)
        .unwrap()
        .strip_prefix("API_KEY=")
        .unwrap();
    for params in [
        json!({ "file_path": "copy.txt", "content": format!("pass {mark}\n") }),
        json!({ "file_path": format!("dir/{key}.txt"), "content": "needle\n" }),
    ] {
        bench.ok("write", params).await;
    }
    assert_eq!(bench.read("copy.txt"), "pass correcthorsebattery\n");
    let read = bench.ok("read", json!({ "file_path": "copy.txt" })).await;
    assert_eq!(read.0, format!("pass {mark}\n"));
    let (text, details) = bench.ok("find", json!({ "pattern": "*.txt" })).await;
    let shown = format!("{text}{details}");
    assert!(shown.contains(&format!("dir/{key}.txt")), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_of_another_process_stands_for_no_other_secret() {
    let options = || json!({ "session": { "id": "s1" } });
    let bench = allowing(options());
    bench
        .write("a.env", "PASS=production\n")
        .write("b.env", "F=abcdefgh12\n");
    let (first, _) = bench.ok("read", json!({ "file_path": "a.env" })).await;
    let mark = first.trim_end().strip_prefix("PASS=").unwrap();
    assert!(
        mark.len() > "[redacted: value of a variable, 10 characters]".len(),
        "{mark}"
    );
    let again = allowing(options());
    again.write("b.env", "F=abcdefgh12\n");
    again.ok("read", json!({ "file_path": "b.env" })).await;
    let content = format!("PASS={mark}\n");
    let (_, message) = again
        .refusal(
            "write",
            json!({ "file_path": "copy.txt", "content": content }),
        )
        .await;
    assert!(
        message.contains("but of none that is known here"),
        "{message}"
    );
    bench
        .ok(
            "write",
            json!({ "file_path": "copy.txt", "content": content }),
        )
        .await;
    assert_eq!(bench.read("copy.txt"), "PASS=production\n");
}
