//! The policy engine over a real workspace: it follows the names that occur in commands.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock};

use serde_json::Value;
use tenon_contract::{
    Access, Effect, ErrorCode, HostClaim, Operation, PathClaim, RulesIdentity, ToolError,
    Visibility, Visit, native_path,
};
use tenon_policy::{
    CommandEffects, Danger, Decision, Engine, Exposure, FileIdentity, Grade, Grades, LastParsed,
    Lint, LintKind, Origins, ParsedCommands, PathResolver, Permissions, Question, Resolved,
    ResolvedCommands, RuleSet, RuleText, ShellKind, SourceSet, There, Verdict, rules_after_sources,
};
use tenon_workspace::{IndexStamp, Workspace, near_advice};

use crate::mode::Modes;
use crate::options::{Options, TaintOption};
use crate::path_resolutions::{PathResolutions, posix};
use crate::service::Call;
use crate::taint::Taint;

/// Judges calls.
pub(crate) struct Judge {
    exact: Everybody,
    /// The same where the disk ignores case, from when that is seen on.
    ignoring_case: OnceLock<Everybody>,
    /// Done once the directories of the workspace were looked at for that.
    looked: Once,
    workspace: Workspace,
    modes: Modes,
    /// Where the text comes from that was read; nothing where nobody asks.
    taint: Option<Taint>,
    /// How much could go wrong with a call; made when it is first asked for.
    grades: OnceLock<Grades>,
    /// The last command texts, as they were parsed.
    last_parsed: LastParsed,
}

/// Everybody who has to permit a call.
struct Everybody {
    engine: Rules,
    /// Those on whose behalf the call is made.
    others: Vec<Rules>,
    /// What git tracks of the files that rules name, by the top of the work tree.
    tracked: Mutex<HashMap<PathBuf, Tracked>>,
}

impl Everybody {
    fn new(engine: Engine, others: Vec<Engine>) -> Self {
        Self {
            engine: Rules::new(engine),
            others: others.into_iter().map(Rules::new).collect(),
            tracked: Mutex::default(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Rules> {
        std::iter::once(&self.engine).chain(&self.others)
    }

    /// The same with rules that ignore case.
    fn ignoring_case(&self) -> Self {
        let others = self.others.iter();
        Self::new(
            self.engine.whole.ignoring_case(),
            others.map(|rules| rules.whole.ignoring_case()).collect(),
        )
    }

    /// The strictest of the decisions after these sources; of equal ones the first.
    fn strictest(&self, sources: SourceSet, decide: &impl Fn(&Engine) -> Decision) -> Decision {
        self.others
            .iter()
            .map(|rules| decide(rules.after(sources)))
            .fold(decide(self.engine.after(sources)), |known, other| {
                if other.verdict > known.verdict {
                    other
                } else {
                    known
                }
            })
    }
}

/// An engine, and what is left of it after each set of sources, made when it is first asked for.
struct Rules {
    whole: Engine,
    holding: Option<Box<[OnceLock<Engine>; SourceSet::COUNT]>>,
}

impl Rules {
    fn new(whole: Engine) -> Self {
        let depends = whole.depends_on_sources();
        Self {
            whole,
            holding: depends.then(Box::default),
        }
    }

    fn after(&self, sources: SourceSet) -> &Engine {
        let holding = self.holding.as_ref();
        let slot = holding.and_then(|holding| holding.get(sources.number()));
        slot.map_or(&self.whole, |slot| {
            slot.get_or_init(|| self.whole.after(sources))
        })
    }
}

/// The version of an index, and what was found in it.
pub(crate) type Tracked = (Option<IndexStamp>, Option<Arc<[PathBuf]>>);

impl Judge {
    pub(crate) fn new(engine: Engine, workspace: Workspace, modes: Modes) -> Self {
        Self {
            exact: Everybody::new(engine, Vec::new()),
            ignoring_case: OnceLock::new(),
            looked: Once::new(),
            workspace,
            modes,
            taint: None,
            grades: OnceLock::new(),
            last_parsed: LastParsed::default(),
        }
    }

    /// The same, narrowed by these: the strictest of all decisions holds.
    pub(crate) fn narrowed_by(mut self, others: Vec<Engine>) -> Self {
        self.exact.others = others.into_iter().map(Rules::new).collect();
        self
    }

    /// The same with the memory of what was read, for rules that depend on it.
    pub(crate) fn remembering(mut self, taint: Option<Taint>) -> Self {
        self.taint = taint;
        self
    }

    /// Whether some rule depends on what was read.
    pub(crate) fn depends_on_sources(&self) -> bool {
        self.exact.all().any(|rules| rules.holding.is_some())
    }

    /// The memory of what was read; nothing where nobody asks.
    pub(crate) fn taint(&self) -> Option<&Taint> {
        self.taint.as_ref()
    }

    /// Learns what other toolkits of the session have read.
    pub(crate) async fn refresh(&self) {
        if let Some(taint) = &self.taint {
            taint.refresh().await;
        }
    }

    /// The sources that were read. Without a memory a rule with a condition holds always.
    fn sources(&self) -> SourceSet {
        self.taint.as_ref().map_or(SourceSet::ALL, Taint::sources)
    }

    /// The rules that hold after these sources, of everybody who has to permit a call.
    fn engines(&self, sources: SourceSet) -> impl Iterator<Item = &Engine> {
        let all = self.everybody().all();
        all.map(move |rules| rules.after(sources))
    }

    /// The strictest of the decisions; of equal ones the first.
    fn strictest(&self, decide: impl Fn(&Engine) -> Decision) -> Decision {
        let everybody = self.everybody();
        let decision = everybody.strictest(self.sources(), &decide);
        // A name that was followed for this decision may have been the first to show that the disk ignores case.
        let now = self.everybody();
        match std::ptr::eq(everybody, now) {
            true => decision,
            false => now.strictest(self.sources(), &decide),
        }
    }

    /// Everybody who has to permit a call. Rules that deny or ask bind the files that they name: where the disk ignores case, in
    /// any case.
    fn everybody(&self) -> &Everybody {
        self.looked.call_once(|| {
            let mut roots = self.workspace.roots();
            let is_about_files = || self.exact.all().any(|rules| rules.whole.may_hide());
            if !self.workspace.is_elsewhere()
                && is_about_files()
                && roots.any(|root| tenon_workspace::ignores_case(root, root))
            {
                self.ignore_case();
            }
        });
        self.ignoring_case.get().unwrap_or(&self.exact)
    }

    /// Has rules ignore case from here on.
    fn ignore_case(&self) {
        let ignoring = || self.exact.ignoring_case();
        self.ignoring_case.get_or_init(ignoring);
    }

    /// What git tracks of the files that rules name, by the top of the work tree.
    pub(crate) fn tracked(&self) -> &Mutex<HashMap<PathBuf, Tracked>> {
        &self.everybody().tracked
    }

    /// The permission mode.
    pub(crate) fn modes(&self) -> &Modes {
        &self.modes
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Refuses what would work on files or run commands when the workspace is not there any more: some tools would see
    /// the old directory and others the new one.
    pub(crate) fn require_workspace(&self, access: &Access) -> Result<(), ToolError> {
        let directories = access.commands.iter().map(|command| &command.directory);
        let changed = access.writes.iter().chain(&access.deletes);
        let paths = access.reads.iter().chain(changed).chain(directories);
        let targets = paths.map(|claim| claim.target.as_path());
        if targets.clone().next().is_some() {
            self.workspace.check_in_place(targets)?;
        }
        Ok(())
    }

    /// What holds for a call, as things are now.
    pub(crate) fn decide(&self, call: &Call) -> Decision {
        let paths = self.paths();
        self.decide_at(call, &ResolvedCommands::new(&paths, &call.parsed))
    }

    /// The command texts of one call, taken from those that were parsed last.
    pub(crate) fn parsed(&self) -> ParsedCommands {
        self.last_parsed.for_call()
    }

    /// Where names lead now: what is asked at one time follows each of them once.
    pub(crate) fn paths(&self) -> PathResolutions<'_> {
        PathResolutions::new(self)
    }

    /// The same with its commands as they are resolved.
    pub(crate) fn decide_at(&self, call: &Call, commands: &ResolvedCommands<'_>) -> Decision {
        let access = self.access_as_listed(call.prepared.access());
        let question = Question {
            access: &access,
            ..question(call)
        };
        let mut decision = self.strictest(|engine| engine.decide_resolved(&question, commands));
        if let Some(own) = &call.question {
            own.put(call.tool.name(), &mut decision);
        }
        self.modes
            .apply(call, &mut decision, || self.grade(call, commands));
        if call.prepared.is_provisional() && decision.verdict != Verdict::Deny {
            decision.reason.push_str(
                " The files that it changes are not known yet. They are checked before anything is changed.",
            );
        }
        decision
    }

    /// What the commands of a call do, whatever the rules say.
    pub(crate) fn effects(
        &self,
        call: &Call,
        commands: &ResolvedCommands<'_>,
    ) -> Vec<CommandEffects> {
        let access = call.prepared.access();
        self.exact.engine.whole.effects(access, commands)
    }

    /// Where the text comes from that the commands of a call show.
    pub(crate) fn origins(&self, call: &Call) -> Origins {
        let paths = self.paths();
        let commands = ResolvedCommands::new(&paths, &call.parsed);
        let access = call.prepared.access();
        self.exact.engine.whole.origins(access, &commands)
    }

    /// How much could go wrong with a call, whatever the rules say.
    pub(crate) fn danger(&self, call: &Call, commands: &ResolvedCommands<'_>) -> Danger {
        self.grade(call, commands).danger
    }

    /// The same, and whether it only looks.
    fn grade(&self, call: &Call, commands: &ResolvedCommands<'_>) -> Grade {
        let grades = || {
            let roots = self.workspace.roots().map(Path::to_owned);
            self.exact.engine.whole.grades(roots.collect())
        };
        let grades = self.grades.get_or_init(grades);
        grades.grade(&question(call), commands)
    }
}

impl Judge {
    /// The path as its directories list it, where that is another spelling and a rule names it so: the disk ignores case.
    pub(crate) fn as_listed(&self, path: &Path) -> Option<PathBuf> {
        let is_known = |path: &Path| {
            let mut all = self.everybody().all();
            all.any(|rules| rules.whole.knows_in_other_case(path))
        };
        if self.workspace.is_elsewhere() || !is_known(path) {
            return None;
        }
        let native = native_path(path);
        let listed = posix(tenon_workspace::as_listed(&native));
        if is_known(&listed) {
            // The rule has another spelling than the disk. It names this file where the disk takes one for the other.
            let mut roots = self.workspace.roots();
            let top = roots.find(|root| native.starts_with(root));
            if tenon_workspace::ignores_case(top.unwrap_or(Path::new("/")), &native) {
                self.ignore_case();
            }
        }
        (listed != path).then_some(listed)
    }

    /// What a call touches, with targets as they are listed.
    fn access_as_listed<'a>(&self, access: &'a Access) -> Cow<'a, Access> {
        let mut spelled = Cow::Borrowed(access);
        let lists: [fn(&mut Access) -> &mut Vec<PathClaim>; 3] = [
            |access| &mut access.reads,
            |access| &mut access.writes,
            |access| &mut access.deletes,
        ];
        let own = [&access.reads, &access.writes, &access.deletes];
        for (claims, list) in own.into_iter().zip(lists) {
            for (place, claim) in claims.iter().enumerate() {
                if let Some(target) = self.as_listed(&claim.target)
                    && let Some(claim) = list(spelled.to_mut()).get_mut(place)
                {
                    claim.target = target;
                }
            }
        }
        for (place, command) in access.commands.iter().enumerate() {
            if let Some(target) = self.as_listed(&command.directory.target)
                && let Some(command) = spelled.to_mut().commands.get_mut(place)
            {
                command.directory.target = target;
            }
        }
        spelled
    }
}

/// A call, as far as policy sees it.
fn question(call: &Call) -> Question<'_> {
    Question {
        operation: call.tool.operation(),
        effect: call.prepared.effect(),
        tool: call.tool.rule_name(),
        access: call.prepared.access(),
    }
}

impl Judge {
    /// Whether the content of the files that a call works on may be reported without asking, as the error of an edit that
    /// does not match reports it.
    pub(crate) fn may_report(&self, call: &Call) -> bool {
        let access = call.prepared.access();
        let reads = access.reads.iter().chain(access.changed()).cloned();
        let access = Access {
            reads: reads.collect(),
            ..Access::default()
        };
        let question = Question {
            operation: Operation::Read,
            effect: Effect::Observe,
            tool: Operation::Read.name(),
            access: &self.access_as_listed(&access),
        };
        let paths = self.paths();
        self.strictest(|engine| engine.decide(&question, &paths))
            .verdict
            == Verdict::Allow
    }
}

impl Judge {
    /// What holds for a host that a running call is led on to.
    pub(crate) fn decide_hop(
        &self,
        question: &Question<'_>,
        from: &HostClaim,
        to: &HostClaim,
    ) -> Decision {
        let mut decision =
            self.strictest(|engine| engine.decide_redirect(question, &from.host, to));
        self.modes.apply_to_hop(&mut decision);
        decision
    }
}

impl Judge {
    /// What holds for a host that a page opens or sends something to.
    pub(crate) fn decide_visit(&self, question: &Question<'_>, visit: &Visit) -> Decision {
        let mut decision = self.strictest(|engine| {
            engine.decide_visit(question, &visit.to, visit.sends, visit.is_strict)
        });
        self.modes.apply_to_hop(&mut decision);
        decision
    }
}

/// What the results of one call must leave out.
struct KeptBack {
    judge: Arc<Judge>,
    operation: Operation,
    tool: String,
    /// What was read before the call.
    sources: SourceSet,
    /// Files with several names, which are kept back under each of them. Looked for when they are asked about.
    shared: OnceLock<Vec<FileIdentity>>,
}

impl Judge {
    /// What the results of a call must leave out; nothing when no rule is about reading files.
    pub(crate) fn visibility(self: &Arc<Self>, call: &Call) -> Option<Arc<dyn Visibility>> {
        let sources = self.sources();
        let kept = || KeptBack {
            judge: Arc::clone(self),
            sources,
            operation: call.tool.operation(),
            tool: call.tool.name().to_owned(),
            shared: OnceLock::new(),
        };
        self.engines(sources)
            .any(Engine::may_hide)
            .then(|| Arc::new(kept()) as Arc<dyn Visibility>)
    }
}

impl Judge {
    /// The error without names that rules keep back: what a missing file resembles is reported like a listing.
    pub(crate) fn without_hidden(
        &self,
        mut error: ToolError,
        kept_back: &dyn Visibility,
    ) -> ToolError {
        let Some(Value::Array(near)) = error.details.get("near") else {
            return error;
        };
        let near: Vec<String> = near
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let shown = |name: &String| {
            let located = self.workspace.locate(name);
            located.is_ok_and(|located| !kept_back.hides(located.claim()))
        };
        let kept: Vec<String> = near.iter().filter(|name| shown(name)).cloned().collect();
        if kept.len() < near.len() {
            error.message = error
                .message
                .replace(&near_advice(&near), &near_advice(&kept));
            error.source = None;
            if kept.is_empty() {
                error.details.remove("near");
            } else {
                error.details.insert("near".to_owned(), kept.into());
            }
        }
        error
    }
}

impl Visibility for KeptBack {
    fn hides(&self, file: &PathClaim) -> bool {
        let listed = self.judge.as_listed(&file.target).map(|target| PathClaim {
            target,
            name: file.name.clone(),
        });
        let file = listed.as_ref().unwrap_or(file);
        let hides = |engine: &Engine| engine.hides(self.operation, &self.tool, file);
        self.judge.engines(self.sources).any(hides) || self.has_another_name(file)
    }

    fn hides_listed(&self, path: &str, root: &Path) -> bool {
        self.hidden_by(path, root).is_some()
    }

    fn hidden_by(&self, path: &str, root: &Path) -> Option<u8> {
        let engine = self.judge.everybody().engine.after(self.sources);
        let number = |number| u8::try_from(number).unwrap_or(u8::MAX);
        // Elsewhere names are written in more than one way.
        let listed = self.judge.as_listed(&root.join(path));
        let is_plain = cfg!(unix) && listed.is_none() && Path::new(path).is_relative();
        if is_plain && self.shared().is_empty() {
            let hiding = engine.hiding_below(self.operation, &self.tool, path);
            let hides = |other: &Rules| {
                let other = other.after(self.sources);
                other.hides_below(self.operation, &self.tool, path)
            };
            return hiding.map(number).or_else(|| {
                self.judge
                    .everybody()
                    .others
                    .iter()
                    .any(hides)
                    .then_some(u8::MAX)
            });
        }
        let file = PathClaim {
            name: path.to_owned(),
            target: listed.unwrap_or_else(|| root.join(path)),
        };
        let hiding = engine.hiding(self.operation, &self.tool, &file);
        hiding
            .map(number)
            .or_else(|| self.hides(&file).then_some(u8::MAX))
    }

    fn rule(&self, number: u8) -> Option<(String, bool)> {
        let engine = self.judge.everybody().engine.after(self.sources);
        let (rule, denies) = engine.hiding_rule(usize::from(number))?;
        Some((rule.to_owned(), denies))
    }

    fn rules(&self) -> Option<RulesIdentity> {
        let rules = Arc::clone(&self.judge) as Arc<dyn Any + Send + Sync>;
        let sources = self.sources.number();
        // Other rules, where they ignore case by now.
        let ignores_case = self.judge.ignoring_case.get().is_some();
        let user = || {
            let operation = self.operation.name();
            format!("{operation} {} {sources} {ignores_case}", self.tool)
        };
        (cfg!(unix) && self.shared().is_empty()).then(|| RulesIdentity::new(&rules, user()))
    }
}

impl KeptBack {
    /// The files that are kept back and have other names.
    fn shared(&self) -> &[FileIdentity] {
        self.shared.get_or_init(|| {
            let paths = self.judge.paths();
            let engines = self.judge.engines(self.sources);
            engines
                .flat_map(|engine| engine.shared_and_hidden(self.operation, &self.tool, &paths))
                .collect()
        })
    }

    /// Whether it is a file that is kept back, by another name.
    fn has_another_name(&self, file: &PathClaim) -> bool {
        let shared = self.shared();
        !shared.is_empty()
            && matches!(
                self.judge.paths().resolve(Path::new("/"), &file.target.to_string_lossy()),
                Resolved::Inside { there: There::File(Some(identity)), .. }
                    if shared.contains(&identity)
            )
    }
}

/// Compiles the rules.
pub(crate) fn engine(
    options: &Options,
    exposure: &Exposure,
    has_approver: bool,
    workspace: &Workspace,
    notices: &mut Vec<String>,
) -> Result<Engine, ToolError> {
    let mut permissions = options.permissions.to_permissions();
    let meaning = options.meaning();
    let compiled = |permissions: &Permissions| {
        RuleSet::new(permissions, &meaning).map_err(|errors| {
            let faults: Vec<String> = errors.iter().map(ToString::to_string).collect();
            ToolError::new(ErrorCode::InvalidParams, faults.join(" "))
                .with("option", "options.permissions")
                .with("errors", faults)
        })
    };
    if TaintOption::asks(options.taint) {
        permissions.ask.extend(rules_after_sources());
    }
    let mut rules = compiled(&permissions)?;
    // That a program which runs any code is allowed is said when the lint is asked for: it is often just what is wanted.
    let known = options.known_programs.clone();
    let lints = rules.lints(&known.catalogue).into_iter();
    let quiet = [LintKind::Runner, LintKind::CoversExamples];
    let odd = lints.filter(|lint| !quiet.contains(&lint.kind));
    notices.extend(odd.map(|lint| lint.message));
    // Who may not write by a tool may not write by a command.
    if let Some(entry) = exposure.denied(Operation::Write) {
        permissions.deny.push(RuleText {
            rule: Operation::Write.name().to_owned(),
            because: Some(format!("`tools.deny` includes `{entry}`")),
            ..RuleText::default()
        });
        rules = compiled(&permissions)?;
    }
    let path = options.shell().path;
    let (shell, unread) = (shell_kind(&path), unread_shell(&path));
    let home = home_of_commands(options);
    Ok(
        Engine::new(rules, permissions.mode(has_approver), workspace.root())
            .with_shell(shell)
            .with_unread_shell(unread)
            .with_system_directories(options.permissions.trust_system_directories)
            .with_home(home)
            .with_temporary_directories(tenon_workspace::temporary_directories())
            .with_catalogue(known.catalogue, known.untrusted),
    )
}

/// The home directory of commands; `None` where they do not get the variable, and a shell looks for another one.
fn home_of_commands(options: &Options) -> Option<PathBuf> {
    const NAME: &str = "HOME";
    match options.env.add.get(NAME) {
        Some(own) => Some(PathBuf::from(own)),
        None if options.environment().drops(NAME) => None,
        None => tenon_workspace::home_directory(),
    }
}

/// The rules of those on whose behalf calls are made. What does not compile any more permits nothing.
pub(crate) fn narrowing_engines(
    options: &Options,
    exposure: &Exposure,
    workspace: &Workspace,
) -> Result<Vec<Engine>, ToolError> {
    let rules = options.narrowed_by.iter().map(|rights| {
        let theirs = Options {
            permissions: rights.permissions.clone(),
            ..options.clone()
        };
        engine(
            &theirs,
            exposure,
            rights.has_approver,
            workspace,
            &mut Vec::new(),
        )
    });
    rules.collect()
}

/// What is odd about the rules of these options, each with its place.
pub(crate) fn lints(options: &Options) -> Vec<Lint> {
    let rules = RuleSet::new(&options.permissions.to_permissions(), &options.meaning());
    // They were compiled when the toolkit was made.
    let catalogue = &options.known_programs.catalogue;
    rules
        .map(|rules| rules.lints(catalogue))
        .unwrap_or_default()
}

/// Shells that speak another language than POSIX shells: a text that is quoted to these can be a command to those.
const OTHER_SHELLS: &[&str] = &[
    "cmd",
    "csh",
    "elvish",
    "es",
    "fish",
    "ion",
    "murex",
    "ngs",
    "nu",
    "powershell",
    "pwsh",
    "rc",
    "scsh",
    "tcsh",
    "xonsh",
    "ysh",
];

/// The name of the host's shell, where its language is not read.
fn unread_shell(path: &std::path::Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?.to_ascii_lowercase();
    OTHER_SHELLS.contains(&name.as_str()).then_some(name)
}

/// The readings that count for the host's shell. What is not known counts as any POSIX shell.
fn shell_kind(path: &std::path::Path) -> ShellKind {
    match path.file_name().and_then(std::ffi::OsStr::to_str) {
        Some("bash") => ShellKind::Bash,
        Some("dash" | "ash" | "busybox") => ShellKind::Dash,
        _ => ShellKind::Posix,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn shells_of_another_language_are_known_by_their_programs() {
        let unread = |path: &str| unread_shell(Path::new(path));
        assert_eq!(unread("/usr/bin/fish"), Some("fish".to_owned()));
        assert_eq!(unread("PowerShell.exe"), Some("powershell".to_owned()));
        for path in ["/bin/bash", "/bin/sh", "/bin/zsh", "/bin/busybox"] {
            assert_eq!(unread(path), None, "{path}");
        }
    }
}
