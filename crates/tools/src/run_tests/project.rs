//! Which runner a directory has. Only looks at files that say so, never into code.

use serde_json::Value;
use tenon_contract::limits;
use tenon_process::Processes;
use tenon_workspace::{FileKind, Located};

use super::frameworks::Framework;
use super::script::{Invocation, invocation};

/// A directory that may be a project.
#[derive(Debug, Clone, Copy)]
pub(super) struct Project<'a> {
    pub(super) directory: &'a Located,
    pub(super) processes: &'a Processes,
}

/// The runner of a project.
#[derive(Debug, Clone)]
pub(super) struct Runner {
    pub(super) framework: Framework,
    pub(super) directory: Located,
    /// What starts it, as words of a shell.
    pub(super) program: Vec<String>,
    /// What the project's own script gives it.
    pub(super) arguments: Vec<String>,
    /// Of Go: the path of the module.
    pub(super) module: String,
    /// Whether nothing says so but the names of files.
    pub(super) is_guess: bool,
}

/// Deepest place of a `node_modules` above a project.
const LEVELS: usize = 8;
/// What Vitest and Jest and Mocha are configured by.
const CONFIGURATIONS: &[(&str, Framework)] = &[
    ("vitest.config.", Framework::Vitest),
    ("vitest.workspace.", Framework::Vitest),
    ("jest.config.", Framework::Jest),
    (".mocharc", Framework::Mocha),
];

impl Project<'_> {
    /// The runners that are found, in the order in which they are taken: what is only guessed comes last.
    pub(super) fn runners(self) -> Vec<Runner> {
        let all = [self.javascript(), self.cargo(), self.go(), self.pytest()];
        let mut found: Vec<Runner> = all.into_iter().flatten().collect();
        found.sort_by_key(|runner| runner.is_guess);
        found
    }

    fn javascript(self) -> Option<Runner> {
        let package = self.text("package.json");
        let package: Option<Value> = package.and_then(|text| serde_json::from_str(&text).ok());
        let by_script = package.as_ref().and_then(of_scripts);
        if let Some(found) = by_script {
            return Some(self.by_script(found));
        }
        let by_package = package.as_ref().and_then(of_dependencies);
        let known = by_package.or_else(|| self.of_configuration());
        let framework = known.or_else(|| self.has_tests_of_node().then_some(Framework::Node))?;
        let runner = self.runner(framework, self.program_of(framework), Vec::new());
        Some(Runner {
            is_guess: known.is_none(),
            ..runner
        })
    }

    /// The runner that needs no set-up.
    pub(super) fn bare(self, framework: Framework) -> Runner {
        let program = match framework {
            Framework::Pytest => self.python(),
            other => self.program_of(other),
        };
        self.runner(framework, program, Vec::new())
    }

    fn by_script(self, found: Invocation) -> Runner {
        let mut program = found.variables;
        program.extend(match found.program {
            // What the script finds by its name lies in `node_modules/.bin`.
            Some(words)
                if words
                    .first()
                    .is_some_and(|word| !word.contains('/') && word != "node") =>
            {
                let mut words = words.into_iter();
                let name = words.next().unwrap_or_default();
                let mut all = self.binary(&name);
                all.extend(words);
                all
            }
            Some(words) => words,
            None => self.program_of(found.framework),
        });
        self.runner(found.framework, program, found.arguments)
    }

    fn program_of(self, framework: Framework) -> Vec<String> {
        match framework {
            Framework::Node => vec!["node".to_owned()],
            other => self.binary(other.name()),
        }
    }

    /// A program of a package: that of the nearest `node_modules`, else by the one who manages the packages. Nothing is
    /// installed on the way.
    pub(super) fn binary(self, name: &str) -> Vec<String> {
        let mut directory = Some(self.directory.target());
        let mut up = String::new();
        for _ in 0..LEVELS {
            let Some(here) = directory else { break };
            let path = here.join("node_modules/.bin").join(name);
            let located = self.directory.workspace().locate(&path.to_string_lossy());
            if located.is_ok_and(|located| located.exists().unwrap_or(false)) {
                return vec![format!("{up}node_modules/.bin/{name}")];
            }
            directory = here.parent();
            up.push_str("../");
        }
        let manager: &[&str] = if self.has(".pnp.cjs") {
            &["yarn"]
        } else {
            &["npx", "--no-install"]
        };
        let words = manager.iter().copied().chain([name]);
        words.map(str::to_owned).collect()
    }

    fn of_configuration(self) -> Option<Framework> {
        let names = self.names();
        let has = |start: &str| names.iter().any(|(name, _)| name.starts_with(start));
        let found = CONFIGURATIONS.iter().find(|(start, _)| has(start));
        found.map(|(_, framework)| *framework)
    }

    /// Whether there are files that `node --test` takes for tests at the top, or in `test`.
    fn has_tests_of_node(self) -> bool {
        let is_script = |name: &str| {
            [".js", ".mjs", ".cjs"]
                .iter()
                .any(|end| name.ends_with(end))
        };
        let is_test = |name: &str| {
            is_script(name)
                && (name.contains(".test.")
                    || name.contains("-test.")
                    || name.contains("_test.")
                    || name.starts_with("test-")
                    || name.starts_with("test."))
        };
        let top = self.names();
        if top.iter().any(|(name, _)| is_test(name)) {
            return true;
        }
        let has_directory = top
            .iter()
            .any(|(name, is_directory)| *is_directory && name == "test");
        let directory = has_directory
            .then(|| self.directory.child("test").ok())
            .flatten();
        let inner = directory
            .map(|directory| names_of(&directory))
            .unwrap_or_default();
        inner
            .iter()
            .any(|(name, is_directory)| !is_directory && is_script(name))
    }

    fn cargo(self) -> Option<Runner> {
        let manifest = self.text("Cargo.toml")?;
        let wants_nextest = self.has(".config/nextest.toml") && self.has_program("cargo-nextest");
        let framework = if wants_nextest {
            Framework::Nextest
        } else {
            Framework::Cargo
        };
        let is_workspace = manifest.lines().any(|line| line.trim() == "[workspace]");
        let arguments = is_workspace.then(|| "--workspace".to_owned());
        let program = vec!["cargo".to_owned()];
        Some(self.runner(framework, program, arguments.into_iter().collect()))
    }

    fn go(self) -> Option<Runner> {
        let text = self.text("go.mod")?;
        let module = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("module "));
        let module = module
            .unwrap_or_default()
            .trim()
            .trim_matches('"')
            .to_owned();
        let runner = self.runner(Framework::Go, vec!["go".to_owned()], Vec::new());
        Some(Runner { module, ..runner })
    }

    fn pytest(self) -> Option<Runner> {
        let mentions = |file: &str, words: &str| {
            let text = self.text(file);
            text.is_some_and(|text| text.contains(words))
        };
        let names = self.names();
        let is_test = |name: &str| {
            name.ends_with(".py")
                && (name.starts_with("test_")
                    || name.ends_with("_test.py")
                    || name == "conftest.py")
        };
        let has_tests = |names: &[(String, bool)]| names.iter().any(|(name, _)| is_test(name));
        let in_directory = |directory: &str| {
            let is_there = names
                .iter()
                .any(|(name, is_directory)| *is_directory && name == directory);
            let directory = is_there
                .then(|| self.directory.child(directory).ok())
                .flatten();
            directory.is_some_and(|directory| has_tests(&names_of(&directory)))
        };
        let is_known = self.has("pytest.ini")
            || mentions("pyproject.toml", "pytest")
            || mentions("setup.cfg", "[tool:pytest]")
            || mentions("tox.ini", "pytest");
        let found = is_known || has_tests(&names) || in_directory("tests") || in_directory("test");
        let program = found.then(|| self.python())?;
        let runner = self.runner(Framework::Pytest, program, Vec::new());
        Some(Runner {
            is_guess: !is_known,
            ..runner
        })
    }

    /// How the project's own Python runs pytest.
    fn python(self) -> Vec<String> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        for directory in [".venv", "venv"] {
            let program = if cfg!(windows) {
                "Scripts/python.exe"
            } else {
                "bin/python"
            };
            if self.has(&format!("{directory}/pyvenv.cfg")) {
                return words(&format!("{directory}/{program} -m pytest"));
            }
        }
        for (lock, program) in [
            ("uv.lock", "uv"),
            ("poetry.lock", "poetry"),
            ("pdm.lock", "pdm"),
        ] {
            if self.has(lock) && self.has_program(program) {
                return words(&format!("{program} run pytest"));
            }
        }
        if self.has_program("pytest") {
            words("pytest")
        } else if self.has_program("python3") || !self.has_program("python") {
            words("python3 -m pytest")
        } else {
            words("python -m pytest")
        }
    }

    fn runner(self, framework: Framework, program: Vec<String>, arguments: Vec<String>) -> Runner {
        Runner {
            framework,
            directory: self.directory.clone(),
            program,
            arguments,
            module: String::new(),
            is_guess: false,
        }
    }

    pub(super) fn has_program(self, name: &str) -> bool {
        self.processes.find_program(name, |_| false).is_some()
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.located(name)
            .is_some_and(|located| located.exists().unwrap_or(false))
    }

    fn located(self, name: &str) -> Option<Located> {
        let path = self.directory.target().join(name);
        self.directory
            .workspace()
            .locate(&path.to_string_lossy())
            .ok()
    }

    pub(super) fn text(self, name: &str) -> Option<String> {
        let file = self.located(name)?.open_file().ok()?;
        let text = file.read_text(limits::TESTS_MANIFEST_MAX_BYTES).ok()?;
        Some(text.text().to_owned())
    }

    /// What lies in the directory, and whether each is a directory.
    fn names(self) -> Vec<(String, bool)> {
        names_of(self.directory)
    }
}

pub(super) fn names_of(directory: &Located) -> Vec<(String, bool)> {
    let listing = directory.list(limits::TESTS_DIRECTORY_MAX_ENTRIES, &|| false);
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    entries
        .into_iter()
        .map(|entry| (entry.name, entry.kind == FileKind::Directory))
        .collect()
}

/// What `npm test` starts, else another script that is named after tests.
fn of_scripts(package: &Value) -> Option<Invocation> {
    let scripts = package.get("scripts")?.as_object()?;
    let is_named = |name: &&String| {
        let mut parts = name.split([':', '-', '.']);
        name.as_str() != "test"
            && parts.any(|part| {
                matches!(
                    part,
                    "test" | "tests" | "unit" | "vitest" | "jest" | "mocha"
                )
            })
    };
    let others = scripts.keys().filter(is_named).map(String::as_str);
    std::iter::once("test")
        .chain(others)
        .find_map(|name| invocation(scripts.get(name)?.as_str()?))
}

fn of_dependencies(package: &Value) -> Option<Framework> {
    let of = |kind: &str, name: &str| package.get(kind).and_then(|all| all.get(name)).is_some();
    let has = |name: &str| of("devDependencies", name) || of("dependencies", name);
    let known = [
        ("vitest", Framework::Vitest),
        ("jest", Framework::Jest),
        ("mocha", Framework::Mocha),
    ];
    if package.get("jest").is_some() {
        return Some(Framework::Jest);
    }
    known
        .into_iter()
        .find(|(name, _)| has(name))
        .map(|(_, framework)| framework)
}
