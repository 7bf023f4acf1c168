//! Reads the tables and decides their rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use tenon_contract::{
    Access, CommandClaim, Effect, GivenVariable, HostClaim, InputClaim, Operation, PathClaim,
    posix_path, posix_path_text,
};
use tenon_policy::{
    Catalogue, Decision, DefaultMode, Engine, FileIdentity, Listed, ListedKind, PathResolver,
    Permissions, ProgramRow, Question, Resolved, RuleSet, RuleText, ShellKind, Source, There,
};

/// Where the workspace of every case lies.
pub(crate) const ROOT: &str = "/home/me/work";

/// In the cell of a verdict: on Windows it is `ask`, whatever decides.
const ASKED_ON_WINDOWS: &str = "(ask on Windows)";

/// The settings of a section.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct Settings {
    pub(crate) tool: Option<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) ask: Vec<String>,
    pub(crate) allow: Vec<String>,
    pub(crate) default_mode: Option<DefaultMode>,
    /// Directories that exist.
    pub(crate) directories: Vec<String>,
    /// Files that exist, besides those that are tracked.
    pub(crate) files: Vec<String>,
    /// What git tracks in the workspace.
    pub(crate) tracked: Vec<String>,
    /// What git ignores in the workspace.
    pub(crate) ignored: Vec<String>,
    /// Hard links: a name and another name of the same file.
    pub(crate) hard_links: BTreeMap<String, String>,
    /// Whether directories can be looked into: what is not named here is not there.
    pub(crate) looks: bool,
    /// Links: name to target, both relative to the workspace unless absolute.
    pub(crate) links: BTreeMap<String, String>,
    /// `bash` (default) or `sh`.
    pub(crate) shell: Option<String>,
    pub(crate) approver: bool,
    /// Whether paths outside can be looked at, and `/tmp` is a directory for temporary files.
    pub(crate) temporary: bool,
    /// The variables that the call itself gives its command.
    pub(crate) environment: BTreeMap<String, String>,
    /// Where text came from that was read before.
    pub(crate) sources: Vec<Source>,
    /// Rows of programs that the host brings.
    pub(crate) programs: Vec<ProgramRow>,
    /// Rows of programs that can only make stricter.
    pub(crate) untrusted_programs: Vec<ProgramRow>,
}

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) settings: Settings,
    pub(crate) call: String,
    pub(crate) verdict: String,
    /// Whether the verdict is stricter than a user would be.
    pub(crate) strict: bool,
    pub(crate) rule: String,
    pub(crate) why: String,
}

pub(crate) fn cases() -> Vec<Case> {
    cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/decisions"))
}

/// The rows of the tables in a directory.
pub(crate) fn cases_in(directory: &Path) -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut settings = Settings::default();
    let mut json: Option<String> = None;
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match &mut json {
            Some(_) if line == "```" => {
                let body = json.take().unwrap();
                settings = serde_json::from_str(&body)
                    .unwrap_or_else(|error| panic!("{file}:{}: {error}", index + 1));
            }
            Some(body) => body.push_str(line),
            None if line == "```json" => json = Some(String::new()),
            None if line.starts_with("| `") => cases.push(row(line, &file, index + 1, &settings)),
            None => {}
        }
    }
    cases
}

fn row(line: &str, file: &str, number: usize, settings: &Settings) -> Case {
    let cells: Vec<String> = line
        .trim_matches('|')
        .replace("\\|", "\u{1}")
        .split('|')
        .map(|cell| cell.trim_matches(' ').replace('\u{1}', "|"))
        .collect();
    let [call, verdict, rule, why] = cells.as_slice() else {
        panic!("{file}:{number}: a row has four cells: {cells:?}");
    };
    let fence = call.chars().take_while(|letter| *letter == '`').count();
    let call = &call[fence..call.len() - fence];
    let call = if fence > 1 {
        call.strip_prefix(' ')
            .unwrap_or(call)
            .strip_suffix(' ')
            .unwrap_or(call)
    } else {
        call
    };
    let call = call
        .replace('⏎', "\n")
        .replace('⇥', "\t")
        .replace('␍', "\r")
        .replace('␀', "\0")
        .replace('⍽', "\u{a0}")
        .replace('␠', " ")
        .replace('∅', "");
    // There the words mean something else, or name nothing.
    let is_asked = cfg!(windows) && verdict.contains(ASKED_ON_WINDOWS);
    let (verdict, rule) = if is_asked {
        ("ask", "")
    } else {
        (verdict.as_str(), rule.trim_matches('`'))
    };
    Case {
        file: file.to_owned(),
        line: number,
        settings: settings.clone(),
        call,
        verdict: verdict.split(' ').next().unwrap().to_owned(),
        strict: verdict.contains("(strict)"),
        rule: rule.to_owned(),
        why: why.clone(),
    }
}

pub(crate) fn resolve(name: &str) -> Option<Operation> {
    Some(match name {
        "Bash" | "exec" | "run_command" => Operation::Execute,
        "process" => Operation::Process,
        "Glob" => Operation::Find,
        "LS" => Operation::List,
        "WebFetch" => Operation::WebFetch,
        "WebRequest" => Operation::WebRequest,
        "NotebookEdit" => Operation::NotebookEdit,
        "MultiEdit" => Operation::Edit,
        "own_tool" => Operation::Foreign,
        _ => return Operation::from_name(&name.to_lowercase()),
    })
}

pub(crate) fn engine(settings: &Settings) -> Engine {
    let texts = |rules: &[String]| {
        rules
            .iter()
            .map(|rule| RuleText::from(rule.as_str()))
            .collect()
    };
    let permissions = Permissions {
        deny: texts(&settings.deny),
        ask: texts(&settings.ask),
        allow: texts(&settings.allow),
        default_mode: settings.default_mode,
    };
    let rules = RuleSet::new(&permissions, &resolve).unwrap_or_else(|errors| panic!("{errors:?}"));
    let shell = if settings.shell.as_deref() == Some("sh") {
        ShellKind::Posix
    } else {
        ShellKind::Bash
    };
    let temporary = settings.temporary.then(|| PathBuf::from("/tmp"));
    Engine::new(rules, permissions.mode(settings.approver), ROOT)
        .with_shell(shell)
        .with_home(settings.temporary.then(|| PathBuf::from("/home/me")))
        .with_temporary_directories(temporary.into_iter().collect())
        .after(settings.sources.iter().copied().collect())
        .with_catalogue(
            catalogue(&settings.programs),
            untrusted(&settings.untrusted_programs, &settings.programs),
        )
}

/// The programs of tenon with these rows in front.
pub(crate) fn catalogue(rows: &[ProgramRow]) -> Catalogue {
    let rows = rows.iter().enumerate();
    let placed = rows.map(|(place, row)| (format!("programs[{place}]"), row.clone()));
    Catalogue::of_host(placed.collect()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn untrusted(rows: &[ProgramRow], trusted: &[ProgramRow]) -> Option<Catalogue> {
    let with = || catalogue(rows).in_front_of(&catalogue(trusted));
    (!rows.is_empty()).then(with)
}

/// A path as the settings name it, on Windows too.
fn slashed(path: &Path) -> String {
    posix_path(path).to_string_lossy().into_owned()
}

/// A workspace that exists only in the settings.
pub(crate) struct Disk<'a>(pub(crate) &'a Settings);

impl Disk<'_> {
    fn follow(&self, path: &Path) -> PathBuf {
        let mut real = PathBuf::from("/");
        for component in path.components() {
            match component {
                std::path::Component::Normal(part) => real.push(part),
                std::path::Component::ParentDir => drop(real.pop()),
                _ => continue,
            }
            let name = slashed(real.strip_prefix(ROOT).unwrap_or(&real));
            if let Some(target) = self.0.links.get(&name) {
                real = Path::new(ROOT).join(target);
            }
        }
        slashed(&real).into()
    }

    pub(crate) fn claim(&self, path: &str) -> Option<PathClaim> {
        let named = Path::new(ROOT).join(&*posix_path_text(path));
        let target = self.follow(&named);
        target.strip_prefix(ROOT).ok()?;
        let mut plain = PathBuf::new();
        for component in named.components() {
            match component {
                std::path::Component::ParentDir => drop(plain.pop()),
                other => plain.push(other),
            }
        }
        let name = slashed(plain.strip_prefix(ROOT).unwrap_or(&plain));
        Some(PathClaim {
            name: if name.is_empty() { ".".into() } else { name },
            target,
        })
    }
}

impl PathResolver for Disk<'_> {
    fn resolve(&self, directory: &Path, path: &str) -> Resolved {
        match self.claim(&directory.join(path).to_string_lossy()) {
            Some(claim) if !path.is_empty() => {
                let name = slashed(claim.target.strip_prefix(ROOT).unwrap());
                let is_directory = name.is_empty() || self.0.directories.contains(&name);
                let there = match self.identity(&name) {
                    _ if is_directory => There::Directory,
                    Some(identity) => There::File(Some(identity)),
                    None if self.0.files.contains(&name) || self.0.tracked.contains(&name) => {
                        There::File(None)
                    }
                    None => There::Nothing,
                };
                Resolved::Inside { claim, there }
            }
            _ => Resolved::Outside,
        }
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        self.0.temporary.then(|| self.follow(path))
    }

    fn work_tree(&self, directory: &Path) -> Option<PathBuf> {
        let mut above = directory.ancestors().filter(|path| path.starts_with(ROOT));
        let is_top = |path: &&Path| {
            let git = path.strip_prefix(ROOT).map(|path| path.join(".git"));
            git.is_ok_and(|git| self.0.directories.iter().any(|name| Path::new(name) == git))
        };
        above.find(is_top).map(Path::to_owned)
    }

    fn tracked(&self, _directory: &Path, test: &dyn Fn(&Path) -> bool) -> Option<Arc<[PathBuf]>> {
        let names = self.0.tracked.iter();
        let paths = names.map(|name| PathBuf::from(format!("{ROOT}/{name}")));
        Some(paths.filter(|path| test(path)).collect())
    }

    fn tracked_as_files(
        &self,
        directory: &Path,
        test: &dyn Fn(&Path) -> bool,
        most: usize,
    ) -> bool {
        let all = self.0.tracked.iter();
        let paths = all.map(|name| PathBuf::from(format!("{ROOT}/{name}")));
        let below: Vec<_> = paths.filter(|path| path.starts_with(directory)).collect();
        let is_plain = |path: &PathBuf| self.follow(path) == *path && test(path);
        !self.0.tracked.is_empty() && below.len() <= most && below.iter().all(is_plain)
    }

    fn is_ignored(&self, path: &Path, _is_directory: bool) -> bool {
        let name = path.strip_prefix(ROOT).unwrap_or(path);
        self.0
            .ignored
            .iter()
            .any(|ignored| name == Path::new(ignored))
    }

    fn shared_files(&self, path: &Path, _most: usize) -> Vec<FileIdentity> {
        let links = self.0.hard_links.iter();
        let names = links.flat_map(|(name, other)| [name, other]);
        let below = names.filter(|name| Path::new(ROOT).join(name).starts_with(path));
        below.filter_map(|name| self.identity(name)).collect()
    }

    fn list(&self, directory: &Path, most: usize) -> Option<Vec<Listed>> {
        if !self.0.looks {
            return None;
        }
        let is_outside = !directory.starts_with(ROOT);
        let below = directory.strip_prefix(ROOT).unwrap_or(directory);
        let below = slashed(below).trim_end_matches('/').to_owned();
        // What lies outside and is not named cannot be looked into.
        if is_outside && !self.0.directories.contains(&below) {
            return None;
        }
        let mut found: BTreeMap<String, ListedKind> = BTreeMap::new();
        let mut add = |path: &str, kind: ListedKind| {
            let rest = match below.as_str() {
                "" => Some(path).filter(|path| !path.starts_with('/')),
                directory => path
                    .strip_prefix(directory)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            match rest.map(|rest| rest.split_once('/')) {
                Some(Some((name, _))) => {
                    found
                        .entry(name.to_owned())
                        .or_insert(ListedKind::Directory);
                }
                Some(None) => drop(found.insert(rest.unwrap().to_owned(), kind)),
                None => {}
            }
        };
        self.0
            .directories
            .iter()
            .for_each(|path| add(path, ListedKind::Directory));
        self.0
            .files
            .iter()
            .for_each(|path| add(path, ListedKind::Other));
        self.0
            .links
            .keys()
            .filter(|path| path.starts_with('/') == is_outside)
            .for_each(|path| add(path, ListedKind::Link));
        let listed: Vec<Listed> = found
            .into_iter()
            .map(|(name, kind)| Listed { name, kind })
            .collect();
        (listed.len() <= most).then_some(listed)
    }

    fn links(&self, directory: &Path, _most: usize) -> Option<Vec<Listed>> {
        let names = |paths: &mut dyn Iterator<Item = &String>, kind| {
            let below = paths.filter(|path| Path::new(ROOT).join(path).parent() == Some(directory));
            let names = below.filter_map(|path| Path::new(path).file_name());
            let names = names.map(|name| name.to_string_lossy().into_owned());
            names.map(|name| Listed { name, kind }).collect::<Vec<_>>()
        };
        let mut found = names(
            &mut self.0.links.keys().filter(|path| !path.starts_with('/')),
            ListedKind::Link,
        );
        found.extend(names(&mut self.0.directories.iter(), ListedKind::Directory));
        Some(found)
    }

    fn makes_exceptions(&self, directory: &Path) -> bool {
        let name = directory
            .strip_prefix(ROOT)
            .map(|name| name.join(".ignore"));
        name.is_ok_and(|name| self.0.files.contains(&slashed(&name)))
    }
}

impl Disk<'_> {
    fn identity(&self, name: &str) -> Option<FileIdentity> {
        let mut links = self.0.hard_links.iter();
        let inode = links.position(|(own, other)| own == name || other == name)?;
        Some(FileIdentity {
            device: 1,
            inode: inode as u64,
        })
    }
}

pub(crate) fn decide(case: &Case) -> Decision {
    decide_with(&engine(&case.settings), &case.settings, &case.call)
}

pub(crate) fn decide_with(engine: &Engine, settings: &Settings, call: &str) -> Decision {
    let tool = settings.tool.as_deref().unwrap_or("Bash");
    let operation = if tool.starts_with("mcp__") {
        Operation::Foreign
    } else {
        resolve(tool).unwrap()
    };
    let disk = Disk(settings);
    let claim = |path: &str| {
        disk.claim(path)
            .unwrap_or_else(|| panic!("{path} lies outside"))
    };
    let given = settings.environment.iter();
    let environment: Vec<_> = given
        .map(|(name, value)| GivenVariable::new(name, value))
        .collect();
    let access = match operation {
        Operation::Execute => Access {
            commands: vec![CommandClaim {
                text: call.to_owned(),
                directory: claim("."),
                environment,
            }],
            ..Access::default()
        },
        Operation::Read | Operation::Grep | Operation::Find | Operation::List | Operation::Lsp => {
            Access::reading(claim(call))
        }
        Operation::Write => Access::writing(claim(call)),
        Operation::Edit | Operation::NotebookEdit => Access {
            reads: vec![claim(call)],
            ..Access::writing(claim(call))
        },
        Operation::Patch => {
            let names: Vec<&str> = call.split(", ").collect();
            let of = |sign: char| {
                names
                    .iter()
                    .filter_map(|name| name.strip_prefix(sign))
                    .map(claim)
                    .collect::<Vec<_>>()
            };
            Access {
                writes: of('+'),
                deletes: of('-'),
                reads: of('-'),
                ..Access::default()
            }
        }
        Operation::Delete => Access {
            deletes: vec![claim(call)],
            ..Access::default()
        },
        Operation::WebFetch | Operation::WebRequest => {
            let host = HostClaim {
                host: call.to_owned(),
                port: 443,
                url: format!("https://{call}/"),
            };
            Access {
                hosts: vec![host],
                ..Access::default()
            }
        }
        // Typing into a command that runs is written `COMMAND <<< TEXT`; all else is looking after it.
        Operation::Process => match call.split_once(" <<< ") {
            Some((command, text)) => Access {
                inputs: vec![InputClaim {
                    command: CommandClaim {
                        text: command.to_owned(),
                        directory: claim("."),
                        environment,
                    },
                    text: text.to_owned(),
                }],
                ..Access::default()
            },
            None if call == "list" => Access::default(),
            None => Access {
                sessions: vec!["calm-otter".to_owned()],
                ..Access::default()
            },
        },
        // A skill or an agent by its name; `list` names none.
        Operation::Skill | Operation::Task | Operation::SessionsSpawn | Operation::SessionsSend
            if call != "list" =>
        {
            Access::using(call)
        }
        _ => Access::default(),
    };
    let effect = match (operation, access.inputs.is_empty()) {
        (Operation::Process, true) => Effect::Observe,
        _ => operation.effect(),
    };
    let question = Question {
        operation,
        effect,
        tool,
        access: &access,
    };
    engine.decide(&question, &disk)
}
