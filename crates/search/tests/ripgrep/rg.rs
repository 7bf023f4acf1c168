//! Running `rg` and reading what it prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use serde_json::Value;

/// A line as both sides can be brought to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoundLine {
    pub(crate) path: String,
    pub(crate) number: u64,
    pub(crate) is_match: bool,
    pub(crate) column: Option<u64>,
    pub(crate) text: String,
}

pub(crate) struct Rg(PathBuf);

/// Earlier ones read ignore files above the root and line ends with `--crlf` in other ways.
const OLDEST: u32 = 15;

fn first_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    text.lines().next().unwrap_or_default().to_owned()
}

impl Rg {
    /// `rg` from the environment or the search path.
    pub(crate) fn find() -> Option<Self> {
        let named = std::env::var_os("TENON_TEST_RG").map(PathBuf::from);
        let found = named.unwrap_or_else(|| PathBuf::from("rg"));
        let version = Command::new(&found).arg("--version").output();
        let reported = version.map_or_else(
            |error| error.to_string(),
            |output| first_line(&output.stdout),
        );
        let major = reported
            .strip_prefix("ripgrep ")
            .and_then(|rest| rest.split('.').next());
        if major.is_some_and(|major| major.parse().is_ok_and(|major: u32| major >= OLDEST)) {
            Some(Self(found))
        } else {
            println!(
                "skipped: no `rg` of version {OLDEST} or later on the search path or in TENON_TEST_RG: {reported}"
            );
            None
        }
    }

    /// Whether its walker has what was put right in `ignore` after 0.4.29, with which `rg` 15.2.0 was released: that does
    /// not follow the `.git` file of a linked work tree unless a repository is asked for, and takes `.name.` for visible.
    pub(crate) fn has_late_fixes(&self) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let work_tree = root.join(".main/worktrees/w");
        fs::create_dir_all(&work_tree).unwrap();
        fs::create_dir_all(root.join(".main/info")).unwrap();
        fs::write(root.join(".main/info/exclude"), "hidden\n").unwrap();
        fs::write(work_tree.join("commondir"), "../..\n").unwrap();
        fs::write(
            root.join(".git"),
            format!("gitdir: {}\n", work_tree.display()),
        )
        .unwrap();
        fs::write(root.join("hidden"), "").unwrap();
        let words = ["--files", "--no-hidden", "--no-require-git"].map(str::to_owned);
        self.run(&root, &words).is_empty()
    }

    /// What it prints with these arguments in `directory`, one thread, by path.
    pub(crate) fn run(&self, directory: &Path, arguments: &[String]) -> Vec<u8> {
        let output = Command::new(&self.0)
            .current_dir(directory)
            .env_remove("RIPGREP_CONFIG_PATH")
            .args(["--hidden", "--sort", "path"])
            // Outside of repositories `.gitignore` counts as well. Inside it would reach into those within with this.
            .args((!is_in_repository(directory)).then_some("--no-require-git"))
            .args(arguments)
            .output()
            .unwrap();
        let code = output.status.code();
        // 2 also stands for unreadable files, which are no reason to stop.
        assert!(
            code != Some(2) || !output.stderr.starts_with(b"rg: regex"),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// The files it sees.
    pub(crate) fn files(&self, directory: &Path, arguments: &[String]) -> Vec<String> {
        let mut all = vec!["--files".to_owned()];
        all.extend_from_slice(arguments);
        self.paths(directory, &all)
    }

    /// The paths it prints, one to a line.
    pub(crate) fn paths(&self, directory: &Path, arguments: &[String]) -> Vec<String> {
        let mut all = arguments.to_vec();
        all.push("-0".to_owned());
        self.run(directory, &all)
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(name)
            .collect()
    }

    /// Paths with counts.
    pub(crate) fn counts(&self, directory: &Path, arguments: &[String]) -> BTreeMap<String, u64> {
        let mut all = arguments.to_vec();
        all.extend(["-0".to_owned(), "--with-filename".to_owned()]);
        let printed = self.run(directory, &all);
        let mut counts = BTreeMap::new();
        let mut rest = printed.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let path = name(&rest[..end]);
            let after = &rest[end + 1..];
            let line = after.iter().position(|byte| *byte == b'\n').unwrap();
            let count = String::from_utf8_lossy(&after[..line]);
            let count = count
                .trim_end_matches('\r')
                .parse()
                .unwrap_or_else(|_| panic!("{arguments:?}: {count}"));
            counts.insert(path, count);
            rest = &after[line + 1..];
        }
        counts
    }

    /// Lines with their numbers and the column of the first match, by `--json`.
    pub(crate) fn lines(&self, directory: &Path, arguments: &[String]) -> Vec<FoundLine> {
        let mut all = vec!["--json".to_owned()];
        all.extend_from_slice(arguments);
        let printed = self.run(directory, &all);
        let mut lines = Vec::new();
        for event in printed
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let event: Value = serde_json::from_slice(event).unwrap();
            let is_match = event["type"] == "match";
            if is_match || event["type"] == "context" {
                add(&event["data"], is_match, &mut lines);
            }
        }
        lines
    }
}

/// A path as answers have it: one that is not UTF-8 by its bytes, as git quotes it.
pub(crate) fn name(path: &[u8]) -> String {
    let text = str::from_utf8(path).map(str::to_owned);
    text.unwrap_or_else(|_| tenon_edit::name_of_bytes(path.strip_prefix(b"./").unwrap_or(path)))
}

fn is_in_repository(directory: &Path) -> bool {
    let mut directories = directory.ancestors();
    directories.any(|directory| directory.join(".git").exists())
}

/// Adds the lines of one event: several if the match spans lines.
fn add(data: &Value, is_match: bool, lines: &mut Vec<FoundLine>) {
    let path = name(&bytes(&data["path"]));
    let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
    let text = bytes(&data["lines"]);
    let first = data["line_number"].as_u64().unwrap();
    let places: Vec<(usize, usize)> = data["submatches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| {
            let at = |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap();
            (at("start"), at("end"))
        })
        .collect();
    let mut start = 0;
    for (number, line) in (first..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        let end = start + line.len();
        // Where the first match that touches this line begins on it.
        let column = places
            .iter()
            .find(|place| place.0 < end && (place.1 > start || place.0 >= start))
            .map(|place| characters(&line[..place.0.saturating_sub(start)]) + 1);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        lines.push(FoundLine {
            path: path.clone(),
            number,
            is_match,
            column: column.filter(|_| is_match),
            text: String::from_utf8_lossy(line).into_owned(),
        });
        start = end;
    }
}

fn characters(bytes: &[u8]) -> u64 {
    String::from_utf8_lossy(bytes).chars().count() as u64
}

/// Text, or bytes in base64 where it is not UTF-8.
fn bytes(value: &Value) -> Vec<u8> {
    match value["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64::engine::general_purpose::STANDARD
            .decode(value["bytes"].as_str().unwrap())
            .unwrap(),
    }
}
