//! Markdown in pieces of about a screen, each with the headings that it stands under.

/// About how many words a section has.
const WORDS: usize = 200;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The headings from the outermost to that of the section.
    pub(super) path: Vec<String>,
    /// Whether the text begins with the last heading of the path.
    pub(super) has_heading: bool,
    pub(super) text: String,
}

/// Splits at headings, and long stretches between paragraphs. Code between fences stays in one piece.
pub(super) fn sections(markdown: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut text = String::new();
    let mut has_heading = false;
    let mut words = 0_usize;
    let mut fence: Option<&str> = None;
    for line in markdown.split('\n') {
        let opening = fence_of(line);
        match (fence, opening) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => {
                fence = None
            }
            _ => {}
        }
        let heading = if fence.is_none() { heading(line) } else { None };
        let is_break = fence.is_none() && line.trim().is_empty() && words >= WORDS;
        if heading.is_some() || is_break {
            finish(&mut sections, &path, &mut has_heading, &mut text);
            words = 0;
        }
        if let Some((level, title)) = heading {
            path.retain(|(above, _)| *above < level);
            path.push((level, title));
            has_heading = true;
        }
        words += line.split_whitespace().count();
        text.push_str(line);
        text.push('\n');
    }
    finish(&mut sections, &path, &mut has_heading, &mut text);
    sections
}

fn finish(
    sections: &mut Vec<Section>,
    path: &[(usize, String)],
    has_heading: &mut bool,
    text: &mut String,
) {
    let trimmed = text.trim_matches('\n');
    if !trimmed.trim().is_empty() {
        sections.push(Section {
            path: path.iter().map(|(_, title)| title.clone()).collect(),
            has_heading: *has_heading,
            text: trimmed.to_owned(),
        });
    }
    text.clear();
    *has_heading = false;
}

/// The run of backticks or tildes that a line begins with.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line
        .chars()
        .next()
        .filter(|letter| matches!(letter, '`' | '~'))?;
    let end = line.find(|letter| letter != mark).unwrap_or(line.len());
    line.get(..end).filter(|run| run.len() >= 3)
}

/// Level and text of an ATX heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = line.get(level..)?;
    let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
    is_heading.then(|| {
        (
            level,
            rest.trim().trim_end_matches('#').trim_end().to_owned(),
        )
    })
}
