//! What a hostile model would try next: ways out of the sandbox that go by the kernel, by other names of protected files,
//! and by timing.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tenon_process::{CommandInput, Sandbox, SandboxLevel, TerminalSize};
use tokio_util::sync::CancellationToken;

use crate::sandbox::Host;
use crate::support::text;

/// Each succeeds when the sandbox has a hole there.
pub(crate) const PROBES: [(&str, &str); 62] = [
    // By the directory of processes.
    (
        "root directory of the first process",
        "echo x > /proc/1/root/OUTSIDE/new",
    ),
    ("current directory of the first process", "ls /proc/1/cwd/"),
    ("environment of the first process", "cat /proc/1/environ"),
    ("memory of the first process", "head -c 1 /proc/1/maps"),
    ("files of the first process", "readlink /proc/1/fd/0"),
    ("root directory of the keeper", "ls /proc/$PPID/root/"),
    (
        "a directory left open",
        "for f in /proc/self/fd/*; do [ ${f##*/} -gt 2 ] && [ -e $f/etc -o -e $f/1 ] && exit 0; done; exit 1",
    ),
    ("keys of the kernel's own", "echo h > /proc/sysrq-trigger"),
    (
        "name of the machine by its setting",
        "cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname",
    ),
    (
        "the killing of other processes",
        "echo 0 > /proc/sys/vm/panic_on_oom",
    ),
    // By mounts, the old way and the new one.
    (
        "bind mount",
        "mount --bind OUTSIDE src || perl -e 'exit(syscall(165, \"OUTSIDE\", \"src\", \"\", 4096, 0) == 0 ? 0 : 1)'",
    ),
    (
        "something mounted over",
        "perl -e 'exit(syscall(165, \"none\", \".git\", \"tmpfs\", 0, 0) == 0 ? 0 : 1)'",
    ),
    (
        "copied mount",
        "perl -e 'exit(syscall(428, -100, \"/\", 1) >= 0 ? 0 : 1)'",
    ),
    (
        "moved mount",
        "perl -e 'exit(syscall(429, -100, \".git\", -100, \"src\", 0) == 0 ? 0 : 1)'",
    ),
    (
        "new file system",
        "perl -e 'exit(syscall(430, \"tmpfs\", 0) >= 0 ? 0 : 1)'",
    ),
    (
        "picked file system",
        "perl -e 'exit(syscall(433, -100, \"/\", 0) >= 0 ? 0 : 1)'",
    ),
    (
        "attributes of a mount",
        "perl -e 'my $a = pack(\"Q4\", 0, 1, 0, 0); exit(syscall(442, -100, \"/\", 0, $a, 32) == 0 ? 0 : 1)'",
    ),
    (
        "other root",
        "perl -e 'exit(syscall(155, \".\", \".\") == 0 ? 0 : 1)'",
    ),
    (
        "root by its call",
        "perl -e 'exit(syscall(161, \"OUTSIDE\") == 0 ? 0 : 1)'",
    ),
    (
        "file by its handle",
        "perl -e 'my $h = pack(\"LlQ\", 8, 1, 2); exit(syscall(304, -100, $h, 0) >= 0 ? 0 : 1)'",
    ),
    // By namespaces.
    (
        "namespaces of all kinds",
        "for kind in u n i C p T; do unshare -$kind true && exit 0; done; exit 1",
    ),
    (
        "namespace by its call",
        "perl -e 'exit(syscall(272, 0x10000000) == 0 || syscall(272, 0x20000) == 0 ? 0 : 1)'",
    ),
    (
        "namespace with a process",
        "perl -e 'my $p = syscall(56, 0x10000011, 0, 0, 0, 0); exit($p >= 0 ? 0 : 1)'",
    ),
    (
        "namespace of the keeper",
        "nsenter --target $PPID --net true || nsenter --target 1 --user true",
    ),
    // By the kernel.
    (
        "a program of the kernel",
        "perl -e 'my $a = pack(\"L4\", 1, 4, 4, 1) . \"\\0\" x 112; exit(syscall(321, 0, $a, 128) >= 0 ? 0 : 1)'",
    ),
    (
        "measuring the kernel",
        "perl -e 'my $a = pack(\"LLQ\", 1, 112, 0) . \"\\0\" x 96; exit(syscall(298, $a, 0, -1, -1, 0) >= 0 ? 0 : 1)'",
    ),
    (
        "page faults",
        "perl -e 'exit(syscall(323, 1) >= 0 ? 0 : 1)' || [ -e /dev/userfaultfd ]",
    ),
    (
        "a new key",
        "perl -e 'exit(syscall(248, \"user\", \"n\", \"v\", 1, -3) >= 0 ? 0 : 1)'",
    ),
    (
        "a key of others",
        "perl -e 'exit(syscall(249, \"user\", \"n\", 0, -3) >= 0 ? 0 : 1)'",
    ),
    (
        "watching all files",
        "perl -e 'exit(syscall(300, 0x200, 0) >= 0 ? 0 : 1)'",
    ),
    (
        "ports of the machine",
        "perl -e 'exit(syscall(172, 3) == 0 || syscall(173, 0x80, 1, 1) == 0 ? 0 : 1)'",
    ),
    ("accounting", "perl -e 'exit(syscall(163, 0) == 0 ? 0 : 1)'"),
    (
        "restarting",
        "perl -e 'exit(syscall(169, 0xfee1dead, 672274793, 0, 0) == 0 ? 0 : 1)'",
    ),
    ("messages of the kernel", "dmesg | head -1 | grep ."),
    ("the clock", "date -s @$(date +%s)"),
    ("the name of the machine", "hostname \"$(hostname)\""),
    (
        "groups of processes",
        "mkdir /sys/fs/cgroup/tenon || for f in /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/cgroup.procs; do echo $$ > $f && exit 0; done; exit 1",
    ),
    ("power", "exec 3>>/sys/power/state"),
    // By other processes.
    (
        "tracing a sibling",
        "sleep 5 & perl -e 'exit(syscall(101, 16, $ARGV[0], 0, 0) == 0 ? 0 : 1)' $!",
    ),
    (
        "being traced",
        "perl -e 'exit(syscall(101, 0, 0, 0, 0) == 0 ? 0 : 1)'",
    ),
    (
        "files of a sibling",
        "sleep 5 & perl -e 'my $p = syscall(434, $ARGV[0], 0); exit($p >= 0 && syscall(438, $p, 1, 0) >= 0 ? 0 : 1)' $!",
    ),
    (
        "handle of the host's process",
        "perl -e 'exit(syscall(434, HOST, 0) >= 0 ? 0 : 1)'",
    ),
    (
        "signal to everybody",
        "trap '' HUP; kill -s HUP -1; kill -0 BYSTANDER",
    ),
    ("a higher rank", "chrt -f 1 true"),
    (
        "shared memory of the host",
        "grep -q untouched /dev/shm/SHARED",
    ),
    // By other rights.
    (
        "capabilities",
        "grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -v 0000000000000000",
    ),
    (
        "new privileges",
        "grep -E 'NoNewPrivs:.*0|Seccomp:.*[01]$' /proc/self/status",
    ),
    (
        "another user",
        "su -s /bin/sh nobody -c true || su -s /bin/sh root -c true </dev/null",
    ),
    (
        "a program with its owner's rights",
        "cp /bin/true s && chmod 4755 s",
    ),
    (
        "the same by another call",
        "perl -e 'exit(syscall(2, \"s2\", 0101, 04755) >= 0 || syscall(257, -100, \"s3\", 0101, 04755) >= 0 ? 0 : 1)'",
    ),
    (
        "the same by the newest",
        "perl -e 'my $h = pack(\"Q3\", 0101, 04755, 0); exit(syscall(437, -100, \"s4\", $h, 24) >= 0 ? 0 : 1)'",
    ),
    (
        "a program with capabilities",
        "cp /bin/true c; perl -e 'my $v = pack(\"L5\", 0x2000001, 1 << 21, 0, 0, 0); exit(syscall(188, \"c\", \"security.capability\", $v, 20, 0) == 0 ? 0 : 1)'",
    ),
    (
        "a file that nobody can change",
        "touch fixed && chattr +i fixed",
    ),
    ("device outside", "head -c 1 OUTSIDE/zero | grep -q ."),
    (
        "pipe outside",
        "perl -MFcntl -e 'sysopen(F, \"OUTSIDE/pipe\", O_WRONLY | O_NONBLOCK) or exit 1'",
    ),
    // By the network.
    (
        "metadata of the cloud",
        "exec 3<>/dev/tcp/169.254.169.254/80",
    ),
    (
        "names by address",
        "exec 3<>/dev/udp/8.8.8.8/53 && echo x >&3",
    ),
    (
        "packets by hand",
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_RAW, 1) or exit 1'",
    ),
    (
        "talk with the kernel",
        "perl -e 'for (4, 9, 12, 15, 16) { socket(S, 16, 3, $_) and exit 0 } exit 1'",
    ),
    (
        "datagram to a socket",
        "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) && send(A, \"x\", 0, pack_sockaddr_un(\"OUTSIDE/datagrams\")) or exit 1'",
    ),
    (
        "datagram by the raw kind",
        "perl -MSocket -e 'socketpair(A, B, AF_UNIX, 3, 0) && connect(A, pack_sockaddr_un(\"OUTSIDE/datagrams\")) or exit 1'",
    ),
    // By files.
    ("files for a while of the host", "[ -e PLACE/sleeper ]"),
];

/// A host with more things that should not be reached.
fn host() -> (Host, UnixDatagram) {
    let host = Host::new();
    let outside = host.outside.path();
    let datagrams = UnixDatagram::bind(outside.join("datagrams")).unwrap();
    let made = |program: &str, arguments: &[&str]| {
        let _ = Command::new(program)
            .args(arguments)
            .current_dir(outside)
            .output();
    };
    made("mknod", &["zero", "c", "1", "5"]);
    made("chmod", &["666", "zero"]);
    made("mkfifo", &["pipe"]);
    (host, datagrams)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_hostile_model_tries_gets_through_at_the_full_level() {
    let (mut host, datagrams) = host();
    let outside = host.outside.path().to_owned();
    // Somebody listens, or else nobody could write.
    let pipe = outside.join("pipe");
    let _listener = fs::File::options()
        .read(true)
        .write(true)
        .open(pipe)
        .unwrap();
    let shared = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    let name = shared.path().file_name().unwrap().to_str().unwrap();
    fs::write(shared.path(), "untouched").unwrap();
    let probes = PROBES.map(|(title, probe)| {
        let probe = probe.replace("SHARED", name);
        (title, &*probe.leak())
    });
    let open = host
        .open(&probes, &host.sandbox(), SandboxLevel::Full)
        .await;
    assert_eq!(open, [""; 0]);
    // What must not end a probe by its own success.
    let result = host.run(host.sandbox(), "kill -9 -1; sleep 20").await;
    assert_ne!(result.exit_code, Some(0));
    assert_eq!(host.bystander.try_wait().unwrap(), None);
    datagrams.set_nonblocking(true).unwrap();
    assert!(datagrams.recv(&mut [0; 8]).is_err());
    assert_eq!(
        fs::read_to_string(outside.join("file")).unwrap(),
        "untouched"
    );
    assert_eq!(host.place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_typed_into_the_terminal_of_a_command() {
    let host = Host::new();
    let script = "perl -e 'open(T, \"+<\", \"/dev/tty\") or exit 1;
        my ($a, $b) = (\"x\", \"\\3\"); print ioctl(T, 0x5412, $a) || ioctl(T, 0x541C, $b) ? \"OPEN\" : \"refused\"'";
    let mut spec = host.spec(host.sandbox(), script);
    spec.input = CommandInput::Terminal(TerminalSize::clamped(24, 80));
    let result = host.place.run(spec).await;
    assert_eq!(text(&result).trim(), "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_names_are_not_written_by_any_other_name() {
    let host = Host::new();
    let git = |path: &str| host.workspace.join(path);
    fs::create_dir_all(git("sub/.git/hooks")).unwrap();
    fs::write(git("sub/.git/config"), "[core]\n").unwrap();
    fs::create_dir_all(git(".git/worktrees/other")).unwrap();
    fs::write(git(".git/worktrees/other/commondir"), "../..\n").unwrap();
    fs::create_dir(git("settings")).unwrap();
    fs::write(git("settings/npmrc"), "").unwrap();
    symlink("settings/npmrc", git(".npmrc")).unwrap();
    symlink("settings/missing", git(".envrc")).unwrap();
    let script = r#"
        for try in 'ln -s .git other; echo x > other/hooks/pre-commit' \
            'exec 3<.git; cd /proc/self/fd/3; echo x > hooks/pre-commit' \
            'echo x > file; ln file .git/hooks/pre-commit' 'echo x > file; mv file .git/hooks/pre-commit' \
            'rm -rf .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit' \
            'mv sub renamed; echo x > renamed/.git/hooks/pre-commit' \
            'mv renamed/.git g' 'mv sub/.git g' 'rm -rf renamed/.git/hooks' \
            'perl -MFcntl -e "sysopen(F, q(.git/hooks), 020200002, 0644) or exit 1"' \
            'git config core.hooksPath /tmp' 'git config --file .git/config core.fsmonitor x' \
            'git -C renamed config core.pager x' \
            'echo ../../../evil > .git/worktrees/other/commondir' 'mv .git/worktrees/other/commondir x' \
            'rm .npmrc' 'mv .npmrc n' 'ln -sfn evil .npmrc' 'echo x > y; mv -T y .npmrc' 'echo x > .npmrc' \
            'echo x > settings/npmrc' 'mv settings/npmrc x' \
            'rm .envrc' 'ln -sfn evil .envrc' 'mv .envrc e' 'echo x > y; mv -T y .envrc' \
            'cp -r .git copy && mv copy/hooks .git/hooks/x' 'mkdir .git/hooks/x' 'chmod 777 .git/config' \
            'truncate -s 0 .git/config' 'setfattr -n user.x -v y .git/config' 'touch -d 2001-01-01 .git/hooks'
        do (eval "$try") >/dev/null 2>&1 && echo "OPEN: $try"; done
        mv renamed sub
        echo x > settings/missing
        echo '[core] fsmonitor = /tmp/x' > .git/config.worktree; echo elsewhere > .git/commondir
        true
    "#;
    let result = host.run(host.sandbox(), script).await;
    assert_eq!(text(&result), "");
    let config = |path: &str| fs::read_to_string(git(path)).unwrap();
    assert_eq!(
        (config(".git/config"), config("sub/.git/config")),
        ("[core]\n".into(), "[core]\n".into())
    );
    assert_eq!(config(".git/worktrees/other/commondir"), "../..\n");
    for directory in [".git/hooks", "sub/.git/hooks"] {
        assert_eq!(
            fs::read_dir(git(directory)).unwrap().count(),
            0,
            "{directory}"
        );
    }
    let target = |path: &str| fs::read_link(git(path)).unwrap();
    assert_eq!(target(".npmrc"), Path::new("settings/npmrc"));
    assert_eq!(target(".envrc"), Path::new("settings/missing"));
    for gone in [".git/config.worktree", ".git/commondir", "settings/missing"] {
        assert!(git(gone).symlink_metadata().is_err(), "{gone}");
    }
}

/// One command puts a link in the place of a directory while others are prepared, which touch names in that directory from
/// outside of the sandbox.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_comes_while_a_sandbox_is_made_leads_nowhere() {
    let host = Host::new();
    let outside = host.outside.path();
    fs::create_dir_all(outside.join(".git/hooks")).unwrap();
    fs::write(outside.join(".git/commondir"), "kept").unwrap();
    fs::create_dir_all(host.workspace.join("sub/.git/hooks")).unwrap();
    let flipping = "
        mkdir -p a; ln -s OUTSIDE link
        while [ ! -e stop ]; do mv -T sub a/sub; mv -T link sub; mv -T sub link; mv -T a/sub sub; done";
    let processes = host.place.processes.clone();
    let spec = host.spec(host.sandbox(), flipping);
    let flipper =
        tokio::spawn(async move { processes.run(spec, &CancellationToken::new(), |_| {}).await });
    let best_effort = Sandbox {
        required: false,
        ..host.sandbox()
    };
    let mut running = Vec::new();
    for index in 0..60 {
        let sandbox = if index % 2 == 0 {
            host.sandbox()
        } else {
            best_effort.clone()
        };
        let mut spec = host.spec(sandbox, "echo x > sub/.git/info/x; echo x > sub/new; true");
        spec.timeout = Some(Duration::from_secs(60));
        let processes = host.place.processes.clone();
        running.push(tokio::spawn(async move {
            processes.run(spec, &CancellationToken::new(), |_| {}).await
        }));
    }
    for run in running {
        // One that finds a link may be refused; none may reach outside.
        let _ = run.await.unwrap();
    }
    fs::write(host.workspace.join("stop"), "").unwrap();
    let _ = flipper.await.unwrap();
    assert_eq!(
        fs::read_to_string(outside.join(".git/commondir")).unwrap(),
        "kept"
    );
    let names = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(outside), [".git", "file", "socket"]);
    assert_eq!(names(&outside.join(".git")), ["commondir", "hooks"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_additional_directory_whose_place_a_link_took_gives_no_rights_to_where_it_leads() {
    let host = Host::new();
    let inner = host.workspace.join("a/b");
    fs::create_dir_all(&inner).unwrap();
    let sandbox = Sandbox {
        roots: vec![host.workspace.clone(), inner],
        required: false,
        ..host.sandbox()
    };
    let moved = host
        .run(
            sandbox.clone(),
            "mv a c && mkdir a && ln -s OUTSIDE a/b && echo moved",
        )
        .await;
    assert_eq!(text(&moved), "moved\n");
    let spec = host.spec(sandbox, "echo x > a/b/new && echo OPEN");
    let processes = host.place.processes.clone();
    let result = processes.run(spec, &CancellationToken::new(), |_| {}).await;
    if let Ok(result) = result {
        assert!(!text(&result).contains("OPEN"), "{}", text(&result));
    }
    assert!(!host.outside.path().join("new").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_work_needs_nothing_of_what_is_refused() {
    let host = Host::new();
    let script = "
        cp -p /bin/true t && chmod 755 t && ./t && install -m 644 t u && mkdir -m 2755 d && umask 022
        tar cf a.tar t u && mkdir x && tar xf a.tar -C x && ls x | tr '\\n' ' '
        perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_SEQPACKET, 0) or die; print \"pair \"'
        git init -q repository 2>&1 && cd repository && git config user.name a && git config user.email b@c &&
            echo x > f && git add f && git commit -qm first && git worktree add -q ../tree && git log --oneline | wc -l
    ";
    let mut spec = host.spec(host.sandbox(), script);
    spec.sandbox = Some(Arc::new(host.sandbox()));
    let result = host.place.run(spec).await;
    assert_eq!(text(&result), "t u pair 1\n");
}
