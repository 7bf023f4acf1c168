//! How the scripts of a `package.json` start a runner: its options are worth keeping.

use super::frameworks::Framework;

/// A runner as a script starts it. All words are as they stand there, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invocation {
    pub(super) framework: Framework,
    /// `NAME=value` in front of it.
    pub(super) variables: Vec<String>,
    /// The program, where it is more than the runner's own name.
    pub(super) program: Option<Vec<String>>,
    /// What follows.
    pub(super) arguments: Vec<String>,
}

/// Words in front of a runner that only find or prepare it.
const WRAPPERS: &[&str] = &[
    "cross-env",
    "npx",
    "pnpm",
    "yarn",
    "bunx",
    "exec",
    "run",
    "dotenv",
    "--",
];
/// Programs that measure what another one runs.
const MEASURERS: &[&str] = &["c8", "nyc"];

/// The first runner that the script starts; nothing where it cannot be determined from its words.
pub(super) fn invocation(script: &str) -> Option<Invocation> {
    commands(script)
        .iter()
        .find_map(|command| of_command(command))
}

fn of_command(command: &[String]) -> Option<Invocation> {
    let is_variable = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        })
    };
    let mut variables = Vec::new();
    let mut words = command.iter();
    let mut rest = words.as_slice();
    while let Some(word) = words.next() {
        if is_variable(&word) {
            variables.push(word.clone());
        } else if MEASURERS.contains(&word.as_str()) {
            let at = words
                .as_slice()
                .iter()
                .position(|word| runner(word).is_some())?;
            rest = words.as_slice().get(at..)?;
            break;
        } else if !WRAPPERS.contains(&word.as_str()) {
            break;
        }
        rest = words.as_slice();
    }
    let (first, arguments) = rest.split_first()?;
    let found = |framework, program: Option<&[String]>, arguments: &[String]| {
        Some(Invocation {
            framework,
            variables: variables.clone(),
            program: program.map(<[String]>::to_vec),
            arguments: arguments.to_vec(),
        })
    };
    match (first.as_str(), arguments.first().map(String::as_str)) {
        ("node", _) if arguments.iter().any(|word| word == "--test") => {
            found(Framework::Node, None, arguments)
        }
        ("node", _) => {
            let at = arguments.iter().position(|word| is_file_of_runner(word))?;
            let framework = runner(arguments.get(at)?)?;
            let end = at + 2;
            found(framework, rest.get(..end), rest.get(end..)?)
        }
        ("react-scripts" | "react-app-rewired" | "craco", Some("test")) => {
            found(Framework::Jest, rest.get(..2), rest.get(2..)?)
        }
        (word, _) => {
            let program = word.contains('/').then(|| std::slice::from_ref(first));
            found(runner(word)?, program, arguments)
        }
    }
}

/// Whether `node` runs this file as a runner: `node --experimental-vm-modules node_modules/jest/bin/jest.js`.
fn is_file_of_runner(word: &str) -> bool {
    word.contains('/') && runner(word).is_some()
}

/// The runner that a program is by its name.
fn runner(word: &str) -> Option<Framework> {
    let name = word.rsplit('/').next()?;
    let name = name.split('.').next()?;
    match name {
        "vitest" => Some(Framework::Vitest),
        "jest" => Some(Framework::Jest),
        "mocha" | "_mocha" => Some(Framework::Mocha),
        _ => None,
    }
}

/// The simple commands of a script as their words; those with more than words in them are left out.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Some(Vec::new())];
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut letters = script.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_command = match (quote, letter) {
            (None, ';' | '\n') => true,
            (None, '&' | '|') => letters.next_if_eq(&letter).is_some(),
            _ => false,
        };
        if ends_command || (quote.is_none() && letter.is_whitespace()) {
            if let (false, Some(Some(command))) = (word.is_empty(), commands.last_mut()) {
                command.push(std::mem::take(&mut word));
            }
            word.clear();
            if ends_command {
                commands.push(Some(Vec::new()));
            }
            continue;
        }
        let is_more = match (quote, letter) {
            (Some('\''), _) => false,
            (_, '$' | '`') => true,
            (None, '|' | '&' | '<' | '>' | '(' | ')' | '\\') => true,
            _ => false,
        };
        if let (true, Some(command)) = (is_more, commands.last_mut()) {
            *command = None;
        }
        match quote {
            Some(open) if open == letter => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            _ => {}
        }
        word.push(letter);
    }
    match commands.last_mut() {
        Some(last) if quote.is_some() => *last = None,
        Some(Some(last)) if !word.is_empty() => last.push(word),
        _ => {}
    }
    commands.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reported(script: &str) -> Option<String> {
        let found = invocation(script)?;
        let program = found.program.map(|words| words.join(" "));
        Some(format!(
            "{}|{}|{}|{}",
            found.framework.name(),
            found.variables.join(" "),
            program.unwrap_or_default(),
            found.arguments.join(" ")
        ))
    }

    #[test]
    fn the_runner_and_its_options_are_found() {
        for (script, expected) in [
            ("vitest", "vitest|||"),
            (
                "tsc --noEmit && vitest run --config 'a b.ts'",
                "vitest|||run --config 'a b.ts'",
            ),
            ("cross-env TZ=UTC jest --ci", "jest|TZ=UTC||--ci"),
            (
                "NODE_OPTIONS=--experimental-vm-modules npx jest",
                "jest|NODE_OPTIONS=--experimental-vm-modules||",
            ),
            (
                "node --experimental-vm-modules node_modules/jest/bin/jest.js --ci",
                "jest||node --experimental-vm-modules node_modules/jest/bin/jest.js|--ci",
            ),
            (
                "react-scripts test --env=jsdom",
                "jest||react-scripts test|--env=jsdom",
            ),
            (
                "nyc --reporter=html mocha -r ts-node/register 'test/**/*.ts'",
                "mocha|||-r ts-node/register 'test/**/*.ts'",
            ),
            (
                "./node_modules/.bin/mocha",
                "mocha||./node_modules/.bin/mocha|",
            ),
            (
                "node --import tsx --test test/*.ts",
                "node:test|||--import tsx --test test/*.ts",
            ),
        ] {
            assert_eq!(reported(script).as_deref(), Some(expected), "{script}");
        }
    }

    #[test]
    fn what_is_more_than_words_is_left_alone() {
        for script in [
            "echo \"Error: no test specified\" && exit 1",
            "jest $(cat list)",
            "jest > out.txt",
            "jest | tee log",
            "jest 'open",
            "turbo run test",
            "node server.js",
            "ava",
            "",
        ] {
            assert_eq!(reported(script), None, "{script}");
        }
    }

    proptest! {
        #[test]
        fn any_script_is_read_without_harm(script in r#"(node|jest|--test|c8|A=b|npx|&&|'|"|\$|;|\||/| |\PC{0,4}){0,12}"#) {
            let _ = invocation(&script);
        }
    }
}
