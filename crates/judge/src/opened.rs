//! Rules that are compiled, and the decisions that they make.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenon_contract::{Effect, Operation, normalise};
use tenon_policy::{
    Catalogue, CommandEffects, Danger, Decision, Engine, Grades, LexicalPaths, Lint,
    ParsedCommands, PermissionOptions, Question, ResolvedCommands, RuleSet, ShellKind, Source,
    SourceSet,
};

use crate::access::{Effects, Stated};
use crate::names;

/// What decisions depend on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Options {
    /// The rules.
    permissions: PermissionOptions,
    /// The directory that paths are relative to.
    workspace: PathBuf,
    /// More directories, by absolute paths.
    additional_directories: Vec<PathBuf>,
    /// The home directory of commands.
    home: Option<PathBuf>,
    /// Who runs commands.
    shell: ShellName,
    /// The vocabulary in which names are meant first.
    dialect: Option<String>,
    /// Names of the host's own tools.
    tools: Vec<String>,
    /// Whether somebody can be asked.
    has_approver: bool,
    /// What was read before.
    sources: Vec<Source>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            permissions: PermissionOptions::default(),
            workspace: "/workspace".into(),
            additional_directories: Vec::new(),
            home: None,
            shell: ShellName::Bash,
            dialect: None,
            tools: Vec::new(),
            has_approver: false,
            sources: Vec::new(),
        }
    }
}

/// Who runs commands.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ShellName {
    /// GNU bash.
    Bash,
    /// dash, or the shell of busybox.
    Dash,
    /// Any shell of POSIX.
    Posix,
}

/// Compiled rules over one workspace.
pub(crate) struct Opened {
    engine: Engine,
    grades: Grades,
    remarks: Vec<Lint>,
    workspace: PathBuf,
    others: Vec<PathBuf>,
    dialect: Option<String>,
    own_tools: Vec<String>,
}

/// The answer to one call, in the words of a toolkit's explanation.
#[derive(Serialize)]
pub(crate) struct Answer {
    danger: Danger,
    #[serde(flatten)]
    decision: Decision,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandEffects>,
}

impl Opened {
    /// Compiles the rules.
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        let directories = [&options.workspace]
            .into_iter()
            .chain(&options.additional_directories);
        for directory in directories {
            if !directory.has_root() {
                return Err(format!(
                    "The directory `{}` is not an absolute path of the form `/srv/project`.",
                    directory.display()
                ));
            }
        }
        if let Some(dialect) = &options.dialect
            && !names::DIALECTS.contains(&dialect.as_str())
        {
            return Err(format!(
                "`{dialect}` is not a vocabulary. Known ones: {}.",
                names::DIALECTS.join(", ")
            ));
        }
        let permissions = options.permissions.to_permissions();
        let meaning = |name: &str| meaning(name, options.dialect.as_deref(), &options.tools);
        let rules = RuleSet::new(&permissions, &meaning).map_err(|errors| {
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            all.join(" ")
        })?;
        let remarks = rules.lints(&Catalogue::BUILT_IN);
        let shell = match options.shell {
            ShellName::Bash => ShellKind::Bash,
            ShellName::Dash => ShellKind::Dash,
            ShellName::Posix => ShellKind::Posix,
        };
        let sources = options.sources.into_iter();
        let sources = sources.fold(SourceSet::NONE, SourceSet::with);
        let mode = permissions.mode(options.has_approver);
        let engine = Engine::new(rules, mode, options.workspace.clone())
            .with_shell(shell)
            .with_system_directories(options.permissions.trust_system_directories)
            .with_home(options.home)
            .after(sources);
        let roots = [&options.workspace]
            .into_iter()
            .chain(&options.additional_directories);
        Ok(Self {
            grades: engine.grades(roots.cloned().collect()),
            engine,
            remarks,
            workspace: options.workspace,
            others: options.additional_directories,
            dialect: options.dialect,
            own_tools: options.tools,
        })
    }

    /// What is odd about the rules.
    pub(crate) fn remarks(&self) -> &[Lint] {
        &self.remarks
    }

    /// What holds for a call, and what its commands do where that `is_explained`.
    pub(crate) fn decide(&self, tool: &str, effects: &Effects, is_explained: bool) -> Answer {
        let operation = meaning(tool, self.dialect.as_deref(), &self.own_tools);
        let operation = operation.unwrap_or(Operation::Foreign);
        let stated = match effects.stated(tool, operation, &self.workspace, &self.others) {
            Ok(stated) => stated,
            Err(problem) => return Answer::failure(problem),
        };
        let Stated { access, effect } = &stated;
        let question = Question {
            operation,
            effect: *effect,
            tool,
            access,
        };
        let paths = self.paths();
        let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
        let explained = is_explained.then(|| self.engine.effects(access, &commands));
        Answer {
            danger: self.grades.of(&question, &commands),
            decision: self.engine.decide_resolved(&question, &commands),
            commands: explained.unwrap_or_default(),
        }
    }

    fn paths(&self) -> LexicalPaths {
        LexicalPaths::new(&self.workspace)
    }
}

impl Answer {
    /// A call that would fail before policy is asked.
    fn failure(problem: String) -> Self {
        Self {
            danger: Danger::Low,
            decision: Decision::failure(problem),
            commands: Vec::new(),
        }
    }
}

/// What a name means: in the vocabulary, else anywhere, else a tool of the host.
fn meaning(name: &str, dialect: Option<&str>, own_tools: &[String]) -> Option<Operation> {
    let wanted = normalise(name);
    let own = names::OWN_MEANINGS
        .iter()
        .find(|(of, known, _)| Some(*of) == dialect && *known == wanted);
    let own = own.map(|(_, _, operation)| *operation);
    let known = || {
        let place = names::NAMES.binary_search_by(|(known, _)| (*known).cmp(wanted.as_str()));
        let row = place.ok().and_then(|place| names::NAMES.get(place));
        row.map(|(_, operation)| *operation)
    };
    let is_own = || own_tools.iter().any(|own| own == name);
    own.or_else(known)
        .or_else(|| is_own().then_some(Operation::Foreign))
}

/// The strongest trace that a call leaves.
pub(crate) const fn stronger(one: Effect, other: Effect) -> Effect {
    if strength(one) >= strength(other) {
        one
    } else {
        other
    }
}

const fn strength(effect: Effect) -> u8 {
    match effect {
        Effect::Observe => 0,
        Effect::Converse => 1,
        Effect::Network => 2,
        Effect::Mutate => 3,
        Effect::Execute => 4,
        Effect::Unknown => 5,
    }
}

/// Whether a path is one of these directories or below it.
pub(crate) fn is_below(path: &Path, directories: &[PathBuf]) -> bool {
    directories
        .iter()
        .any(|directory| path.starts_with(directory))
}
