//! C and C++.

use super::{Quirks, Recheck, ServerSpec};

const FILES: &[&str] = &[
    ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".ipp", ".m", ".mm",
];

pub(super) fn presets() -> Vec<ServerSpec> {
    vec![
        ServerSpec::preset(
            "c",
            "clangd",
            "clangd",
            &[
                "--background-index",
                "--header-insertion=never",
                "--log=error",
                // It stops at 100 else, and does not say so.
                "--limit-results=1000",
            ],
            FILES,
        )
        .install("apt install clangd")
        .watched(&["compile_commands.json", "compile_flags.txt", ".clangd"])
        .quirks(Quirks {
            recheck: Recheck::Force,
            opens_changed: true,
            symbols_max: Some(1_000),
            index_file: Some("compile_commands.json"),
            ..Quirks::default()
        }),
    ]
}
