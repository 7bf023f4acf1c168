//! Clients of databases and line editors, whose commands can run programs and name files: `sqlite3 x.db '.shell ls'`,
//! `psql -c '\! ls'`, `mysql -e 'system ls'`.

use super::invocation::Context;
use super::sed;
use super::shells::{Input, given_input};
use crate::operands::outputs_of_gnuplot;
use crate::span::Span;
use crate::word::{Part, Word};

/// What decides whether a text for this client has a command that runs a program or uses a file.
fn test_of(base: &str) -> Option<fn(&str) -> bool> {
    Some(match base {
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => sqlite,
        "psql" | "pgcli" | "usql" => psql,
        "mongosh" | "mongo" => |text| MONGO.iter().any(|mark| text.contains(mark)),
        "mysql" | "mariadb" | "mycli" => mysql,
        "ed" | "red" => ed,
        "ex" => |text| ed(text) || EX.iter().any(|mark| text.contains(mark)),
        "ftp" | "lftp" | "sftp" | "smbclient" => transfer,
        "dc" => |text| text.contains('!'),
        "gnuplot" => gnuplot,
        "gpg-connect-agent" => agent,
        "luatex" | "lualatex" => |text| text.contains("directlua") || text.contains("latelua"),
        "m4" => |text| text.contains("syscmd") || text.contains("include"),
        "sed" => super::sed::reaches_out,
        "mlr" => mlr,
        "mail" | "mailx" | "s-nail" => mail,
        "terraform" | "tofu" | "packer" => |text| TERRAFORM.iter().any(|mark| text.contains(mark)),
        _ => return None,
    })
}

/// Clients whose input is data, which has commands in it only where the text shows them.
const OF_DATA: &[&str] = &["mlr", "mail", "mailx", "s-nail"];

/// An escape that runs a program, or reads or writes a file.
fn mail(text: &str) -> bool {
    text.lines().any(|line| {
        let letter = line.strip_prefix('~').and_then(|rest| rest.chars().next());
        letter.is_some_and(|letter| "!|<@:_aAdeErRvw".contains(letter))
    })
}

/// Functions that run something, and output of a statement to a program or a file: `print | "x"`, `dump > "x"`.
fn mlr(text: &str) -> bool {
    let outputs = [
        "print", "printn", "dump", "emit", "emit1", "emitp", "emitf", "tee",
    ];
    let prints = || {
        let mut words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        words.any(|word| outputs.contains(&word))
    };
    text.contains("system(") || text.contains("exec(") || text.contains(['|', '>']) && prints()
}

/// What is in the names of functions of Terraform and Packer that read files.
const TERRAFORM: &[&str] = &["file", "template"];

/// Programs that take commands only by a subcommand, from their input and not from their arguments.
const BY_SUBCOMMAND: &[(&[&str], &str)] = &[(&["terraform", "tofu", "packer"], "console")];

/// Whether the program takes commands, if it does so only by a subcommand.
fn is_called(base: &str, arguments: &[Word]) -> bool {
    let mut rows = BY_SUBCOMMAND.iter();
    let row = rows.find(|(names, _)| names.contains(&base));
    let gives = |subcommand: &str| {
        let mut words = arguments.iter().map(Word::literal);
        words.any(|word| word == Some(subcommand))
    };
    row.is_none_or(|(_, subcommand)| gives(subcommand))
}

/// What in a text for the shell of MongoDB, which is Node, reaches out of it.
const MONGO: &[&str] = &[
    "require", "process", "load(", "import", "fs.", "run(", "eval(", "Function",
];

/// Whether such a text, as the input of this client, has a command that runs a program or uses a file.
#[must_use]
pub fn acts_as_input(base: &str, text: &str) -> bool {
    test_of(base).is_some_and(|acts| acts(text))
}

/// Options by which a client is given its commands, so that it takes none from its input.
const GIVING: &[(&[&str], &[&str])] = &[
    (
        &["psql", "pgcli", "usql"],
        &["-c", "-f", "-l", "--command", "--file", "--list"],
    ),
    (&["mysql", "mariadb", "mycli"], &["-e", "--execute"]),
    (&["mongosh", "mongo"], &["--eval"]),
    (&["dc"], &["-e", "-f", "--expression", "--file"]),
    (&["sqlite3", "sqlite", "litecli"], &["-cmd"]),
    (&["duckdb"], &["-c", "-s", "-f"]),
    (&["gnuplot"], &["-e"]),
    (&["lftp"], &["-c", "-e", "-f"]),
    (&["sftp"], &["-b"]),
];

/// Options of sqlite3 and its like with a value.
const SQLITE_VALUES: &[&str] = &[
    "-cmd",
    "-init",
    "-separator",
    "-newline",
    "-nullvalue",
    "-escape",
    "-heap",
    "-lookaside",
    "-maxsize",
    "-mmap",
    "-pagecache",
    "-vfs",
];

/// Whether a program with these words takes commands of its own from its input. Takes
/// [`Invocation::normalized_words`](crate::Invocation::normalized_words).
#[must_use]
pub fn reads_commands(words: &[Word]) -> bool {
    let Some((name, arguments)) = words.split_first() else {
        return false;
    };
    let base = name
        .literal()
        .map(super::program_name::name_of_program)
        .unwrap_or_default();
    if test_of(base).is_none() || OF_DATA.contains(&base) || !is_called(base, arguments) {
        return false;
    }
    let texts = || arguments.iter().map(Word::prefix);
    // What `sed` reads is data, unless an option says that its script stands there.
    if base == "sed" {
        return sed::scripts(arguments).any(|script| script.is_input());
    }
    // The input by its name.
    if texts().any(|text| is_input(&text)) {
        return true;
    }
    let giving = GIVING.iter().find(|(names, _)| names.contains(&base));
    let gives = |(_, options): &(&[&str], &[&str])| {
        texts().any(|text| options.iter().any(|option| text.starts_with(option)))
    };
    if giving.is_some_and(gives) {
        return false;
    }
    match base {
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => {
            // A database, and statements.
            sqlite_operands(arguments).count() < 2
        }
        // A file is read in place of the input.
        "m4" | "gnuplot" | "dc" => texts().all(|text| text.starts_with('-')),
        "gpg-connect-agent" => texts().all(|text| text != "/bye"),
        _ => true,
    }
}

/// The operands of sqlite3 and its like: a database, and statements.
pub(crate) fn sqlite_operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let mut words = arguments.iter();
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            let text = word.prefix();
            let option = text.replacen("--", "-", 1);
            if SQLITE_VALUES.contains(&option.as_str()) {
                words.next();
            } else if !text.starts_with('-') {
                return Some(word);
            }
        }
    })
}

/// Names of the input.
pub(super) fn is_input(name: &str) -> bool {
    matches!(name, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Clients whose operands are files or data, whatever gives them.
const OF_FILES: &[&str] = &["ed", "red", "ex", "mlr", "sed"];

/// The first argument that gives such a client commands and cannot be determined.
fn unknown(base: &str, words: &[Word]) -> Option<Span> {
    let options = GIVING.iter().find(|(names, _)| names.contains(&base));
    let options = options.map_or(&[][..], |(_, options)| options);
    let is_script = |word: &Word| {
        let mut parts = word.parts.iter();
        !OF_FILES.contains(&base)
            && parts.any(|part| matches!(part, Part::ProcessSubstitution { .. }))
    };
    let mut operands = 0;
    for (place, word) in words.iter().enumerate() {
        let before = words.get(place.wrapping_sub(1)).and_then(Word::literal);
        let text = word.prefix();
        let is_option = text.starts_with('-');
        let is_value = before.is_some_and(|before| options.contains(&before));
        let is_joined = is_option && {
            let mut options = options.iter();
            options.any(|option| text.starts_with(option))
        };
        operands += usize::from(!is_option && !is_value);
        // Behind the database stand statements.
        let is_statement = match base {
            "sqlite3" | "sqlite" | "litecli" => operands > 1,
            "mlr" => is_expression(words.get(..place).unwrap_or_default()),
            _ => false,
        };
        let gives = is_value || is_joined || is_statement || is_script(word);
        if gives && word.is_opaque() {
            return Some(word.span);
        }
    }
    None
}

/// Whether an expression stands behind these words of `mlr`.
fn is_expression(before: &[Word]) -> bool {
    let texts = before.iter().rev().map(Word::literal);
    let mut texts = texts.skip_while(|text| text.is_some_and(|text| text.starts_with('-')));
    matches!(texts.next().flatten(), Some("put" | "filter"))
}

/// The first argument, or the input that the text gives, with such a command.
pub(super) fn find(base: &str, words: &[Word], context: Context<'_>) -> Option<Span> {
    let reaches = test_of(base).filter(|_| is_called(base, words))?;
    let scripts = base == "sqlite3"
        && words
            .first()
            .is_some_and(|word| matches!(word.literal(), Some("-init" | "--init")));
    if scripts {
        return words.first().map(|word| word.span);
    }
    let editor = matches!(
        base,
        "ed" | "red"
            | "ex"
            | "ftp"
            | "lftp"
            | "sftp"
            | "sed"
            | "terraform"
            | "tofu"
            | "packer"
            | "mail"
            | "mailx"
            | "s-nail"
    );
    let texts = words.iter().filter(|_| !editor);
    let found = texts
        .filter_map(|word| Some((word, word.literal()?)))
        .find(|(_, text)| reaches(text) || joined(text).is_some_and(reaches));
    let in_argument = found.map(|(word, _)| word.span);
    let in_argument = in_argument.or_else(|| unknown(base, words));
    let reads_data = base == "sed" && !sed::scripts(words).any(|script| script.is_input());
    let given = || match reads_data {
        true => Input::Nothing,
        false => given_input(context),
    };
    in_argument.or_else(|| match given() {
        Input::Text(text, span) => reaches(&text).then_some(span),
        Input::Written(span) if !OF_DATA.contains(&base) => Some(span),
        Input::Written(_) | Input::Unknown(_) | Input::Empty | Input::Nothing => None,
    })
}

/// The value of an option in the same word: `--execute=…`, `-e…`.
fn joined(text: &str) -> Option<&str> {
    match text.strip_prefix("--") {
        Some(long) => long.split_once('=').map(|(_, value)| value),
        None => text.strip_prefix('-')?.get(1..),
    }
}

/// A line that is a command for a shell, or reads or writes the file that it names.
fn ed(text: &str) -> bool {
    let is_address = |letter: char| letter.is_ascii_digit() || ":,;.$%+-".contains(letter);
    text.lines().any(|line| {
        let command = line.trim_start_matches(is_address);
        let (name, file) = command.split_once(' ').unwrap_or_default();
        let names_file = matches!(name, "w" | "W" | "wq" | "r" | "e" | "E" | "f");
        line.contains('!') || names_file && !file.trim().is_empty()
    })
}

/// A command of a client for files that runs a program here, or sends or brings files.
fn transfer(text: &str) -> bool {
    let moves = |line: &str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        let names = [
            "put", "mput", "get", "mget", "reput", "reget", "mirror", "lcd", "send", "recv",
        ];
        names.contains(&name)
    };
    text.contains('!') || text.split(['\n', ';']).any(moves)
}

/// What commands of ex hold that run code.
const EX: &[&str] = &[
    "system", "call", "exec", "so ", "source", "lua", "py", "perl", "ruby", "tcl", "write ",
    "read ", "sav", "edit ",
];

/// A command of gnuplot that runs a program, or reads what one writes.
fn gnuplot(text: &str) -> bool {
    let runs = ["system", "popen", "\"<", "'<", "`", "\"|", "'|"];
    runs.iter().any(|mark| text.contains(mark))
        || text
            .split(['\n', ';'])
            .any(|line| line.trim_start().starts_with('!'))
        || outputs_of_gnuplot(text).is_open
}

/// A command of gpg-connect-agent itself, but for those that only say how it works: `/definqprog`, `/run`.
fn agent(text: &str) -> bool {
    const SAYING: &[&str] = &[
        "bye",
        "decode",
        "echo",
        "hello",
        "help",
        "hex",
        "nodecode",
        "nohex",
        "serverpid",
        "sleep",
    ];
    let mut commands = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('/'));
    commands.any(|command| {
        let name = command.split_whitespace().next().unwrap_or_default();
        !SAYING.contains(&name)
    })
}

/// Commands of sqlite3 that only show something or say how.
const SHOWING: &[&str] = &[
    "bail",
    "binary",
    "changes",
    "databases",
    "dbinfo",
    "dump",
    "echo",
    "eqp",
    "exit",
    "expert",
    "explain",
    "fullschema",
    "headers",
    "help",
    "indexes",
    "indices",
    "limit",
    "lint",
    "mode",
    "nullvalue",
    "print",
    "prompt",
    "quit",
    "schema",
    "separator",
    "sha3sum",
    "show",
    "stats",
    "tables",
    "timeout",
    "timer",
    "vfsinfo",
    "vfslist",
    "vfsname",
    "width",
];

/// A dot command that is not one of those, or a function that loads code or uses files.
fn sqlite(text: &str) -> bool {
    let acts = |line: &str| {
        let Some(command) = line.trim_start().strip_prefix('.') else {
            return false;
        };
        let end = command.find(|letter: char| !letter.is_ascii_alphanumeric());
        let (name, behind) = command.split_at(end.unwrap_or(command.len()));
        // `.env` and `./x.db` are names of files, as far as arguments go.
        let is_command =
            !name.is_empty() && (behind.is_empty() || behind.starts_with([' ', '\t', '"', '\'']));
        let shows = name.len() > 2 && SHOWING.iter().any(|known| known.starts_with(name));
        is_command && !shows
    };
    let lower = text.to_ascii_lowercase();
    let called = [
        "load_extension",
        "writefile",
        "readfile",
        "edit(",
        "fsdir",
        "attach ",
        "vacuum into",
        "install ",
    ];
    text.lines().any(acts) || called.iter().any(|name| lower.contains(name))
}

/// Commands of psql, without their backslash, that only show something or say how.
const LOOKING: &[&str] = &[
    "?",
    "h",
    "help",
    "q",
    "x",
    "a",
    "t",
    "H",
    "l",
    "l+",
    "z",
    "timing",
    "pset",
    "conninfo",
    "echo",
    "encoding",
    "sf",
    "sf+",
    "sv",
    "sv+",
    "errverbose",
    "gset",
    "gx",
    "g",
    "set",
    "unset",
    "if",
    "else",
    "endif",
    "c",
    "connect",
    "prompt",
    "crosstabview",
    "watch",
    "r",
    "p",
];

/// A command behind a backslash that is not one of those, or a `COPY` from or to a program.
fn psql(text: &str) -> bool {
    let acts = text.split('\\').skip(1).any(|command| {
        let end = command.find(char::is_whitespace).unwrap_or(command.len());
        let (name, behind) = command.split_at(end);
        let describes = name.starts_with('d')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'+' || byte == b'S');
        let looks = describes || LOOKING.contains(&name);
        // `\g |program`, `\set x `program``
        !looks && !name.is_empty() || looks && behind.contains(['|', '`'])
    });
    let pipes =
        text.trim_start().starts_with('|') || text.contains("=|") || text.starts_with("-o|");
    let lower = text.to_ascii_lowercase();
    acts || pipes
        || lower.contains("copy") && lower.contains("program")
        || reads_server_files(&lower)
}

/// Functions of PostgreSQL by which the server reads and writes files of its own.
fn reads_server_files(text: &str) -> bool {
    [
        "pg_read_file",
        "pg_read_binary_file",
        "lo_import",
        "lo_export",
        "pg_ls_dir",
    ]
    .iter()
    .any(|name| text.contains(name))
}

/// A command of the client of MySQL that runs a program or uses a file.
fn mysql(text: &str) -> bool {
    const NAMES: &[&str] = &["system", "source", "pager", "tee", "edit"];
    let acts = text.split([';', '\n']).any(|statement| {
        let statement = statement.trim_start();
        let name = statement.split_whitespace().next().unwrap_or_default();
        // A name by itself is a value, as of `-D`.
        NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) && statement.contains(' ')
    });
    let escapes = ["\\!", "\\.", "\\P", "\\T", "\\e"];
    let lower = text.to_ascii_lowercase();
    let files = [
        "into outfile",
        "into dumpfile",
        "load_file",
        "load data",
        "sys_exec",
    ];
    acts || escapes.iter().any(|escape| text.contains(escape))
        || files.iter().any(|name| lower.contains(name))
}
