//! Programs of which some option runs a program, or names a file that is written or read: for these a word that cannot
//! be told counts as such an option.

use super::run_options::has_options;
use crate::by_name::{ByName, by_names};
use crate::{Invocation, Word};

/// A program with such options.
struct Acting {
    names: &'static [&'static str],
    /// Sub-commands that have some; all where there are none here.
    commands: &'static [&'static str],
    /// Letters of options with a value that is no option.
    values: &'static str,
    /// Whether arguments act that are no options, so that `--` before them changes nothing.
    by_operands: bool,
}

const PLAIN: Acting = Acting {
    names: &[],
    commands: &[],
    values: "",
    by_operands: false,
};

const ACTING: &[Acting] = &[
    Acting {
        names: &["git"],
        commands: &[
            "archive",
            "blame",
            "annotate",
            "cherry-pick",
            "clone",
            "diff",
            "diff-tree",
            "difftool",
            "fetch",
            "format-patch",
            "grep",
            "init",
            "log",
            "ls-remote",
            "merge",
            "mergetool",
            "pull",
            "push",
            "rebase",
            "revert",
            "show",
            "whatchanged",
        ],
        values: "ABCGLSbmneo",
        ..PLAIN
    },
    Acting {
        names: &["npm", "npx", "pnpm", "pnpx", "yarn"],
        values: "w",
        ..PLAIN
    },
    Acting {
        names: &["make"],
        values: "CjlfIoW",
        by_operands: true,
        ..PLAIN
    },
    Acting {
        names: &["go"],
        commands: &[
            "build", "test", "run", "install", "generate", "vet", "get", "list",
        ],
        by_operands: true,
        ..PLAIN
    },
    Acting {
        names: &["cargo"],
        values: "pjF",
        ..PLAIN
    },
    Acting {
        names: &["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc"],
        by_operands: true,
        ..PLAIN
    },
    Acting {
        names: &["ssh", "scp", "sftp", "rsync"],
        values: "pilcPF",
        ..PLAIN
    },
    Acting {
        names: &["rg"],
        values: "ABCEMTdefgjmrt",
        ..PLAIN
    },
    Acting {
        names: &["sort"],
        values: "kStT",
        ..PLAIN
    },
    Acting {
        names: &["split"],
        values: "abCln",
        ..PLAIN
    },
    Acting {
        names: &["csplit"],
        values: "bfn",
        ..PLAIN
    },
    Acting {
        names: &["tar", "bsdtar"],
        values: "fCTX",
        ..PLAIN
    },
    Acting {
        names: &["zip"],
        values: "xitb",
        ..PLAIN
    },
    Acting {
        names: &["dd"],
        by_operands: true,
        ..PLAIN
    },
    Acting {
        names: &["date"],
        values: "d",
        ..PLAIN
    },
    Acting {
        names: &["curl"],
        values: "AHXbdemorstuw",
        ..PLAIN
    },
    Acting {
        names: &["wget", "wget2"],
        values: "OPUtTw",
        ..PLAIN
    },
    Acting {
        names: &[
            "vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff", "emacs",
        ],
        ..PLAIN
    },
    Acting {
        names: &["man"],
        values: "sMk",
        ..PLAIN
    },
    Acting {
        names: &["less", "more", "most", "tree", "pytest", "pip", "tcpdump"],
        values: "kmLIPPr",
        ..PLAIN
    },
];

static BY_NAME: ByName<Acting> = ByName::new(|| by_names(ACTING, |acting| acting.names));

impl Invocation {
    /// The arguments that may be such options of the program if they cannot be told: none behind `--`, or behind an
    /// option whose value they are. Empty for programs without such options.
    pub fn possible_options(&self) -> impl Iterator<Item = &Word> {
        let words = self.plain_words();
        let base = self.base_name().unwrap_or_default();
        let acting = BY_NAME
            .find(base)
            .or_else(|| has_options(base).then_some(&PLAIN));
        let command = words.get(1).and_then(Word::literal).unwrap_or_default();
        let acting = acting
            .filter(|acting| acting.commands.is_empty() || acting.commands.contains(&command));
        let end = words.iter().position(|word| word.literal() == Some("--"));
        let end = end.filter(|_| !acting.is_some_and(|acting| acting.by_operands));
        let count = match acting {
            Some(_) => end.unwrap_or(words.len()),
            None => 0,
        };
        let values = acting.map_or("", |acting| acting.values);
        let is_value = move |place: usize| {
            let before = words.get(place.wrapping_sub(1)).and_then(Word::literal);
            let letter = before.and_then(|text| text.strip_prefix('-'));
            letter.is_some_and(|letter| {
                letter.chars().count() == 1 && letter.chars().all(|letter| values.contains(letter))
            })
        };
        let words = words.iter().enumerate().take(count).skip(1);
        words.filter_map(move |(place, word)| {
            let value = is_value(place) && !word.expansion.splits;
            (word.is_opaque() && !value).then_some(word)
        })
    }
}
