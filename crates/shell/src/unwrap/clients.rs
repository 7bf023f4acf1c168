//! Clients of databases and line editors, whose commands can run programs and name files: `sqlite3 x.db '.shell ls'`,
//! `psql -c '\! ls'`, `mysql -e 'system ls'`.

use super::Context;
use super::shells::{Given, given_input};
use crate::{Span, Word};

/// The first argument, or the input that the text gives, with such a command.
pub(super) fn find(base: &str, words: &[Word], context: Context<'_>) -> Option<Span> {
    let reaches: fn(&str) -> bool = match base {
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => sqlite,
        "psql" | "pgcli" => psql,
        "mysql" | "mariadb" | "mycli" => mysql,
        "ed" | "red" => ed,
        "dc" => |text| text.contains('!'),
        "mlr" => |text| text.contains("system(") || text.contains("exec("),
        _ => return None,
    };
    let scripts = base == "sqlite3"
        && words
            .first()
            .is_some_and(|word| matches!(word.literal(), Some("-init" | "--init")));
    if scripts {
        return words.first().map(|word| word.span);
    }
    let texts = words.iter().filter(|_| !matches!(base, "ed" | "red"));
    let found = texts
        .filter_map(|word| Some((word, word.literal()?)))
        .find(|(_, text)| reaches(text));
    let in_argument = found.map(|(word, _)| word.span);
    in_argument.or_else(|| match given_input(context) {
        Given::Text(text, span) => reaches(&text).then_some(span),
        Given::Unknown(_) | Given::Empty | Given::Nothing => None,
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

/// A line that is a command for a shell, or reads or writes what one gives.
fn ed(text: &str) -> bool {
    text.lines().any(|line| line.contains('!'))
}
