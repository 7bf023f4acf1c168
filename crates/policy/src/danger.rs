//! How much could go wrong with a call, whatever the rules of the host say to it.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use hashbrown::HashSet;
use schemars::JsonSchema;
use serde::Serialize;
use smallvec::SmallVec;
use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim, is_below, posix_path};
use tenon_programs::{Looking, Operands, Role, Traits};
use tenon_shell::{
    ExaminedText, FileAccess, FileOperand, FindingKind, Invocation, Redirection, ShellGrammar,
    Word, read,
};

use crate::commands::decide_command;
use crate::commands::judge::is_free;
use crate::commands::resolve::{ResolvedClaim, ResolvedCommands};
use crate::commands::words::control_builtins::only_redirects;
use crate::commands::words::{Effects, NameSet, addresses, is_control, is_directory_change};
use crate::decision::{Judgement, PartKind, TextEffect};
use crate::engine::{Engine, Question};
use crate::parsed::{ByWords, ParsedCommands, Readings};
use crate::paths::{ClaimPlaces, Root};
use crate::rules::{Permissions, RuleSet};
use crate::verdict::{DefaultMode, Verdict};

/// How much could go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    /// It only reads, or asks and notes something.
    Low,
    /// It changes files of the workspace, which can be undone.
    Medium,
    /// It deletes, runs code, reaches the network or what is outside of the workspace, or nobody knows.
    High,
}

/// Whether a command only reads, whatever names it is given.
pub(crate) fn only_reads(command: &Invocation) -> bool {
    let reads = |operands: Operands| matches!(operands.role, Role::Read | Role::InPlace);
    let name = command.words.first().and_then(Word::literal);
    const MORE: tenon_programs::Effects =
        tenon_programs::Effects::WRITE.with(tenon_programs::Effects::EXEC);
    let program = command.program();
    let program =
        program.filter(|program| program.is(Traits::LOOKS) && !program.options_do.has(MORE));
    name == command.base_name()
        && command.inner.is_empty()
        && program.is_some_and(|program| program.operands.is_none_or(reads))
        && writes_nothing(command, Looking::Here)
}

/// Commands that make something new in the workspace.
const MAKES: &[&str] = &["mkdir", "touch"];

/// The programs that may only look, or make something.
static GRADED: NameSet = NameSet::new(|| {
    tenon_programs::looking()
        .chain(MAKES.iter().copied())
        .collect()
});

/// What is known of a call whatever the rules say to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grade {
    /// How much could go wrong.
    pub danger: Danger,
    /// Whether nothing is different after it: it reads, here or by asking a host or a service for what is there.
    pub only_looks: bool,
}

impl Grade {
    fn of(danger: Danger) -> Self {
        Self {
            danger,
            only_looks: danger == Danger::Low,
        }
    }
}

/// The rules that grade, which are the same for all workspaces.
struct Rules {
    /// They let programs look and tools read.
    reads: Arc<RuleSet>,
    /// They let files of the workspace be changed, too.
    changes: Arc<RuleSet>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    // With which arguments a program only looks is known from its row. The engine judges the files that it uses.
    let looking = tenon_programs::looking_names().map(|name| format!("Bash({name}:*)"));
    let mut allow: Vec<String> = looking.collect();
    allow.extend(["Read".to_owned(), "WebFetch".to_owned()]);
    let rules = |allow: &[String]| {
        let permissions = Permissions {
            allow: allow.iter().map(|rule| rule.as_str().into()).collect(),
            ..Permissions::default()
        };
        // Rules that do not compile would leave everything to be asked about, which is the highest grade.
        Arc::new(RuleSet::new(&permissions, &named).unwrap_or_default())
    };
    let reads = rules(&allow);
    allow.extend(MAKES.iter().map(|command| format!("Bash({command}:*)")));
    allow.push("Edit".to_owned());
    let changes = rules(&allow);
    Rules { reads, changes }
});

/// The grades of calls over one workspace.
#[derive(Debug, Clone)]
pub struct Grades {
    root: Root,
    roots: Vec<PathBuf>,
    reads: Engine,
    changes: Engine,
}

impl Engine {
    /// The grades of calls over these directories, the first of which is the root.
    #[must_use]
    pub fn grades(&self, roots: Vec<PathBuf>) -> Grades {
        Grades::new(roots, self)
    }
}

impl Grades {
    /// With the directories of the engine, what is resolved for that serves here.
    fn new(roots: Vec<PathBuf>, of: &Engine) -> Self {
        let root = roots.first().cloned().unwrap_or_default();
        let engine = |rules: &Arc<RuleSet>| {
            let engine = Engine::new(Arc::clone(rules), DefaultMode::Ask, root.clone())
                .with_shell(of.shell)
                .with_system_directories(true);
            Engine {
                directories: of.directories.clone(),
                trusts_temporary: false,
                ..engine
            }
        };
        let reads = engine(&RULES.reads);
        let changes = engine(&RULES.changes);
        Self {
            root: Root::new(&root),
            roots,
            reads,
            changes,
        }
    }

    /// How much could go wrong with a call, whose commands are resolved once for all questions at this moment.
    #[must_use]
    pub fn of(&self, question: &Question<'_>, commands: &ResolvedCommands<'_>) -> Danger {
        self.grade(question, commands).danger
    }

    /// The same, and whether it only looks.
    #[must_use]
    pub fn grade(&self, question: &Question<'_>, commands: &ResolvedCommands<'_>) -> Grade {
        let access = question.access;
        let claims = access.reads.iter().chain(access.changed());
        let directories = access.commands.iter().map(|command| &command.directory);
        let leads_out = claims
            .chain(directories)
            .any(|claim| !self.is_inside(&claim.target));
        let types = !access.inputs.is_empty();
        if leads_out || types || !access.deletes.is_empty() || !access.hosts.is_empty() {
            return Grade::of(Danger::High);
        }
        let own = self.of_effect(question, access);
        if access.commands.is_empty() || own == Danger::High {
            return Grade::of(own);
        }
        let commands = self.of_commands(question, commands);
        Grade {
            danger: own.max(commands.danger),
            only_looks: own == Danger::Low && commands.only_looks,
        }
    }

    fn is_inside(&self, target: &Path) -> bool {
        let target = posix_path(target);
        self.roots.iter().any(|root| is_below(&target, root))
    }

    /// What the operation does by itself.
    fn of_effect(&self, question: &Question<'_>, access: &Access) -> Danger {
        let runs_code =
            |claim: &PathClaim| ClaimPlaces::new(claim, &self.root).protected().is_some();
        if access.writes.iter().any(runs_code) {
            return Danger::High;
        }
        match question.effect {
            // What runs is judged by its text; looking after it was part of that.
            Effect::Execute if access.commands.is_empty() && access.sessions.is_empty() => {
                Danger::High
            }
            Effect::Observe | Effect::Execute if access.writes.is_empty() => Danger::Low,
            Effect::Observe | Effect::Execute => Danger::Medium,
            Effect::Converse => match question.operation {
                Operation::Message
                | Operation::Task
                | Operation::Cron
                | Operation::SessionsSpawn => Danger::Medium,
                _ => Danger::Low,
            },
            // Where a tool of the host says no more, its changes may be anywhere.
            Effect::Mutate
                if access.writes.is_empty() && question.operation == Operation::Foreign =>
            {
                Danger::High
            }
            Effect::Mutate => Danger::Medium,
            Effect::Network | Effect::Unknown => Danger::High,
        }
    }

    fn of_commands(&self, question: &Question<'_>, commands: &ResolvedCommands<'_>) -> Grade {
        let claims = &question.access.commands;
        let by_shell: Vec<Option<String>> = claims.iter().map(text_for_shell).collect();
        if by_shell.iter().all(Option::is_none) {
            return self.of_claims(question, claims, commands);
        }
        // What `bash -lc` is given is what runs; it was not parsed by itself.
        let given = claims
            .iter()
            .zip(by_shell)
            .map(|(claim, text)| CommandClaim {
                text: text.unwrap_or_else(|| claim.text.clone()),
                ..claim.clone()
            });
        let given: Vec<CommandClaim> = given.collect();
        let commands = ResolvedCommands::new(commands.paths(), &ParsedCommands::default());
        self.of_claims(question, &given, &commands)
    }

    fn of_claims(
        &self,
        question: &Question<'_>,
        claims: &[CommandClaim],
        commands: &ResolvedCommands<'_>,
    ) -> Grade {
        let resolve = |claim| commands.of(claim, &self.reads.directories, &self.reads.catalogue);
        let resolved: SmallVec<[_; 1]> = claims.iter().map(resolve).collect();
        // By their words, which is quickly known.
        let by_words = |one: &Rc<ResolvedClaim<'_>>| {
            let readings = &one.readings;
            readings.by_words(|| said_by_words(readings))
        };
        let by_words: SmallVec<[ByWords; 1]> = resolved.iter().map(by_words).collect();
        let looking = by_words.iter().try_fold(Looking::Here, |all, text| {
            text.looking.map(|looking| all.max(looking))
        });
        let Some(looking) = looking else {
            return Grade::of(Danger::High);
        };
        let reading = || judged(&self.reads, question, &resolved);
        if looking == Looking::Asks {
            let reading = reading();
            return Grade {
                danger: Danger::High,
                only_looks: reading.verdict() == Verdict::Allow && !leaves(&reading, looking),
            };
        }
        let changing = || judged(&self.changes, question, &resolved);
        let makes_files = by_words.iter().any(|text| text.makes_files);
        Grade::of(match makes_files {
            true => of_changing(&changing()),
            false => of_reading(claims, &reading(), changing),
        })
    }
}

/// How much could go wrong with commands that reach no host and make files, by what rules that let them do that say.
fn of_changing(changing: &Judgement<'_>) -> Danger {
    if changing.verdict() == Verdict::Allow && !leaves(changing, Looking::Here) {
        return Danger::Medium;
    }
    Danger::High
}

/// The same of commands that make none by their words, by what rules that let them read say, and those that let them change
/// files.
fn of_reading<'e>(
    claims: &[CommandClaim],
    reading: &Judgement<'_>,
    changing: impl FnOnce() -> Judgement<'e>,
) -> Danger {
    if leaves(reading, Looking::Here) {
        return Danger::High;
    }
    if reading.verdict() == Verdict::Allow {
        return Danger::Low;
    }
    if !may_change_files(claims, reading) {
        return Danger::High;
    }
    of_changing(&changing())
}

/// What the words of a text say of its commands.
fn said_by_words(readings: &Readings) -> ByWords {
    let looking = match runs_ungraded(readings) {
        true => None,
        false => all_looking(readings),
    };
    ByWords {
        looking,
        makes_files: looking.is_some() && makes_files(readings),
    }
}

/// Whether a command is there to make files, or its output goes to one: rules that let it only read do not allow that, and need
/// not be asked.
fn makes_files(readings: &Readings) -> bool {
    let is_written = |redirection: &Redirection| {
        redirection.file_use().writes() && !redirection.target.literal().is_some_and(is_free)
    };
    readings.iter().any(|reading| {
        let scripts = reading.texts.iter().map(|text| &text.script);
        let mut redirections = scripts
            .flat_map(|script| script.commands())
            .flat_map(|command| &command.redirections);
        let mut commands = reading.commands();
        redirections.any(is_written)
            || commands.any(|command| MAKES.contains(&command.base_name().unwrap_or_default()))
    })
}

/// What these rules say of the commands alone.
fn judged<'e>(
    engine: &'e Engine,
    question: &Question<'_>,
    resolved: &[Rc<ResolvedClaim<'_>>],
) -> Judgement<'e> {
    let mut judgement = Judgement::default();
    for resolved in resolved {
        decide_command(engine, question, resolved, &mut judgement);
    }
    judgement
}

/// Where what the commands of a text show comes from, if they write nothing by their words, but for those that are there to
/// make files. A rule that allows a program may allow that it writes, and more than looking.
fn all_looking(readings: &Readings) -> Option<Looking> {
    // Where the commands run does not matter to what their words say.
    let mut commands = readings.iter().flat_map(|reading| reading.commands());
    let mut known = HashSet::new();
    commands.try_fold(Looking::Here, |all, command| {
        // A script runs the same again and again.
        let words = all_literal(command);
        match words.is_some_and(|words| !known.insert(words)) {
            true => Some(all),
            false => Some(all.max(looking(command)?)),
        }
    })
}

/// The words of a command that is what they say: all are known, and it runs nothing else.
fn all_literal(command: &Invocation) -> Option<SmallVec<[&str; 6]>> {
    let is_plain = command.inner.is_empty() && command.assignments.is_empty();
    let words = command.words.iter().map(Word::literal);
    is_plain.then(|| words.collect())?
}

/// Whether a text runs a program that no rule here is about, so that it need not be weighed: most texts that run code do.
fn runs_ungraded(readings: &Readings) -> bool {
    let text = readings.first().and_then(|reading| reading.texts.first());
    text.is_some_and(|text| text.error.is_none() && text_runs_ungraded(text))
}

/// The text that this command has bash run, if it is nothing else: agents write all their commands so.
fn text_for_shell(claim: &CommandClaim) -> Option<String> {
    // Other texts, however long, are not parsed once more for this.
    if !claim.text.trim_start().starts_with("bash") {
        return None;
    }
    let script = read(&claim.text, ShellGrammar::Bash).ok()?;
    let mut commands = script.commands();
    let (Some(command), None, 1) = (commands.next(), commands.next(), script.findings.len()) else {
        return None;
    };
    let [name, option, text] = &*command.words else {
        return None;
    };
    let is_shell = name.literal() == Some("bash")
        && matches!(option.literal(), Some("-c" | "-lc" | "-cl"))
        && claim.environment.is_empty()
        && command.assignments.is_empty()
        && command.redirections.is_empty();
    is_shell
        .then(|| text.literal().map(str::to_owned))
        .flatten()
}

/// Where what a command shows comes from, if it only looks as it is given, or if it is for the engine to say.
fn looking(command: &Invocation) -> Option<Looking> {
    let base = command.base_name().unwrap_or_default();
    if MAKES.contains(&base) {
        return Some(Looking::Here);
    }
    // The command behind a wrapper is looked at by itself.
    let is_wrapper = command.transparent && !command.inner.is_empty();
    let looking = if is_wrapper || !GRADED.contains(base) {
        Looking::Here
    } else {
        let arguments = command.normalized_words().get(1..).unwrap_or_default();
        command.program()?.looking(arguments)?
    };
    writes_nothing(command, looking).then_some(looking)
}

/// Whether a command writes and deletes no file and, unless it is one that asks hosts, reaches none, as far as its words show.
fn writes_nothing(command: &Invocation, looking: Looking) -> bool {
    let effects = Effects::of(command, || false);
    let mut files = effects.files.iter();
    // Whether a word can be several, of which one is written (`uniq $x`), is for the engine to say.
    let is_judged = |file: &FileOperand<'_>| file.if_several && effects.only_looks;
    let is_harmless = |file: &FileOperand<'_>| {
        let is_nothing = file.word.literal().is_some_and(is_free);
        file.access == FileAccess::Read || is_nothing || is_judged(file)
    };
    (looking == Looking::Asks || !addresses::names_host(command))
        && !effects.writes_here
        && files.all(is_harmless)
}

/// Whether a text whose names mean what they say runs a program that no rule is about.
fn text_runs_ungraded(text: &ExaminedText) -> bool {
    let renames =
        |kind: &FindingKind| matches!(kind, FindingKind::Function(_) | FindingKind::Mark(_));
    let mut findings = text.script.findings.iter();
    let is_ungraded = |invocation: &Invocation| {
        let name = invocation.words.first().and_then(Word::literal);
        let base = invocation.base_name();
        invocation.inner.is_empty()
            && !is_control(invocation)
            && !is_directory_change(invocation)
            && !only_redirects(invocation)
            && name.is_some_and(|name| !GRADED.contains(name))
            && base.is_some_and(|base| !GRADED.contains(base))
    };
    !findings.any(|finding| renames(&finding.kind))
        && text
            .invocations
            .iter()
            .any(|(_, invocation)| is_ungraded(invocation))
}

/// Whether something that a text touches is elsewhere, deleted, or on another machine, if it asks none.
fn leaves(judgement: &Judgement<'_>, looking: Looking) -> bool {
    judgement.effects().iter().any(|effect| match effect.kind {
        PartKind::Read | PartKind::Write => !is_of_workspace(effect.subject()),
        PartKind::Delete => true,
        PartKind::Host => looking == Looking::Here,
        _ => false,
    })
}

/// Whether rules that let files be changed may say something else of a text than those that let them be read.
fn may_change_files(claims: &[CommandClaim], reading: &Judgement<'_>) -> bool {
    let makes = |text: &str| MAKES.iter().any(|name| text.contains(name));
    let is_write = |effect: &TextEffect| effect.kind == PartKind::Write;
    claims.iter().any(|claim| makes(&claim.text)) || reading.effects().iter().any(is_write)
}

/// Whether a name as a text has it stays in the workspace. Names in it that are absolute are taken to leave it.
fn is_of_workspace(name: &str) -> bool {
    let climbs = Path::new(name)
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    let is_plain = !name.starts_with('/') && !name.starts_with('~') && !climbs;
    is_plain
        || matches!(
            name,
            "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
        )
}

fn named(name: &str) -> Option<Operation> {
    match name {
        "Bash" => Some(Operation::Execute),
        "Edit" => Some(Operation::Edit),
        "Read" => Some(Operation::Read),
        "WebFetch" => Some(Operation::WebFetch),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LexicalPaths;

    fn grades() -> Grades {
        let engine = Engine::new(RuleSet::default(), DefaultMode::Ask, "/w");
        engine.grades(vec![PathBuf::from("/w")])
    }

    fn claim(name: &str) -> PathClaim {
        PathClaim {
            name: name.to_owned(),
            target: Path::new("/w").join(name),
        }
    }

    fn of(operation: Operation, effect: Effect, access: Access) -> Danger {
        grade(operation, effect, access).danger
    }

    fn grade(operation: Operation, effect: Effect, access: Access) -> Grade {
        let question = Question {
            operation,
            effect,
            tool: operation.name(),
            access: &access,
        };
        let paths = LexicalPaths::new("/w");
        let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
        grades().grade(&question, &commands)
    }

    fn running(text: &str) -> Access {
        let command = CommandClaim {
            text: text.to_owned(),
            directory: PathClaim {
                name: ".".to_owned(),
                target: PathBuf::from("/w"),
            },
            environment: Vec::new(),
        };
        Access {
            commands: vec![command],
            ..Access::default()
        }
    }

    fn of_command(text: &str) -> Danger {
        of(Operation::Execute, Effect::Execute, running(text))
    }

    const LOOKS: &[&str] = &[
        "ip a",
        "ip -br addr",
        "ip addr show eth0",
        "ip link show",
        "ip route get 10.0.0.1",
        "ss -tlnp",
        "lsof -i :80",
        "netstat -an",
        "crontab -l",
        "dmesg -T | tail -20",
        "history 10",
        "zipinfo a.zip",
        "vmstat 1 2",
        "cal",
        "factor 12",
        "ls",
        "ls -la src && git status",
        "cat a.txt | grep -n x | head -5",
        "git log --oneline -5",
        "git diff HEAD~1 -- src",
        "find . -name '*.ts'",
        "cd src && pwd",
        "rg -n foo src 2>/dev/null",
        "wc -l src/*.ts",
        "node --version",
        "uniq a.txt",
        "sort a.txt | uniq -c",
        "for f in a b; do uniq $f; done",
        "for f in *.txt; do uniq \"$f\"; done",
        "sed -n 1,10p a.txt",
        "cat -n a.txt | sed -n 1,5p",
        "sed -n '/x/p' a.txt",
        "awk '{print $1}' a.txt",
        "date +%Y-%m-%d",
        "date -u",
        "env",
        "env | sort",
        "printenv PATH",
        "base64 a.txt",
        "base64 -w0 a.txt",
        "xxd a.txt",
        "xxd -l 16 a.txt",
        "bash -c ls",
        "bash -lc ls",
        "bash -c 'ls | wc -l'",
        "git branch",
        "git branch -a",
        "git branch -vv",
        "git branch --show-current",
        "git branch --merged main",
        "git branch --list 'a*'",
        "git tag",
        "git tag -l 'v*'",
        "git remote -v",
        "git remote get-url origin",
        "git config --get user.name",
        "git config -l",
        "git config get user.name",
        "git config user.name",
        "git config --global core.pager",
        "gzip -l a.gz",
        "gzip -tv a.gz",
        "xz -l a.xz",
        "yq . a.yml",
        "yq -o=json .a a.yml",
        "7z l a.7z",
        "man -k git",
        "man -w git",
        "git ls-tree HEAD",
        "git rev-list HEAD",
        "git merge-base a b",
        "git for-each-ref",
        "git reflog",
        "git check-ignore a.txt",
        "git worktree list",
        "git --version",
        "git symbolic-ref HEAD",
        "git stash list",
        "npm ls",
        "npm ls --depth=0",
        "pip list",
        "pip show x",
        "go version",
        "tar tzf a.tgz",
        "tar -tf a.tar",
        "tar --list --file=a.tar",
        "unzip -l a.zip",
        "zcat a.gz",
        "objdump -d a.o",
        "readelf -h a.o",
        "timeout 5 ls",
        "git -C d status",
        "git -C d branch -a",
        "git stash list --oneline",
        "npm run",
        "npm config get registry",
        "cargo tree --frozen",
        "cargo metadata --no-deps --format-version 1",
        "pip freeze",
        "node -v",
        "python3 -V",
        "uv pip list",
        "dpkg -l",
        "apt list --installed",
    ];

    #[test]
    fn a_command_that_is_known_to_only_read_is_of_low_danger() {
        for text in LOOKS {
            assert_eq!(of_command(text), Danger::Low, "{text}");
        }
    }

    const DOES_MORE: &[&str] = &[
        "ip link set dev eth0 down",
        "ip addr add 10.0.0.1/24 dev eth0",
        "ip route flush all",
        "ip -batch a show",
        "ip netns exec a ip addr",
        "ss -K",
        "ss -t --kill",
        "ss -D a",
        "crontab -e",
        "crontab a",
        "crontab -l -r",
        "dmesg -C",
        "dmesg -c",
        "dmesg -n 1",
        "dmesg --console-level emerg",
        "history -c",
        "history -w",
        "history -d 5",
        "sed -i s/a/b/ a.txt",
        "sed --in-place s/a/b/ a.txt",
        "sed -n 'w out' a.txt",
        "sed 's/a/b/w out' a.txt",
        "sed '1e touch x' a.txt",
        "sed 's/a/touch x/e' a.txt",
        "sed -f script a.txt",
        "sed -n -i p a.txt",
        "sed -ni p a.txt",
        "awk '{print > \"out\"}' a.txt",
        "awk '{print | \"sh\"}' a.txt",
        "awk 'BEGIN{system(\"touch x\")}'",
        "awk 'BEGIN{\"touch x\" | getline}'",
        "awk -f prog a.txt",
        "gawk -i inplace '{print}' a.txt",
        "gawk -o out '{print}' a.txt",
        "gawk -oout '{print}' a.txt",
        "gawk --dump-variables=out '{print}' a.txt",
        "gawk -l filefuncs '{print}' a.txt",
        "gawk 'BEGIN{f=\"system\"; @f(\"touch x\")}'",
        "sort -o out a.txt",
        "uniq a.txt out",
        "tree -o out",
        "find . -delete",
        "find . -exec rm {} +",
        "find . -fls out",
        "find . -fprint out",
        "git branch -D x",
        "git -C d branch x",
        "git branch new",
        "git branch -v new",
        "git branch -m a b",
        "git branch --edit-description",
        "git branch -u origin/a",
        "git tag v1",
        "git tag -d v1",
        "git tag -a v1 -m x",
        "git remote add a b",
        "git remote update",
        "git config set a.b c",
        "git config a.b c",
        "git config --unset a.b",
        "git config -e",
        "git config edit",
        "git config user.name x",
        "git config --file x user.name",
        "gzip a.txt",
        "gzip -d a.gz",
        "gzip -k a.txt",
        "xz -d a.xz",
        "xz -ld a.xz",
        "xz -l --decompress a.xz",
        "yq -i .a=1 a.yml",
        "yq -s .a a.yml",
        "7z x a.7z",
        "7z l a.7z -oout",
        "7z a a.7z b",
        "man git",
        "man -P ./x -k git",
        "git config get --file x a",
        "git symbolic-ref HEAD refs/heads/x",
        "git symbolic-ref -d HEAD",
        "git reflog expire --all",
        "git reflog delete HEAD@{0}",
        "git worktree add ../x",
        "git stash",
        "git stash pop",
        "git diff --output=out",
        "git diff-tree --output=out HEAD",
        "git grep -Osh x",
        "git log --output=out",
        "git rev-list HEAD > out",
        "git -c core.pager=x log",
        "git -c core.fsmonitor=./x ls-tree HEAD",
        "date -s 12:00",
        "date --set=12:00",
        "date 01011200",
        "env touch x",
        "env -S 'touch x'",
        "env A=1 ./x",
        "hostname new",
        "xxd a.txt out",
        "xxd -r a.txt out",
        "base64 -o out a.txt",
        "tar xzf a.tgz",
        "tar -tf a.tar --to-command=sh",
        "tar -tf a.tar -I ./x",
        "tar -tf a.tar --checkpoint-action=exec=sh",
        "tar tf host:a.tar",
        "unzip a.zip",
        "unzip -o a.zip",
        "npm view x version",
        "npm ls --prefix=x --script-shell=y",
        "npm install",
        "npm exec ls",
        "pip list --outdated",
        "pip install x",
        "docker ps",
        "go env -w A=b",
        "nm --plugin=./x.so a.o",
        "bash -c 'sed -i s/a/b/ a.txt'",
        "bash -lc 'touch x'",
        "bash -lc 'git branch x'",
        "bash -lc \"$x\"",
        "A=1 bash -lc ls",
        "bash -lc ls > out",
        "bash -ic ls",
        "ls | xargs git branch",
        "ls | xargs xxd",
        "git branch $x",
        "git branch $(cat x)",
        "git tag \"$x\"",
        "xxd *",
        "base64 $x",
        "ls > out",
        "cat a.txt | tee out",
        "time -o out ls",
        "sed -n 1p a.txt > out",
    ];

    #[test]
    fn what_does_more_than_look_is_not_of_low_danger() {
        for text in DOES_MORE {
            assert_ne!(of_command(text), Danger::Low, "{text}");
        }
    }

    const ASKS: &[&str] = &[
        "docker ps -a",
        "docker images",
        "docker logs -f c",
        "docker inspect c | jq .",
        "docker container ls",
        "docker -H tcp://h:1 ps",
        "docker compose -f a.yml ps",
        "podman ps",
        "kubectl get pods -o yaml",
        "kubectl -n x describe pod y",
        "kubectl logs x --tail 5",
        "kubectl config current-context",
        "gh pr view 1 --comments",
        "gh pr list -R o/r --json number",
        "gh pr view https://github.com/o/r/pull/1",
        "gh pr diff 1 | head -50",
        "gh run list",
        "gh api repos/o/r/pulls/1 --jq .title",
        "glab mr list",
        "helm list -A",
        "helm status x",
        "helm template . --set a=b",
        "terraform show",
        "terraform -chdir=d state list",
        "terraform output -json",
        "aws ec2 describe-instances --filters Name=x,Values=y",
        "aws --profile p sts get-caller-identity",
        "aws s3 ls s3://b/x",
        "gcloud compute instances list --format json",
        "gcloud run services describe x --region y",
        "az vm list -o table",
        "systemctl status x",
        "journalctl -u x -n 5 --no-pager",
        "npm view x version",
        "npm outdated",
        "npm audit",
        "pip list --outdated",
        "pip index versions x",
        "cargo tree --locked",
        "cargo search x",
        "go list -m all",
        "git ls-remote origin",
    ];

    #[test]
    fn a_command_that_asks_a_host_or_a_service_only_looks_and_is_of_high_danger() {
        for text in ASKS {
            let grade = grade(Operation::Execute, Effect::Execute, running(text));
            let asked = Grade {
                danger: Danger::High,
                only_looks: true,
            };
            assert_eq!(grade, asked, "{text}");
        }
    }

    #[test]
    fn a_command_that_changes_what_a_host_or_a_service_has_does_more_than_look() {
        for text in [
            "docker run x",
            "docker rm c",
            "docker ps > out",
            "docker ps; rm a",
            "docker --config d ps",
            "docker buildx inspect --bootstrap",
            "kubectl delete pod x",
            "kubectl get pods --kubeconfig x",
            "kubectl cluster-info dump --output-directory d",
            "kubectl apply -f a",
            "kubectl exec x -- ls",
            "kubectl frobnicate get",
            "gh pr merge 1",
            "gh pr view --web",
            "gh pr view -w 1",
            "gh auth status --show-token",
            "gh api -X DELETE repos/o/r",
            "gh api repos/o/r -f a=b",
            "gh repo delete x",
            "helm upgrade x y",
            "helm template . --output-dir d",
            "helm template . --post-renderer ./x",
            "helm template . --dependency-update",
            "terraform plan",
            "terraform plan -out=f",
            "terraform apply",
            "terraform providers lock",
            "terraform state rm x",
            "aws ec2 terminate-instances --instance-ids x",
            "aws s3api get-object --bucket b --key k out",
            "aws s3 rm s3://b/x",
            "aws --unknown describe-x list-y terminate-instances",
            "gcloud compute instances delete list",
            "gcloud projects delete list",
            "gcloud compute ssh list",
            "az vm delete -n list",
            "systemctl restart x",
            "journalctl --vacuum-time=1s",
            "journalctl --vac=1s",
            "npm audit fix",
            "npm run build",
            "npm version patch",
            "pnpm install",
            "yarn list",
            "pip install x",
            "cargo tree",
            "cargo metadata",
            "cargo build --locked",
            "go list -export ./...",
            "uv tree",
            "python -m pip list",
            "python -v",
            "node",
            "curl https://example.com",
        ] {
            let grade = grade(Operation::Execute, Effect::Execute, running(text));
            assert_eq!(grade, Grade::of(Danger::High), "{text}");
        }
    }

    #[test]
    fn a_command_of_which_one_word_may_become_an_output_does_not_only_read() {
        for text in [
            "ls | xargs uniq",
            "uniq *",
            "uniq $(cat list)",
            "x='a b'; uniq $x",
            "set -- a b; uniq \"$@\"",
            "cat list | xargs uniq",
            "git ls-files | xargs uniq",
            "find . -type f -exec uniq {} +",
        ] {
            assert_ne!(of_command(text), Danger::Low, "{text}");
        }
    }

    #[test]
    fn a_command_that_makes_files_in_the_workspace_is_of_medium_danger() {
        for text in [
            "mkdir -p src/new",
            "touch a.md",
            "echo x > notes.md",
            "git status >> log.txt",
        ] {
            assert_eq!(of_command(text), Danger::Medium, "{text}");
        }
    }

    #[test]
    fn a_command_that_deletes_runs_code_or_leaves_the_workspace_is_of_high_danger() {
        for text in [
            "rm -rf /",
            "rm a.txt",
            "npm test",
            "node a.js",
            "python3 --version -c x",
            "curl https://example.com",
            "git push",
            "git diff --ext-diff",
            "find . -delete",
            "find . -exec rm {} +",
            "cat /etc/passwd",
            "cat ../x",
            "echo x > ../out",
            "echo x > .git/hooks/pre-commit",
            "ls $(rm x)",
            "sort -o /etc/x a",
            "PATH=. ls",
            "eval ls",
            "sed -i s/a/b/ x",
            "make",
            "((",
        ] {
            assert_eq!(of_command(text), Danger::High, "{text}");
        }
    }

    /// The commands of the tables of decisions, as they are written there.
    fn commands_of_tables() -> Vec<String> {
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/decisions");
        let files = std::fs::read_dir(tables).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let command = |line: &str| {
            let (_, rest) = line.split_once("| `")?;
            let (command, _) = rest.split_once("` |")?;
            Some(command.replace('⏎', "\n").replace(r"\|", "|"))
        };
        texts
            .flat_map(|text| text.lines().filter_map(command).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn what_is_not_weighed_would_have_been_of_high_danger() {
        let grades = grades();
        let paths = LexicalPaths::new("/w");
        let (mut passed_over, mut not_changing) = (0, 0);
        for text in commands_of_tables() {
            let access = running(&text);
            let question = Question {
                operation: Operation::Execute,
                effect: Effect::Execute,
                tool: "Bash",
                access: &access,
            };
            let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
            let engine = &grades.reads;
            let resolve = |claim| commands.of(claim, &engine.directories, &engine.catalogue);
            let resolved: Vec<_> = access.commands.iter().map(resolve).collect();
            let judge = |engine| judged(engine, &question, &resolved);
            let (reading, changing) = (judge(&grades.reads), judge(&grades.changes));
            let is_high = |judgement: &Judgement<'_>| {
                judgement.verdict() != Verdict::Allow || leaves(judgement, Looking::Here)
            };
            if resolved.iter().any(|one| runs_ungraded(&one.readings)) {
                passed_over += 1;
                assert!(is_high(&reading) && is_high(&changing), "{text}");
            } else if is_high(&reading) && !may_change_files(&access.commands, &reading) {
                not_changing += 1;
                assert!(is_high(&changing), "{text}");
            }
        }
        assert!(
            passed_over > 1000 && not_changing > 1000,
            "{passed_over} {not_changing}"
        );
    }

    #[test]
    fn a_tool_is_graded_by_what_it_touches() {
        let read = Access::reading(claim("a"));
        assert_eq!(of(Operation::Read, Effect::Observe, read), Danger::Low);
        let write = Access::writing(claim("notes.md"));
        assert_eq!(of(Operation::Write, Effect::Mutate, write), Danger::Medium);
        let hook = Access::writing(claim(".git/hooks/pre-commit"));
        assert_eq!(of(Operation::Write, Effect::Mutate, hook), Danger::High);
        let delete = Access::deleting(claim("a"));
        assert_eq!(of(Operation::Delete, Effect::Mutate, delete), Danger::High);
        let outside = PathClaim {
            name: "link".to_owned(),
            target: PathBuf::from("/etc/passwd"),
        };
        let outside = Access::reading(outside);
        assert_eq!(of(Operation::Read, Effect::Observe, outside), Danger::High);
        let none = Access::default;
        assert_eq!(
            of(Operation::WebSearch, Effect::Network, none()),
            Danger::High
        );
        assert_eq!(
            of(Operation::TodoWrite, Effect::Converse, none()),
            Danger::Low
        );
        assert_eq!(
            of(Operation::Foreign, Effect::Unknown, none()),
            Danger::High
        );
        assert_eq!(of(Operation::Foreign, Effect::Mutate, none()), Danger::High);
        assert_eq!(of(Operation::Foreign, Effect::Observe, none()), Danger::Low);
    }
}
