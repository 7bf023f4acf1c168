//! Lines that only say that work goes on: one table, with examples that are tests.

use std::sync::LazyLock;

/// What programs print while they work, by how a line begins once its indentation is gone.
pub(crate) struct Family {
    /// Who prints it.
    #[cfg_attr(not(test), allow(dead_code))]
    name: &'static str,
    /// How its lines begin.
    starts: &'static [&'static str],
    /// What the rest of such a line contains, if its beginning alone says too little: one of these.
    needs: &'static [&'static str],
    /// Lines of real outputs.
    #[cfg_attr(not(test), allow(dead_code))]
    examples: &'static [&'static str],
}

const FAMILIES: &[Family] = &[
    Family {
        name: "cargo",
        starts: &[
            "Compiling ",
            "Checking ",
            "Downloaded ",
            "Fresh ",
            "Adding ",
            "Documenting ",
            "Removing ",
            "Locking ",
        ],
        // A version, and not a word of a sentence.
        needs: &[
            " v0",
            " v1",
            " v2",
            " v3",
            " v4",
            " v5",
            " v6",
            " v7",
            " v8",
            " v9",
            " packages",
        ],
        examples: &[
            "   Compiling serde v1.0.228",
            "    Checking tenon-tokens v0.1.0 (crates/tokens)",
            "  Downloaded regex v1.12.2",
        ],
    },
    Family {
        name: "cargo, crates in a row",
        starts: &[
            "Downloading crates",
            "Updating crates.io index",
            "Blocking waiting for file lock",
        ],
        needs: &[],
        examples: &["    Updating crates.io index", " Downloading crates ..."],
    },
    Family {
        name: "npm, yarn and pnpm",
        starts: &[
            "npm http cache ",
            "npm info ",
            "npm sill ",
            "npm silly ",
            "npm verb ",
            "npm verbose ",
            "npm timing ",
            "➤ YN0013",
            "➤ YN0019",
            "Progress: resolved ",
        ],
        needs: &[],
        examples: &[
            "npm http cache left-pad@https://registry.npmjs.org/left-pad 3ms (cache hit)",
            "npm sill placeDep ROOT a@1.0.0 OK for: b@1.0.0",
        ],
    },
    Family {
        name: "npm, requests that succeed",
        starts: &["npm http fetch ", "npm http request ", "npm http "],
        needs: &[" 200 ", " 201 ", " 204 ", " 302 ", " 304 ", "GET 200"],
        examples: &["npm http fetch GET 200 left-pad 31ms (cache hit)"],
    },
    Family {
        name: "pip",
        starts: &[
            "Collecting ",
            "Using cached ",
            "Requirement already satisfied: ",
            "Preparing metadata ",
            "Installing build dependencies",
            "Getting requirements to build",
            "Building wheel for ",
            "Created wheel for ",
            "Stored in directory: ",
        ],
        needs: &[],
        examples: &[
            "Collecting requests>=2",
            "  Using cached idna-3.10-py3-none-any.whl (70 kB)",
            "  Preparing metadata (pyproject.toml): finished with status 'done'",
        ],
    },
    Family {
        name: "downloads",
        starts: &["Downloading ", "Downloading: "],
        needs: &[
            ".whl", ".tar", ".gz", ".jar", ".pom", ".zip", "://", "%", "kB", "MB",
        ],
        examples: &[
            "  Downloading idna-3.10-py3-none-any.whl (70 kB)",
            "Downloading from central: https://repo.example.org/a.pom",
        ],
    },
    Family {
        name: "apt and dpkg",
        starts: &[
            "Get:",
            "Hit:",
            "Ign:",
            "Selecting previously unselected package ",
            "Preparing to unpack ",
            "Unpacking ",
            "Setting up ",
            "Processing triggers for ",
            "(Reading database ",
            "Fetched ",
        ],
        needs: &[" ..", " http", " (", " kB"],
        examples: &[
            "Get:1 http://deb.example.org trixie InRelease [140 kB]",
            "Setting up libc6:amd64 (2.41-12) ...",
            "Unpacking jq (1.7.1-6) ...",
        ],
    },
    Family {
        name: "git",
        starts: &[
            "remote: Counting objects:",
            "remote: Compressing objects:",
            "remote: Enumerating objects:",
            "Receiving objects:",
            "Resolving deltas:",
            "Compressing objects:",
            "Counting objects:",
            "Enumerating objects:",
            "Updating files:",
            "Unpacking objects:",
            "Writing objects:",
        ],
        needs: &[],
        examples: &[
            "Receiving objects:  41% (410/1000)",
            "remote: Counting objects: 100% (12/12), done.",
        ],
    },
    Family {
        name: "docker",
        // The number of a step, and not a heading.
        starts: &["#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9"],
        needs: &[
            " sha256:",
            " DONE ",
            " CACHED",
            " extracting ",
            " transferring ",
        ],
        examples: &["#5 sha256:3b65ec22a9e9 3.15MB / 29.13MB 0.3s", "#9 CACHED"],
    },
    Family {
        name: "Go",
        starts: &["go: downloading ", "go: finding ", "go: extracting "],
        needs: &[],
        examples: &["go: downloading golang.org/x/text v0.3.7"],
    },
    Family {
        name: "Maven and Gradle",
        starts: &[
            "[INFO] Downloading ",
            "[INFO] Downloaded ",
            "Progress (",
            "> Task :",
            "Downloaded from ",
        ],
        needs: &[
            "://",
            "UP-TO-DATE",
            "NO-SOURCE",
            "FROM-CACHE",
            "SKIPPED",
            "):",
        ],
        examples: &[
            "> Task :compileJava UP-TO-DATE",
            "[INFO] Downloading from central: https://repo.example.org/a.pom",
        ],
    },
    Family {
        name: "make",
        starts: &[
            "CC ", "CXX ", "LD ", "AR ", "HOSTCC ", "GEN ", "gcc ", "cc ", "g++ ", "c++ ",
            "clang ", "clang++ ",
        ],
        needs: &[".o", ".c", ".a", ".h"],
        examples: &["  CC      kernel/fork.o", "gcc -O2 -c -o a.o a.c"],
    },
    Family {
        name: "Homebrew and conda",
        starts: &["==> Downloading ", "==> Fetching ", "==> Pouring "],
        needs: &[],
        examples: &["==> Pouring jq--1.7.1.bottle.tar.gz"],
    },
];

/// Letters of drawn bars.
const BAR: &[char] = &[
    '#', '=', '█', '▉', '▊', '▋', '▌', '▍', '▎', '▏', '━', '─', '╸', '╺', '>', '.', '▒', '░', '-',
    '*',
];

/// Whether a line without its indentation only says that work goes on.
pub(crate) fn is_progress(line: &str) -> bool {
    is_of_a_family(line) || is_counted(line) || is_bar(line) || is_dots(line)
}

fn is_of_a_family(line: &str) -> bool {
    let first = line.as_bytes().first().copied().map(usize::from);
    let families = first.and_then(|first| BY_FIRST.get(first));
    families.into_iter().flatten().any(|family| {
        let mut starts = family.starts.iter();
        let rest = starts.find_map(|start| line.strip_prefix(start));
        rest.is_some_and(|rest| {
            family.needs.is_empty() || family.needs.iter().any(|need| rest.contains(need))
        })
    })
}

/// The families with lines that begin with this byte: most lines are of none.
static BY_FIRST: LazyLock<Vec<Vec<&'static Family>>> = LazyLock::new(|| {
    let of = |first: u8| {
        let begins = |family: &&Family| {
            let mut starts = family.starts.iter();
            starts.any(|start| start.as_bytes().first() == Some(&first))
        };
        FAMILIES.iter().filter(begins).collect()
    };
    (u8::MIN..=u8::MAX).map(of).collect()
});

/// `[ 12%] Building a.o`, `[3/40] CXX a.o`, `[1/4] Resolving packages...`.
fn is_counted(line: &str) -> bool {
    let Some((inside, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
        return false;
    };
    let inside = inside.trim();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_share = inside.strip_suffix('%').is_some_and(is_number);
    let is_part = inside
        .split_once('/')
        .is_some_and(|(part, all)| is_number(part.trim()) && is_number(all.trim()));
    (is_share || is_part) && rest.strip_prefix(' ').is_some_and(is_step)
}

/// `Building a.o`, `CXX a.o`, `Built target a`: what a step of a build is called. Subjects of patches and rows of data
/// are counted as well.
fn is_step(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("");
    let is_shouted = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_doing =
        word.starts_with(|first: char| first.is_ascii_uppercase()) && word.ends_with("ing");
    is_shouted || is_doing || word == "Built"
}

/// A drawn bar, or a percentage beside one: `45% [=====>    ] 1.2 MB/s`, `━━━━━ 70.4/70.4 kB`. Points alone are also put between a
/// name and what is said of it, and signs behind a name are drawn by those who show figures.
fn is_bar(line: &str) -> bool {
    let has_share = line.contains('%') && line.bytes().any(|byte| byte.is_ascii_digit());
    let is_drawn = line.contains('━') || line.contains('█') || line.contains('▏');
    // Most lines have neither.
    if !has_share && !is_drawn {
        return false;
    }
    let bars = line.chars().filter(|letter| BAR.contains(letter)).count();
    let letters = line.chars().count();
    let mut runs = line.split(|letter| !BAR.contains(&letter));
    let has_run = runs.any(|run| run.chars().count() >= 5 && run.contains(|letter| letter != '.'));
    let is_framed = line.contains('[') && line.contains(']')
        || line.matches('|').count() > 1
        || line.contains('▕')
        || line.starts_with(BAR);
    // Behind a name it is a figure of a table, unless it says how much of what is done, or for how long.
    let is_of_task = is_framed || line.contains(['/', ':']);
    has_share && has_run && is_framed && bars * 4 >= letters
        || is_drawn && is_of_task && bars >= 10 && has_amount(line)
        || has_share && is_wget(line)
}

/// `  50K .......... .......... 10% 1.2M 0s`, as wget draws it.
fn is_wget(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let amount = words
        .next()
        .and_then(|word| word.strip_suffix(['K', 'M', 'G']));
    amount.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next().is_some_and(|word| word == "..........")
}

/// Tests of a file that ran, a point for each: `tests/test_a.py ........ [ 12%]`.
fn is_dots(line: &str) -> bool {
    let Some((start, rest)) = line.rsplit_once('[') else {
        return false;
    };
    let dots = start.trim_end().rsplit(' ').next().unwrap_or("");
    rest.ends_with("%]") && !dots.is_empty() && dots.bytes().all(|byte| byte == b'.')
}

fn has_amount(line: &str) -> bool {
    ["kB", "MB", "GB", "KiB", "MiB", "%", "B/s", "it/s"]
        .iter()
        .any(|unit| line.contains(unit))
}

/// The table that curl draws.
pub(crate) fn is_curl(line: &str) -> bool {
    line.contains("--:--:--") || line.starts_with("% Total    % Received")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_table_are_progress_and_of_their_family() {
        for family in FAMILIES {
            for example in family.examples {
                let line = example.trim();
                assert!(is_progress(line), "{}: {example}", family.name);
                assert!(
                    family.starts.iter().any(|start| line.starts_with(start)),
                    "{}: {example}",
                    family.name
                );
            }
        }
    }

    #[test]
    fn bars_and_counts_are_progress_and_what_only_looks_so_is_not() {
        for line in [
            "[ 12%] Building CXX object a.o",
            "[3/40] CXX a.o",
            "45% [=========>          ] 1.2 MB/s",
            "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 70.4/70.4 kB 5.1 MB/s",
            "100 12345  100 12345    0     0  67890      0 --:--:-- --:--:-- --:--:-- 67890",
            "######################## 45.3%",
            "50K .......... .......... .......... 10% 1.2M 0s",
            "tests/test_a.py ...... [ 12%]",
        ] {
            assert!(is_progress(line) || is_curl(line), "{line}");
        }
        for line in [
            "[error] 3 files",
            "[12] a",
            "# a heading",
            "#include <stdio.h>",
            "Compiling is slow",
            "gcc: fatal error: no input files",
            "====== 5 failed, 20 passed in 3.2s ======",
            "cc @alice",
            "Setting up",
            "coverage: 81.2% of statements",
            "disk3 .............. 9%",
            "disk3 ############## 9%",
            "TypeScript   ████████████████████░░░░░   81.2 %",
            "10% |##########",
            "50% |####################",
            "[1/5] mm: fix a use after free in shrink_lruvec",
            "[2/5] Fix the bug",
            "[1/5] alice@example.com balance=30",
            "Checking prod value of A: 3 instead of 4",
            "Adding user alice with vpn access",
            "# Step DONE by alice",
            "tests/test-a-b-c.py ....F.... [ 12%]",
            "tests/test_a.py ..s...... [ 12%]",
            "npm http fetch GET 404 https://registry.npmjs.org/left-pad 31ms",
        ] {
            assert!(!is_progress(line), "{line}");
        }
    }
}
