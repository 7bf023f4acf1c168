//! New text at the depth of the text that it stands in.

/// The content as it follows the whitespace that a symbol begins with: its first line bare, the others at their depth.
///
/// Models write a member of a class as it stands in the file, or as if it stood alone. Which of the two it is, the
/// lines behind the first show: of what stands in the file none is less deep than the symbol (in Python all are
/// deeper, since there nothing closes a block).
pub(super) fn indented(content: &str, base: &str, is_python: bool) -> String {
    let content = content.trim_matches(['\n', '\r']).trim_end();
    let own = indent_of(content.lines().next().unwrap_or_default());
    let first = content.lines().next().unwrap_or_default().trim_start();
    let rest: Vec<&str> = content.lines().skip(1).collect();
    let filled = || rest.iter().filter(|line| !line.trim().is_empty());
    let is_placed = own == base || {
        own.is_empty()
            && filled().all(|line| {
                let deep = indent_of(line);
                deep.starts_with(base) && (!is_python || deep.len() > base.len())
            })
    };
    let line = |line: &&str| match (line.trim().is_empty(), is_placed) {
        // Blanks may be those of a string.
        (_, true) => (*line).to_owned(),
        (true, false) => String::new(),
        (false, false) => format!("{base}{}", line.strip_prefix(own).unwrap_or(line)),
    };
    let rest = rest.iter().map(line);
    std::iter::once(first.to_owned())
        .chain(rest)
        .collect::<Vec<_>>()
        .join("\n")
}

fn indent_of(line: &str) -> &str {
    let bare = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - bare.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn what_stands_alone_is_put_at_its_depth() {
        let alone = "def f(self):\n    if x:\n        return 1\n\n    return 2\n";
        let placed = "def f(self):\n        if x:\n            return 1\n\n        return 2";
        assert_eq!(indented(alone, "    ", true), placed);
        let braces = "f() {\n  return 1\n}";
        assert_eq!(indented(braces, "  ", false), "f() {\n    return 1\n  }");
        let tabs = "func() {\n\treturn\n}";
        assert_eq!(indented(tabs, "\t", false), "func() {\n\t\treturn\n\t}");
    }

    #[test]
    fn what_stands_as_in_the_file_stays_so() {
        let placed = "def f(self):\n        return 1";
        assert_eq!(indented(placed, "    ", true), placed);
        assert_eq!(indented(&format!("    {placed}\n"), "    ", true), placed);
        let braces = "f() {\n    return 1\n  }";
        assert_eq!(indented(braces, "  ", false), braces);
        assert_eq!(indented("f() {\n  x\n}\n", "", false), "f() {\n  x\n}");
    }

    #[test]
    fn another_depth_of_all_lines_is_taken_off() {
        let deep = "        def f():\n            pass\n";
        assert_eq!(indented(deep, "    ", true), "def f():\n        pass");
        assert_eq!(indented(deep, "", true), "def f():\n    pass");
    }
}
