//! Allow rules against one command (docs/policy.md, "What a rule on a command allows"): the bare name, every word as it is, and what it runs in turn.

use std::cell::Cell;

use tenon_contract::variables::is_rust_toolchain;
use tenon_programs::Traits;
use tenon_programs::words::restraints::SAYING_HOW;
use tenon_shell::{Inner, Invocation, Part, Word, aliases};

use crate::command_pattern::Fit;
use crate::commands::judge::deny_rules::Places;
use crate::commands::judge::restraints::keeps_restraints;
use crate::commands::words::options::{is_action, needs_exact_rule};
use crate::commands::words::{RUNNING_CODE, RUNNING_FILES};
use crate::decision::{Exact, PartDecision};
use crate::rule::{Pattern, Rule};
use crate::rules::RuleSet;
use crate::verdict::Verdict;

/// The directories of the system's programs, for the option that trusts them.
const SYSTEM_DIRECTORIES: &[&str] = &["/bin/", "/usr/bin/"];

/// Whether one of the words of the command is opaque.
fn has_opaque(invocation: &Invocation) -> bool {
    invocation.words.iter().any(Word::is_opaque)
}

/// Whether `rule` alone allows the command.
pub(crate) fn covers(rule: &Rule, invocation: &Invocation, system_directories: bool) -> bool {
    Allowing {
        rules: AllowRules::One(rule),
        system_directories,
        strict_rules: false,
        adds_names: &|_| false,
        spellings_left: &Cell::new(1),
    }
    .find(invocation)
    .is_some()
}

/// Allow rules on commands.
pub(crate) enum AllowRules<'e> {
    /// This one.
    One(&'e Rule),
    /// All of these.
    All(&'e RuleSet),
}

impl<'e> AllowRules<'e> {
    /// Whether a rule on this program names a subcommand, which can have other names.
    fn may_spell(&self, name: &str) -> bool {
        let names = |rule: &Rule| rule.command().is_some_and(|own| own.words.len() > 1);
        match self {
            Self::One(rule) => names(rule),
            Self::All(rules) => {
                let mut places = rules.allowing.of(name).iter();
                places.any(|place| rules.rules.get(*place).is_some_and(names))
            }
        }
    }

    /// The first of the rules that a command of this name can match which `fits`.
    fn find(
        &self,
        name: &str,
        bare: Option<&str>,
        fits: impl Fn(&Rule) -> bool,
    ) -> Option<&'e Rule> {
        let rules = match self {
            Self::One(rule) => return Some(*rule).filter(|rule| fits(rule)),
            Self::All(rules) => *rules,
        };
        let fitting = |places: &[usize]| {
            let mut found = places.iter().filter_map(|place| rules.rules.get(*place));
            found.find(|rule| fits(rule))
        };
        let named = rules.allowing.of(name);
        let Some(bare) = bare else {
            return fitting(named);
        };
        let mut places = Places::from_slice(named);
        places.extend_from_slice(rules.allowing.of(bare));
        places.sort_unstable();
        places.dedup();
        fitting(&places)
    }
}

/// The allow rules that apply to commands.
pub(crate) struct Allowing<'e, 'a> {
    pub(crate) rules: AllowRules<'e>,
    pub(crate) system_directories: bool,
    /// Whether deny or ask rules on commands exist, which what is not understood could evade.
    pub(crate) strict_rules: bool,
    /// Whether what this word of a command becomes when it runs are names, each one word and no option.
    pub(crate) adds_names: &'a dyn Fn(&Word) -> bool,
    /// How many more commands may be compared under other names: long texts of them must not take long.
    pub(crate) spellings_left: &'a Cell<usize>,
}

impl<'e> Allowing<'e, '_> {
    /// The rule that allows the command with everything that it runs.
    pub(crate) fn find(&self, invocation: &Invocation) -> Option<&'e Rule> {
        let name = invocation.words.first()?.literal()?;
        if name.is_empty() {
            return None;
        }
        let known = |inner: &Inner| match inner {
            Inner::Command(command) => is_understood(command),
            Inner::Text(_) => true,
            Inner::NotUnderstood { .. } => false,
        };
        let covered = invocation.inner.is_empty()
            || (invocation.forwards && invocation.inner.iter().all(known));
        let plain = || !needs_exact_rule(invocation) || self.is_plain_with_names(invocation);
        if covered && plain() {
            return self.direct(invocation, |_| true);
        }
        self.explicit(invocation)
            .or_else(|| self.through(invocation))
            .or_else(|| self.reading(invocation))
    }

    /// The rule on the program itself, whatever it runs.
    pub(crate) fn on_program(&self, invocation: &Invocation) -> Option<&'e Rule> {
        self.direct(invocation, |_| true)
    }

    /// `find -exec` where `find` is allowed and so is what it runs, which only reads.
    fn reading(&self, invocation: &Invocation) -> Option<&'e Rule> {
        let is_find = matches!(invocation.base_name(), Some("find" | "gfind"));
        let runs_only = |word: &Word| word.literal() == Some("-exec") || !is_action(word);
        if !is_find || invocation.inner.is_empty() || !invocation.words.iter().all(runs_only) {
            return None;
        }
        let reads = |inner: &Inner| match inner {
            Inner::Command(command) => {
                crate::danger::only_reads(command) && self.find(command).is_some()
            }
            Inner::Text(_) | Inner::NotUnderstood { .. } => false,
        };
        if !invocation.inner.iter().all(reads) {
            return None;
        }
        let understood = is_understood(invocation);
        self.direct(invocation, |rule| understood && rule.list == Verdict::Allow)
    }

    /// Whether the words that are added when it runs are the only ones for which it would need an exact rule.
    fn is_plain_with_names(&self, invocation: &Invocation) -> bool {
        let is_open =
            |part: &Part| matches!(part, Part::Unknown | Part::CommandSubstitution { .. });
        let added = |word: &Word| {
            word.expansion.splits && word.parts.len() == 1 && word.parts.iter().all(is_open)
        };
        let Some((last, words)) = invocation.words.split_last() else {
            return false;
        };
        matches!(invocation.base_name(), Some("sed"))
            && added(last)
            && !crate::commands::words::sed::may_run_or_write(words)
            && (self.adds_names)(last)
    }

    /// A transparent wrapper is allowed with what it runs.
    fn through(&self, invocation: &Invocation) -> Option<&'e Rule> {
        if !invocation.transparent || invocation.inner.is_empty() {
            return None;
        }
        let mut found = None;
        for inner in &invocation.inner {
            match inner {
                Inner::Command(command) => found = Some(self.find(command)?),
                Inner::Text(_) | Inner::NotUnderstood { .. } => return None,
            }
        }
        found
    }

    /// Other wrappers, shells and programs that run something need a rule that says so: exact, or reaching to the
    /// name of what is run. A rule on a shell means everything that the shell runs.
    fn explicit(&self, invocation: &Invocation) -> Option<&'e Rule> {
        let understood = is_understood(invocation);
        if !understood && (self.strict_rules || has_opaque(invocation)) {
            return None;
        }
        let reach = inner_name_place(invocation);
        self.direct(invocation, |rule| match &rule.pattern {
            Pattern::Any => understood,
            Pattern::Command(pattern) if invocation.is(Traits::SHELL) => !pattern.words.is_empty(),
            Pattern::Command(pattern) if !pattern.prefix => pattern.words.len() >= 2,
            Pattern::Command(pattern) => {
                understood && reach.is_some_and(|place| pattern.words.len() > place)
            }
            Pattern::Path(_) | Pattern::Host(_) | Pattern::Name(_) | Pattern::Arguments(_) => false,
        })
    }

    fn direct(&self, invocation: &Invocation, accepts: impl Fn(&Rule) -> bool) -> Option<&'e Rule> {
        let raw = invocation.words.first()?.literal()?;
        let bare = SYSTEM_DIRECTORIES
            .iter()
            .filter(|_| self.system_directories)
            .find_map(|directory| {
                raw.strip_prefix(directory)
                    .filter(|name| !name.contains('/'))
            });
        let fits = |rule: &Rule, words: &[Word]| {
            accepts(rule)
                && match &rule.pattern {
                    Pattern::Any => true,
                    Pattern::Command(pattern) => {
                        let mut names = [Some(raw), bare].into_iter().flatten();
                        names.any(|name| pattern.fit(Some(name), words) == Fit::Yes)
                            && keeps_restraints(&pattern.words, words)
                    }
                    Pattern::Path(_)
                    | Pattern::Host(_)
                    | Pattern::Name(_)
                    | Pattern::Arguments(_) => false,
                }
        };
        let found = self
            .rules
            .find(raw, bare, |rule| fits(rule, &invocation.words));
        let plain = || same_without_options(invocation);
        found.or_else(|| {
            // Another way to write the very same.
            let plain = plain();
            let words = plain.unwrap_or(&invocation.words);
            let as_plain = plain.and_then(|words| {
                let rules = &self.rules;
                rules.find(raw, bare, |rule| fits(rule, words))
            });
            as_plain.or_else(|| {
                if !self.rules.may_spell(raw) {
                    return None;
                }
                let left = self.spellings_left.get().checked_sub(1)?;
                self.spellings_left.set(left);
                let others = aliases(invocation.program(), words);
                let mut same = others.iter().filter(|spelling| spelling.is_same);
                same.find_map(|spelling| {
                    self.rules
                        .find(raw, bare, |rule| fits(rule, &spelling.words))
                })
            })
        })
    }
}

/// Whether it is known what everything in a command runs.
fn is_understood(invocation: &Invocation) -> bool {
    let unknown = |inner: &Inner| matches!(inner, Inner::NotUnderstood { .. });
    let chain = invocation.chain();
    !chain
        .iter()
        .any(|command| command.inner.iter().any(unknown))
}

/// Where the name of the inner command stands among the words.
fn inner_name_place(invocation: &Invocation) -> Option<usize> {
    let inner = invocation.inner.iter().find_map(|inner| match inner {
        Inner::Command(command) => command.words.first(),
        Inner::Text(_) | Inner::NotUnderstood { .. } => None,
    })?;
    invocation
        .words
        .iter()
        .position(|word| word.span == inner.span && word.literal() == inner.literal())
}

/// The part of a command that no rule allows. Beside a rule on its program it says what that does not cover.
pub(crate) fn with_trouble(
    part: PartDecision,
    rules: &RuleSet,
    invocation: &Invocation,
) -> PartDecision {
    match not_covered(rules, invocation).filter(|_| part.verdict != Verdict::Allow) {
        Some((rule, trouble)) => {
            let reason = format!("`{}` does not cover {trouble}.", rule.text.rule);
            part.in_words(reason)
        }
        None => part,
    }
}

/// The allow rule on the program that does not allow the command, and what of it is the reason.
fn not_covered<'e>(rules: &'e RuleSet, invocation: &Invocation) -> Option<(&'e Rule, String)> {
    let raw = invocation.words.first()?.literal()?;
    let mut places = rules.allowing.of(raw).iter();
    let rule = places.find_map(|place| {
        let rule = rules.rules.get(*place)?;
        let pattern = rule.command()?;
        (pattern.fit(Some(raw), &invocation.words) == Fit::Yes).then_some(rule)
    })?;
    let trouble = match invocation.base_name()? {
        "find" | "gfind" => {
            let option = invocation.words.iter().find(|word| is_action(word))?;
            format!("the option `{}`", option.literal()?)
        }
        "sed" | "gsed" if crate::commands::words::sed::may_run_or_write(&invocation.words) => {
            "a script that can run a program or write a file".to_owned()
        }
        name => match invocation.inner.first()? {
            Inner::Command(inner) => {
                let inner = inner.words.first()?.literal()?;
                format!("what `{name}` runs: `{inner}`")
            }
            Inner::Text(_) | Inner::NotUnderstood { .. } => format!("what `{name}` runs"),
        },
    };
    Some((rule, trouble))
}

/// Whether the command opens a shell or an interpreter for whatever its input says: `python3 -`, `bash -s`, `sudo sh`.
pub(crate) fn opens_interpreter(invocation: &Invocation) -> bool {
    invocation.chain().iter().any(|command| {
        let is_shell = command.is(Traits::SHELL);
        if !command.is(RUNNING_FILES) {
            return false;
        }
        let mut texts = command.words.iter().skip(1).map(Word::prefix);
        let mut reads_input = true;
        let mut next_is_value = false;
        for text in texts.by_ref() {
            let is_input = matches!(&*text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
            if is_shell && text.starts_with('-') && !text.starts_with("--") && text.contains('s') {
                return true;
            }
            if is_input {
                return true;
            }
            if text.starts_with('-') {
                let gives_code = ["--eval", "--print", "--execute", "--version", "--help"];
                let short = !text.starts_with("--")
                    && text.contains(['c', 'e', 'm', 'p', 'r', 'V', 'v', 'h']);
                reads_input &= !(gives_code.contains(&&*text) || short);
                next_is_value = matches!(&*text, "-W" | "-X" | "-o" | "-O" | "-I");
            } else if next_is_value {
                next_is_value = false;
            } else {
                reads_input = false;
                break;
            }
        }
        reads_input
    })
}

/// The rule that stands for exactly this command; nothing where a rule cannot, or would open an interpreter.
pub(crate) fn exact_rule(invocation: &Invocation) -> Exact {
    if opens_interpreter(invocation) {
        return Exact::None;
    }
    let name = invocation.words.first().and_then(Word::literal);
    let unclear = invocation
        .inner
        .iter()
        .any(|inner| matches!(inner, Inner::NotUnderstood { .. }));
    if unclear || name.is_none_or(str::is_empty) || has_opaque(invocation) {
        return Exact::None;
    }
    // Of a transparent wrapper the rule names what it runs.
    if invocation.transparent
        && let [Inner::Command(inner)] = invocation.inner.as_slice()
    {
        return exact_rule(inner);
    }
    Exact::Command(invocation.words.clone())
}

/// Whether *always* may be remembered for this command (docs/policy.md, "Approvals").
pub(crate) fn may_remember(invocation: &Invocation) -> bool {
    if invocation.transparent
        && let [Inner::Command(inner)] = invocation.inner.as_slice()
    {
        return may_remember(inner);
    }
    let runs_nothing_else = invocation.inner.is_empty()
        || (invocation.forwards
            && invocation
                .inner
                .iter()
                .all(|inner| matches!(inner, Inner::Command(command) if may_remember(command))));
    runs_nothing_else
        && !has_opaque(invocation)
        && !needs_exact_rule(invocation)
        && !invocation.is(RUNNING_CODE)
}

/// Options before a subcommand that change neither what it does nor to what, and those with a directory, which is judged
/// by itself.
fn says_how(program: &str, option: &str) -> Option<usize> {
    let (alone, with_value) = SAYING_HOW.iter().find_map(|row| {
        let mut columns = row.split('|').map(str::split_whitespace);
        let is_own = columns.next()?.any(|own| own == program);
        is_own.then_some((columns.next()?, columns.next()?))
    })?;
    let is_long = |name: &str| {
        let value = option.strip_prefix(name).filter(|_| name.starts_with("--"));
        value.is_some_and(|value| value.starts_with('='))
    };
    if alone.clone().any(|own| own == option) || with_value.clone().any(is_long) {
        return Some(1);
    }
    if with_value.clone().any(|own| own == option) {
        return Some(2);
    }
    let toolchain = option.strip_prefix('+').filter(|_| program == "cargo");
    toolchain.filter(|name| is_rust_toolchain(name)).map(|_| 1)
}

/// The words without the options before the subcommand, if all of these only say how it works: `git -C src status`.
pub(crate) fn same_without_options(invocation: &Invocation) -> Option<&[Word]> {
    let (words, plain) = (&invocation.words, invocation.normalized_words());
    let (name, command) = (words.first()?.literal()?, plain.get(1)?);
    let mut place = 1;
    while let Some(word) = words.get(place) {
        if word.span == command.span {
            let same = place > 1 && word.literal().is_some() && word.literal() == command.literal();
            return same.then_some(plain);
        }
        place += says_how(name, word.literal()?)?;
    }
    None
}
