//! The sandbox from within: whatever a command tries, at the full level it is refused; what the lower
//! level leaves open is exactly what it says.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tenon_contract::{CommandClaim, PathClaim};
use tenon_process::{
    CommandResult, CommandSessions, CommandSpec, Leftovers, ProcessError, ProtectedNames,
    Readiness, Sandbox, SandboxLevel, SandboxNetwork, Waited,
};
use tokio_util::sync::CancellationToken;

use crate::nobody::{as_nobody, is_root};
use crate::support::{Place, SOON, text};

const NAMES: ProtectedNames = ProtectedNames {
    directories: &[".git", ".vscode"],
    files: &[".npmrc", ".envrc"],
    in_directory: &[(".cargo", "config.toml")],
};

/// A host with things that a command should not reach.
pub(crate) struct Host {
    pub(crate) place: Place,
    pub(crate) workspace: PathBuf,
    pub(crate) outside: TempDir,
    pub(crate) bystander: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    abstract_name: String,
    _abstract: UnixListener,
}

impl Host {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        let workspace = place.path().join("workspace");
        for directory in [".git/hooks", "src"] {
            fs::create_dir_all(workspace.join(directory)).unwrap();
        }
        fs::write(workspace.join(".git/config"), "[core]\n").unwrap();
        let workspace = workspace.canonicalize().unwrap();
        // Directories for temporary files are not seen inside.
        let parent = std::env::var_os("TENON_TEST_OUTSIDE").or_else(|| std::env::var_os("HOME"));
        let outside = tempfile::tempdir_in(parent.unwrap()).unwrap();
        fs::write(outside.path().join("file"), "untouched").unwrap();
        std::os::unix::fs::symlink(outside.path(), workspace.join("leads-out")).unwrap();
        let bystander = Command::new("/bin/sleep")
            .arg("100")
            .env("BYSTANDER_SECRET", "hunter2")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let abstract_name = format!("tenon-{}", outside.path().display());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            unix: UnixListener::bind(outside.path().join("socket")).unwrap(),
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            abstract_name,
            bystander,
            outside,
            workspace,
            place,
        }
    }

    pub(crate) fn sandbox(&self) -> Sandbox {
        Sandbox {
            roots: vec![self.workspace.clone()],
            writable: true,
            network: SandboxNetwork::None,
            required: true,
            protected: NAMES,
        }
    }

    /// One that has to do without namespaces, since a directory cannot be mounted in them.
    fn by_landlock(&self) -> Sandbox {
        Sandbox {
            roots: vec![self.workspace.clone(), self.workspace.join("missing")],
            required: false,
            ..self.sandbox()
        }
    }

    pub(crate) fn spec(&self, sandbox: Sandbox, script: &str) -> CommandSpec {
        let mut spec = self.place.spec(&self.filled(script));
        spec.directory.clone_from(&self.workspace);
        spec.sandbox = Some(Arc::new(sandbox));
        spec.timeout = Some(SOON);
        spec
    }

    fn filled(&self, script: &str) -> String {
        script
            .replace("OUTSIDE", &self.outside.path().display().to_string())
            .replace("BYSTANDER", &self.bystander.id().to_string())
            .replace("HOST", &std::process::id().to_string())
            .replace("TCP", &self.tcp.local_addr().unwrap().port().to_string())
            .replace("UDP", &self.udp.local_addr().unwrap().port().to_string())
            .replace("ABSTRACT", &self.abstract_name)
            .replace("PLACE", &self.place.path().display().to_string())
    }

    pub(crate) async fn run(&self, sandbox: Sandbox, script: &str) -> CommandResult {
        self.place.run(self.spec(sandbox, script)).await
    }

    /// Which of the probes got through.
    pub(crate) async fn open(
        &self,
        probes: &[(&'static str, &'static str)],
        sandbox: &Sandbox,
        level: SandboxLevel,
    ) -> Vec<&'static str> {
        let mut open = Vec::new();
        for (name, probe) in probes {
            let script = format!("if ( {probe} ) >/dev/null 2>&1; then echo OPEN; fi");
            let result = self.run(sandbox.clone(), &script).await;
            assert_eq!(result.sandbox.as_ref().unwrap().level, level, "{name}");
            let reported = text(&result);
            assert!(matches!(reported, "" | "OPEN\n"), "{name}: {reported}");
            if !reported.is_empty() {
                open.push(*name);
            }
        }
        open
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

/// Each succeeds when the sandbox has a hole there.
pub(crate) const PROBES: [(&str, &str); 46] = [
    ("write outside", "echo x > OUTSIDE/new"),
    ("append outside", "echo x >> OUTSIDE/file"),
    ("empty a file outside", "truncate -s 0 OUTSIDE/file"),
    (
        "unlink outside",
        "rm -f OUTSIDE/file && [ ! -e OUTSIDE/file ]",
    ),
    ("rename outside", "mv OUTSIDE/file OUTSIDE/other"),
    (
        "rename out of the workspace",
        "echo x > mine; mv mine OUTSIDE/mine",
    ),
    ("rename into the workspace", "mv OUTSIDE/file mine"),
    ("directory outside", "mkdir OUTSIDE/directory"),
    ("hard link outside", "echo x > mine; ln mine OUTSIDE/linked"),
    (
        "hard link from outside, then written",
        "ln OUTSIDE/file linked && echo x > linked",
    ),
    ("symbolic link outside", "ln -s /etc/passwd OUTSIDE/link"),
    (
        "write through a link of the workspace",
        "echo x > leads-out/new",
    ),
    (
        "write through a new link",
        "ln -sfn OUTSIDE there; echo x > there/new",
    ),
    (
        "write through /proc/self/root",
        "echo x > /proc/self/root/OUTSIDE/new",
    ),
    (
        "write through /proc/self/cwd",
        "cd OUTSIDE && echo x > /proc/self/cwd/new",
    ),
    ("mode outside", "chmod 777 OUTSIDE/file"),
    ("time outside", "touch -d 2001-01-01 OUTSIDE/file"),
    ("owner outside", "chown 1:1 OUTSIDE/file"),
    ("attributes outside", "setfattr -n user.x -v y OUTSIDE/file"),
    ("device", "mknod disk b 254 0 || mknod OUTSIDE/disk b 254 0"),
    (
        "disk",
        "for disk in /dev/vda /dev/sda /dev/mem /dev/kmsg; do head -c 1 $disk && exit 0; done; exit 1",
    ),
    (
        "remount",
        "mount -o remount,bind,rw / || perl -e 'exit(syscall(165, \"\", \"/\", \"\", 4096|32, 0) == 0 ? 0 : 1)'",
    ),
    (
        "unmount",
        "umount /dev || umount -l /proc || perl -e 'exit(syscall(166, \"/dev\", 2) == 0 ? 0 : 1)'",
    ),
    ("new root", "chroot / true"),
    ("namespace of users", "unshare --user true"),
    (
        "namespace of mounts",
        "unshare --user --map-root-user --mount true",
    ),
    ("namespace of others", "nsenter --target 1 --mount true"),
    (
        "clone3",
        "perl -e 'my $a = pack(\"Q11\", 0x10000000, (0) x 10); my $p = syscall(435, $a, 88); exit(0) if $p == 0; exit($p > 0 ? 0 : 1)'",
    ),
    ("tcp", "exec 3<>/dev/tcp/127.0.0.1/TCP"),
    ("udp", "exec 3<>/dev/udp/192.0.2.1/53 && echo datagram >&3"),
    ("names", "getent hosts example.com"),
    (
        "unix socket",
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"OUTSIDE/socket\")) or exit 1'",
    ),
    (
        "abstract socket",
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"\\0ABSTRACT\")) or exit 1'",
    ),
    ("packet socket", "perl -e 'socket(S, 17, 3, 0) or exit 1'"),
    ("vsock", "perl -e 'socket(S, 40, 1, 0) or exit 1'"),
    (
        "io_uring",
        "perl -e 'my $p = \"\\0\" x 120; exit(syscall(425, 8, $p) >= 0 ? 0 : 1)'",
    ),
    (
        "ptrace",
        "perl -e 'exit(syscall(101, 16, BYSTANDER, 0, 0) == 0 ? 0 : 1)'",
    ),
    (
        "memory of the host",
        "perl -e 'my $b = \"\\0\" x 8; my $v = pack(\"QQ\", 0, 0); exit(syscall(310, HOST, $v, 0, $v, 0, 0) >= 0 ? 0 : 1)'",
    ),
    (
        "environment of another process",
        "grep -q hunter2 /proc/BYSTANDER/environ || grep -qa hunter2 /proc/[0-9]*/environ",
    ),
    ("environment of the helper", "cat /proc/$PPID/environ"),
    ("files of another process", "readlink /proc/HOST/fd/0"),
    (
        "root directory of another process",
        "ls /proc/BYSTANDER/root/",
    ),
    ("signal to the host", "kill -0 HOST"),
    ("signal to another process", "kill -USR1 BYSTANDER"),
    (
        "settings of the kernel",
        "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
    ),
    (
        "keyring",
        "perl -e 'exit(syscall(250, 0, -3, 1) >= 0 ? 0 : 1)'",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_gets_through_at_the_full_level() {
    let host = Host::new();
    assert_eq!(
        host.open(&PROBES, &host.sandbox(), SandboxLevel::Full)
            .await,
        [""; 0]
    );
    let file = host.outside.path().join("file");
    assert_eq!(fs::read_to_string(&file).unwrap(), "untouched");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    let mut names: Vec<_> = fs::read_dir(host.outside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["file", "socket"]);
    // What is sent to the same port is sent to nobody.
    host.run(host.sandbox(), "echo datagram > /dev/udp/127.0.0.1/UDP")
        .await;
    host.udp.set_nonblocking(true).unwrap();
    assert!(host.udp.recv(&mut [0; 16]).is_err());
    host.unix.set_nonblocking(true).unwrap();
    assert!(host.unix.accept().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_namespaces_only_what_the_report_names_gets_through() {
    let host = Host::new();
    let landlock = SandboxLevel::Landlock;
    let open = host.open(&PROBES, &host.by_landlock(), landlock).await;
    // Reading the process table is no probe; the files of other processes are closed.
    let named = ["mode outside", "time outside"];
    let unexpected: Vec<_> = open.iter().filter(|name| !named.contains(name)).collect();
    let own = ["attributes outside", "owner outside"];
    assert!(
        unexpected.iter().all(|name| own.contains(*name)),
        "{unexpected:?}"
    );
    let result = host.run(host.by_landlock(), "true").await;
    let report = result.sandbox.unwrap();
    assert_eq!(
        report.failure.as_ref().unwrap().to_string(),
        "covering protected names that do not exist failed: No such file or directory"
    );
    assert_eq!(
        report.open()[..3],
        [
            "changing modes and times of files outside the workspace",
            "writing protected names such as .git/hooks in the workspace",
            "seeing other processes",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_work_on_a_project_goes_on_as_ever() {
    let host = Host::new();
    let script = "
        echo text > src/new && mkdir -p deep/er && mv src/new deep/er/moved && cat deep/er/moved
        ln -s deep link && chmod 700 deep && rm -r src
        echo temporary > /tmp/shared && cat $TMPDIR/shared && ls /var/tmp/shared
        cat /etc/hostname >/dev/null && echo read
        echo nothing > /dev/null; head -c 4 /dev/urandom | wc -c
        (sleep 0.1; echo background) & wait
        perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die; print \"pair\\n\"'
        perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die;
            $c = IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $l->sockport) or die; print \"loopback\\n\"'
        [ $(pwd) = WORKSPACE ] && [ $(id -u) = USER ] && echo same
        cat <<< here
    "
    .replace("WORKSPACE", &host.workspace.display().to_string())
    .replace("USER", &rustix::process::getuid().as_raw().to_string());
    let result = host.run(host.sandbox(), &script).await;
    assert_eq!(
        text(&result),
        "text\ntemporary\n/var/tmp/shared\nread\n4\nbackground\npair\nloopback\nsame\nhere\n"
    );
    assert_eq!(result.exit_code, Some(0));
    assert_eq!(host.place.survivors(), [""; 0]);
    assert!(host.workspace.join("link").is_symlink());
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_names_cannot_be_written_whether_they_exist_or_not() {
    let host = Host::new();
    let script = "
        for try in 'echo x > .git/hooks/pre-commit' 'echo x >> .git/config' 'mkdir .git/info/x' 'mv .git g' \\
            'rm -r .git/hooks' 'mv .git/hooks h' 'ln -s /tmp/x .git/hooks/pre-commit' 'echo x > .vscode/tasks.json' \\
            'rmdir .vscode' 'mv .vscode v' 'rm .npmrc' 'mv .npmrc n' 'echo x > y; mv y .npmrc' 'ln -sf y .envrc' \\
            'mkdir .cargo/x' 'echo x > .cargo/config.toml' 'git config core.fsmonitor /tmp/x'
        do (eval \"$try\") 2>/dev/null && echo \"OPEN: $try\"; done
        echo x > .npmrc; cat .npmrc; rm -r h
        echo 'gitdir: elsewhere' > .git/commondir
        mkdir sub && git init -q sub && cd sub && git commit -q --allow-empty -m first 2>&1 | head -3; git -C . log --oneline | wc -l
    ";
    let mut spec = host.spec(host.sandbox(), script);
    for (name, value) in [("GIT", "x"), ("WHO", "y")] {
        spec.environment.insert(name.into(), value.into());
    }
    let script = spec
        .script
        .replace("git commit", "git -c user.name=a -c user.email=b@c commit");
    spec.script = script;
    let result = host.place.run(spec).await;
    assert_eq!(text(&result), "1\n");
    let mut names: Vec<_> = fs::read_dir(&host.workspace)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // What was there, what was made, and nothing of what was mounted over missing names.
    assert_eq!(names, [".git", "leads-out", "src", "sub", "y"]);
    let git = |name: &str| host.workspace.join(".git").join(name);
    assert_eq!(fs::read_to_string(git("config")).unwrap(), "[core]\n");
    assert_eq!(fs::read_dir(git("hooks")).unwrap().count(), 0);
    assert!(!git("info").exists() && !git("commondir").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_at_the_same_time_share_what_covers_missing_names() {
    let host = Host::new();
    let try_all =
        "sleep 0.SLEEP; mkdir .vscode/x; echo x > .npmrc; rm .npmrc; mkdir .git/info/x; true";
    let mut running = Vec::new();
    for index in 0..12 {
        let script = try_all.replace("SLEEP", &index.to_string());
        let spec = host.spec(host.sandbox(), &script);
        let processes = host.place.processes.clone();
        running.push(tokio::spawn(async move {
            processes.run(spec, &CancellationToken::new(), |_| {}).await
        }));
    }
    for run in running {
        assert_eq!(run.await.unwrap().unwrap().exit_code, Some(0));
    }
    for name in [".vscode", ".npmrc", ".envrc", ".cargo", ".git/info"] {
        let left = host.workspace.join(name).symlink_metadata();
        assert!(left.is_err(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_means_the_workspace_too() {
    let host = Host::new();
    let sandbox = Sandbox {
        writable: false,
        ..host.sandbox()
    };
    let script = "echo x > src/new; rm .git/config; cat .git/config; echo x > /tmp/x && cat /tmp/x";
    let result = host.run(sandbox, script).await;
    assert!(text(&result).ends_with("[core]\nx\n"), "{}", text(&result));
    assert!(host.workspace.join(".git/config").exists());
    assert!(!host.workspace.join("src/new").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_it_ends_when_the_time_is_up() {
    let host = Host::new();
    // Where it is seen inside; by its path it is found.
    fs::copy("/bin/sleep", host.workspace.join("sleeper")).unwrap();
    let mut spec = host.spec(
        host.sandbox(),
        "trap '' TERM; setsid $PWD/sleeper 100 & (env -i $PWD/sleeper 100 &); $PWD/sleeper 100; :",
    );
    spec.timeout = Some(Duration::from_millis(700));
    spec.grace = Duration::from_millis(200);
    let result = host.place.run(spec).await;
    assert!(result.timed_out);
    assert_eq!(result.ended.survivors, [0; 0]);
    assert_eq!(host.place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_that_is_required_and_cannot_be_had_runs_nothing() {
    let host = Host::new();
    let sandbox = Sandbox {
        required: true,
        ..host.by_landlock()
    };
    let spec = host.spec(sandbox, "touch ran; touch /tmp/ran");
    let processes = &host.place.processes;
    let refused = processes.run(spec, &CancellationToken::new(), |_| {}).await;
    assert!(
        matches!(&refused, Err(ProcessError::Sandbox { what }) if what == "covering protected names that do not exist failed: No such file or directory"),
        "{refused:?}"
    );
    assert!(!host.workspace.join("ran").exists());
    assert!(!host.workspace.join(".vscode").exists());
    let bare = tenon_process::Processes::new(tenon_process::ProcessOptions::default());
    let spec = host.spec(host.sandbox(), "touch ran");
    let refused = bare.run(spec, &CancellationToken::new(), |_| {}).await;
    assert!(matches!(refused, Err(ProcessError::Sandbox { .. })));
    assert!(!host.workspace.join("ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_works_inside() {
    let host = Host::new();
    let mut spec = host.spec(
        host.sandbox(),
        "tty >/dev/null; [ -t 0 ] && echo terminal; echo x >/dev/tty",
    );
    spec.input =
        tenon_process::CommandInput::Terminal(tenon_process::TerminalSize::clamped(24, 80));
    let result = host.place.run(spec).await;
    assert_eq!(text(&result).replace('\r', ""), "terminal\nx\n");
}

/// Again as a user without privileges, who cannot build and may not see what was built.
#[test]
fn all_of_this_holds_for_a_user_without_privileges() {
    if !is_root() {
        return;
    }
    let outside = tempfile::tempdir_in("/opt").unwrap();
    fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o777)).unwrap();
    as_nobody(&["sandbox", "limits::"], Some(outside.path()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_is_waited_for_in_the_network_of_the_command() {
    let host = Host::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    let listen = format!(
        "sleep 0.3; exec perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1:{port}\") or die; sleep 60'"
    );
    let sessions = CommandSessions::default();
    let claim = || CommandClaim {
        text: String::new(),
        directory: PathClaim {
            name: ".".into(),
            target: host.workspace.clone(),
        },
        environment: vec![],
    };
    let ready = Readiness {
        port: Some(port),
        ..Readiness::default()
    };
    let patience = [
        (listen.clone(), SOON, Waited::Port(port)),
        (format!("({listen}) & exit 0"), SOON, Waited::Port(port)),
        // Somebody of this machine listens on it, but nobody inside.
        (
            "sleep 60".into(),
            Duration::from_millis(300),
            Waited::TimeUp,
        ),
    ];
    for (script, patience, expected) in patience {
        let mut spec = host.spec(host.sandbox(), &script);
        spec.leftovers = Leftovers::Adopt;
        let mut command = host
            .place
            .processes
            .start(spec, &CancellationToken::new())
            .unwrap();
        command.started().await.unwrap();
        let session = sessions.keep(command, claim(), None);
        assert_eq!(session.ready(&ready, patience).await, expected, "{script}");
        session.end();
    }
    host.place.processes.close().await.unwrap();
    assert_eq!(host.place.survivors(), [""; 0]);
}
