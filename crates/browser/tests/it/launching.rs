//! Starting and ending: who it runs as, what it leaves, and what is said when it cannot be started.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use tenon_browser::{Browser, BrowserError, LaunchOptions, Profile, ProxyAddress, SessionOptions};
use tenon_process::Processes;

use crate::web::{
    SOON, Stage, Web, allow, directory, launched, never, options, processes, survivors,
};

async fn until_none(directory: &Path, limit: Duration) -> Duration {
    let started = Instant::now();
    loop {
        let left = survivors(directory);
        if left.is_empty() {
            return started.elapsed();
        }
        assert!(started.elapsed() < limit, "{left:#?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_browser_leaves_no_process_and_no_file() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.open("<h1>Hello</h1>").await;
    assert!(!survivors(stage.directory.path()).is_empty());
    stage.browser.close().await;
    assert_eq!(survivors(stage.directory.path()), [""; 0]);
    assert_eq!(fs::read_dir(stage.directory.path()).unwrap().count(), 0);
    let error = stage.session.tabs(&never()).await.unwrap_err();
    assert_eq!(error, BrowserError::Closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_browser_leaves_no_process() {
    for with_helper in [true, false] {
        let web = Web::new(None).await;
        let directory = directory();
        let processes = processes(with_helper);
        let Some(browser) = launched(&options(&web, directory.path()), &processes).await else {
            return;
        };
        let session = browser
            .session(SessionOptions::default(), allow(), &never())
            .await
            .unwrap();
        web.page(
            "app.test/page",
            "<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>",
        );
        session
            .open("http://app.test/page", &Default::default(), &never())
            .await
            .unwrap();
        drop(browser);
        until_none(directory.path(), SOON).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_is_a_crash_at_once() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.open("<h1>Hello</h1>").await;
    let forever = "http://app.test/slow";
    let mut slow = crate::web::Answer::html("late");
    slow.delay = Duration::from_secs(60);
    stage.web.put("app.test/slow", slow);
    let killed = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        // The one that has no other above it: not a helper of the browser.
        for (pid, line) in crate::web::living(stage.directory.path()) {
            if line.contains("/lib/") && !line.contains("--type=") && !line.contains("/bin/") {
                rustix::process::kill_process(
                    rustix::process::Pid::from_raw(pid).unwrap(),
                    rustix::process::Signal::KILL,
                )
                .unwrap();
                return Instant::now();
            }
        }
        panic!("no main process");
    };
    let options = Default::default();
    let abort = never();
    let waiting = async {
        let opened = stage
            .session
            .navigate(forever, None, &options, &abort)
            .await;
        (opened.unwrap_err(), Instant::now())
    };
    let ((error, failed), killed) = tokio::join!(waiting, killed);
    assert_eq!(error.kind(), "crashed", "{error}");
    assert!(failed.duration_since(killed) < Duration::from_secs(1));
    until_none(stage.directory.path(), SOON).await;
    assert!(!stage.browser.is_running());
}

/// Not a test of its own: what [`a_killed_host_leaves_no_process`] starts and kills.
#[tokio::test(flavor = "multi_thread")]
async fn host_that_waits_to_be_killed() {
    let Some(directory) = std::env::var_os("TENON_TEST_HOST") else {
        return;
    };
    let web = Web::new(None).await;
    let with_helper = std::env::var_os("TENON_TEST_WITH_HELPER").is_some();
    let processes = processes(with_helper);
    let directory = Path::new(&directory);
    let browser = launched(&options(&web, directory), &processes)
        .await
        .unwrap();
    let session = browser
        .session(SessionOptions::default(), allow(), &never())
        .await
        .unwrap();
    web.page(
        "app.test/page",
        "<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>",
    );
    session
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    fs::write(directory.join("ready"), "").unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_host_leaves_no_process() {
    let web = Web::new(None).await;
    let probe = directory();
    let Some(browser) = launched(&options(&web, probe.path()), &processes(true)).await else {
        return;
    };
    browser.close().await;
    for with_helper in [true, false] {
        let directory = directory();
        let mut host = std::process::Command::new(std::env::current_exe().unwrap());
        host.args([
            "--exact",
            "launching::host_that_waits_to_be_killed",
            "--nocapture",
        ])
        .env("TENON_TEST_HOST", directory.path())
        .stdout(std::process::Stdio::null());
        if with_helper {
            host.env("TENON_TEST_WITH_HELPER", "1");
        }
        let mut host = host.spawn().unwrap();
        let started = Instant::now();
        while !directory.path().join("ready").exists() {
            assert!(started.elapsed() < SOON);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(survivors(directory.path()).len() > 2);
        host.kill().unwrap();
        host.wait().unwrap();
        let took = until_none(directory.path(), Duration::from_secs(2)).await;
        println!(
            "0 processes {} ms after the host was killed (helper: {with_helper})",
            took.as_millis()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn as_root_it_runs_as_nobody_with_its_own_sandbox() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.open("<h1>Hello</h1>").await;
    let root = rustix::process::geteuid().is_root();
    let mut renderers = 0;
    for (pid, line) in crate::web::living(stage.directory.path()) {
        if !line.contains("/lib/") || line.contains("tenon-helper") {
            continue;
        }
        assert!(!line.contains("--no-sandbox"), "{line}");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_default();
            line.split_whitespace()
                .nth(1)
                .unwrap_or_default()
                .to_owned()
        };
        if root {
            assert_eq!(
                (field("Uid:"), field("NoNewPrivs:")),
                ("65534".into(), "1".into()),
                "{line}"
            );
        }
        if line.contains("--type=renderer") {
            renderers += 1;
            assert_eq!(field("Seccomp:"), "2", "{line}");
        }
    }
    assert!(renderers > 0 || !root);
    let profile = fs::read_dir(stage.directory.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let found = profile.metadata().unwrap();
    assert_eq!(found.mode() & 0o777, 0o700);
    assert_eq!(found.uid(), if root { 65534 } else { found.uid() });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_privileges_gets_the_same() {
    if !rustix::process::geteuid().is_root() || !Path::new("/usr/bin/setpriv").exists() {
        println!("skipped: only root with `setpriv` can give privileges away");
        return;
    }
    let directory = directory();
    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(directory.path(), open.clone()).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = directory.path().join(name);
        fs::copy(from, &to).unwrap();
        to
    };
    let test = copy(&std::env::current_exe().unwrap(), "test");
    let helper = copy(crate::built::built_helper(), "helper");
    let names = [
        "as_root_it_runs_as_nobody",
        "a_closed_browser_leaves",
        "a_form_is_filled_and_sent",
    ];
    let output = std::process::Command::new("timeout")
        .args([
            "120",
            "/usr/bin/setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ])
        .arg(test)
        .args(names)
        .arg("--test-threads=1")
        .current_dir(directory.path())
        .env("TENON_TEST_HELPER", helper)
        .env("HOME", directory.path())
        .env("TMPDIR", directory.path())
        .output()
        .unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{output_text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_profile_keeps_its_state_and_is_for_one_browser() {
    let web = Web::new(None).await;
    let directory = directory();
    let processes = processes(true);
    let named = LaunchOptions {
        profile: Profile::Named {
            parent: directory.path().to_owned(),
            name: "work".into(),
        },
        ..LaunchOptions::new(ProxyAddress::new(web.address))
    };
    let keeps = SessionOptions {
        keeps_state: true,
        evaluate: true,
        ..SessionOptions::default()
    };
    web.page("app.test/page", "<h1>Hello</h1>");
    let Some(browser) = launched(&named, &processes).await else {
        return;
    };
    let error = Browser::launch(&named, &processes, &never())
        .await
        .err()
        .unwrap();
    assert_eq!(error.kind(), "profile_in_use");
    assert!(
        error
            .to_string()
            .contains(&format!("process {}", std::process::id()))
    );
    let session = browser
        .session(keeps.clone(), allow(), &never())
        .await
        .unwrap();
    session
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    session
        .evaluate(
            None,
            "localStorage.setItem('kept', 'yes'); document.cookie = 'a=b; max-age=10000'",
            None,
            None,
            &never(),
        )
        .await
        .unwrap();
    browser.close().await;
    let browser = launched(&named, &processes).await.unwrap();
    let session = browser.session(keeps, allow(), &never()).await.unwrap();
    session
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    let kept = session
        .evaluate(
            None,
            "localStorage.getItem('kept') + document.cookie",
            None,
            None,
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(kept.value, "\"yesa=b\"");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_and_two_sessions_share_nothing() {
    let Some(one) = Stage::with(allow(), crate::web::scripting()).await else {
        return;
    };
    let Some(two) = Stage::with(allow(), crate::web::scripting()).await else {
        return;
    };
    for stage in [&one, &two] {
        stage.open("<h1>Hello</h1>").await;
    }
    one.script("document.cookie = 'who=one; max-age=1000'")
        .await;
    assert_eq!(two.script("document.cookie").await, "\"\"");
    let other = one
        .browser
        .session(crate::web::scripting(), allow(), &never())
        .await
        .unwrap();
    other
        .open("http://app.test/page", &Default::default(), &never())
        .await
        .unwrap();
    assert_eq!(
        other
            .evaluate(None, "document.cookie", None, None, &never())
            .await
            .unwrap()
            .value,
        "\"\""
    );
    assert_eq!(other.tabs(&never()).await.unwrap().len(), 1);
    drop(other);
    assert_eq!(one.script("document.cookie").await, "\"who=one\"");
    one.browser.close().await;
    assert_eq!(two.script("1 + 1").await, "2");
}

fn program(directory: &Path, script: &str) -> std::path::PathBuf {
    let path = directory.join("browser");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

async fn refusal(script: &str, processes: &Processes) -> String {
    let web = Web::new(None).await;
    let directory = directory();
    let mut options = options(&web, directory.path());
    options.executable = Some(program(directory.path(), script));
    let error = Browser::launch(&options, processes, &never())
        .await
        .err()
        .unwrap();
    assert_eq!(error.kind(), "unavailable");
    let left: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left, ["browser"]);
    error
        .to_string()
        .replace(directory.path().to_str().unwrap(), "")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_browser_is_said_with_its_last_words() {
    let processes = processes(true);
    assert_eq!(
        refusal(
            "echo one >&2; echo cannot open display >&2; exit 1",
            &processes
        )
        .await,
        "The browser `/browser` ended or did not answer when it was started. Start it by hand to see why, or name another one in `browser.executable`. It said: one / cannot open display"
    );
    let error = refusal(
        "echo '[0:FATAL] No usable sandbox! Update your kernel' >&2; kill -9 $$",
        &processes,
    )
    .await;
    assert!(error.contains("`browser.sandbox: false`"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_is_aborted_leaves_nothing() {
    let web = Web::new(None).await;
    let directory = directory();
    let mut options = options(&web, directory.path());
    options.executable = Some(program(directory.path(), "sleep 100"));
    let abort = never();
    let processes = processes(true);
    let started = Instant::now();
    let aborting = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        abort.cancel();
    };
    let (launched, ()) = tokio::join!(Browser::launch(&options, &processes, &abort), aborting);
    assert_eq!(launched.err(), Some(BrowserError::Cancelled));
    assert!(started.elapsed() < Duration::from_millis(300));
    until_none(directory.path(), SOON).await;
}
