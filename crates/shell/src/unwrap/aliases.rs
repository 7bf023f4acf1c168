//! Other ways to write the same command: subcommands that have several names, scripts of packages with and without
//! `run`, programs that are installed under several names.
//!
//! Who denies `npm install` means `npm i`, too, and who allows the one allows the other.

use tenon_programs::words::kubernetes::RESOURCES;
use tenon_programs::{Name, Program};

use crate::span::Span;
use crate::word::Word;

/// A command written in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// Its words.
    pub words: Vec<Word>,
    /// Whether it is the very same for the program. Otherwise it does what the other one does, and perhaps more.
    pub is_same: bool,
}

/// The other ways to write a command of this program, given its words with the global options taken out.
#[must_use]
pub fn aliases(program: Option<&Program>, words: &[Word]) -> Vec<Spelling> {
    let mut found = Vec::new();
    let Some(program) = program.filter(|program| has_synonyms(program)) else {
        return found;
    };
    found.push(Spelling {
        words: words.to_vec(),
        is_same: true,
    });
    for place in 0..found.len() {
        let from = found.get(place);
        let further = from.map(|from| one_step(program, from)).unwrap_or_default();
        found.extend(further);
    }
    found.retain(|spelling| !are_alike(&spelling.words, words));
    found
}

/// Whether its subcommands, or what they are given, have other names.
fn has_synonyms(program: &Program) -> bool {
    matches!(program.names, ["yarn"] | ["kubectl"] | ["oc"]) || program.has_synonyms
}

/// Whether the words are the same as far as they can be determined.
fn are_alike(one: &[Word], other: &[Word]) -> bool {
    let texts = one.iter().map(Word::literal);
    one.len() == other.len() && texts.eq(other.iter().map(Word::literal))
}

fn one_step(program: &Program, from: &Spelling) -> Vec<Spelling> {
    let mut found = Vec::new();
    let words = &from.words;
    let Some(name) = words
        .first()
        .and_then(Word::literal)
        .map(super::program_name::base_name)
    else {
        return found;
    };
    let second = words.get(1).and_then(Word::literal).unwrap_or_default();
    if second.is_empty() {
        return found;
    }
    let mut add = |head: &[&str], taken: usize, is_same: bool| {
        found.push(Spelling {
            words: replaced(words, 1, head, taken),
            is_same: is_same && from.is_same,
        });
    };
    let arguments = words.iter().skip(1).map(Word::literal);
    for (command, taken) in program.commands_of(arguments) {
        let given = words.get(1..=taken).unwrap_or_default();
        let is_given = |name: Name| {
            name.iter()
                .copied()
                .eq(given.iter().filter_map(Word::literal))
        };
        for other in command.names().filter(|other| !is_given(other)) {
            add(other, taken, true);
        }
        for other in command.alike {
            add(other, taken, false);
        }
    }
    if name == "npm" {
        for other in super::packages::npm_names(second) {
            add(&[other], 1, false);
        }
    }
    let has = |commands: &[&str]| commands.contains(&second);
    let third = words.get(2).and_then(Word::literal).unwrap_or_default();
    let is_command = |word: &str| program.command([Some(word)].into_iter()).is_some();
    if matches!(name, "pnpm" | "yarn" | "yarnpkg" | "bun") {
        if has(&["run"]) && !third.is_empty() && !third.starts_with('-') {
            add(&[third], 2, !is_command(third));
        } else if !is_command(second) && !second.starts_with('-') {
            add(&["run", second], 1, false);
        }
    }
    if matches!(name, "kubectl" | "oc") {
        resources(words, &mut found, from.is_same);
    }
    found
}

/// `kubectl delete po/x,svc/y` under the other names of the kinds of resources.
fn resources(words: &[Word], found: &mut Vec<Spelling>, is_same: bool) {
    let places = words.iter().enumerate().skip(2).take(3);
    for (place, word) in places {
        let Some(text) = word.literal().filter(|text| !text.starts_with('-')) else {
            continue;
        };
        let plain = !text.contains(['/', ',', '.']);
        for piece in text.split(',') {
            let (kind, object) = match piece.split_once('/') {
                Some((kind, object)) => (kind, Some(object)),
                None => (piece, None),
            };
            let kind = kind
                .split('.')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            let has_kind = |group: &&&str| group.split('/').any(|name| name == kind);
            let Some(group) = RESOURCES.iter().find(has_kind) else {
                continue;
            };
            for other in group.split('/').filter(|other| *other != text) {
                let mut head = vec![other];
                head.extend(object);
                found.push(Spelling {
                    words: replaced(words, place, &head, 1),
                    is_same: is_same && plain,
                });
            }
        }
    }
}

/// The words with these in the place of so many.
fn replaced(words: &[Word], place: usize, head: &[&str], taken: usize) -> Vec<Word> {
    let span = words.get(place).map_or(Span::new(0, 0), |word| word.span);
    let mut whole: Vec<Word> = words.get(..place).unwrap_or_default().to_vec();
    whole.extend(head.iter().map(|word| Word::synthetic(word, span)));
    whole.extend(
        words
            .get(place + taken..)
            .unwrap_or_default()
            .iter()
            .cloned(),
    );
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let script = crate::read(text, crate::ShellGrammar::Dash).unwrap();
        let words = script.commands().next().unwrap().words.clone();
        let command = crate::invocation(script.commands().next().unwrap()).unwrap();
        let mut all: Vec<String> = aliases(command.program(), &words)
            .into_iter()
            .map(|spelling| {
                let words: Vec<&str> = spelling.words.iter().filter_map(Word::literal).collect();
                format!(
                    "{}{}",
                    if spelling.is_same { "" } else { "~ " },
                    words.join(" ")
                )
            })
            .collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn commands_are_known_by_all_their_names() {
        assert_eq!(all("cargo b -r"), ["cargo build -r"]);
        assert_eq!(
            all("docker container ls -a"),
            [
                "docker container list -a",
                "docker container ps -a",
                "docker ps -a"
            ]
        );
        assert_eq!(all("docker-x ps"), Vec::<String>::new());
        assert_eq!(all("git push"), Vec::<String>::new());
        assert_eq!(all("yarn run deploy x"), ["yarn deploy x"]);
        assert_eq!(all("yarn run publish"), ["~ yarn publish"]);
        assert_eq!(all("yarn deploy"), ["~ yarn run deploy"]);
        assert_eq!(
            all("kubectl delete po/x"),
            [
                "~ kubectl delete po x",
                "~ kubectl delete pod x",
                "~ kubectl delete pods x"
            ]
        );
        let npm = all("npm i left-pad");
        assert!(npm.contains(&"npm install left-pad".to_owned()), "{npm:?}");
        assert!(npm.contains(&"npm add left-pad".to_owned()), "{npm:?}");
        let test = all("npm t");
        assert!(test.contains(&"npm run test".to_owned()), "{test:?}");
        assert!(all("npm run test").contains(&"npm test".to_owned()));
    }
}
