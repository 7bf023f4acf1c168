//! Goes through the findings of one text and judges each.

use std::cell::OnceCell;
use std::sync::Arc;

use compact_str::CompactString;
use hashbrown::HashSet;
use smallvec::SmallVec;
use tenon_programs::Runs;
use tenon_shell::{
    Assignment, AssignmentKind, Command, Descriptor, ExaminedText, FileUse, Finding, FindingKind,
    Inner, Invocation, MarkKind, Part, Redirection, Span, Word, fed_texts, invocation_by,
};

use crate::command_pattern::Fit;
use crate::commands::judge::allow_rules::{AllowRules, Allowing};
use crate::commands::judge::deny_rules::Others;
use crate::commands::judge::exported_names::ExportedNames;
use crate::commands::judge::settings::Running;
use crate::commands::judge::variables::splits_one_line;
use crate::commands::judge::visited_texts::{VisitedTexts, option_at};
use crate::commands::judge::{
    CommandJudge, RequiredCheck, allow_rules, copied_programs, deny_rules, is_free, on_behalf,
    unknown_wrappers,
};
use crate::commands::resolve::assignments::Given;
use crate::commands::resolve::command_places::CommandPlaces;
use crate::commands::resolve::directories::Move;
use crate::commands::resolve::resolved_text::{Places, words_span};
use crate::commands::resolve::{PipedInput, ResolvedText, Site, WorkingDirs, directories};
use crate::commands::words::control_builtins::only_redirects;
use crate::commands::words::{Effects, is_control, is_directory_change};
use crate::decision::{PartDecision, PartKind, Why};
use crate::display::shown;
use crate::memo::Memo;
use crate::rule::Rule;
use crate::verdict::Verdict;

/// How many values of a loop are put into a command that a rule may allow.
const MOST_VALUES: usize = 16;

/// Why a rule does not allow a command of which words are not known.
const HIDDEN: &str = ": a word that is not known from the text may be an option that runs a program or names a file.";

/// Why no rule is suggested for a shell or an interpreter that reads its input.
const OPENS: &str = " runs whatever its input says, so no rule for it is safe. Write the code to a file and allow running that file.";

/// One text with what its judging needs.
pub(crate) struct TextJudge<'w, 'e, 'q> {
    pub(crate) judge: &'w mut CommandJudge<'e, 'q>,
    pub(crate) text: &'w ExaminedText,
    pub(crate) index: usize,
    pub(crate) reading: &'w ResolvedText,
    /// The commands of the text by where they stand, once one is looked for.
    pub(crate) places: OnceCell<CommandPlaces<'w>>,
    /// Whether the text may give its variables to what it runs, once that is asked.
    pub(crate) exports: OnceCell<bool>,
    /// The names of variables that the text gives to what it runs, once one is looked for.
    pub(crate) exported_names: OnceCell<ExportedNames<'w>>,
    /// What assignments give to variables, as far as that was asked.
    pub(crate) assigned_values: Memo<String, Given>,
    /// What the commands of the text run, once that is asked.
    pub(crate) running: OnceCell<Running>,
}

/// A command as it is written, the directory it runs in, what it does to the directory, and whether a pipe may feed it.
type Known<'t> = (&'t str, WorkingDirs, Option<Move>, bool);

impl<'w, 'e, 'q> TextJudge<'w, 'e, 'q> {
    pub(crate) fn new(
        judge: &'w mut CommandJudge<'e, 'q>,
        reading: &'w ResolvedText,
        (index, text): (usize, &'w ExaminedText),
    ) -> Self {
        Self {
            judge,
            text,
            index,
            reading,
            places: OnceCell::new(),
            exports: OnceCell::new(),
            exported_names: OnceCell::new(),
            assigned_values: Memo::default(),
            running: OnceCell::new(),
        }
    }
}

impl<'w, 'e> TextJudge<'w, 'e, '_> {
    /// Judges everything but what lies in the `skipped` places and the findings of these numbers.
    pub(crate) fn findings(&mut self, skipped: &Places, judged: &[usize]) {
        let mut invocations = self.text.invocations.iter().peekable();
        if self.reading.redefined.unknown && self.index == 0 {
            self.unclear("", "The text redefines a name that is not known.");
        }
        self.given_settings();
        let count = self.text.invocations.len();
        let mut known = HashSet::with_capacity(if count > 1 { count } else { 0 });
        for (index, finding) in self.text.script.findings.iter().enumerate() {
            let invocation = invocations
                .next_if(|(of, _)| *of == index)
                .map(|(_, invocation)| invocation);
            match &finding.kind {
                FindingKind::Command(command) => {
                    if judged.binary_search(&index).is_ok()
                        || count > 1 && self.is_known(index, command, &mut known)
                    {
                        continue;
                    }
                    if !skipped.hold(command.span) {
                        self.command(index, command, invocation);
                    }
                }
                FindingKind::Assignment(assignment) => {
                    self.assignment(index, assignment);
                    self.takes_names(index, assignment);
                }
                FindingKind::Redirection(redirection) => {
                    self.judge
                        .redirection(redirection, self.at(index), self.duty());
                }
                FindingKind::Mark(mark) => self.mark(&mark.kind, mark.span),
                FindingKind::Function(_)
                | FindingKind::Conditional(_)
                | FindingKind::Case(_)
                | FindingKind::Arithmetic(_)
                | FindingKind::Evaluated(_) => {}
            }
        }
    }

    /// Whether the same command was judged in the same directory before.
    fn is_known(&self, index: usize, command: &Command, known: &mut HashSet<Known<'w>>) -> bool {
        // The bodies of here-documents stand elsewhere.
        let alone = command
            .redirections
            .iter()
            .all(|redirection| redirection.here_document.is_none())
            && self.reading.facts.is_plain();
        let movement = self.reading.directories.movement(self.index, index);
        let state = self.reading.directories.at(self.index, index);
        let is_fed = self.reading.command_context.is_fed(command.span.start);
        alone && !known.insert((self.slice(command.span), state, movement, is_fed))
    }

    /// The command of this finding as the text resolves it.
    pub(crate) fn at(&self, index: usize) -> Site<'w> {
        Site {
            place: (self.index, index),
            dirs: self.reading.directories.at(self.index, index),
            facts: &self.reading.facts,
            piped: None,
        }
    }

    /// Commands inside of another one are covered by what allows that one, but never beat a deny. What they open outside
    /// of the workspace nobody allowed by that.
    fn duty(&self) -> RequiredCheck {
        if self.index == 0 {
            RequiredCheck::Full
        } else {
            RequiredCheck::Within
        }
    }

    pub(crate) fn slice(&self, span: Span) -> &'w str {
        self.text.text.get(span.start..span.end).unwrap_or_default()
    }

    fn unclear(&mut self, subject: &str, reason: &str) {
        if !self.judge.open {
            self.judge.add(self.judge.unclear(subject, reason));
        }
    }

    fn mark(&mut self, kind: &MarkKind, span: Span) {
        let reason = match kind {
            // Uses of the name are looked at where they stand.
            MarkKind::Alias(_) => return,
            MarkKind::Option(_) => "It changes how the rest of the text is parsed.",
            MarkKind::Variable(_) => {
                "It sets a variable that changes how the rest of the text is parsed."
            }
            MarkKind::DelayedCode => "It contains quoted text that the shell may run later.",
        };
        self.unclear(self.slice(span), reason);
    }

    fn assignment(&mut self, index: usize, assignment: &Assignment) {
        self.judge.assigned(assignment);
        self.exported(assignment);
        // A variable that no other program is given is followed to where the text uses it.
        let named = || {
            let names = || ExportedNames::of(&self.text.text);
            self.exported_names.get_or_init(names)
        };
        if assignment.kind == AssignmentKind::Prefix || named().may_have(&assignment.name) {
            for value in &assignment.values {
                self.judge
                    .named_in_variable(&assignment.name, value, self.at(index));
            }
        }
    }

    fn command(&mut self, index: usize, command: &Command, invocation: Option<&Invocation>) {
        let at = self.at(index);
        for redirection in &command.redirections {
            self.judge.redirection(redirection, at, self.duty());
        }
        for assignment in &command.assignments {
            let points =
                invocation.is_some_and(|it| self.points_at_the_project(index, assignment, it));
            if !points && !splits_one_line(assignment, command) {
                self.assignment(index, assignment);
                self.takes_names(index, assignment);
                if let Some(invocation) = invocation
                    && assignment.kind == AssignmentKind::Prefix
                {
                    self.setting(assignment, invocation);
                }
            }
        }
        let Some(invocation) = invocation else { return };
        self.opened(index, command, invocation);
        self.with_words_put_in(index, command, invocation);
    }

    /// The rule that denies or asks for what a program that is not known runs, by its arguments or its input, and for what gets another
    /// name.
    fn may_run(
        &self,
        at: Site<'_>,
        command: &Command,
        invocation: &Invocation,
    ) -> Option<&'e Rule> {
        let (_, index) = at.place;
        let (rules, catalogue) = (&self.judge.engine.rules, self.judge.catalogue);
        let fed = || fed_texts(&self.text.text, &self.text.script, index);
        unknown_wrappers::rule(rules, catalogue, invocation)
            .or_else(|| on_behalf::rule(rules, catalogue, invocation))
            .or_else(|| unknown_wrappers::fed_rule(rules, catalogue, invocation, fed))
            .or_else(|| copied_programs::rule(rules, invocation, (self.index, at.facts)))
            .or_else(|| {
                let mut redirections = command.redirections.iter();
                let prints = redirections.any(|redirection| redirection.file_use().writes());
                self.judge
                    .copied_script_rule(&invocation.chain(), prints, at)
                    .or_else(|| self.passed_script_rule(command, prints, at))
            })
    }

    /// The verdict on the command itself.
    fn judge(&mut self, at: Site<'_>, command: &Command, invocation: &Invocation) -> PartDecision {
        let subject = shown(self.slice(words_span(command, invocation)));
        let (_, index) = at.place;
        let strict = self.strict(invocation, at);
        if let Some(rule) = strict.matched {
            let why = Why::Rule(Arc::clone(&rule.text));
            let mut part = PartDecision::new(PartKind::Command, subject, rule.list, why);
            if self.index == 0 {
                part.exact = allow_rules::exact_rule(invocation);
            }
            part.may_remember = part.exact.is_some() && allow_rules::may_remember(invocation);
            part.is_bound = self.is_bound(index, command, invocation);
            return part;
        }
        if self.judge.open {
            return self
                .judge
                .engine
                .weigh(PartKind::Command, subject, None, None, true);
        }
        if let Some(rule) = strict.perhaps {
            let reason = format!(
                "A word of `{subject}` is not known from the text, and the rule `{}` may match it.",
                rule.text.rule
            );
            return self.floor(&subject, Why::because_of(rule, reason));
        }
        if let Some(rule) = self.may_run(at, command, invocation) {
            self.judge.matched(rule);
            let reason = format!(
                "`{subject}` may run what the rule `{}` is about.",
                rule.text.rule
            );
            return self.floor(&subject, Why::because_of(rule, reason));
        }
        let commands_bound = self.judge.bounds().commands;
        let judged = self.index == 0 || commands_bound;
        if let Some(why) = judged.then(|| self.doubt(at, invocation)).flatten() {
            return self.floor(&subject, why);
        }
        let fed = || self.fed_client(index, command, invocation);
        if let Some(why) = judged.then(fed).flatten() {
            return self.floor(&subject, why);
        }
        if self.index > 0 {
            let why = Why::After(" runs inside another command, which is checked by itself.");
            return PartDecision::new(PartKind::Command, subject, Verdict::Allow, why);
        }
        let mut part = self.allowed(at, subject, invocation);
        part.is_bound = self.is_bound(index, command, invocation);
        part
    }

    /// Whether the text gives it something that makes it another command than the same words alone.
    fn is_bound(&self, index: usize, command: &Command, invocation: &Invocation) -> bool {
        let state = self.reading.directories.at(self.index, index);
        self.reading
            .command_context
            .bind(command, invocation, state)
    }

    fn allowed(
        &mut self,
        at: Site<'_>,
        subject: CompactString,
        invocation: &Invocation,
    ) -> PartDecision {
        let free = |subject, why| {
            PartDecision::new(PartKind::Command, subject, Verdict::Allow, Why::After(why))
        };
        match self.reading.directories.movement(0, at.place.1) {
            // What runs there is judged where it runs.
            Some(Move::Out(_)) if self.judge.engine.mode.verdict(true) == Verdict::Allow => {
                return free(subject, " is allowed by the default mode.");
            }
            Some(Move::Leaves(reason) | Move::Out(reason)) => {
                let why = Why::sentence(format!("`{subject}`: {reason}."));
                return PartDecision {
                    kind: PartKind::Directory,
                    ..self.floor(&subject, why)
                };
            }
            Some(Move::Free) if is_directory_change(invocation) => {
                return free(subject, " stays inside the workspace.");
            }
            Some(Move::Free) | None => {}
        }
        if let Some(why) = self.steers(at, invocation) {
            return free(subject, why);
        }
        let engine = self.judge.engine;
        let allowing = self.allowing(at, invocation);
        if let Some(rule) = allowing {
            self.judge.matched(rule);
            if self.may_hide_options(at.place, invocation) {
                return self.floor(&subject, Why::After(HIDDEN));
            }
            if let Some(option) = self.uncovered(rule, invocation) {
                let reason = format!(
                    "`{}` does not cover the option `{option}`, which is not one of the manual.",
                    rule.text.rule
                );
                return self.floor(&subject, Why::sentence(reason));
            }
        }
        let mut part = engine.weigh(PartKind::Command, subject, None, allowing, true);
        if part.verdict == Verdict::Ask
            && part.why == Why::Mode
            && allow_rules::opens_interpreter(invocation)
        {
            let reason = format!("`{}`{OPENS}", part.subject());
            part = part.in_words(reason);
        } else if allowing.is_none() {
            part = allow_rules::with_trouble(part, &engine.rules, invocation);
        }
        part.exact = allow_rules::exact_rule(invocation);
        part.may_remember = part.exact.is_some() && allow_rules::may_remember(invocation);
        part
    }

    /// Why a command needs no rule that does nothing by itself.
    fn steers(&self, at: Site<'_>, invocation: &Invocation) -> Option<&'static str> {
        if self.calls_function(at, invocation) {
            return Some(
                " runs a function of the text, whose commands are checked where they stand.",
            );
        }
        let is_control = is_control(invocation) || self.redirects_output(at, invocation);
        is_control.then_some(" is shell control flow.")
    }

    /// Whether this is a function of the text and nothing else, which does what it does where it stands: in the same
    /// directory, with the input of the text, and with files that are what they were.
    fn calls_function(&self, at: Site<'_>, invocation: &Invocation) -> bool {
        let (text, place) = at.place;
        let Some(command) = self.text.script.command_at(place).filter(|_| text == 0) else {
            return false;
        };
        let is_of_shell = || {
            is_control(invocation)
                || invocation.directory_change().is_some()
                || !invocation.assigned_names().is_empty()
        };
        let called = self.reading.functions.called(place, command, self.text);
        let same = called
            .is_some_and(|function| self.reading.directories.at(0, function.first) == at.dirs);
        same && invocation.inner.is_empty()
            && invocation.program().is_none()
            && !is_of_shell()
            && self.reading.facts.links.is_empty()
    }

    /// `exec >log 2>&1`. What commands read is another matter: some run it.
    fn redirects_output(&self, at: Site<'_>, invocation: &Invocation) -> bool {
        let Some(command) = self.text.script.command_at(at.place.1) else {
            return false;
        };
        only_redirects(invocation) && !command.redirections.iter().any(Redirection::is_input)
    }

    /// Why the command cannot be allowed by any rule.
    fn doubt(&self, at: Site<'_>, invocation: &Invocation) -> Option<Why> {
        for command in invocation.chain() {
            let Some(name) = command.words.first() else {
                continue;
            };
            let Some(name) = name.literal() else {
                return Some(Why::After(
                    ": the name of a command is not known from the text.",
                ));
            };
            if self.reading.redefined.names.contains(name) && !self.calls_function(at, invocation) {
                return Some(Why::Redefined(name.into()));
            }
            let what = command.inner.iter().find_map(|inner| match inner {
                Inner::NotUnderstood { what, span } => Some((*what, *span)),
                Inner::Command(_) | Inner::Text(_) => None,
            });
            if let Some((what, span)) = what {
                // A rule may name it exactly; the allow side looks at that.
                let exact = self.index == 0
                    && (self.allowing(at, invocation).is_some() || self.only_edits(at, invocation));
                if !exact {
                    return Some(Why::Uses(what, option_at(command, span)));
                }
            }
        }
        None
    }

    /// The rule that allows the command with everything that it runs.
    fn allowing(&self, at: Site<'_>, invocation: &Invocation) -> Option<&'e Rule> {
        let engine = self.judge.engine;
        let adds_names = |word: &Word| match word.parts.as_slice() {
            [Part::Unknown] => self.judge.adds_names(at),
            _ => self.judge.gives_names(word, at),
        };
        let allowing = Allowing {
            rules: AllowRules::All(&engine.rules),
            system_directories: engine.trusts_system_directories,
            strict_rules: self.judge.bounds().commands,
            adds_names: &adds_names,
            spellings_left: &self.judge.budget.aliases,
        };
        let found = allowing.find(invocation);
        let found = found
            .or_else(|| self.of_trap(at, invocation, &allowing))
            .or_else(|| self.of_texts(at, invocation, &allowing));
        found.or_else(|| {
            let with_values = self.with_each_value(at, invocation)?;
            let mut rules = with_values.iter().map(|command| allowing.find(command));
            let first = rules.next()??;
            rules.all(|rule| rule.is_some()).then_some(first)
        })
    }

    /// The rule for what a `trap` runs, where each command of its text has one: it runs nothing else.
    fn of_trap(
        &self,
        at: Site<'_>,
        invocation: &Invocation,
        allowing: &Allowing<'e, '_>,
    ) -> Option<&'e Rule> {
        if invocation.base_name() != Some("trap") || invocation.written_name() != Some("trap") {
            return None;
        }
        self.rules_of_texts(at, allowing)?
    }

    /// The rule on a program that runs texts side by side (`hyperfine 'make a' 'make b'`), where each command of them has one.
    fn of_texts(
        &self,
        at: Site<'_>,
        invocation: &Invocation,
        allowing: &Allowing<'e, '_>,
    ) -> Option<&'e Rule> {
        let wrapper = invocation.program()?.wrapper?;
        let is_text = |inner: &Inner| matches!(inner, Inner::Text(_));
        if wrapper.runs != Runs::Texts || !invocation.inner.iter().all(is_text) {
            return None;
        }
        self.rules_of_texts(at, allowing)??;
        allowing.on_program(invocation)
    }

    /// The last of the rules for what the texts of a command run, where each command of them has one and they open no file, which a
    /// rule on a command does not cover; nothing where one has none.
    fn rules_of_texts(
        &self,
        at: Site<'_>,
        allowing: &Allowing<'e, '_>,
    ) -> Option<Option<&'e Rule>> {
        let mut found = None;
        for text in &self.reading.examination.texts {
            let origin = text.origin.map(|origin| (origin.text, origin.finding));
            if origin != Some(at.place) {
                continue;
            }
            if text.error.is_some() || text.script.findings.iter().any(opens_file) {
                return None;
            }
            for (_, command) in &text.invocations {
                if !is_control(command) {
                    found = Some(allowing.find(command)?);
                }
            }
        }
        Some(found)
    }

    /// Whether this is `sed` with a script that runs nothing and names no file, whatever is put into it.
    fn only_edits(&self, at: Site<'_>, invocation: &Invocation) -> bool {
        let commands = self.with_each_value(at, invocation);
        let is_known = |inner: &Inner| !matches!(inner, Inner::NotUnderstood { .. });
        commands.is_some_and(|commands| {
            let mut inner = commands.iter().flat_map(|command| &command.inner);
            inner.all(is_known)
        })
    }

    /// The same command of `sed` with each value of a loop, where one decides what a rule has to see: whether a word is a
    /// script, an option or a file.
    fn with_each_value(&self, at: Site<'_>, invocation: &Invocation) -> Option<Vec<Invocation>> {
        if !matches!(invocation.base_name(), Some("sed" | "gsed")) {
            return None;
        }
        let mut lists: Vec<Vec<Word>> = Vec::new();
        for (place, word) in invocation.words.iter().enumerate() {
            if !word.is_opaque() || word.expansion.globs || word.expansion.braces {
                lists.iter_mut().for_each(|list| list.push(word.clone()));
                continue;
            }
            let values = self.judge.loop_values(word, at);
            let values = values.map_or_else(
                || {
                    self.with_plain_output(word)
                        .filter(|values| values.len() > 1)
                },
                |values| {
                    let each = values.iter().map(|value| self.with_plain_output(value));
                    Some(each.collect::<Option<Vec<_>>>()?.concat())
                },
            )?;
            if lists.is_empty() {
                let before = invocation.words.get(..place)?;
                lists = vec![before.to_vec(); values.len().min(MOST_VALUES + 1)];
            }
            // Several words have the values of one variable, or are not looked at.
            if lists.len() != values.len() {
                return None;
            }
            let each = lists.iter_mut().zip(values);
            each.for_each(|(list, value)| list.push(value));
        }
        let commands = lists
            .into_iter()
            .map(|words| invocation_by(self.judge.catalogue, None, &Command::of(words)));
        let commands: Option<Vec<_>> = commands.collect();
        commands.filter(|commands| !commands.is_empty())
    }

    /// An option that a rule does not cover: one that is not known of a program of which all are, unless a rule names it.
    fn uncovered<'i>(&self, rule: &Rule, invocation: &'i Invocation) -> Option<&'i str> {
        // Who allows everything means it.
        rule.command()?;
        let rules = &self.judge.engine.rules.rules;
        let names = |option: &str| {
            let name = option.split('=').next().unwrap_or(option);
            let mut allowing = rules.iter().filter(|rule| rule.list == Verdict::Allow);
            allowing.any(|rule| rule.text.rule.contains(name))
        };
        let chain = invocation.chain();
        let mut unknown = chain.into_iter().filter_map(Invocation::unknown_option);
        unknown.find(|option| !names(option))
    }

    fn floor(&self, subject: &str, why: Why) -> PartDecision {
        self.judge.floor(PartKind::Command, subject, why)
    }
}

impl<'w, 'e> TextJudge<'w, 'e, '_> {
    /// A variable that takes names of files of which one may be taken for an option: that of a loop, an array, a pattern
    /// that the shell expands where the variable is used.
    pub(crate) fn takes_names(&mut self, index: usize, assignment: &Assignment) {
        if !assignment.values.is_empty() {
            self.judge
                .values_as_options(&assignment.values, self.at(index));
        }
    }

    /// What one command does, which is the first of a chain where it is given as it is written.
    fn effects<'i>(
        &self,
        inner: &'i Invocation,
        at: Site<'_>,
        first: Option<&Command>,
    ) -> Effects<'i> {
        let mut effects = Effects::of(inner, || self.judge.adds_names(at));
        if let Some(command) = first {
            self.take_input(command, &mut effects);
        }
        effects
            .files
            .retain(|file| !file.if_several || !self.judge.stays_one_word(&file.word, at));
        effects
    }

    /// What the input of a command says of what it does.
    fn take_input(&self, command: &Command, effects: &mut Effects<'_>) {
        if is_given_by_text(command) {
            effects.take_patch();
        }
        effects.reads_here &= !self.searches_pipe(command, effects);
    }

    /// What a command runs, uses and reaches.
    pub(crate) fn opened(&mut self, index: usize, command: &Command, invocation: &Invocation) {
        let at = self.at(index);
        let path_table = self.judge.path_table;
        let piped = PipedInput::of(invocation, at.dirs, at.place, &at.facts.data_flow);
        let at = Site {
            piped: piped.as_ref(),
            ..at
        };
        let (mut inner_at, mut in_each) = (at, false);
        let name = invocation.base_name().unwrap_or_default();
        self.judge.patterns_as_options(name, &command.words, at);
        let (mut mentioned, mut connected) = (VisitedTexts::default(), VisitedTexts::default());
        for inner in invocation.chain() {
            for assignment in &inner.assignments {
                self.assignment(index, assignment);
                self.setting(assignment, inner);
            }
            let exports = (command.assignments.as_slice(), inner);
            if !self.exports_places_of_the_project(index, exports) {
                self.judge.named(inner, self.slice(command.span));
            }
            if let Some(why) = directories::leaves(inner_at.dirs, inner, path_table) {
                let reason = format!("It works in another directory: {why}.");
                self.unclear(self.slice(command.span), &reason);
            }
            if self.judge.goes_through_link(inner, inner_at) {
                let reason = "It enters a directory that may be reached through a link that the text creates.";
                self.unclear(self.slice(command.span), reason);
            }
            inner_at = inner_at.in_dirs(directories::own(inner_at.dirs, inner, path_table));
            let of_git = self.judge.strange_repository(inner, inner_at, self.reading);
            let hooks = || self.judge.strange_hooks(inner, inner_at, self.reading);
            if let Some(reason) = of_git.or_else(hooks) {
                self.unclear(self.slice(command.span), &reason);
            }
            let subject = self.slice(command.span);
            self.judge.projects(inner, inner_at, subject);
            let is_first = std::ptr::eq(inner, invocation);
            let effects = self.effects(inner, inner_at, is_first.then_some(command));
            self.judge
                .operands(&effects, inner_at, self.reading, &mut mentioned);
            self.named_by_output(&effects, invocation, inner_at);
            // What it runs works in each of several directories, which are not distinguished.
            if in_each && inner_at.dirs.is_known() {
                let anywhere = inner_at.in_dirs(WorkingDirs::UNKNOWN);
                self.judge
                    .operands(&effects, anywhere, self.reading, &mut mentioned);
            }
            in_each |= inner.in_each;
            self.judge.scripts(inner, inner_at);
            self.fed_code(index, command, inner, inner_at);
            self.judge.loaded_env(inner, inner_at);
            self.judge.hosts(inner, &mut connected);
        }
        let part = self.judge(at, command, invocation);
        self.judge.add(part);
    }
}

/// Whether a finding is, or has, a redirection that opens a file.
fn opens_file(finding: &Finding) -> bool {
    let opens = |redirection: &Redirection| {
        let is_free = redirection.target.literal().is_some_and(is_free);
        redirection.file_use() != FileUse::None && !is_free
    };
    finding.kind.redirections().iter().any(opens)
}

/// Whether the input of the command stands in the text itself.
fn is_given_by_text(command: &Command) -> bool {
    let is_standard = |input: &&Redirection| match &input.descriptor {
        None => true,
        Some(Descriptor::Number(number)) => number == "0",
        Some(Descriptor::Variable(_)) => false,
    };
    let inputs = command.redirections.iter().rev();
    let mut inputs = inputs.filter(|redirection| redirection.is_input());
    let last = inputs.next().filter(is_standard);
    let document = last.and_then(|input| input.here_document.as_ref());
    // Names in quotes are written in escapes.
    let quoted = ["+++ \"", "--- \"", "*** \"", "Index: \"", "git \""];
    let text = document.and_then(|document| document.text.as_deref());
    text.is_some_and(|text| !quoted.iter().any(|start| text.contains(start)))
}

/// What rules that deny or ask say of a command.
pub(crate) struct StrictMatch<'e> {
    /// The rule that is about it.
    pub(crate) matched: Option<&'e Rule>,
    /// One that may be.
    pub(crate) perhaps: Option<&'e Rule>,
}

impl<'w, 'e> TextJudge<'w, 'e, '_> {
    /// The deny or ask rule on the command or on what it runs.
    pub(crate) fn strict(&mut self, invocation: &Invocation, at: Site<'_>) -> StrictMatch<'e> {
        let mut found = StrictMatch {
            matched: None,
            perhaps: None,
        };
        let chain = invocation.chain();
        let known = OnceCell::new();
        let rules = &self.judge.engine.rules;
        let left = &self.judge.budget.listed;
        let others: SmallVec<[Others<'_>; 4]> = chain.iter().map(|_| Others::new(left)).collect();
        for place in deny_rules::candidates(rules, &chain) {
            let Some(rule) = rules.rules.get(place) else {
                continue;
            };
            let each = chain.iter().zip(&others);
            let fits = each.map(|(command, others)| deny_rules::fit_with(rule, command, others));
            match fits.max() {
                Some(Fit::Yes) => {
                    self.judge.judgement.matched(rule);
                    // Deny rules come first.
                    found.matched.get_or_insert(rule);
                }
                Some(Fit::Perhaps) => {
                    let possible = || self.judge.possible_commands(invocation, at);
                    let possible = known.get_or_init(possible);
                    if !self.judge.is_no_match(rule, possible.as_deref()) {
                        found.perhaps.get_or_insert(rule);
                    }
                }
                Some(Fit::No) | None => {}
            }
        }
        if found.matched.is_none() {
            match self.judge.script_rule(&chain, at) {
                Some((rule, Fit::Yes)) => {
                    self.judge.judgement.matched(rule);
                    found.matched = Some(rule);
                }
                Some((rule, _)) => drop(found.perhaps.get_or_insert(rule)),
                None => {}
            }
        }
        if let Some(rule) = found.perhaps.filter(|_| found.matched.is_none()) {
            self.judge.judgement.matched(rule);
        }
        found
    }
}
