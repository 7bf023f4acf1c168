//! Arguments of any program and subcommand of the catalogue are split: no panic, no endless work, no word is lost.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_programs::{Argument, Parsed, parse, parse_before, programs};

struct Text<'t>(&'t str);

impl Argument for Text<'_> {
    fn literal(&self) -> Option<&str> {
        (!self.0.ends_with('$')).then_some(self.0)
    }

    fn known_start(&self) -> &str {
        self.0.trim_end_matches('$')
    }

    fn is_opaque(&self) -> bool {
        self.0.ends_with('$')
    }
}

fuzz_target!(|input: (u16, &str)| {
    let (number, text) = input;
    let rows = programs();
    let Some(program) = rows.get(usize::from(number) % rows.len()) else { return };
    let words: Vec<Text<'_>> = text.split(' ').map(Text).collect();
    check(&parse(program.options, &words), &words);
    for before in program.before {
        let parsed = parse_before(before.options, &words);
        assert!(parsed.behind <= words.len());
        check(&parsed, &words);
    }
    if let Some((command, named)) = program.command_of(&words) {
        assert!(named > 0 && named <= words.len());
        check(&parse(command.options, &words), &words);
    }
});

fn check(parsed: &Parsed<'_, Text<'_>>, words: &[Text<'_>]) {
    let read = parsed.operands.len() + parsed.options.len();
    assert!(read + 1 >= words.len() / 2, "every option takes one word at most");
}
