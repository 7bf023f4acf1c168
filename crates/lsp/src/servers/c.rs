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
            ],
            FILES,
        )
        .install("apt install clangd")
        .watched(&["compile_commands.json", "compile_flags.txt", ".clangd"])
        .quirks(Quirks {
            recheck: Recheck::Force,
            index_file: Some("compile_commands.json"),
            ..Quirks::default()
        }),
    ]
}
