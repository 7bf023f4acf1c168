//! Real source text: that of crates that we depend on, or of all that this machine has, and some built-in
//! samples.

use std::path::{Path, PathBuf};

pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

const SAMPLES: &[(&str, &str)] = &[
    (
        "sample.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// run prints its arguments.\nfunc run(args []string) error {\n\tfor i, arg := range args {\n\t\tif arg == \"\" {\n\t\t\tcontinue\n\t\t}\n\t\tfmt.Println(i, arg)\n\t}\n\treturn nil\n}\n\nfunc main() {\n\tif err := run(os.Args[1:]); err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n\t\tos.Exit(1)\n\t}\n}\n",
    ),
    (
        "sample.py",
        "import sys\n\n\nclass Reader:\n    \"\"\"Reads lines.\"\"\"\n\n    def __init__(self, path):\n        self.path = path\n        self.lines = []\n\n    def read(self):\n        with open(self.path) as handle:\n            for line in handle:\n                if not line.strip():\n                    continue\n                self.lines.append(line.rstrip('\\n'))\n        return self.lines\n\n\nclass Writer:\n    \"\"\"Writes lines.\"\"\"\n\n    def __init__(self, path):\n        self.path = path\n        self.lines = []\n\n    def write(self, line):\n        self.lines.append(line)\n        return self.lines\n\n\nif __name__ == '__main__':\n    print(Reader(sys.argv[1]).read())\n",
    ),
    (
        "sample.ts",
        "export interface Options {\n  path: string;\n  limit?: number;\n}\n\nexport async function list(options: Options): Promise<string[]> {\n  const { path, limit = 100 } = options;\n  const names = await readdir(path);\n  const shown = names.filter((name) => !name.startsWith('.'));\n  if (shown.length > limit) {\n    return shown.slice(0, limit);\n  }\n  return shown;\n}\n\nexport async function count(options: Options): Promise<number> {\n  const names = await list(options);\n  return names.length;\n}\n",
    ),
    (
        "sample.md",
        "# A title – with a dash\n\nIt’s a “quoted” word, and it isn’t the only one…\nThe range is 3–5 km; see the café’s menu.\n\n- first item — long\n- second item\n  - nested “item”\n\nDon’t change this line, ‘please’.\nThe end isn’t near.\n",
    ),
    (
        "sample.html",
        "<ul class=\"menu\">\n  <li><a href=\"/a?x=1&amp;y=2\">One &lt; two</a></li>\n  <li><a href=\"/b\">Two</a></li>\n</ul>\n<script>\n  if (a < b && c > d) {\n    run(\"a\\n\", 'b');\n  }\n</script>\n",
    ),
    (
        "sample.c",
        "#include <stdio.h>\n\nint  count  =  0;\nstatic const char *names[] = {\n    \"one\",   /* first  */\n    \"two\",   /* second */\n    \"three\", /* third  */\n};\n\nint main(void)\n{\n    for (int i = 0; i < 3; i++) {\n        printf(\"%d\\t%s\\n\", i, names[i]);\n        count += i;\n    }\n    return count == 3 ? 0 : 1;\n}\n",
    ),
];

/// How many files are taken, and how long they may be.
const MAX_FILES: usize = 400;
const MAX_BYTES: u64 = 60_000;

pub(crate) fn load() -> Vec<Source> {
    let mut sources: Vec<Source> = SAMPLES
        .iter()
        .map(|(name, text)| Source {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    let mut files = Vec::new();
    for root in roots() {
        collect(&root, 0, &mut files);
    }
    files.sort();
    let step = files.len().div_ceil(MAX_FILES).max(1);
    for path in files.into_iter().step_by(step) {
        if let Ok(text) = std::fs::read_to_string(&path)
            && text.lines().count() > 5
        {
            let name = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            sources.push(Source { name, text });
        }
    }
    sources
}

/// Crates in several languages and hands, whose text changes with `Cargo.lock` alone: so every machine draws the
/// same cases, and a change of this repository draws no others.
const CRATES: &[&str] = &[
    "clap_builder",
    "grep-printer",
    "hyper",
    "ignore",
    "image",
    "libmimalloc-sys",
    "regex-syntax",
    "ring",
    "rmcp",
    "serde_json",
    "tree-sitter-json",
];

/// The sources of those crates; with `TENON_SPOILT_ALL` set, of this repository and of everything that cargo has
/// unpacked.
fn roots() -> Vec<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let registry = home.map(|home| home.join("registry").join("src"));
    if std::env::var_os("TENON_SPOILT_ALL").is_some() {
        let own = [
            "crates", "docs", "fixtures", "js", "scripts", "src", "xtask",
        ];
        let own = own.map(|directory| repository.join(directory));
        return own.into_iter().chain(registry).collect();
    }
    let lock = std::fs::read_to_string(repository.join("Cargo.lock")).unwrap_or_default();
    let sources = registry.and_then(|registry| std::fs::read_dir(registry).ok());
    let sources: Vec<PathBuf> = sources
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let unpacked = |name: &&str| {
        let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
        let unpacked = format!("{name}-{}", rest.split('"').next()?);
        sources
            .iter()
            .map(|source| source.join(&unpacked))
            .find(|path| path.is_dir())
    };
    CRATES.iter().filter_map(unpacked).collect()
}

fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() && depth < 7 {
            collect(&path, depth + 1, files);
        } else if kind.is_file()
            && is_source(&path)
            && entry.metadata().is_ok_and(|it| it.len() < MAX_BYTES)
        {
            files.push(path);
        }
    }
}

fn is_source(path: &Path) -> bool {
    let known = [
        "rs", "md", "toml", "c", "h", "py", "js", "json", "yml", "S", "sh", "html",
    ];
    path.extension()
        .and_then(|end| end.to_str())
        .is_some_and(|end| known.contains(&end))
}
