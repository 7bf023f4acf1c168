//! Any text is read or refused, in both dialects: no panic, no endless work, spans inside of the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_shell::{ShellGrammar, FindingKind, assigned_names, examine, file_operands, directory_change, read, redefined_names};

fuzz_target!(|text: &str| {
    for dialect in ShellGrammar::ALL {
        let Ok(script) = read(text, dialect) else { continue };
        for finding in &script.findings {
            assert!(script.scope(finding.scope).is_some());
            let FindingKind::Command(command) = &finding.kind else { continue };
            assert!(command.span.of(text).is_some());
            for word in &command.words {
                assert!(word.span.of(text).is_some());
            }
        }
    }
    for command in examine(text, ShellGrammar::Bash).commands() {
        let _ = file_operands(command.program(), command.normalized_words());
        let _ = directory_change(&command.words);
        let _ = assigned_names(&command.words);
        let _ = redefined_names(&command.words);
    }
});
