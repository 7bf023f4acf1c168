//! What a command finds in its environment.

use std::collections::BTreeMap;
use std::time::Duration;

use tenon_contract::{ErrorCode, ToolError};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, text};

#[tokio::test(flavor = "multi_thread")]
async fn it_gets_the_list_the_settings_the_hosts_and_its_own_variables() {
    let place = Place::with(|options| {
        options.environment.add = [("HOST_GAVE".to_owned(), "a\nb".into())].into();
        options.environment.drop = vec!["LANG*".into(), "LC_*".into()];
    });
    let mut spec = place.spec("env -0");
    spec.environment = [("CALL_GAVE".to_owned(), "é = 'x'".to_owned())].into();
    let result = place.run(spec).await;
    let found: BTreeMap<&str, &str> = text(&result)
        .split('\0')
        .filter_map(|entry| entry.split_once('='))
        .collect();
    for (name, value) in [
        ("HOST_GAVE", "a\nb"),
        ("CALL_GAVE", "é = 'x'"),
        ("PAGER", "cat"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("EDITOR", "false"),
        ("DEBIAN_FRONTEND", "noninteractive"),
        ("TERM", "dumb"),
        ("PATH", std::env::var("PATH").unwrap().as_str()),
        ("HOME", std::env::var("HOME").unwrap().as_str()),
    ] {
        assert_eq!(found.get(name), Some(&value), "{name}");
    }
    // Set by the test runner, on no list.
    assert_eq!(found.get("CARGO_MANIFEST_DIR"), None);
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert_eq!(found.get("LANG"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_cannot_set_what_loads_code_and_nothing_is_started_then() {
    let place = Place::new();
    for name in [
        "LD_PRELOAD",
        "PATH",
        "BASH_ENV",
        "ENV",
        "NODE_OPTIONS",
        "GIT_SSH_COMMAND",
        "DYLD_INSERT_LIBRARIES",
        "BASH_FUNC_ls%%",
    ] {
        let mut spec = place.spec("touch started");
        spec.environment = [(name.to_owned(), "x".to_owned())].into();
        let error = place
            .processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await
            .unwrap_err();
        let reported = ToolError::from(error);
        assert_eq!(reported.code, ErrorCode::PolicyDenied, "{name}");
        assert_eq!(
            reported
                .details
                .get("variable")
                .and_then(|value| value.as_str()),
            Some(name)
        );
    }
    assert!(!place.path().join("started").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_that_no_process_can_be_given_is_refused_with_its_length() {
    let place = Place::new();
    let give = async |count: usize, bytes: usize| {
        let mut spec = place.spec("true");
        spec.environment = (0..count)
            .map(|number| (format!("LONG{number:02}"), "x".repeat(bytes)))
            .collect();
        let run = place
            .processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await;
        run.map(|result| result.exit_code)
            .map_err(|error| ToolError::from(error).code)
    };
    assert_eq!(give(1, 131_064).await, Ok(Some(0)));
    assert_eq!(give(1, 131_065).await, Err(ErrorCode::TooLarge));
    assert_eq!(give(60, 131_000).await, Err(ErrorCode::TooLarge));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_wait_for_a_user_fails_or_prints() {
    let place = Place::new();
    let script = "
        git init -q . && git config user.email a@b && git config user.name n
        echo x > f && git add f
        git commit 2>&1; echo commit $?
        git commit -qm first && git rebase -i --root 2>&1; echo rebase $?
        git log --format=%s
        git ls-remote https://127.0.0.1:9/none 2>/dev/null; echo remote $?
        sudo -k 2>/dev/null; ${PAGER} f";
    let mut spec = place.spec(script);
    spec.timeout = Some(Duration::from_secs(20));
    let result = place.run(spec).await;
    let said: Vec<&str> = text(&result)
        .lines()
        .filter(|line| {
            ["commit ", "rebase ", "first", "remote ", "x"]
                .iter()
                .any(|start| line.starts_with(start))
        })
        .collect();
    assert_eq!(
        said,
        ["commit 1", "rebase 1", "first", "remote 128", "x"],
        "{}",
        text(&result)
    );
}
