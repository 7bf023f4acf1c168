//! Queries made up from the words that a tree has.

use std::collections::BTreeSet;
use std::path::Path;

use tenon_search::{Case, Control, FindRequest, GrepMode, GrepRequest, Pattern, Scope, find};

/// A query for both sides.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) pattern: Pattern,
    mode: GrepMode,
    globs: Vec<String>,
    types: Vec<String>,
    context: (usize, usize),
    only_matching: bool,
    invert: bool,
    max_per_file: Option<usize>,
    text: bool,
}

impl Query {
    pub(crate) fn request(&self, root: &Path) -> GrepRequest {
        let scope = Scope {
            globs: self.globs.clone(),
            types: self.types.clone(),
            ..Scope::new(root, root)
        };
        GrepRequest {
            mode: self.mode,
            before: self.context.0,
            after: self.context.1,
            only_matching: self.only_matching,
            invert: self.invert,
            max_per_file: self.max_per_file,
            text: self.text,
            // Some files are then asked for the text in any case first.
            notes_case: self.pattern.text.len().is_multiple_of(2),
            ..GrepRequest::new(scope, self.pattern.clone())
        }
    }

    /// The options that say the same to `rg`, without the pattern.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut add = |wanted: bool, option: &str| {
            if wanted {
                arguments.push(option.to_owned());
            }
        };
        add(self.pattern.literal, "--fixed-strings");
        add(self.pattern.case == Case::Insensitive, "--ignore-case");
        add(self.pattern.case == Case::Smart, "--smart-case");
        add(self.pattern.word, "--word-regexp");
        add(self.pattern.line, "--line-regexp");
        add(self.pattern.multiline, "--multiline");
        add(self.pattern.multiline, "--multiline-dotall");
        // What the crate documents of `crlf`.
        let gains = self.pattern.line || (!self.pattern.literal && self.pattern.text.contains('$'));
        add(self.pattern.crlf && gains, "--crlf");
        add(self.mode == GrepMode::Files, "--files-with-matches");
        add(self.mode == GrepMode::FilesWithout, "--files-without-match");
        add(self.mode == GrepMode::Counts, "--count");
        add(self.only_matching, "--only-matching");
        add(self.invert, "--invert-match");
        add(self.text, "--text");
        for glob in &self.globs {
            arguments.extend(["--glob".to_owned(), glob.clone()]);
        }
        for name in &self.types {
            arguments.extend(["--type".to_owned(), name.clone()]);
        }
        if self.mode == GrepMode::Lines && !self.only_matching {
            arguments.push(format!("-B{}", self.context.0));
            arguments.push(format!("-A{}", self.context.1));
        }
        if let Some(most) = self.max_per_file {
            arguments.push(format!("-m{most}"));
        }
        arguments
    }
}

/// A generator of numbers that is the same everywhere (splitmix64).
#[derive(Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % end.max(1) as u64).unwrap()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// Words and file extensions of a tree.
struct Material {
    words: Vec<String>,
    extensions: Vec<String>,
    directories: Vec<String>,
}

fn material(root: &Path, numbers: &mut Numbers) -> Material {
    const FILES: usize = 60;
    let request = FindRequest::new(Scope::new(root, root), "**");
    let entries = find(&request, &Control::default()).unwrap().entries;
    let mut words = BTreeSet::new();
    let mut extensions = BTreeSet::new();
    let mut directories = BTreeSet::new();
    for entry in &entries {
        if let Some((_, extension)) = entry.path.rsplit_once('.')
            && extension
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric())
        {
            extensions.insert(extension.to_owned());
        }
        if let Some((directory, _)) = entry.path.split_once('/')
            && directory
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric())
        {
            directories.insert(directory.to_owned());
        }
    }
    for _ in 0..FILES.min(entries.len()) {
        let path = root.join(&numbers.pick(&entries).path);
        let Ok(content) = std::fs::read(path) else {
            continue;
        };
        let text = String::from_utf8_lossy(&content);
        let all: Vec<&str> = text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|word| (1..24).contains(&word.chars().count()) && !word.contains('\u{fffd}'))
            .collect();
        for _ in 0..20.min(all.len()) {
            words.insert((*numbers.pick(&all)).to_owned());
        }
    }
    words.insert("nothing_has_this_word".to_owned());
    Material {
        words: words.into_iter().collect(),
        extensions: extensions.into_iter().collect(),
        directories: directories.into_iter().collect(),
    }
}

/// `count` queries, the same for the same tree and seed.
pub(crate) fn made_up(root: &Path, count: usize, seed: u64) -> Vec<Query> {
    let mut numbers = Numbers::new(seed);
    let material = material(root, &mut numbers);
    (0..count).map(|_| query(&material, &mut numbers)).collect()
}

fn query(material: &Material, numbers: &mut Numbers) -> Query {
    let mut pattern = pattern(material, numbers);
    pattern.case = *numbers.pick(&[
        Case::Sensitive,
        Case::Sensitive,
        Case::Insensitive,
        Case::Smart,
    ]);
    pattern.word = numbers.one_in(8);
    pattern.line = numbers.one_in(20);
    let mode = *numbers.pick(&[
        GrepMode::Lines,
        GrepMode::Lines,
        GrepMode::Lines,
        GrepMode::Files,
        GrepMode::FilesWithout,
        GrepMode::Counts,
    ]);
    let only_matching = mode == GrepMode::Lines && numbers.one_in(6);
    let invert = !pattern.multiline && !only_matching && numbers.one_in(15);
    // `rg --json` panics with both: it takes the next match for one of these lines.
    let max_per_file = (!pattern.multiline && numbers.one_in(8)).then(|| 1 + numbers.below(4));
    let context = *numbers.pick(&[(0, 0), (0, 0), (2, 2), (0, 3), (1, 0)]);
    Query {
        mode,
        globs: globs(material, numbers),
        types: if numbers.one_in(10) {
            vec![(*numbers.pick(&["rust", "py", "md", "c", "txt", "all"])).to_owned()]
        } else {
            Vec::new()
        },
        // With both and context, how many lines `rg` gives depends on how it reads the file.
        context: if only_matching || (invert && max_per_file.is_some()) {
            (0, 0)
        } else {
            context
        },
        only_matching,
        invert,
        max_per_file,
        text: numbers.one_in(12),
        pattern,
    }
}

fn pattern(material: &Material, numbers: &mut Numbers) -> Pattern {
    let word = numbers.pick(&material.words).clone();
    let other = numbers.pick(&material.words).clone();
    let start: String = word.chars().take(3).collect();
    let text = match numbers.below(18) {
        0..=3 => word,
        4 => format!("{word}|{other}"),
        5 => format!(r"\b{start}\w+"),
        6 => format!(r"^\s*{word}"),
        7 => format!("{word}$"),
        8 => format!(r"{start}\w*\s*[=:(]"),
        9 => format!("{start}.{{0,20}}{other}"),
        10 => r"\d{3,}".to_owned(),
        11 => format!("[{start}]{{4}}"),
        12 => "^$".to_owned(),
        13 => format!("(?i){word}"),
        14 => r"\s+$".to_owned(),
        15 => {
            return Pattern {
                literal: true,
                ..Pattern::new(format!("{word}("))
            };
        }
        16 => {
            return Pattern {
                multiline: true,
                ..Pattern::new(format!(r"{word}[^\n]*\n[^\n]*{start}"))
            };
        }
        _ => {
            return Pattern {
                multiline: true,
                ..Pattern::new(format!(r"{start}\w*.{{0,40}}?{}", other))
            };
        }
    };
    Pattern::new(text)
}

fn globs(material: &Material, numbers: &mut Numbers) -> Vec<String> {
    if material.extensions.is_empty() || !numbers.one_in(3) {
        return Vec::new();
    }
    let extension = numbers.pick(&material.extensions).clone();
    let directory = material
        .directories
        .get(numbers.below(material.directories.len()));
    let directory = directory.map_or("src", String::as_str);
    match numbers.below(8) {
        0 | 1 => vec![format!("*.{extension}")],
        2 => vec![format!("!*.{extension}")],
        3 => vec![format!("{directory}/**")],
        4 => vec![format!("**/{directory}/**"), format!("!*.{extension}")],
        5 => vec![format!("!{directory}/")],
        6 => vec![format!("*.{{{extension},md}}")],
        _ => vec![format!("/{directory}/**/*.{extension}")],
    }
}
