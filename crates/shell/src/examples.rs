//! Examples in rows of programs: what a command does, compared with what its row says.

use tenon_programs::{Catalogue, PlacedRow};

use crate::effects::command_effects;
use crate::error::ReadError;
use crate::grammar::ShellGrammar;
use crate::reader::read;
use crate::unwrap::invocation_by;

/// What the first command of a text does, as examples of the catalogue say it: `read a, write b`. Empty for a text without one.
///
/// # Errors
///
/// The text is no text of bash.
///
/// ```
/// use tenon_programs::Catalogue;
///
/// let effects = tenon_shell::effects_of_example(&Catalogue::BUILT_IN, "cp a b")?;
/// assert_eq!(effects, "read a, write b");
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
pub fn effects_of_example(catalogue: &Catalogue, command: &str) -> Result<String, ReadError> {
    let script = read(command, ShellGrammar::Bash)?;
    let mut commands = script.commands();
    let first = commands.find_map(|command| invocation_by(catalogue, None, command));
    let effects: Vec<String> = first.map_or_else(Vec::new, |first| {
        let effects = command_effects(&first);
        effects.iter().map(ToString::to_string).collect()
    });
    Ok(effects.join(", "))
}

/// What is wrong with the examples of these rows, a sentence each: an example that does something else than its row says, or
/// that is about another program.
#[must_use]
pub fn check_examples(catalogue: &Catalogue, rows: &[PlacedRow]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, row) in rows {
        let name = row.all_names().next().unwrap_or("?");
        for (command, effects) in &row.examples {
            let first = command.split_whitespace().next().unwrap_or_default();
            let problem = if row.all_names().any(|name| name == first) {
                match effects_of_example(catalogue, command) {
                    Ok(does) if does == *effects => continue,
                    Ok(does) => format!(
                        "the example `{command}` does \"{does}\" by the row, not \"{effects}\". Correct the one or the other."
                    ),
                    Err(error) => format!("the example `{command}` is no command: {error}"),
                }
            } else {
                format!("the example `{command}` is about another program. Begin it with `{name}`.")
            };
            wrong.push(format!("{place}: {name}: {problem}"));
        }
    }
    wrong
}
