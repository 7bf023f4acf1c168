//! What a command answers, and in what surroundings it runs.

use std::fs;
use std::os::fd::AsRawFd;

use tenon_contract::{ErrorCode, ToolError};
use tenon_process::{CommandSpec, Shell};
use tokio_util::sync::CancellationToken;

use crate::built::built_helper;
use crate::support::{Place, shells, text};

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_of_the_shell_is_answered_as_it_is() {
    let place = Place::new();
    for shell in shells() {
        for (script, code) in [
            ("true", 0),
            ("false", 1),
            ("exit 3", 3),
            ("exit 255", 255),
            ("no-such-program-here", 127),
            ("/etc/passwd", 126),
            ("set -e; false; true", 1),
            ("if", 2),
        ] {
            let mut spec = place.spec(script);
            spec.shell = shell.clone();
            let result = place.run(spec).await;
            assert_eq!(
                (result.exit_code, result.signal),
                (Some(code), None),
                "{shell:?} {script}"
            );
            assert!(!result.timed_out && !result.cancelled);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_that_ends_the_shell_is_named_and_there_is_no_exit_code() {
    let place = Place::new();
    for shell in shells() {
        for name in ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGHUP", "SIGPIPE"] {
            let mut spec = place.spec(&format!("kill -{} $$; sleep 5", &name[3..]));
            spec.shell = shell.clone();
            let result = place.run(spec).await;
            assert_eq!(
                (result.exit_code, result.signal.as_deref()),
                (None, Some(name)),
                "{shell:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_below_the_shell_is_what_the_shell_makes_of_it() {
    let place = Place::new();
    let result = place.bash("sh -c 'kill -9 $$'; echo $?; exit 4").await;
    assert_eq!(
        (result.exit_code, result.signal.as_deref()),
        (Some(4), None)
    );
    assert!(text(&result).ends_with("137\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_is_bash_or_the_one_asked_for() {
    let place = Place::new();
    assert_eq!(
        text(&place.bash("echo ${BASH_VERSION:+bash} $0").await),
        "bash /bin/bash\n"
    );
    let mut spec = place.spec("echo ${BASH_VERSION:-none} $0");
    spec.shell = Shell::posix_login();
    assert!(text(&place.run(spec).await).ends_with("none /bin/sh\n"));
    let mut spec = place.spec("echo $0 $- $1");
    spec.shell = Shell::new("bash", ["-e", "-u", "-c"]);
    assert!(text(&place.run(spec.clone()).await).contains("unbound variable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_is_empty() {
    let place = Place::new();
    let result = place
        .bash("readlink /proc/self/fd/0; cat; read answer; echo $?")
        .await;
    assert_eq!(text(&result), "/dev/null\n1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_in_the_directory_asked_for() {
    let place = Place::new();
    let directory = place.path().join("a 'directory' with é");
    fs::create_dir(&directory).unwrap();
    let result = place.run(CommandSpec::new("pwd; pwd -P", &directory)).await;
    assert_eq!(text(&result), format!("{0}\n{0}\n", directory.display()));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_has_a_process_group_of_its_own_and_no_terminal() {
    let place = Place::new();
    let result = place
        .bash("set -- $(cat /proc/$$/stat); echo $(($5 - $1)) $7; (: < /dev/tty) 2>&1 | grep -c 'No such device'")
        .await;
    let answer = text(&result).to_owned();
    // Field 7 is the terminal: none, or, where the host has one, one of a session left behind.
    assert!(answer == "0 0\n1\n", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_descriptor_of_the_host_reaches_it() {
    let place = Place::new();
    let secret = fs::File::create(place.path().join("secret")).unwrap();
    // Without close-on-exec, as a careless library would have it.
    let careless = rustix::io::dup(&secret).unwrap();
    assert!(
        !rustix::io::fcntl_getfd(&careless)
            .unwrap()
            .contains(rustix::io::FdFlags::CLOEXEC)
    );
    assert!(careless.as_raw_fd() > 2);
    let result = place
        .bash("for n in $(seq 0 250); do [ -e /proc/$$/fd/$n ] && echo $n; done")
        .await;
    assert_eq!(text(&result), "0\n1\n2\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_says_why_and_what_to_do() {
    let place = Place::new();
    fs::write(place.path().join("file"), "").unwrap();
    let missing = place.path().join("missing");
    let file = place.path().join("file");
    let mut no_shell = place.spec("true");
    no_shell.shell = Shell::new("/no/such/shell", ["-c"]);
    let mut nul = place.spec("true");
    nul.script = "echo a\0b".into();
    let table = [
        (
            CommandSpec::new("true", &missing),
            ErrorCode::NotFound,
            format!("Cannot run a command in `{}`: No such file or directory (os error 2). Use an existing directory.", missing.display()),
        ),
        (
            CommandSpec::new("true", &file),
            ErrorCode::NotADirectory,
            format!("Cannot run a command in `{}`: not a directory. Use an existing directory.", file.display()),
        ),
        (
            CommandSpec::new("true", "/tmp\0"),
            ErrorCode::InvalidParams,
            "The directory contains a NUL byte, which cannot be passed to a process. Remove it, or write the data to a file and pass its name.".into(),
        ),
        (
            nul,
            ErrorCode::InvalidParams,
            "The command contains a NUL byte, which cannot be passed to a process. Remove it, or write the data to a file and pass its name.".into(),
        ),
        (
            no_shell,
            ErrorCode::Unavailable,
            "The shell `/no/such/shell` could not be started: No such file or directory (os error 2). Name another one in the `shell` option.".into(),
        ),
    ];
    for (spec, code, message) in table {
        let error = place
            .processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await
            .unwrap_err();
        let reported = ToolError::from(error);
        assert_eq!((reported.code, reported.message), (code, message));
    }
    assert_eq!(place.processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_command_succeeds() {
    let place = Place::new();
    let result = place.run(CommandSpec::new("", place.path())).await;
    assert_eq!((result.exit_code, text(&result)), (Some(0), ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_does_not_run_is_done_without() {
    for helper in ["/no/such/helper", "/etc/passwd", "/bin/true"] {
        let place = Place::with(|options| options.helper = Some(helper.into()));
        let result = place.bash("SLEEPER 100 & echo said; exit 3").await;
        assert_eq!(
            (result.exit_code, text(&result)),
            (Some(3), "said\n"),
            "{helper}"
        );
        assert_eq!(result.ended.found, 1, "{helper}");
        assert_eq!(place.survivors(), [""; 0], "{helper}");
    }
}

/// Under qemu-user, which runs containers of other architectures, no process adopts those below it.
/// Here a filter refuses it, as `EINVAL`, before the helper is executed.
const WITHOUT_SUB_REAPERS: &str = r#"#!/usr/bin/perl
use POSIX;
my $prctl = (POSIX::uname())[4] eq 'aarch64' ? 167 : 157;
my @filter = ([0x20, 0, 0, 0], [0x15, 0, 3, $prctl], [0x20, 0, 0, 16], [0x15, 0, 1, 36], [6, 0, 0, 0x50016], [6, 0, 0, 0x7fff0000]);
my $instructions = join '', map { pack 'SCCL', @$_ } @filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($prctl, 22, 2, pack('Sx6P', scalar @filter, $instructions)) == 0 or exit 1;
exec 'HELPER', @ARGV;
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_cannot_adopt_processes_is_done_without() {
    let other = Place::new();
    let helper = other.path().join("helper");
    let built = built_helper().display().to_string();
    fs::write(&helper, WITHOUT_SUB_REAPERS.replace("HELPER", &built)).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&helper, mode).unwrap();
    let place = Place::with(|options| options.helper = Some(helper));
    let result = place.bash("SLEEPER 100 & echo said; exit 3").await;
    assert_eq!((result.exit_code, text(&result)), (Some(3), "said\n"));
    assert_eq!(result.ended.found, 1);
    assert_eq!(place.survivors(), [""; 0]);
}

/// As root every directory may be entered; `unprivileged` runs this as somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_may_not_be_entered_is_what_the_error_names() {
    if rustix::process::getuid().is_root() {
        return;
    }
    let place = Place::new();
    let closed = place.path().join("closed");
    fs::create_dir(&closed).unwrap();
    let mode = |bits| std::os::unix::fs::PermissionsExt::from_mode(bits);
    fs::set_permissions(&closed, mode(0o600)).unwrap();
    let spec = CommandSpec::new("true", &closed);
    let ran = place
        .processes
        .run(spec, &CancellationToken::new(), |_| {})
        .await;
    fs::set_permissions(&closed, mode(0o700)).unwrap();
    let reported = ToolError::from(ran.unwrap_err()).message;
    let expected = format!(
        "Cannot run a command in `{}`: Permission denied (os error 13). Use an existing directory.",
        closed.display()
    );
    assert_eq!(reported, expected);
}
