//! Folders and files by which a program is told whose code or settings it works with, where it does not change into them:
//! `mvn -f FILE`, `gradle -p FOLDER`, `cmake -S FOLDER`, `docker build FOLDER`.
//!
//! Who allows such a program means the code of the workspace.

use smallvec::SmallVec;

use super::OperandWord;
use super::arguments::OneDash;
use super::table::{PLAIN, Spec};
use crate::Word;
use crate::by_name::{ByName, by_names};

/// Words that name such folders and files.
pub type Projects<'w> = SmallVec<[OperandWord<'w>; 2]>;

/// Options whose value is one, as `read_options`. Sources: the manuals of Maven 3.9, Gradle 8, cargo 1.95, pnpm 9, yarn 1,
/// cmake 3.31, ninja 1.12, pip 24, uv 0.5, poetry 1.8, bundler 2.5, rake 13, just 1.36, task 3, composer 2, dotnet 8,
/// terraform 1.9, Swift 6, bun 1.1, turbo 2, tox 4, nox 2024, ant 1.10, phpunit 11.
const PROJECTS: &[Spec] = &[
    Spec {
        names: &["mvn", "mvnw", "mvnd"],
        values: "DPTlgst",
        long_values: &[
            "projects",
            "activate-profiles",
            "define",
            "threads",
            "log-file",
        ],
        read_options: &["f", "file"],
        one_dash: OneDash::These(&[
            "pl", "am", "amd", "rf", "gs", "gt", "ntp", "nsu", "fae", "ff", "fn",
        ]),
        long_flags: &["am", "amd", "ntp", "nsu", "fae", "ff", "fn"],
        ..PLAIN
    },
    Spec {
        names: &["gradle", "gradlew"],
        values: "PDxgImbc",
        long_values: &[
            "exclude-task",
            "tests",
            "gradle-user-home",
            "console",
            "max-workers",
        ],
        read_options: &["p", "project-dir", "include-build"],
        ..PLAIN
    },
    Spec {
        names: &["cargo"],
        values: "pFjZ",
        read_options: &["manifest-path"],
        ..PLAIN
    },
    Spec {
        names: &["pnpm", "pnpx"],
        values: "Fw",
        long_values: &["filter"],
        read_options: &["C", "dir", "prefix"],
        ..PLAIN
    },
    Spec {
        names: &["jest"],
        values: "ctwi",
        read_options: &["rootDir", "roots", "projects", "modulePathDirs"],
        ..PLAIN
    },
    Spec {
        names: &["cypress"],
        values: "Cbcerst",
        read_options: &["P", "project"],
        ..PLAIN
    },
    Spec {
        names: &["yarn", "bun", "turbo", "deno"],
        read_options: &["cwd"],
        ..PLAIN
    },
    Spec {
        names: &["cmake"],
        values: "DGTAUjt",
        long_values: &[
            "target",
            "config",
            "parallel",
            "preset",
            "component",
            "prefix",
            "fresh",
        ],
        long_flags: &["fresh", "verbose", "clean-first"],
        read_options: &["S", "B", "C", "P", "H", "build", "install", "toolchain"],
        ..PLAIN
    },
    Spec {
        names: &["ctest"],
        values: "CLRELUIjMTDO",
        read_options: &["S", "test-dir", "build-and-test"],
        ..PLAIN
    },
    Spec {
        names: &["ninja", "samu"],
        values: "jklwdt",
        read_options: &["C", "f"],
        ..PLAIN
    },
    Spec {
        names: &["meson"],
        values: "Djt",
        read_options: &["C"],
        ..PLAIN
    },
    Spec {
        names: &["pip"],
        values: "if",
        long_values: &["index-url", "extra-index-url", "find-links"],
        read_options: &["r", "requirement", "c", "constraint", "e", "editable"],
        ..PLAIN
    },
    Spec {
        names: &["uv"],
        values: "pif",
        long_values: &["python", "index-url", "extra", "group", "with"],
        read_options: &[
            "r",
            "requirement",
            "requirements",
            "c",
            "constraint",
            "e",
            "editable",
            "directory",
            "project",
        ],
        ..PLAIN
    },
    Spec {
        names: &["poetry"],
        values: "G",
        read_options: &["C", "directory", "P", "project"],
        ..PLAIN
    },
    Spec {
        names: &["bundle", "bundler"],
        read_options: &["gemfile"],
        ..PLAIN
    },
    Spec {
        names: &["rake"],
        values: "jIretTDWEp",
        read_options: &["f", "rakefile", "C", "directory", "R", "rakelibdir"],
        ..PLAIN
    },
    Spec {
        names: &["just"],
        long_values: &["set", "shell", "color"],
        read_options: &["f", "justfile", "d", "working-directory"],
        ..PLAIN
    },
    Spec {
        names: &["task", "go-task"],
        values: "oCI",
        read_options: &["d", "dir", "t", "taskfile"],
        ..PLAIN
    },
    Spec {
        names: &["composer"],
        read_options: &["d", "working-dir"],
        ..PLAIN
    },
    Spec {
        names: &["dotnet"],
        values: "cfrvo",
        read_options: &["project"],
        ..PLAIN
    },
    Spec {
        names: &["terraform", "tofu"],
        one_dash: OneDash::These(&["chdir"]),
        read_options: &["chdir"],
        ..PLAIN
    },
    Spec {
        names: &["swift"],
        read_options: &["package-path"],
        ..PLAIN
    },
    Spec {
        names: &["tox", "nox"],
        values: "es",
        read_options: &["c", "conf", "f", "noxfile", "root"],
        ..PLAIN
    },
    Spec {
        names: &["ant"],
        one_dash: OneDash::These(&[
            "buildfile",
            "file",
            "lib",
            "propertyfile",
            "logger",
            "listener",
        ]),
        values: "D",
        read_options: &["f", "buildfile", "file", "lib"],
        ..PLAIN
    },
    Spec {
        names: &["phpunit"],
        read_options: &["c", "configuration", "bootstrap"],
        ..PLAIN
    },
];

static BY_NAME: ByName<Spec> = ByName::new(|| by_names(PROJECTS, |spec| spec.names));

/// The options of `docker build` whose value is no folder, and those that name a file of instructions.
pub(super) const BUILD: Spec = Spec {
    values: "tcmo",
    long_values: &[
        "add-host",
        "allow",
        "annotation",
        "attest",
        "build-arg",
        "build-context",
        "builder",
        "cache-from",
        "cache-to",
        "cgroup-parent",
        "cpu-period",
        "cpu-quota",
        "cpu-shares",
        "cpuset-cpus",
        "cpuset-mems",
        "iidfile",
        "isolation",
        "label",
        "memory",
        "memory-swap",
        "metadata-file",
        "network",
        "no-cache-filter",
        "output",
        "platform",
        "progress",
        "provenance",
        "sbom",
        "secret",
        "security-opt",
        "shm-size",
        "ssh",
        "tag",
        "target",
        "ulimit",
    ],
    long_flags: &[
        "no-cache", "load", "push", "pull", "rm", "force-rm", "squash",
    ],
    read_options: &["f", "file"],
    ..PLAIN
};

/// The options of `docker compose` before its command.
const COMPOSE: Spec = Spec {
    values: "p",
    long_values: &["project-name", "profile", "parallel", "progress", "ansi"],
    read_options: &["f", "file", "project-directory", "env-file"],
    ..PLAIN
};

/// Folders and files by which the arguments of a command tell whose code or settings it works with. Takes
/// [`Invocation::plain_words`](crate::Invocation::plain_words).
///
/// ```
/// use tenon_shell::{Dialect, invocation, projects, read};
/// let script = read("mvn -q -f ../other/pom.xml verify", Dialect::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let projects = projects(command.plain_words());
/// assert_eq!(projects[0].literal(), Some("../other/pom.xml"));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn projects(words: &[Word]) -> Projects<'_> {
    let Some((name, arguments)) = words.split_first() else {
        return Projects::new();
    };
    let name = name.literal().map(crate::unwrap::name_of_program);
    let name = name.unwrap_or_default();
    let mut found = match name {
        "docker" => docker(arguments),
        "buildah" => build(arguments.get(1..).unwrap_or_default()),
        _ => BY_NAME.find(name).map_or_else(Projects::new, |spec| {
            let own = own_arguments(arguments);
            named_by(spec, own)
                .into_iter()
                .chain(operands(name, spec, own))
                .collect()
        }),
    };
    found.retain(|word| !is_no_folder(word));
    found
}

/// What stands before `--`: the rest is of a program that is run.
fn own_arguments(arguments: &[Word]) -> &[Word] {
    let end = arguments
        .iter()
        .position(|word| word.literal() == Some("--"));
    arguments
        .get(..end.unwrap_or(arguments.len()))
        .unwrap_or_default()
}

fn named_by<'w>(spec: &Spec, arguments: &'w [Word]) -> Projects<'w> {
    let split = spec.split(arguments);
    split.values(spec.read_options).cloned().collect()
}

/// The operands of `pip install` that are written as paths: what they bring is run.
fn operands<'w>(name: &str, spec: &Spec, arguments: &'w [Word]) -> Projects<'w> {
    let split = spec.split(arguments);
    let first = split.operands.first().and_then(|word| word.literal());
    let is_path = |word: &Word| {
        let text = word.prefix();
        text.starts_with(['/', '.', '~'])
    };
    let words = split.operands.iter().copied();
    match (name, first) {
        ("pip", Some("install" | "wheel")) | ("uv", Some("pip" | "add" | "tool")) => words
            .filter(|word| is_path(word))
            .map(OperandWord::Argument)
            .collect(),
        ("cargo", Some("install")) => {
            let path = Spec {
                read_options: &["path"],
                ..PLAIN
            };
            named_by(&path, arguments)
        }
        _ => Projects::new(),
    }
}

/// `docker build`, under all its names, and `docker compose`.
fn docker(arguments: &[Word]) -> Projects<'_> {
    let verb = |place: usize| arguments.get(place).and_then(Word::literal);
    match (verb(0), verb(1)) {
        (Some("build"), _) => build(arguments.get(1..).unwrap_or_default()),
        (Some("buildx" | "image" | "builder"), Some("build" | "b")) => {
            build(arguments.get(2..).unwrap_or_default())
        }
        (Some("compose"), _) => compose(arguments.get(1..).unwrap_or_default()),
        _ => Projects::new(),
    }
}

fn build(arguments: &[Word]) -> Projects<'_> {
    let split = BUILD.split(arguments);
    let operands = split.operands.iter().copied();
    let files = split.values(BUILD.read_options).cloned();
    files.chain(operands.map(OperandWord::Argument)).collect()
}

/// Behind its command the same letters mean something else (`logs -f`).
fn compose(arguments: &[Word]) -> Projects<'_> {
    let split = COMPOSE.split(arguments);
    let command = split.operands.first();
    let end = command.and_then(|command| {
        arguments
            .iter()
            .position(|word| std::ptr::eq(word, *command))
    });
    let own = arguments
        .get(..end.unwrap_or(arguments.len()))
        .unwrap_or_default();
    named_by(&COMPOSE, own)
}

/// The input, and addresses: what is fetched from there is a matter of hosts.
pub(super) fn is_no_folder(word: &Word) -> bool {
    let text = word.prefix();
    matches!(word.literal(), Some("-" | ""))
        || text.contains("://")
        || text.starts_with("git@")
        || text.starts_with("git+")
}
