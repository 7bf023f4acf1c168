//! Made-up trees: ignore files that contradict each other, and contents of every kind.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::queries::Numbers;

/// A tree in a temporary directory, below a directory that has ignore files of its own.
pub(crate) struct Tree {
    _directory: TempDir,
    root: PathBuf,
    directories: Vec<PathBuf>,
}

impl Tree {
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Some of the directories in it, ignored ones too.
    pub(crate) fn directories(&self) -> Vec<PathBuf> {
        self.directories.iter().step_by(7).cloned().collect()
    }
}

const NAMES: &[&str] = &[
    "a",
    "b",
    "src",
    "build",
    "target",
    "docs",
    "node_modules",
    ".hidden",
    ".config",
    "A",
    "a b",
    "#x",
    "!y",
    "dot.",
    "a.b.c",
    "lib",
    "ä",
    "{x}",
    "[z]",
    "-v",
    "~",
];

const EXTENSIONS: &[&str] = &[
    "", ".rs", ".md", ".txt", ".log", ".py", ".c", ".tar.gz", ".", "~", ".RS",
];

const RULES: &[&str] = &[
    "*.log",
    "!keep.log",
    "/build",
    "build/",
    "**/target",
    "src/**",
    "a/b",
    "\\#x*",
    "\\!y*",
    "*",
    "!*/",
    "!*.rs",
    "[ab]*",
    "?.txt",
    "docs/*.md",
    "*.md  ",
    "# comment",
    "",
    "!a.rs",
    "/a",
    "/*",
    "!/src",
    "!src/",
    "**/a/**",
    "a/**/b",
    "{a,b}*",
    "[",
    "***",
    "/",
    "!",
    "lib/",
    "!lib/a*",
    ".hidden",
    "!.hidden",
    ".*",
    "!.*",
    "a b*",
    "*~",
    "\\ ",
    "./a",
    "../a",
    "src/*/a*",
    "**",
    "!**/keep*",
    "node_modules",
    "[!a]*.py",
    "a\\*",
    "*.tar.*",
    "d?t.",
    "ä*",
    "b/",
    "//a",
    "A*",
    "-v*",
    "dot.",
    "[[]z]",
    "\\{x\\}*",
    "*.[ch]",
    "!b.c",
    "target/**",
    "!target/keep*",
];

const WORDS: &[&str] = &[
    "alpha",
    "Beta",
    "gamma_delta",
    "fn",
    "return",
    "ERROR",
    "naïve",
    "x1",
    "1234",
    "TODO:",
    "(",
    "foo(bar)",
    "=",
    "日本語",
    "  ",
    "\t",
];

/// Ignore files at random on every level, and in the directories above. `has_late_fixes` is what
/// [`Rg::has_late_fixes`](crate::rg::Rg::has_late_fixes) says.
pub(crate) fn nasty(seed: u64, has_late_fixes: bool) -> Tree {
    let directory = tempfile::tempdir().unwrap();
    let top = directory.path().canonicalize().unwrap();
    let mut numbers = Numbers::new(seed ^ 0xA11CE);
    let above = top.join("above");
    let root = above.join("root");
    fs::create_dir_all(&root).unwrap();
    let mut directories = Vec::new();
    if numbers.one_in(2) {
        ignore_files(&above, &mut numbers);
    }
    fill(&root, 0, has_late_fixes, &mut numbers, &mut directories);
    #[cfg(unix)]
    odd_entries(&root);
    Tree {
        _directory: directory,
        root,
        directories,
    }
}

fn fill(
    directory: &Path,
    depth: usize,
    has_late_fixes: bool,
    numbers: &mut Numbers,
    directories: &mut Vec<PathBuf>,
) {
    if numbers.one_in(3) {
        ignore_files(directory, numbers);
    }
    if depth == 0 || numbers.one_in(9) {
        repository(directory, has_late_fixes, numbers);
    }
    for _ in 0..2 + numbers.below(7) {
        let mut name = format!("{}{}", numbers.pick(NAMES), numbers.pick(EXTENSIONS));
        if !has_late_fixes && name.starts_with('.') && name.ends_with('.') {
            name.push('x');
        }
        let path = directory.join(name);
        if !path.exists() {
            fs::write(path, content(numbers)).unwrap();
        }
    }
    if numbers.one_in(6) {
        fs::write(directory.join("keep.log"), content(numbers)).unwrap();
    }
    if depth == 4 {
        return;
    }
    for _ in 0..numbers.below(4) + usize::from(depth == 0) * 2 {
        let path = directory.join(numbers.pick(NAMES));
        if !path.exists() {
            fs::create_dir(&path).unwrap();
            fill(&path, depth + 1, has_late_fixes, numbers, directories);
            directories.push(path);
        }
    }
}

fn ignore_files(directory: &Path, numbers: &mut Numbers) {
    for name in [".gitignore", ".ignore", ".rgignore"] {
        if !numbers.one_in(2) {
            continue;
        }
        let mut text: Vec<u8> = Vec::new();
        if numbers.one_in(8) {
            text.extend_from_slice(b"\xEF\xBB\xBF");
        }
        let end: &[u8] = if numbers.one_in(6) { b"\r\n" } else { b"\n" };
        for _ in 0..1 + numbers.below(6) {
            if numbers.one_in(25) {
                text.extend_from_slice(b"\xff\xfe");
            }
            text.extend_from_slice(numbers.pick(RULES).as_bytes());
            text.extend_from_slice(end);
        }
        fs::write(directory.join(name), text).unwrap();
    }
}

/// `.git` as a directory with excludes, or as the file of a linked work tree.
fn repository(directory: &Path, has_late_fixes: bool, numbers: &mut Numbers) {
    let git = directory.join(".git");
    if git.exists() {
        return;
    }
    let excludes = format!("{}\n{}\n", numbers.pick(RULES), numbers.pick(RULES));
    if numbers.one_in(3) && has_late_fixes {
        let main = directory.join(".main");
        let work_tree = main.join("worktrees/w");
        fs::create_dir_all(&work_tree).unwrap();
        fs::create_dir_all(main.join("info")).unwrap();
        fs::write(main.join("info/exclude"), excludes).unwrap();
        fs::write(work_tree.join("commondir"), "../..\n").unwrap();
        fs::write(git, format!("gitdir: {}\n", work_tree.display())).unwrap();
    } else {
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/exclude"), excludes).unwrap();
        fs::write(git.join("config"), "alpha\n").unwrap();
    }
}

fn content(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = Vec::new();
    let end: &[u8] = if numbers.one_in(8) { b"\r\n" } else { b"\n" };
    for _ in 0..numbers.below(30) {
        for _ in 0..numbers.below(6) {
            text.extend_from_slice(numbers.pick(WORDS).as_bytes());
            text.push(b' ');
        }
        text.extend_from_slice(end);
    }
    if numbers.one_in(15) {
        text.push(0);
        text.extend_from_slice(b"alpha after nul\n");
    }
    if numbers.one_in(15) {
        text.extend_from_slice(b"caf\xe9 alpha\n");
    }
    if numbers.one_in(4) {
        text.pop();
    }
    text
}

/// Links, a FIFO and a name that is not UTF-8.
#[cfg(unix)]
fn odd_entries(root: &Path) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    symlink(root, root.join("link_to_root")).unwrap();
    symlink("/etc/passwd", root.join("link_outside")).unwrap();
    symlink("nowhere", root.join("link_dangling")).unwrap();
    fs::write(root.join("target.txt"), "alpha\n").unwrap();
    symlink("target.txt", root.join("link_to_file")).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"not\xffutf8.rs")), "alpha\n").unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("fifo"))
        .status();
    assert!(made.is_ok());
}

/// Contents of every kind that a search has a rule for.
pub(crate) fn awkward() -> Tree {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let mut numbers = Numbers::new(11);
    let text = "alpha Beta\nnaïve gamma_delta x1\n\nERROR 1234 foo(bar)\n";
    let utf_16 = |encode: fn(u16) -> [u8; 2], mark: &[u8]| {
        let mut bytes = mark.to_vec();
        bytes.extend(text.encode_utf16().flat_map(encode));
        bytes
    };
    let write = |name: &str, bytes: Vec<u8>| fs::write(root.join(name), bytes).unwrap();
    write("utf16le.txt", utf_16(u16::to_le_bytes, b"\xFF\xFE"));
    write("utf16be.txt", utf_16(u16::to_be_bytes, b"\xFE\xFF"));
    write("utf8bom.txt", format!("\u{feff}{text}").into_bytes());
    write("bom_only.txt", b"\xEF\xBB\xBF".to_vec());
    write("short_mark.txt", b"\xFF\xFE".to_vec());
    write("empty.txt", Vec::new());
    write("line_end_only.txt", b"\n".to_vec());
    write("no_line_end.txt", b"alpha Beta".to_vec());
    write("crlf.txt", text.replace('\n', "\r\n").into_bytes());
    write("cr.txt", text.replace('\n', "\r").into_bytes());
    write("mixed.txt", b"alpha\r\nBeta\nfoo\r\r\nx1 \r\n\r\n".to_vec());
    write("latin1.txt", b"na\xefve alpha \xff\n\xe9\n".to_vec());
    // Last in path order: `rg` keeps the buffer that grows by it, and a larger buffer sees NUL bytes
    // farther ahead.
    write(
        "zz_long_line.txt",
        [b"x1 ".repeat(70_000), text.into()].concat(),
    );
    for size in [
        65_535, 65_536, 65_537, 65_538, 65_539, 65_540, 131_072, 300_000,
    ] {
        let mut bytes = Vec::with_capacity(size + 64);
        while bytes.len() < size {
            bytes.extend_from_slice(content_without_nul(&mut numbers).as_slice());
        }
        bytes.truncate(size);
        write(&format!("size_{size}.txt"), bytes.clone());
        for place in [
            0, 2, 3, 100, 65_530, 65_537, 65_539, 70_000, 140_000, 299_000,
        ] {
            if place < size && (size == 300_000 || place > 60_000) {
                let mut binary = bytes.clone();
                binary[place] = 0;
                write(&format!("nul_{size}_{place}.bin"), binary);
            }
        }
    }
    write("nul_first_line.bin", b"x\n\nalpha\n\0alpha\n".to_vec());
    write("nul_after_line_end.bin", b"a\nalpha\0\n".to_vec());
    write("nul_only.bin", b"\0".to_vec());
    Tree {
        _directory: directory,
        root,
        directories: Vec::new(),
    }
}

fn content_without_nul(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = content(numbers);
    text.retain(|byte| *byte != 0);
    text.push(b'\n');
    text
}
