//! Clients of databases and line editors, whose commands can run programs and name files: `sqlite3 x.db '.shell ls'`,
//! `psql -c '\! ls'`, `mysql -e 'system ls'`.

use std::sync::LazyLock;

use hashbrown::HashMap;
use tenon_programs::words::clients::{CLIENTS, DUCKDB, EX_RUNNING, MYSQL_FILES, SQLITE_VALUES, YQ};

use super::invocation::Context;
use super::sed;
use super::shells::{Input, given_input};
use crate::operands::outputs_of_gnuplot;
use crate::span::Span;
use crate::statements::{has_words, readings, whole_readings};
use crate::word::{Part, Word};

/// A client, and how it takes its commands: a row of [`CLIENTS`].
struct Client {
    names: &'static str,
    /// Options by which it is given its commands, so that it takes none from its input.
    giving: &'static str,
    is: &'static str,
    /// Texts with which its commands run a program or use a file.
    marks: &'static str,
}

static BY_NAME: LazyLock<HashMap<&'static str, Client>> = LazyLock::new(|| {
    let clients = CLIENTS.iter().flat_map(|row| {
        let mut fields = row.split('|').map(str::trim);
        let [names, giving, is, marks] = [(); 4].map(|()| fields.next().unwrap_or_default());
        names.split(' ').map(move |name| {
            let client = Client {
                names,
                giving,
                is,
                marks,
            };
            (name, client)
        })
    });
    clients.collect()
});

/// Whether one of these words, with a blank between them, is in a text.
fn has(text: &str, words: &str) -> bool {
    words.split(' ').any(|word| text.contains(word))
}

impl Client {
    /// Whether the row says so of it.
    fn is(&self, word: &str) -> bool {
        self.is.split(' ').any(|own| own == word)
    }

    /// Whether a text for it has a command that runs a program or uses a file.
    fn acts(&self, text: &str) -> bool {
        match self.names.split(' ').next().unwrap_or_default() {
            "sqlite3" => sqlite(text),
            "duckdb" => duckdb(text),
            "clickhouse" => clickhouse(text),
            "yq" => !calls_are_literal(text, YQ),
            "psql" => psql(text),
            "mysql" => mysql(text),
            "ed" => ed(text),
            "ex" => ex(text),
            "ftp" | "lftp" | "sftp" | "smbclient" => transfer(text),
            "gnuplot" => gnuplot(text),
            "gpg-connect-agent" => agent(text),
            "sed" => sed::reaches_out(text),
            "mlr" => mlr(text),
            "mail" => mail(text),
            _ => self.is("any") || has(text, self.marks),
        }
    }

    /// The options by which it is given its commands.
    fn giving(&self) -> impl Iterator<Item = &'static str> {
        self.giving.split_whitespace()
    }

    /// The client that is called with these arguments, if it takes commands then.
    fn called(base: &str, arguments: &[Word]) -> Option<&'static Self> {
        let has = |text: &str| arguments.iter().any(|word| word.literal() == Some(text));
        BY_NAME.get(base).filter(|client| {
            (!client.is("console") || has("console")) && !(client.is("text_by_dash") && has("-"))
        })
    }
}

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

/// Whether such a text, as the input of this client, has a command that runs a program or uses a file.
#[must_use]
pub fn acts_as_input(base: &str, text: &str) -> bool {
    BY_NAME.get(base).is_some_and(|client| client.acts(text))
}

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
    let client = Client::called(base, arguments).filter(|client| !client.is("data"));
    let Some(client) = client else {
        return false;
    };
    let texts = || arguments.iter().map(Word::prefix);
    // What `sed` reads is data, unless an option says that its script stands there.
    if base == "sed" {
        return sed::scripts(arguments).any(|script| script.is_input());
    }
    // The input by its name.
    if texts().any(|text| is_input(&text)) {
        return true;
    }
    if texts().any(|text| client.giving().any(|option| text.starts_with(option))) {
        return false;
    }
    match base {
        _ if client.is("operand") => texts().all(|text| text.starts_with('-')),
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => {
            // A database, and statements.
            sqlite_operands(arguments).count() < 2
        }
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
pub(crate) fn is_input(name: &str) -> bool {
    matches!(name, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The first argument that gives such a client commands and cannot be determined.
fn unknown(base: &str, client: &Client, words: &[Word]) -> Option<Span> {
    let is_script = |word: &Word| {
        let mut parts = word.parts.iter();
        !client.is("files") && parts.any(|part| matches!(part, Part::ProcessSubstitution { .. }))
    };
    let mut operands = 0;
    for (place, word) in words.iter().enumerate() {
        let before = words.get(place.wrapping_sub(1)).and_then(Word::literal);
        let text = word.prefix();
        let is_option = text.starts_with('-');
        let is_value = before.is_some_and(|before| client.giving().any(|option| option == before));
        let is_joined = is_option && client.giving().any(|option| text.starts_with(option));
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
    let client = Client::called(base, words)?;
    let reaches = |text: &str| client.acts(text);
    let scripts = base == "sqlite3"
        && words
            .first()
            .is_some_and(|word| matches!(word.literal(), Some("-init" | "--init")));
    if scripts {
        return words.first().map(|word| word.span);
    }
    let texts = words.iter().filter(|_| !client.is("input"));
    let found = texts
        .filter_map(|word| Some((word, word.literal()?)))
        .find(|(_, text)| reaches(text) || joined(text).is_some_and(reaches));
    let in_argument = found.map(|(word, _)| word.span);
    let in_argument = in_argument.or_else(|| unknown(base, client, words));
    let reads_data = base == "sed" && !sed::scripts(words).any(|script| script.is_input());
    let given = || match reads_data {
        true => Input::Nothing,
        false => given_input(context),
    };
    in_argument.or_else(|| match given() {
        Input::Text(text, span) => reaches(&text).then_some(span),
        Input::Written(span) if !client.is("data") => Some(span),
        // Where any text acts, so does one that is not known.
        Input::Unknown(span) => reaches("").then_some(span),
        Input::Written(_) | Input::Empty | Input::Nothing => None,
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

/// A command of ed, or one of those of ex that run code.
fn ex(text: &str) -> bool {
    ed(text) || EX_RUNNING.iter().any(|mark| text.contains(mark))
}

/// A command of gnuplot that runs a program, or reads what one writes.
fn gnuplot(text: &str) -> bool {
    let runs = ["system", "popen", "\"<", "'<", "`", "\"|", "'|"];
    runs.iter().any(|mark| text.contains(mark))
        || text
            .split(['\n', ';'])
            .any(|line| line.trim_start().starts_with('!'))
        || outputs_of_gnuplot(text).is_open
}

/// The commands of such a client that only show something or say how, as the settings of its row.
fn harmless(client: &str) -> &'static [&'static str] {
    tenon_programs::find(client).map_or(&[], |client| client.settings)
}

/// A command of gpg-connect-agent itself, but for those that only say how it works: `/definqprog`, `/run`.
fn agent(text: &str) -> bool {
    let mut commands = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('/'));
    commands.any(|command| {
        let name = command.split_whitespace().next().unwrap_or_default();
        !harmless("gpg-connect-agent").contains(&name)
    })
}

/// A dot command that does more than to show something, or a function that loads code or uses files.
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
        // What `.import` reads may come from a program, in escapes, too.
        let from_program = "import".starts_with(name) && behind.contains(['|', '\\']);
        let shows = name.len() > 2
            && !from_program
            && harmless("sqlite3")
                .iter()
                .any(|known| known.starts_with(name));
        is_command && !shows
    };
    let called = ["load_extension", "writefile", "readfile", "edit(", "fsdir"];
    let statements: [&[&str]; 3] = [&["attach"], &["vacuum", "into"], &["install"]];
    let reaches = |reading: &String| {
        let lower = reading.to_ascii_lowercase();
        called.iter().any(|name| lower.contains(name))
            || statements.iter().any(|words| has_words(&lower, words))
    };
    text.lines().any(acts) || readings(text).iter().any(reaches)
}

/// Functions of ClickHouse that read or write the files which they are given.
const CLICKHOUSE: &[&str] = &["file("];

/// What DuckDB does as sqlite does, code that it loads, and files whose names it computes.
fn duckdb(text: &str) -> bool {
    let loads = |text: &str| {
        text.split([';', '\n']).any(|statement| {
            let statement = statement.trim_start().to_ascii_lowercase();
            ["load", "import"].iter().any(|name| {
                let behind = statement.strip_prefix(name);
                behind.is_some_and(|behind| {
                    let is_apart = |letter: char| letter.is_whitespace() || "'\"".contains(letter);
                    behind.starts_with(is_apart) && !behind.trim().is_empty()
                })
            })
        })
    };
    sqlite(text)
        || loads(text)
        || readings(text).iter().any(|reading| loads(reading))
        || computes_files(text, DUCKDB)
}

/// Programs that ClickHouse runs, and files whose names it computes.
fn clickhouse(text: &str) -> bool {
    let runs = |reading: &String| reading.to_ascii_lowercase().contains("executable(");
    readings(text).iter().any(runs) || computes_files(text, CLICKHOUSE)
}

/// Whether queries read files with these functions, or write some, whose names do not stand there.
fn computes_files(text: &str, functions: &[&str]) -> bool {
    let mut readings = whole_readings(text).map(|reading| reading.to_ascii_lowercase());
    readings.any(|reading| !calls_are_literal(&reading, functions))
        || crate::operands::outputs_of_queries(text).is_open
}

/// Whether each call of these functions begins with a text between quotes, or a list of such, and nothing that is computed.
fn calls_are_literal(text: &str, functions: &[&str]) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    functions.iter().all(|function| {
        text.match_indices(function).all(|(place, name)| {
            let before = text.get(..place).unwrap_or_default();
            let behind = text.get(place + name.len()..).unwrap_or_default();
            before.ends_with(is_name) || begins_with_texts(behind)
        })
    })
}

/// Whether arguments begin with a text between quotes, or a list of such in brackets, behind which the next one or the end stands.
fn begins_with_texts(arguments: &str) -> bool {
    let in_brackets = arguments.trim_start().strip_prefix('[');
    let mut rest = in_brackets.unwrap_or(arguments).trim_start();
    loop {
        let Some(quote) = rest
            .chars()
            .next()
            .filter(|sign| matches!(sign, '\'' | '"'))
        else {
            return false;
        };
        let Some((_, behind)) = rest.get(1..).and_then(|text| text.split_once(quote)) else {
            return false;
        };
        rest = behind.trim_start();
        match rest.chars().next() {
            Some(',') if in_brackets.is_some() => {
                rest = rest.get(1..).unwrap_or_default().trim_start()
            }
            Some(']') => return in_brackets.is_some(),
            Some(',' | ')') => return in_brackets.is_none(),
            _ => return false,
        }
    }
}

/// A command behind a backslash that does more than to show something, or a `COPY` from or to a program.
fn psql(text: &str) -> bool {
    let acts = text.split('\\').skip(1).any(|command| {
        let end = command.find(char::is_whitespace).unwrap_or(command.len());
        let (name, behind) = command.split_at(end);
        let describes = name.starts_with('d')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'+' || byte == b'S');
        let looks = describes || harmless("psql").contains(&name);
        let line = behind.lines().next().unwrap_or_default();
        let to_file = matches!(name, "g" | "gx") && !line.trim().is_empty();
        // `\g |program`, `\set x `program``
        !looks && !name.is_empty() || looks && (to_file || behind.contains(['|', '`']))
    });
    let pipes =
        text.trim_start().starts_with('|') || text.contains("=|") || text.starts_with("-o|");
    let lower = text.to_ascii_lowercase();
    acts || pipes
        || lower.contains("copy") && lower.contains("program")
        || reads_server_files(&lower)
        || loads_on_server(&lower)
}

/// Statements of PostgreSQL by which the server loads a library, or runs code of a language that is not confined.
fn loads_on_server(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_c = |word: &str| word.trim_matches(['\'', '"', ';']) == "c";
    let in_c = |pair: &[&str]| matches!(pair, ["language", name] if is_c(name));
    let begins = |statement: &str| statement.split_whitespace().next() == Some("load");
    has(text, "plperlu plpython2u plpython3u plpythonu plsh pltclu")
        || words.windows(2).any(in_c)
        || text.split(';').any(begins)
}

/// Functions of PostgreSQL by which the server reads and writes files of its own.
fn reads_server_files(text: &str) -> bool {
    has(
        text,
        "pg_read_file pg_read_binary_file lo_import lo_export pg_ls_dir",
    )
}

/// A command of the client of MySQL that runs a program or uses a file.
fn mysql(text: &str) -> bool {
    const NAMES: &[&str] = &["system", "source", "pager", "tee", "edit"];
    let acts = text.split([';', '\n']).any(|statement| {
        let statement = statement.trim_start();
        let name = statement.split_whitespace().next().unwrap_or_default();
        // A name by itself is a value, as of `-D`.
        NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
            && statement.contains(char::is_whitespace)
    });
    let escapes = ["\\!", "\\.", "\\P", "\\T", "\\e"];
    let uses_files = |reading: &String| {
        let lower = reading.to_ascii_lowercase();
        MYSQL_FILES.iter().any(|name| lower.contains(name))
    };
    acts || escapes.iter().any(|escape| text.contains(escape))
        || readings(text).iter().any(uses_files)
}
