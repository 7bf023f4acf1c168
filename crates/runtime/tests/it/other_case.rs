//! Disks that ignore case: a denied file is denied by every spelling, that of the model and that of the rule.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

/// A disk that ignores case, for as long as this lives.
struct Disk {
    /// The device that was made for it.
    device: Option<String>,
    place: PathBuf,
}

impl Disk {
    /// Mounts one in a directory; an error where the system has none, or does not permit it.
    fn mounted_in(directory: &Path) -> Result<Self, String> {
        let (image, place) = (directory.join("image"), directory.join("disk"));
        std::fs::create_dir(&place).map_err(|error| error.to_string())?;
        let (image, at) = (image.to_string_lossy(), place.to_string_lossy());
        run("truncate", &["-s", "32M", &image])?;
        let mut disk = Self {
            device: None,
            place: place.clone(),
        };
        let ntfs = || -> Result<(), String> {
            run("mkntfs", &["-F", "-Q", "-q", &image])?;
            run(
                "lowntfs-3g",
                &["-o", "ignore_case,permissions", &image, &at],
            )
            .map(drop)
        };
        let Err(of_ntfs) = ntfs() else {
            return Ok(disk);
        };
        run("mkfs.exfat", &[&image]).map_err(|error| format!("{of_ntfs}, {error}"))?;
        let device = run("losetup", &["-f", "--show", &image])?.trim().to_owned();
        let mounted = run("mount.exfat-fuse", &[&device, &at]);
        disk.device = Some(device);
        mounted.map(|_| disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run("umount", &[&self.place.to_string_lossy()]);
        if let Some(device) = &self.device {
            let _ = run("losetup", &["-d", device]);
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{program}: {}", text(&output.stderr))),
    }
}

/// Calls that name denied files in one case or another, below a prefix, with what is in their answers where they are made.
fn denied(below: &str) -> Vec<(&'static str, serde_json::Value)> {
    let at = |path: &str| format!("{below}{path}");
    let read = |path: &str| ("read", json!({ "path": at(path) }));
    let shell =
        |text: &str, path: &str| ("exec", json!({ "command": format!("{text} {}", at(path)) }));
    vec![
        read(".ENV"),
        read("./.eNv"),
        read("SECRETS/KEY"),
        read("secrets/key"),
        // The rule has another spelling than the directory.
        read("sub/deep/key.pem"),
        read("SUB/Deep/key.pem"),
        shell("cat", ".ENV"),
        shell("cat", "sub/deep/key.pem"),
        shell("cat", "sub/d*p/key.pem"),
        shell("echo x >", "LOCKED.txt"),
        (
            "write",
            json!({ "path": at("sub/new.txt"), "content": "x" }),
        ),
        ("write", json!({ "path": at("Locked.TXT"), "content": "x" })),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_disk_that_ignores_case_a_denied_file_is_denied_by_every_spelling() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    let disk = match Disk::mounted_in(&base) {
        Ok(disk) => disk,
        Err(reason) => return println!("skipped, no disk that ignores case: {reason}"),
    };
    let root = disk.place.join("work");
    for made in ["secrets", "sub/deep"] {
        std::fs::create_dir_all(root.join(made)).unwrap();
    }
    for name in [
        ".env",
        "secrets/key",
        "sub/deep/key.pem",
        "README.md",
        "locked.txt",
    ] {
        std::fs::write(root.join(name), "needle").unwrap();
    }
    let deny = [
        "Read(.env)",
        "Read(**/secrets/**)",
        "Read(Sub/deep/**)",
        "Read(disk/work/Sub/deep/**)",
        "Edit(**/Sub/**)",
        "Edit(**/LOCKED.txt)",
    ];
    // The disk is the workspace, and it is mounted in one that has the case of letters.
    for (workspace, below) in [(&root, ""), (&base, "disk/work/")] {
        let options = json!({ "workspace": workspace, "permissions": { "deny": deny } });
        let options = Options::from_json(&options.to_string()).unwrap();
        for (tool, params) in denied(below) {
            let toolkit = Toolkit::new(options.clone(), HostCallbacks::default()).unwrap();
            let refused = toolkit
                .call(CallRequest::new(tool, params.clone()))
                .await
                .unwrap_err();
            assert_eq!(
                refused.code.as_str(),
                "policy_denied",
                "{params} of {below:?}: {refused:?}"
            );
        }
        let toolkit = Toolkit::new(options, HostCallbacks::default()).unwrap();
        // A program makes the disk; the other workspace is on one of this machine.
        assert_eq!(toolkit.may_hang(), workspace == &root);
        let found = toolkit
            .call(CallRequest::new(
                "grep",
                json!({ "pattern": "needle", "path": workspace.join(below) }),
            ))
            .await
            .unwrap();
        let found = found.details.into_value();
        // Some of these disks list all names in small letters.
        let hits = found["matches"].as_array().unwrap().iter();
        let mut files: Vec<String> = hits
            .filter_map(|hit| hit["file"].as_str())
            .map(str::to_lowercase)
            .collect();
        files.sort();
        assert_eq!(
            files,
            [format!("{below}locked.txt"), format!("{below}readme.md")]
        );
    }
}
