//! Deny and ask rules against one command (docs/policy.md, "Names of commands"): the name without its directories, global options taken out, whatever
//! stands around it.

use std::cell::{Cell, OnceCell};

use smallvec::SmallVec;
use tenon_programs::{CommandTraits, Given, Place, Program, parse};
use tenon_shell::{Invocation, Spelling, Word, aliases, program_name};

use crate::command_pattern::{CommandPattern, Fit};
use crate::program_names::{base_name, is_same_program, plain_path, system_name};
use crate::rule::{Kind, Pattern, Rule};
use crate::rules::RuleSet;

/// Places of rules in their set.
pub(crate) type Places = SmallVec<[usize; 8]>;

/// The other ways to write one command, computed once for all rules that are compared with it.
pub(crate) struct Others<'a> {
    found: OnceCell<Option<Vec<Spelling>>>,
    /// How many words of lists may still be written in other ways: each of `a,b,c` makes a command of its own.
    left: &'a Cell<usize>,
}

impl<'a> Others<'a> {
    /// Of a command whose other ways are not computed yet.
    pub(crate) const fn new(left: &'a Cell<usize>) -> Self {
        Self {
            found: OnceCell::new(),
            left,
        }
    }

    /// The ways to write the command; nothing where they are too many.
    fn of(&self, invocation: &Invocation) -> Option<&[Spelling]> {
        let words = invocation.normalized_words();
        let found = self.found.get_or_init(|| {
            let listed = words.iter().skip(2).take(3).filter_map(Word::literal);
            let lists: usize = listed.map(|text| text.matches(',').count()).sum();
            let left = self.left.get().checked_sub(lists * words.len())?;
            self.left.set(left);
            Some(aliases(invocation.program(), words))
        });
        found.as_deref()
    }
}

/// How a command rule compares with this command itself; what is inside is compared by itself.
pub(crate) fn fit(rule: &Rule, invocation: &Invocation) -> Fit {
    fit_with(rule, invocation, &Others::new(&Cell::new(usize::MAX)))
}

/// The same with the other ways to write the command as they were computed before.
pub(crate) fn fit_with(rule: &Rule, invocation: &Invocation, others: &Others<'_>) -> Fit {
    if !rule.binds(Kind::Command) {
        return Fit::No;
    }
    let pattern = match &rule.pattern {
        Pattern::Any => return Fit::Yes,
        Pattern::Command(pattern) => pattern,
        Pattern::Path(_) | Pattern::Host(_) | Pattern::Name(_) | Pattern::Arguments(_) => {
            return Fit::No;
        }
    };
    match fit_behind(pattern, 0, invocation) {
        Fit::Yes => Fit::Yes,
        fit => fit.max(fit_spelled(pattern, invocation, others)),
    }
}

/// How the pattern compares with other ways to write the command: `npm i` is `npm install`.
fn fit_spelled(pattern: &CommandPattern, invocation: &Invocation, others: &Others<'_>) -> Fit {
    let (Some(name), Some(own)) = (invocation.written_name(), pattern.words.first()) else {
        return Fit::No;
    };
    if !is_same_program(name, base_name(own)) {
        return Fit::No;
    }
    let settled = pattern.in_manual();
    let pattern = settled.as_ref().unwrap_or(pattern);
    let plain = invocation.normalized_words();
    let own_name = pattern
        .words
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    let path = own_name.contains('/').then(|| plain_path(own_name));
    // A path is that of a program of the system, or of the very file.
    let named = path
        .as_deref()
        .is_none_or(|path| system_name(path).is_some());
    let raw = invocation.words.first().and_then(Word::literal);
    if !named || (path.is_some() && raw.is_some_and(|raw| raw.contains('/'))) {
        return Fit::No;
    }
    // It is the program that the pattern names.
    let compare = |words: &[Word]| {
        let fit = compared(pattern, invocation.program(), words, &|words| {
            pattern.fit(Some(own_name), words)
        });
        fit.max(behind_options(
            pattern,
            Some(own_name),
            words,
            path.as_deref(),
        ))
    };
    let as_it_is = settled.as_ref().map_or(Fit::No, |_| compare(plain));
    let Some(others) = others.of(invocation) else {
        return Fit::Perhaps;
    };
    let others = others.iter().map(|spelling| compare(&spelling.words));
    others.fold(as_it_is, Fit::max)
}

/// How the words of a pattern from this place on compare with a command. Of a wrapper the pattern can name what it
/// runs, whatever options stand between: `sudo -u root rm x` is `sudo rm x`.
fn fit_behind(pattern: &CommandPattern, place: usize, invocation: &Invocation) -> Fit {
    let Some(own_name) = pattern.words.get(place) else {
        return Fit::No;
    };
    let path = own_name.contains('/').then(|| plain_path(own_name));
    let raw = invocation.words.first().and_then(Word::literal);
    let compare = |words: &[Word]| {
        let Some(path) = &path else {
            let name = raw.map(base_name);
            let same = name.filter(|name| is_same_program(name, own_name));
            return pattern.fit_behind(place, same.map(|_| own_name.as_str()).or(name), words);
        };
        let name = raw;
        let same = |name: &str| names_same_program(name, path);
        let name = name.map(|name| if same(name) { own_name } else { name });
        pattern.fit_behind(place, name, words)
    };
    let compare = |words: &[Word]| compared(pattern, invocation.program(), words, &compare);
    let mut fit = compare(&invocation.words);
    let plain = invocation.normalized_words();
    if fit < Fit::Yes && !std::ptr::eq(plain, &*invocation.words) {
        fit = fit.max(compare(plain));
    }
    let inner_counts = fit < Fit::Yes
        && place + 1 < pattern.words.len()
        && !invocation.inner.is_empty()
        && pattern.fit_name(place, &invocation.words);
    if inner_counts {
        let chain = invocation.chain();
        let inner = chain.iter().skip(1);
        let fits = inner.map(|inner| fit_behind(pattern, place + 1, inner));
        fit = fit.max(fits.max().unwrap_or(Fit::No));
    }
    if place > 0 {
        return fit;
    }
    fit.max(behind_options(pattern, raw, plain, path.as_deref()))
}

/// How the pattern compares with the words. One that seeks an option does not find it in the value of another:
/// `git commit -m "$(…)"` has no `--force`, whatever the message is.
fn compared(
    pattern: &CommandPattern,
    program: Option<&Program>,
    words: &[Word],
    compare: &dyn Fn(&[Word]) -> Fit,
) -> Fit {
    let fit = compare(words);
    if fit != Fit::Perhaps || !pattern.seeks_option() {
        return fit;
    }
    let without = program.and_then(|program| without_values(program, words));
    without.map_or(fit, |words| compare(&words))
}

/// The words without those that are not known and surely are values of options; `None` where that is not sure, or leaves
/// words that are not known.
///
/// All options of the subcommand must be known, and be written as the catalogue has them: one more that takes the next word
/// would shift all that follow.
fn without_values(program: &Program, words: &[Word]) -> Option<Vec<Word>> {
    let arguments = words.get(1..)?;
    let (command, names) = program.command_of(arguments)?;
    let (names, arguments) = arguments.split_at_checked(names)?;
    let is_name = |word: &Word| word.literal().is_some_and(|text| !text.starts_with('-'));
    let parsed = parse(command.options, arguments);
    let is_sure = |option: &Given<'_, Word>| option.exact && option.word.literal().is_some();
    if !command.is(CommandTraits::COMPLETE)
        || !names.iter().all(is_name)
        || !parsed.options.iter().all(is_sure)
    {
        return None;
    }
    let values = parsed
        .options
        .iter()
        .filter_map(|option| match option.value {
            // Without quotes it can become several words, or none.
            Some(Place::Next(word)) if !word.expansion.any() => Some(std::ptr::from_ref(word)),
            _ => None,
        });
    let values: SmallVec<[*const Word; 4]> = values.collect();
    let is_kept =
        |word: &&Word| word.literal().is_some() || !values.contains(&std::ptr::from_ref(*word));
    let kept: Vec<Word> = words.iter().filter(is_kept).cloned().collect();
    kept.iter()
        .all(|word| word.literal().is_some())
        .then_some(kept)
}

/// How the pattern compares when options stand between the words that it names: `npm --access public publish`. An
/// option that is not known may have a value in the next word.
fn behind_options(
    pattern: &CommandPattern,
    name: Option<&str>,
    words: &[Word],
    path: Option<&str>,
) -> Fit {
    let mut rest = words.iter().skip(1).map(Word::literal).peekable();
    let named = name.is_some_and(|name| match path {
        Some(path) => names_same_program(name, path),
        None => pattern
            .words
            .first()
            .is_some_and(|own| is_same_program(own, base_name(name))),
    });
    // A pattern with a gap fits over options by itself.
    if !named || pattern.words.len() < 2 || pattern.has_gap() {
        return Fit::No;
    }
    let mut fit = Fit::Yes;
    for place in 1..pattern.words.len() {
        let mut value = false;
        loop {
            match rest.next() {
                Some(Some(word)) if pattern.fits_text(place, word) => {
                    // The word may be the value of the option before it.
                    if value {
                        fit = Fit::Perhaps;
                    }
                    break;
                }
                Some(Some(word)) if word.len() > 1 && word.starts_with('-') => {
                    value = !word.contains('=');
                }
                Some(_) if value => {
                    value = false;
                    fit = Fit::Perhaps;
                }
                _ => return Fit::No,
            }
        }
    }
    if pattern.prefix || rest.peek().is_none() {
        fit
    } else {
        Fit::No
    }
}

/// Whether a command names the program at this plain path.
fn names_same_program(name: &str, path: &str) -> bool {
    let of_system = system_name(path);
    if !name.contains('/') {
        return of_system.is_some_and(|own| is_same_program(own, name));
    }
    let plain = plain_path(name);
    let both = of_system.zip(system_name(&plain));
    plain == path || both.is_some_and(|(own, name)| is_same_program(own, name))
}

/// The places of the deny and ask rules that can match one of these commands, in order.
pub(crate) fn candidates(rules: &RuleSet, chain: &[&Invocation]) -> Places {
    let mut places = Places::new();
    if rules.strict.is_empty() {
        return places;
    }
    // Most commands are alone and named without a directory.
    if let [command] = chain
        && let Some(name) = command.words.first().and_then(Word::literal)
        && base_name(name).len() == name.len()
    {
        return rules.strict.of(program_name(name)).into();
    }
    for command in chain {
        let Some(name) = command.words.first().and_then(Word::literal) else {
            return rules.strict.all().into();
        };
        places.extend_from_slice(rules.strict.of(program_name(base_name(name))));
        // A rule may name the directory too.
        if base_name(name).len() < name.len() {
            places.extend_from_slice(rules.strict.of(&plain_path(name)));
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
