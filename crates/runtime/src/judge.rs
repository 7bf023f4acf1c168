//! The policy engine over a real workspace: it follows the names that occur in commands.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock};

use tenon_contract::{
    Access, Effect, HostClaim, Operation, PathClaim, ToolError, Visit, native_path,
};
use tenon_policy::{
    CommandEffects, Danger, Decision, Engine, Grade, Grades, LastParsed, Origins, ParsedCommands,
    Question, ResolvedCommands, SourceSet, Verdict,
};
use tenon_workspace::{IndexStamp, Workspace};

use crate::mode::Modes;
use crate::path_resolutions::{PathResolutions, posix};
use crate::service::Call;
use crate::taint::Taint;

pub(crate) use engines::{engine, lints, narrowing_engines};

mod engines;
mod kept_back;

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

    /// What holds for a host that a page opens or sends something to.
    pub(crate) fn decide_visit(&self, question: &Question<'_>, visit: &Visit) -> Decision {
        let mut decision = self.strictest(|engine| {
            engine.decide_visit(question, &visit.to, visit.sends, visit.is_strict)
        });
        self.modes.apply_to_hop(&mut decision);
        decision
    }
}
