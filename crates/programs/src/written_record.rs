//! Writes rows in the form in which the library holds them: see [`record`](crate::record).

use std::fmt::Write as _;

use crate::effects::Effects;
use crate::looks::ANY;
use crate::program::{Behind, Operands, Wrapper};
use crate::record::{PARTLY, PROGRAM, RUNS, VALUES};
use crate::row::{Written, name_of, role_text};
use crate::source::Checked;

/// Writes a row that is right.
pub(crate) fn written(checked: &Checked<'_>) -> String {
    let mut lists = Lists(Vec::new());
    let mut lines = String::new();
    let row = checked.row;
    lists.place(&checked.options);
    for (programs, options) in &checked.before {
        let list = lists.place(options).to_string();
        lines += &line("before", &[&words(programs), &list]);
    }
    for command in &checked.commands {
        let fields = [
            &words(&command.name),
            &command.aliases.join(","),
            &command.alike.join(","),
            &lists.place(&command.options).to_string(),
            &operands_text(command.operands.as_ref()),
            &words(&command.verbs),
            &format!("{:x}", command.traits.bits()),
            &command.wrapper.as_ref().map_or(String::new(), wrapper_text),
        ];
        lines += &line("command", &fields.map(String::as_str));
    }
    lines += &mode_lines(checked, &mut lists);
    lines += &look_lines(checked, &mut lists);
    let below = checked.below.as_ref().map_or("", |_| row.below.as_str());
    let traits = match checked.traits.bits() {
        0 => String::new(),
        bits => format!("{bits:x}"),
    };
    let wrapper = row.wrapper.as_ref().map_or(String::new(), wrapper_text);
    for (key, field) in [
        ("settings", words(&row.settings)),
        ("wrapper", wrapper),
        ("exec", words(&row.exec_words)),
        ("patterns", words(&row.exec_patterns)),
        ("makes", words(&row.makes)),
        ("finds", words(&row.finds)),
        ("operands", operands_text(checked.operands.as_ref())),
        ("traits", traits),
        ("below", below.to_owned()),
        ("links", row.links.clone()),
        ("behind", words(&row.possible.commands)),
        ("values", words(&row.possible.values)),
    ] {
        if !field.is_empty() {
            lines += &line(key, &[&field]);
        }
    }
    let mut record = line(PROGRAM, &[&words(&row.names), &words(&row.source)]);
    for list in &lists.0 {
        record += &line("options", &[list]);
    }
    record + &lines
}

/// The lines of modes.
fn mode_lines(checked: &Checked<'_>, lists: &mut Lists) -> String {
    let mut lines = String::new();
    for mode in &checked.modes {
        let fields = [
            &words(&mode.name),
            &mode.by.join(" "),
            &lists.place(&mode.options).to_string(),
            &operands_text(mode.operands.as_ref()),
            &words(&mode.makes),
        ];
        lines += &line("mode", &fields.map(String::as_str));
    }
    lines
}

/// The lines of forms in which the program only looks.
fn look_lines(checked: &Checked<'_>, lists: &mut Lists) -> String {
    let mut lines = String::new();
    let named = |options: &str| {
        let name = |option| if option == ANY { ANY } else { name_of(option) };
        let names = options.split_whitespace().map(name);
        names.collect::<Vec<_>>().join(" ")
    };
    for look in &checked.looks {
        let fields = [
            &look.command,
            &lists.place(&look.options).to_string(),
            &if look.are_excepted {
                ANY.to_owned()
            } else {
                String::new()
            },
            &named(&look.row.needs),
            &look.row.operands,
            &named(&look.row.with),
            &named(&look.row.asks),
        ];
        lines += &line("look", &fields.map(String::as_str));
    }
    lines
}

/// The lists of options of a row, each once.
struct Lists(Vec<String>);

impl Lists {
    fn place(&mut self, options: &[Written]) -> usize {
        let options: Vec<String> = options.iter().map(option_text).collect();
        let list = options.join(" ");
        let known = self.0.iter().position(|own| *own == list);
        known.unwrap_or_else(|| {
            self.0.push(list);
            self.0.len() - 1
        })
    }
}

/// A line.
pub(crate) fn line(key: &str, fields: &[&str]) -> String {
    format!("{key}\t{}\n", fields.join("\t"))
}

/// The words of a text with one blank between them: it may be of a host, and have lines.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn option_text(option: &Written) -> String {
    let letter = VALUES.iter().find(|(_, value)| *value == option.value);
    let mut letter = letter.map_or('U', |(letter, _)| *letter);
    if option.any_dashes {
        letter.make_ascii_lowercase();
    }
    match option.effects {
        Effects::NONE => format!("{letter}:{}", option.name),
        effects => format!("{letter}{:x}:{}", effects.bits(), option.name),
    }
}

fn operands_text(operands: Option<&Operands>) -> String {
    operands.map_or(String::new(), |operands| {
        let partly = if operands.partly { PARTLY } else { "" };
        format!("{partly}{}", role_text(operands))
    })
}

fn wrapper_text(wrapper: &Wrapper) -> String {
    let runs = RUNS.iter().find(|(_, runs)| *runs == wrapper.runs);
    let mut text = format!("{} {}", runs.map_or("", |(name, _)| name), wrapper.operands);
    for (name, is) in [
        ("assignments", wrapper.assignments),
        ("transparent", wrapper.transparent),
        ("starts-shell", wrapper.starts_shell),
        ("lone-dash", wrapper.lone_dash),
        ("forwards", wrapper.forwards),
        ("behind-dashes", wrapper.behind == Behind::Dashes),
        ("behind-option", wrapper.behind == Behind::Option),
    ] {
        if is {
            let _ = write!(text, " {name}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::read;
    use crate::row::Row;

    fn record(row: &Row) -> &'static str {
        let checked = Checked::new(row).expect("the row is right");
        String::leak(written(&checked))
    }

    #[test]
    fn a_row_is_a_line_for_each_thing_that_is_known() {
        let row = Row {
            names: "tar bsdtar".into(),
            source: "GNU tar 1.35".into(),
            traits: "complete".into(),
            operands: "text, read*".into(),
            partly: true,
            options: [
                ("write".into(), "-f= --file=".into()),
                ("flag".into(), "-outDir".into()),
            ]
            .into(),
            settings: "color. core.pager".into(),
            subcommands: "add, remote add".into(),
            ..Row::default()
        };
        assert_eq!(
            record(&row),
            "program\ttar bsdtar\tGNU tar 1.35\n\
             options\tX2:f X2:file n:outDir\n\
             command\tadd\t\t\t0\t\t\t0\t\n\
             command\tremote add\t\t\t0\t\t\t0\t\n\
             settings\tcolor. core.pager\n\
             operands\tpartly, text, read*\n\
             traits\t10000\n"
        );
    }

    proptest! {
        /// Texts of a host may have anything in them: none becomes another field or line.
        #[test]
        fn what_was_written_is_read(
            names in "[a-z]{1,3}([ \t\n\u{a0}][a-z]{1,3}){0,2}",
            source in any::<String>(),
            settings in any::<String>(),
            exec_words in any::<String>(),
            exec_patterns in any::<String>(),
            makes in any::<String>(),
            finds in any::<String>(),
            commands in any::<String>(),
            options in "(-[a-z:,\u{1}ä](=|\\[=\\]|\\?)?[ \t\n]){0,1}(--[a-z:,\u{1}ä]{2,4}(=|\\?)?[ \t\n]){0,1}",
            subcommands in "([a-z]{1,3}[ ,\t\n]{1,2}){0,3}",
        ) {
            let row = Row {
                names,
                source,
                settings,
                exec_words,
                exec_patterns,
                makes,
                finds,
                options: [("read".into(), options)].into(),
                subcommands,
                possible: crate::row::PossibleRow { commands, values: "-x".into() },
                ..Row::default()
            };
            let Ok(checked) = Checked::new(&row) else {
                return Ok(());
            };
            let program = read(String::leak(written(&checked)));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(program.names, words(&row.names));
            prop_assert_eq!(words(program.source), words(&row.source));
            prop_assert_eq!(program.settings, words(&row.settings));
            prop_assert_eq!(program.exec_words, words(&row.exec_words));
            prop_assert_eq!(program.exec_patterns, words(&row.exec_patterns));
            prop_assert_eq!(program.makes, words(&row.makes));
            prop_assert_eq!(program.finds, words(&row.finds));
            prop_assert_eq!(program.possible.commands, words(&row.possible.commands));
            prop_assert_eq!(program.possible.values, "-x");
            let options: Vec<_> = program
                .options
                .iter()
                .map(|option| (option.name.to_owned(), option.any_dashes, option.value, option.effects))
                .collect();
            let stated: Vec<_> = checked
                .options
                .into_iter()
                .map(|option| (option.name, option.any_dashes, option.value, option.effects))
                .collect();
            prop_assert_eq!(options, stated);
            let commands: Vec<String> = program.commands.iter().map(|own| own.name.join(" ")).collect();
            let stated: Vec<String> = checked.commands.into_iter().map(|own| own.name).collect();
            prop_assert_eq!(commands, stated);
        }
    }
}
