//! Programs of systems and documents of which some subcommands and operands run something: `systemctl link ./x.service`,
//! `ip netns exec`, `pandoc --pdf-engine=./x`.

use crate::span::Span;
use crate::word::Word;

/// What runs a program, or makes the system run one.
pub(super) fn find(base: &str, words: &[Word]) -> Option<Span> {
    match base {
        "systemctl" => systemctl(words),
        "service" | "invoke-rc.d" | "update-rc.d" | "rc-service" | "rc-update" | "chkconfig"
        | "initctl" | "a2enmod" | "a2ensite" | "a2enconf" => {
            words.iter().find(is_path).map(|word| word.span)
        }
        "redis-server" => settings_first(words),
        "psql" => {
            // What prompts say between these signs is run: `-v 'PROMPT1=%`id`'`.
            let prompt = |word: &&Word| word.prefix().contains("%`");
            words.iter().find(prompt).map(|word| word.span)
        }
        // In the place of a file, the output of a command.
        "ed" => {
            let from_command = |word: &&Word| word.prefix().starts_with('!');
            words.iter().find(from_command).map(|word| word.span)
        }
        "ip" => ip(words),
        "helm" => plugin(words),
        "consul" => runs_command(words),
        "protoc" => protoc(words),
        "sox" | "play" | "rec" => {
            let from_program = |word: &&Word| word.prefix().starts_with('|');
            words.iter().find(from_program).map(|word| word.span)
        }
        "pandoc" => pandoc(words),
        "docker" => container(words),
        "ansible" | "ansible-playbook" | "ansible-inventory" | "ansible-pull" => ansible(words),
        "az" => az(words),
        "ffmpeg" | "ffprobe" | "ffplay" => media(words),
        "gs" | "ps2pdf" | "ps2ascii" | "eps2eps" | "pdf2ps" => ghostscript(words),
        "mongosh" | "mongo" => scripts(words),
        "rclone" => remotes(words),
        "exiftool" => expressions(words),
        "convert" | "magick" | "mogrify" | "identify" | "composite" | "montage" | "import" => {
            image(words)
        }
        _ => None,
    }
}

/// A file of settings, which can name modules to load, in the place of the first argument.
fn settings_first(words: &[Word]) -> Option<Span> {
    let first = words.first()?;
    (!first.prefix().starts_with('-') || first.literal() == Some("-")).then_some(first.span)
}

/// Subcommands that change what a service runs, and units by their paths.
fn systemctl(words: &[Word]) -> Option<Span> {
    let changes = |word: &&Word| {
        matches!(
            word.literal(),
            Some("edit" | "link" | "set-environment" | "import-environment" | "set-property")
        )
    };
    let found = words.iter().find(changes);
    found
        .or_else(|| words.iter().find(is_path))
        .map(|word| word.span)
}

/// Whether it is a path in the place of a name, which is looked for below a directory of the system: `service ../../tmp/x`.
fn is_path(word: &&Word) -> bool {
    let text = word.prefix();
    !text.starts_with('-') && text.contains('/')
}

/// `ip netns exec NAME COMMAND`, `ip vrf exec`, and files of further commands.
fn ip(words: &[Word]) -> Option<Span> {
    let mut plain = words.iter().filter(|word| !word.prefix().starts_with('-'));
    let object = plain.next()?.prefix();
    let runs = "netns".starts_with(&*object) || "vrf".starts_with(&*object);
    let action = plain.next().filter(|_| runs && !object.is_empty())?;
    let text = action.prefix();
    let is_exec = text.starts_with('e') && "exec".starts_with(&*text) || action.is_opaque();
    is_exec.then_some(action.span)
}

fn plugin(words: &[Word]) -> Option<Span> {
    let mut names = words.iter().map(Word::literal);
    let changes = names.next() == Some(Some("plugin"))
        && matches!(
            names.next(),
            Some(Some("install" | "update" | "add" | "up"))
        );
    changes
        .then(|| words.first().map(|word| word.span))
        .flatten()
}

/// Subcommands that run what stands behind them.
fn runs_command(words: &[Word]) -> Option<Span> {
    let first = words.first()?;
    let runs = matches!(
        first.literal(),
        Some("exec" | "exec-env" | "exec-file" | "lock" | "watch")
    );
    runs.then_some(first.span)
}

/// Another program that makes the code, but for those of packages.
fn protoc(words: &[Word]) -> Option<Span> {
    let runs = |word: &&Word| {
        let text = word.prefix();
        let program = text.strip_prefix("--plugin=").unwrap_or_default();
        program.contains('/') && !program.contains("node_modules/.bin/")
    };
    words.iter().find(runs).map(|word| word.span)
}

/// Another program that makes the pages, options for it that let it run others, and readers and writers of its own.
fn pandoc(words: &[Word]) -> Option<Span> {
    let runs = |(place, word): &(usize, &Word)| {
        let text = word.prefix();
        let next = words.get(place + 1).map(Word::prefix);
        let value = |names: &[&str]| {
            let given = names.iter().find_map(|name| text.strip_prefix(*name));
            match given {
                Some("") => next.as_deref().map(str::to_owned),
                Some(value) => Some(value.trim_start_matches('=').to_owned()),
                None => None,
            }
        };
        let engine = value(&["--pdf-engine"]).filter(|_| !text.starts_with("--pdf-engine-opt"));
        let custom = value(&[
            "--to", "--from", "--read", "--write", "-t", "-f", "-r", "-w",
        ]);
        engine.is_some_and(|engine| engine.contains('/') && !is_of_system(&engine))
            || custom.is_some_and(|format| format.contains(".lua"))
            || text.contains("shell-escape")
    };
    words
        .iter()
        .enumerate()
        .find(runs)
        .map(|(_, word)| word.span)
}

pub(super) fn is_of_system(path: &str) -> bool {
    let directories = ["/usr/bin/", "/usr/local/bin/", "/opt/", "/Library/TeX/"];
    directories
        .iter()
        .any(|directory| path.starts_with(directory))
        && !path.contains("..")
}

/// Programs of the machine that start a container.
fn container(words: &[Word]) -> Option<Span> {
    let names = [
        "--runtime",
        "--hooks-dir",
        "--init-path",
        "--conmon",
        "--network-cmd-path",
    ];
    let own = words.iter().enumerate().find(|(place, word)| {
        let text = word.prefix();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (
                &*text,
                words.get(place + 1).map(|next| next.prefix().into_owned()),
            ),
        };
        let is_path = || value.is_some_and(|value| value.contains('/') || name == "--hooks-dir");
        names.contains(&name) && is_path()
    });
    own.map(|(_, word)| word.span)
}

/// Inventories and passwords that a script writes, modules from elsewhere, and options for ssh.
fn ansible(words: &[Word]) -> Option<Span> {
    let acts = |word: &&Word| {
        let text = word.prefix();
        let of_ssh = text.contains("-args") && text.starts_with("--s") || text.contains("_args=");
        let is_script = [".sh", ".py", ".pl", ".rb"]
            .iter()
            .any(|end| text.ends_with(end));
        of_ssh || is_script || text.starts_with("-M") || text.starts_with("--module-path")
    };
    words.iter().find(acts).map(|word| word.span)
}

/// Extensions of another source than that of the vendor.
fn az(words: &[Word]) -> Option<Span> {
    let extends = words.first().and_then(Word::literal) == Some("extension");
    let is_source =
        |word: &&Word| word.prefix().starts_with("--so") || word.prefix().starts_with("-s");
    words
        .iter()
        .find(is_source)
        .filter(|_| extends)
        .map(|word| word.span)
}

/// Filters that load a library, and attachments, which are written under the names that the input gives them.
fn media(words: &[Word]) -> Option<Span> {
    let acts = |word: &&Word| {
        let text = word.prefix();
        let loads = ["ladspa", "frei0r", "lv2=", "libtorch"];
        loads.iter().any(|filter| text.contains(filter)) || text.starts_with("-dump_attachment")
    };
    words.iter().find(acts).map(|word| word.span)
}

/// An output that is the input of a program, which no safe mode forbids.
fn ghostscript(words: &[Word]) -> Option<Span> {
    let pipes = |word: &&Word| {
        let text = word.prefix();
        text.contains("%pipe%")
            || text.contains("=|")
            || text.starts_with(['|'])
            || text.starts_with("-o|")
    };
    words.iter().find(pipes).map(|word| word.span)
}

/// A remote whose settings name a program, in the words of the command or of `rclone config`: `:sftp,ssh=./x:`, `ssh=./x`.
fn remotes(words: &[Word]) -> Option<Span> {
    let runs = |name: &str| name == "ssh" || name.ends_with("command");
    let configures = words.first().and_then(Word::literal) == Some("config");
    let acts = |word: &&Word| {
        let text = word.prefix();
        let mut settings = text.split([',', ':', '"', '\'']);
        let of_setting = |setting: &str| match setting.split_once('=') {
            Some((name, _)) => runs(name.trim_start_matches('-')),
            None => configures && runs(setting),
        };
        !text.starts_with('-') && settings.any(of_setting)
    };
    words.iter().find(acts).map(|word| word.span)
}

/// Code in Perl within the braces of a tag, and in a filter: `${filename;system "x"}`, `-api Filter=…`.
fn expressions(words: &[Word]) -> Option<Span> {
    let is_code = |word: &&Word| {
        let text = word.prefix();
        let in_braces = text.split("${").skip(1);
        let lower = text.to_ascii_lowercase();
        { in_braces }.any(|expression| expression.contains(';'))
            || lower.trim_start_matches("-api").starts_with("filter=")
    };
    words.iter().find(is_code).map(|word| word.span)
}

/// Files of code among the addresses of databases.
fn scripts(words: &[Word]) -> Option<Span> {
    let is_script = |word: &&Word| {
        let text = word.prefix();
        [".js", ".mjs", ".cjs", ".mongodb"]
            .iter()
            .any(|end| text.ends_with(end))
    };
    words.iter().find(is_script).map(|word| word.span)
}

/// Images that are the output of a program, or a script of their own.
fn image(words: &[Word]) -> Option<Span> {
    let acts = |word: &&Word| {
        let text = word.prefix();
        let (_, name) = text.split_once(':').unwrap_or_default();
        text.starts_with(['|', '@']) && text.len() > 1
            || name.starts_with('|')
            || ["msl:", "ephemeral:", "MSL:", "EPHEMERAL:"]
                .iter()
                .any(|mark| text.starts_with(mark))
    };
    words.iter().find(acts).map(|word| word.span)
}
