//! What `git status --porcelain=v2 --branch -z` writes (git-status(1), "Porcelain Format Version 2").

/// The answer of git.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Nothing when no branch is checked out.
    pub(super) branch: Option<String>,
    pub(super) upstream: Option<String>,
    pub(super) ahead: u64,
    pub(super) behind: u64,
    /// Paths relative to the repository, with `/`, by their bytes: names need not be Unicode.
    pub(super) entries: Vec<(Vec<u8>, Entry)>,
}

/// How one path stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Tracked and changed: the letters of git for the index and for the working tree, `.` for none.
    Changed { staged: u8, unstaged: u8 },
    /// In conflict after a merge.
    Conflicted,
    /// Not known to git.
    Untracked,
}

/// Reads the report. What is not understood is passed over, as the format asks for.
pub(super) fn parse(bytes: &[u8]) -> Report {
    let mut report = Report::default();
    let mut records = bytes
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        let [kind, b' ', rest @ ..] = record else {
            continue;
        };
        match kind {
            b'#' => header(&String::from_utf8_lossy(rest), &mut report),
            b'?' => report.entries.push((rest.to_owned(), Entry::Untracked)),
            // The fields before the path: XY sub mH mI mW hH hI.
            b'1' => report.entries.extend(changed(rest, 7)),
            b'2' => {
                // One more field, the similarity; and the old path in a record of its own.
                report.entries.extend(changed(rest, 8));
                records.next();
            }
            // XY sub m1 m2 m3 mW h1 h2 h3.
            b'u' => report
                .entries
                .extend(path_after(rest, 9).map(|path| (path.to_owned(), Entry::Conflicted))),
            _ => {}
        }
    }
    report
}

fn header(rest: &str, report: &mut Report) {
    let Some((name, value)) = rest.split_once(' ') else {
        return;
    };
    match name {
        "branch.head" => report.branch = (value != "(detached)").then(|| value.to_owned()),
        "branch.upstream" => report.upstream = Some(value.to_owned()),
        "branch.ab" => {
            let count = |sign: char| {
                let mut counts = value.split(' ');
                counts.find_map(|count| count.strip_prefix(sign)?.parse().ok())
            };
            report.ahead = count('+').unwrap_or(0);
            report.behind = count('-').unwrap_or(0);
        }
        _ => {}
    }
}

fn changed(rest: &[u8], fields: usize) -> Option<(Vec<u8>, Entry)> {
    let [staged, unstaged, ..] = *rest else {
        return None;
    };
    let path = path_after(rest, fields)?;
    Some((path.to_owned(), Entry::Changed { staged, unstaged }))
}

/// What follows so many fields, spaces of its own included.
fn path_after(rest: &[u8], fields: usize) -> Option<&[u8]> {
    rest.splitn(fields + 1, |byte| *byte == b' ')
        .nth(fields)
        .filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(path: &str, staged: u8, unstaged: u8) -> (Vec<u8>, Entry) {
        (
            path.as_bytes().to_owned(),
            Entry::Changed { staged, unstaged },
        )
    }

    #[test]
    fn every_kind_of_record_is_read() {
        let text = [
            "# branch.oid 1234",
            "# branch.head topic/a b",
            "# branch.upstream origin/main",
            "# branch.ab +2 -3",
            "# stash 1",
            "1 .M N... 100644 100644 100644 aaaa bbbb a file.txt",
            "1 A. N... 000000 100644 100644 0000 bbbb new.txt",
            "2 R. N... 100644 100644 100644 aaaa bbbb R100 to.txt",
            "from.txt",
            "u UU N... 100644 100644 100644 100644 aaaa bbbb cccc both.txt",
            "? loose name.txt",
            "! ignored.txt",
        ]
        .join("\0");
        assert_eq!(
            parse(text.as_bytes()),
            Report {
                branch: Some("topic/a b".into()),
                upstream: Some("origin/main".into()),
                ahead: 2,
                behind: 3,
                entries: vec![
                    entry("a file.txt", b'.', b'M'),
                    entry("new.txt", b'A', b'.'),
                    entry("to.txt", b'R', b'.'),
                    ("both.txt".into(), Entry::Conflicted),
                    ("loose name.txt".into(), Entry::Untracked),
                ],
            }
        );
    }

    #[test]
    fn a_detached_head_is_no_branch() {
        assert_eq!(parse(b"# branch.head (detached)\0").branch, None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn any_records_are_read_without_a_panic(records in proptest::collection::vec("[#12u?!] ?[^\\x00]{0,60}", 0..6)) {
            let _ = parse(records.join("\0").as_bytes());
        }
    }
}
