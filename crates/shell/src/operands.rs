//! Which operands of common programs are files, and what is done to them.
//!
//! Best effort: the table knows the everyday programs and takes an option that it does not know for a flag. It can
//! only add to what a rule sees, never take away. A folder stands for everything below it.

mod changes;
mod file;
mod table;

pub use file::{FileAccess, FileOperand, FileOperands, OperandWord};

use smallvec::SmallVec;

use crate::Word;
use crate::by_name::{ByName, by_names};
use table::{Role, Spec};

static BY_NAME: ByName<Spec> = ByName::new(|| {
    let specs = table::READERS.iter().chain(changes::CHANGERS);
    by_names(specs, |spec| spec.names)
});

/// The files that the arguments of a command name. Takes [`Invocation::plain_words`](crate::Invocation::plain_words).
///
/// ```
/// use tenon_shell::{Dialect, FileAccess, file_operands, invocation, read};
/// let script = read("sed -i s/a/b/ notes.txt", Dialect::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let files = file_operands(command.plain_words());
/// assert!(files.iter().any(|file| file.word.literal() == Some("notes.txt") && file.access == FileAccess::Write));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn file_operands(words: &[Word]) -> FileOperands<'_> {
    let Some((name, arguments)) = words.split_first() else {
        return FileOperands::new();
    };
    let Some(name) = name.literal().map(crate::unwrap::base_name) else {
        return FileOperands::new();
    };
    let mut files = match name {
        "dd" => key_values(arguments),
        "find" | "gfind" => find(arguments),
        "tar" | "gtar" | "bsdtar" => tar(arguments),
        "git" => git(arguments),
        _ => BY_NAME
            .find(name)
            .map_or_else(FileOperands::new, |spec| spec.files(arguments)),
    };
    files.retain(|file: &mut FileOperand<'_>| !matches!(file.word.literal(), Some("-" | "")));
    files
}

/// The file that `--output`, perhaps abbreviated, or `-o` names.
fn git(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        let (name, value) = text
            .split_once('=')
            .map_or((&*text, None), |(name, value)| (name, Some(value)));
        let output = name == "-o" || (name.len() > 5 && "--output".starts_with(name));
        match value {
            Some(value) if output && word.literal().is_some() => {
                files.push(FileOperand {
                    word: OperandWord::value(value, word),
                    access: FileAccess::Write,
                });
            }
            Some(_) if output => files.push(file(word, FileAccess::Write)),
            None if output => files.extend(words.next().map(|word| file(word, FileAccess::Write))),
            _ => {}
        }
    }
    files
}

fn file(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand {
        word: OperandWord::Argument(word),
        access,
    }
}

/// Arguments split by a lenient reading of options.
struct Lenient<'w> {
    options: Vec<(&'w str, Option<OperandWord<'w>>)>,
    operands: SmallVec<[&'w Word; 8]>,
}

impl Lenient<'_> {
    fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }
}

impl Spec {
    fn files<'w>(&self, arguments: &'w [Word]) -> FileOperands<'w> {
        let split = self.split(arguments);
        let mut files = FileOperands::new();
        for (name, value) in &split.options {
            let Some(word) = value else { continue };
            let mut add = |access| {
                files.push(FileOperand {
                    word: word.clone(),
                    access,
                });
            };
            if self.read_options.contains(name) {
                add(FileAccess::Read);
            }
            if self.write_options.contains(name) {
                add(FileAccess::Write);
            }
        }
        let leading = if split.has(self.without_leading) {
            0
        } else {
            self.leading
        };
        let operands = split.operands.get(leading..).unwrap_or_default();
        self.operands(operands, &split, &mut files);
        files
    }

    fn operands<'w>(
        &self,
        operands: &[&'w Word],
        split: &Lenient<'w>,
        files: &mut FileOperands<'w>,
    ) {
        let all = |files: &mut FileOperands<'w>, access: FileAccess| {
            files.extend(operands.iter().map(|word| file(word, access)));
        };
        match self.role {
            Role::Read => all(files, FileAccess::Read),
            Role::Write => all(files, FileAccess::Write),
            Role::Delete => all(files, FileAccess::Delete),
            Role::ReadWrite => {
                all(files, FileAccess::Read);
                all(files, FileAccess::Write);
            }
            Role::Replace => {
                all(files, FileAccess::Read);
                all(files, FileAccess::Write);
                all(files, FileAccess::Delete);
            }
            Role::InPlace => {
                all(files, FileAccess::Read);
                if split
                    .options
                    .iter()
                    .any(|(name, _)| matches!(*name, "i" | "in-place"))
                {
                    all(files, FileAccess::Write);
                }
            }
            Role::FirstReadThenWrite => {
                for (index, word) in operands.iter().enumerate() {
                    let access = if index == 0 {
                        FileAccess::Read
                    } else {
                        FileAccess::Write
                    };
                    files.push(file(word, access));
                }
            }
            Role::FirstWriteThenRead => {
                for (index, word) in operands.iter().enumerate() {
                    let access = if index == 0 {
                        FileAccess::Write
                    } else {
                        FileAccess::Read
                    };
                    files.push(file(word, access));
                }
            }
            Role::Copy { deletes } => copy(operands, split, deletes, files),
        }
    }

    fn split<'w>(&self, arguments: &'w [Word]) -> Lenient<'w> {
        let mut split = Lenient {
            options: Vec::new(),
            operands: SmallVec::new(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.literal() {
                Some("--") => break,
                Some(text) if text.starts_with("--") => {
                    let long = text.get(2..).unwrap_or_default();
                    let (name, value) = match long.split_once('=') {
                        Some((name, value)) => (name, Some(OperandWord::value(value, word))),
                        None if self.long_values.contains(&long) => {
                            (long, words.next().map(OperandWord::Argument))
                        }
                        None => (long, None),
                    };
                    split.options.push((name, value));
                }
                Some(text) if text.len() > 1 && text.starts_with('-') => {
                    let mut letters = text.get(1..).unwrap_or_default();
                    while let Some(letter) = letters.chars().next() {
                        let (name, attached) = letters.split_at(letter.len_utf8());
                        letters = attached;
                        if !self.values.contains(letter) {
                            split.options.push((name, None));
                            continue;
                        }
                        let value = match attached {
                            "" => words.next().map(OperandWord::Argument),
                            _ => Some(OperandWord::value(attached, word)),
                        };
                        split.options.push((name, value));
                        break;
                    }
                }
                _ => split.operands.push(word),
            }
        }
        split.operands.extend(words);
        split
    }
}

/// `cp`, `mv`, `ln`, `install`, `rsync`: the last operand is the target unless an option names it.
fn copy<'w>(
    operands: &[&'w Word],
    split: &Lenient<'w>,
    deletes: bool,
    files: &mut FileOperands<'w>,
) {
    let target_given = split.has(&["t", "target-directory"]);
    let (sources, target) = match operands.split_last() {
        Some((last, sources)) if !target_given && !sources.is_empty() => (sources, Some(last)),
        _ => (operands, None),
    };
    for source in sources {
        files.push(file(source, FileAccess::Read));
        if deletes || split.has(&["remove-source-files"]) {
            files.push(file(source, FileAccess::Delete));
        }
    }
    files.extend(target.map(|target| file(target, FileAccess::Write)));
    if split.has(&[
        "delete",
        "del",
        "delete-before",
        "delete-after",
        "delete-excluded",
        "delete-during",
    ]) {
        files.extend(target.map(|target| file(target, FileAccess::Delete)));
    }
}

/// `dd if=… of=…`
fn key_values(arguments: &[Word]) -> FileOperands<'_> {
    arguments
        .iter()
        .filter_map(|word| {
            let prefix = word.prefix();
            let (key, _) = prefix.split_once('=')?;
            let access = match key {
                "if" => FileAccess::Read,
                "of" => FileAccess::Write,
                _ => return None,
            };
            let value = word
                .literal()
                .and_then(|text| text.split_once('='))
                .map(|(_, value)| value);
            let word = match value {
                Some(value) => OperandWord::value(value, word),
                None => OperandWord::Argument(word),
            };
            Some(FileOperand { word, access })
        })
        .collect()
}

/// The roots of `find`, which `-delete` removes, and the files of `-fprint` and its relatives.
fn find(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let is_expression = |word: &Word| word.prefix().starts_with(['-', '(', '!', ')', ',']);
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next_if(|word| matches!(word.literal(), Some("-H" | "-L" | "-P")))
    {
        let _link_option = word;
    }
    let mut roots = Vec::new();
    while let Some(root) = words.next_if(|word| !is_expression(word)) {
        roots.push(root);
    }
    files.extend(roots.iter().map(|root| file(root, FileAccess::Read)));
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-delete") => {
                files.extend(roots.iter().map(|root| file(root, FileAccess::Delete)))
            }
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                files.extend(words.next().map(|target| file(target, FileAccess::Write)));
            }
            Some("-newer" | "-anewer" | "-cnewer" | "-samefile" | "-files0-from") => {
                files.extend(words.next().map(|target| file(target, FileAccess::Read)));
            }
            _ => {}
        }
    }
    files
}

/// `tar`, whose first word may be letters without a dash.
fn tar<'w>(arguments: &[Word]) -> FileOperands<'w> {
    let mut arguments = arguments.to_vec();
    if let Some(first) = arguments.first_mut()
        && let Some(text) = first.literal()
        && !text.starts_with('-')
    {
        *first = Word::synthetic(&format!("-{text}"), first.span);
    }
    let split = table::TAR.split(&arguments);
    let creates = split.has(&[
        "c",
        "r",
        "u",
        "A",
        "create",
        "append",
        "update",
        "concatenate",
        "delete",
    ]);
    let own = |word: &Word, access| FileOperand {
        word: OperandWord::Value(Box::new(word.clone())),
        access,
    };
    let mut files = FileOperands::new();
    for (name, value) in &split.options {
        let Some(value) = value else { continue };
        match *name {
            "f" | "file" if creates => files.push(own(value, FileAccess::Write)),
            "f" | "file" | "T" | "files-from" | "X" | "exclude-from" => {
                files.push(own(value, FileAccess::Read))
            }
            "C" | "directory" if creates => files.push(own(value, FileAccess::Read)),
            "C" | "directory" => files.push(own(value, FileAccess::Write)),
            _ => {}
        }
    }
    if creates {
        files.extend(
            split
                .operands
                .iter()
                .map(|word| own(word, FileAccess::Read)),
        );
        if split.has(&["remove-files"]) {
            files.extend(
                split
                    .operands
                    .iter()
                    .map(|word| own(word, FileAccess::Delete)),
            );
        }
    }
    files
}
