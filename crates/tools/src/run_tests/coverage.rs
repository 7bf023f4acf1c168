//! How much of the code was run, as the tools that measure it sum it up.

use super::report::Coverage;

/// Istanbul's `text-summary`, which Vitest, Jest, nyc and c8 write: `Statements   : 85.71% ( 6/7 )`.
pub(super) fn of_istanbul(text: &str) -> Option<Coverage> {
    let (_, summary) = text.rsplit_once("Coverage summary")?;
    let of = |word: &str| {
        let line = summary
            .lines()
            .find(|line| line.trim_start().starts_with(word))?;
        percent(line.split_once(':')?.1)
    };
    known(Coverage {
        lines: of("Lines"),
        statements: of("Statements"),
        branches: of("Branches"),
        functions: of("Functions"),
    })
}

/// That of Node.js, in comments: `# all files | 85.71 | 100.00 | 50.00 |`, for lines, branches and functions.
pub(super) fn of_node(text: &str) -> Option<Coverage> {
    let mut lines = text.lines().rev();
    let line = lines.find(|line| {
        let bare = line.trim_start_matches(['#', ' ', 'ℹ']);
        bare.starts_with("all files") || bare.starts_with("all file ")
    })?;
    let mut cells = line.split('|').skip(1).map(percent);
    known(Coverage {
        lines: cells.next().flatten(),
        statements: None,
        branches: cells.next().flatten(),
        functions: cells.next().flatten(),
    })
}

/// That of pytest-cov: `TOTAL   10   2   80%`. Without branches these are statements; with them both together.
pub(super) fn of_pytest(text: &str) -> Option<Coverage> {
    let mut lines = text.lines().rev();
    let line = lines.find(|line| line.starts_with("TOTAL ") && line.trim_end().ends_with('%'))?;
    known(Coverage {
        statements: percent(line.split_whitespace().last()?),
        ..Coverage::default()
    })
}

fn percent(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
        .unwrap_or(text.len());
    let number: f64 = text.get(..end)?.parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number)
}

fn known(coverage: Coverage) -> Option<Coverage> {
    (coverage != Coverage::default()).then_some(coverage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_tool_sums_up_in_its_own_way() {
        let istanbul = "=== Coverage summary ===\nStatements   : 85.71% ( 6/7 )\nBranches     : 100% ( 0/0 )\nFunctions    : 50% ( 1/2 )\nLines        : Unknown% ( 0/0 )\n===";
        assert_eq!(
            of_istanbul(istanbul),
            Some(Coverage {
                lines: None,
                statements: Some(85.71),
                branches: Some(100.0),
                functions: Some(50.0),
            })
        );
        let node = "# file | line % | branch % | funcs % | uncovered lines\n# all files | 85.71 | 100.00 | 50.00 |\n";
        assert_eq!(
            of_node(node),
            Some(Coverage {
                lines: Some(85.71),
                statements: None,
                branches: Some(100.0),
                functions: Some(50.0),
            })
        );
        let pytest = "a.py   10  2  80%\n----\nTOTAL  10  2  80%\n";
        assert_eq!(
            of_pytest(pytest),
            Some(Coverage {
                statements: Some(80.0),
                ..Coverage::default()
            })
        );
        assert_eq!(of_istanbul("none"), None);
        assert_eq!(of_node("none"), None);
        assert_eq!(of_pytest("TOTAL nothing"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in r"(Coverage summary|Lines +:|TOTAL |all files|\||[0-9.]{1,20}%?|\n|#|\PC{0,4}){0,20}") {
            let all = [of_istanbul(&text), of_node(&text), of_pytest(&text)];
            for coverage in all.into_iter().flatten() {
                for share in [coverage.lines, coverage.statements, coverage.branches, coverage.functions].into_iter().flatten() {
                    prop_assert!((0.0..=100.0).contains(&share));
                }
            }
        }
    }
}
