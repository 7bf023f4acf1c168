//! The memory, in the words that models were trained on.

use tenon_tools::MemoryFact;

pub(crate) fn memory_text(fact: &MemoryFact) -> String {
    match fact {
        MemoryFact::Listed {
            path,
            bytes,
            entries,
        } => {
            let mut text = format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:\n{}\t{path}",
                size(*bytes)
            );
            for entry in entries {
                let end = if entry.is_directory { "/" } else { "" };
                text.push_str(&format!("\n{}\t{}{end}", size(entry.bytes), entry.path));
            }
            text
        }
        MemoryFact::Shown { path, lines, first } => format!(
            "Here's the content of {path} with line numbers:\n{}",
            numbered(lines, *first)
        ),
        MemoryFact::Created(path) => format!("File created successfully at: {path}"),
        MemoryFact::Replaced { lines, first, .. } => format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
            numbered(lines, *first)
        ),
        MemoryFact::Inserted(path) => format!("The file {path} has been edited."),
        MemoryFact::Deleted(path) => format!("Successfully deleted {path}"),
        MemoryFact::Renamed { from, to } => format!("Successfully renamed {from} to {to}"),
    }
}

/// Lines as `cat -n` numbers them.
fn numbered(lines: &[String], first: usize) -> String {
    let lines = lines.iter().zip(first..);
    let lines: Vec<String> = lines
        .map(|(line, number)| format!("{number:6}\t{line}"))
        .collect();
    lines.join("\n")
}

/// `0B`, `512B`, `1.5K`, `4K`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "K", "M", "G"];
    let mut unit = 0;
    let mut scale = 1_u64;
    while unit + 1 < UNITS.len() && bytes / scale >= 1024 {
        scale *= 1024;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if bytes.is_multiple_of(scale) {
        format!("{}{name}", bytes / scale)
    } else {
        let size = bytes as f64 / scale as f64;
        format!("{size:.1}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit_and_the_largest_unit_that_fits() {
        let sizes = [0, 1, 1023, 1024, 1536, 4096, 1_048_576, 5_000_000, 1 << 40];
        assert_eq!(
            sizes.map(size),
            [
                "0B", "1B", "1023B", "1K", "1.5K", "4K", "1M", "4.8M", "1024G"
            ]
        );
    }
}
