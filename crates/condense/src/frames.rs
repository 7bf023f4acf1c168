//! Lines of stack traces.

/// Whether a line is a frame of a stack trace, or belongs to one.
pub(crate) fn is_frame(line: &str) -> bool {
    let bare = line.trim_start();
    let is_indented = bare.len() < line.len();
    // JavaScript, Java, C#; Rust's second line of a frame.
    let is_at =
        is_indented && bare.starts_with("at ") && (bare.contains(':') || bare.contains('('));
    // Python.
    let is_file = is_indented && bare.starts_with("File \"") && bare.contains("\", line ");
    is_at || is_file || is_rust(bare, is_indented) || is_go(line)
}

/// `  12: std::panicking::begin_panic`
fn is_rust(bare: &str, is_indented: bool) -> bool {
    let Some((number, name)) = bare.split_once(": ") else {
        return false;
    };
    is_indented
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (name.contains("::")
            || name.starts_with("0x")
            || name.starts_with('<')
            || name == "main")
}

/// `\t/usr/lib/go/src/runtime/panic.go:770 +0x132`, `goroutine 1 [running]:`
fn is_go(line: &str) -> bool {
    line.starts_with("goroutine ") && line.ends_with("]:")
        || line.starts_with('\t') && line.contains(".go:") && line.contains(" +0x")
}

/// Whether a frame is in code of others, which says less.
pub(crate) fn is_foreign(line: &str) -> bool {
    const FOREIGN: &[&str] = &[
        "node_modules",
        "node:",
        "site-packages",
        "/rustc/",
        "lib/python",
        "internal/",
        "java.base/",
        "std::",
        "core::",
        "/go/src/",
        "<frozen ",
    ];
    FOREIGN.iter().any(|place| line.contains(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_six_languages_are_known() {
        for line in [
            "    at Object.<anonymous> (/a/b.js:3:5)",
            "    at node:internal/main/run_main_module:36:49",
            "\tat java.base/java.lang.Thread.run(Thread.java:1583)",
            "   at Program.Main() in /a/Program.cs:line 5",
            "  File \"a.py\", line 3, in f",
            "   3: core::panicking::panic_fmt",
            "             at /rustc/abc/library/core/src/panicking.rs:75:14",
            "goroutine 1 [running]:",
            "\t/a/main.go:5 +0x1d",
        ] {
            assert!(is_frame(line), "{line}");
        }
        for line in [
            "at noon",
            "    at least two",
            "12: twelve",
            "    12: a line of grep",
        ] {
            assert!(!is_frame(line), "{line}");
        }
    }
}
