//! Finds the rules on a command by its name, so that a long list of rules does not make every command slow.

use hashbrown::HashMap;

use crate::program_names::{plain_path, system_name};
use crate::rule::{Kind, Pattern, Rule};

/// Rules on commands by the first word of their patterns (a path also in its plain form), in the order in which they stand.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandIndex {
    /// The places of all of them.
    all: Vec<usize>,
    /// Those without a pattern, which are about every command.
    whole: Vec<usize>,
    /// Those with a pattern, by its first word; those without one stand in each list too.
    named: HashMap<String, Vec<usize>>,
}

impl CommandIndex {
    /// The index of those rules on commands that count. `named` is the name under which a program stands in it.
    pub(crate) fn new(
        rules: &[Rule],
        counts: impl Fn(&Rule) -> bool,
        named: fn(&str) -> &str,
    ) -> Self {
        let mut index = Self::default();
        let on_commands = rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.binds(Kind::Command) && counts(rule));
        for (place, rule) in on_commands {
            match &rule.pattern {
                Pattern::Any => {
                    index.all.push(place);
                    index.whole.push(place);
                    index.named.values_mut().for_each(|list| list.push(place));
                }
                Pattern::Command(pattern) => {
                    index.all.push(place);
                    let name = pattern.words.first();
                    let path = name.filter(|name| name.contains('/'));
                    let plain = path.map(|name| plain_path(name));
                    let plain = plain.filter(|plain| Some(plain) != name);
                    // A program of the system may be named without its directory.
                    let bare =
                        path.and_then(|path| system_name(&plain_path(path)).map(str::to_owned));
                    for name in name.into_iter().chain(&plain).chain(&bare) {
                        let earlier = &index.whole;
                        let list = index.named.entry_ref(named(name));
                        list.or_insert_with(|| earlier.clone()).push(place);
                    }
                }
                Pattern::Path(_) | Pattern::Host(_) | Pattern::Name(_) | Pattern::Arguments(_) => {}
            }
        }
        index
    }

    /// Whether there are no rules on commands.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The places of all rules.
    pub(crate) fn all(&self) -> &[usize] {
        &self.all
    }

    /// The places of the rules that a command of this name can match.
    pub(crate) fn of(&self, name: &str) -> &[usize] {
        self.named.get(name).unwrap_or(&self.whole)
    }
}
