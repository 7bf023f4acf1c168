//! Reads a text file page by page or whole, the text of a document, or an image.

mod document;
pub(crate) mod image;
mod notebook;
mod page;
mod params;
mod pdf;
mod several;
mod whole;

use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_workspace::{ContentKind, Ledger, LineMarks, Located, OpenFile, Workspace};

pub use self::image::ImageOutput;
pub use self::page::PageOutput;
pub use self::params::ReadParams;
pub use self::several::{PartPlan, ReadPart, ShownPart};
pub use self::whole::{ReadEncoding, WholeOutput};
use crate::anchors::ShownFiles;
use crate::blocking::blocking;
use crate::outputs::{Outputs, access_to, with_lines};
use crate::session::FileSession;

/// What was read.
#[derive(Debug)]
pub enum ReadOutput {
    /// A page of text.
    Text(PageOutput),
    /// A whole file.
    Whole(WholeOutput),
    /// An image.
    Image(ImageOutput),
    /// Several files.
    Several(Vec<ReadPart>),
}

impl Output for ReadOutput {}

/// What was read, for vocabularies that know pages and images only.
#[derive(Debug)]
pub enum PageOrImage {
    /// A page of text.
    Page(PageOutput),
    /// An image.
    Image(ImageOutput),
}

impl From<ReadOutput> for PageOrImage {
    fn from(output: ReadOutput) -> Self {
        match output {
            ReadOutput::Text(page) => Self::Page(page),
            ReadOutput::Whole(whole) => Self::Page(whole.into()),
            ReadOutput::Image(image) => Self::Image(image),
            ReadOutput::Several(parts) => Self::Page(several::joined(parts).into()),
        }
    }
}

impl ReadOutput {
    /// Several files as one text, for vocabularies that read one at a time.
    #[must_use]
    pub fn as_one(self) -> Self {
        match self {
            Self::Several(parts) => Self::Whole(several::joined(parts)),
            one => one,
        }
    }
}

/// The read operation.
#[derive(Debug)]
pub struct Read {
    workspace: Workspace,
    outputs: Outputs,
    reader: Reader,
}

/// What reads share.
#[derive(Debug, Clone)]
struct Reader {
    ledger: Ledger,
    marks: LineMarks,
    anchors: ShownFiles,
}

impl Read {
    /// Reads the files of a session, which knows them from then on, and `outputs` by their address.
    #[must_use]
    pub fn new(session: &FileSession, outputs: Outputs) -> Self {
        Self {
            workspace: session.workspace.clone(),
            outputs,
            reader: Reader {
                ledger: session.ledger.clone(),
                marks: LineMarks::default(),
                anchors: session.anchors.clone(),
            },
        }
    }
}

/// What a call reads.
#[derive(Debug)]
pub enum ReadPlan {
    /// One file.
    One(Box<FilePlan>),
    /// Several files.
    Several(Vec<PartPlan>),
}

/// A located file and the page asked for.
#[derive(Debug)]
pub struct FilePlan {
    file: Located,
    params: ReadParams,
    /// Whether it is an output of a command, which the session does not know as a file.
    is_output: bool,
    /// The character of the first line that it is read from.
    first_character: u64,
}

impl Tool for Read {
    const OPERATION: Operation = Operation::Read;
    type Params = ReadParams;
    type Plan = ReadPlan;
    type Output = ReadOutput;

    fn plan(&self, params: ReadParams) -> Result<(Access, ReadPlan), ToolError> {
        if let Some(more) = params.more.as_deref().filter(|more| !more.is_empty()) {
            let (access, parts) = self.plan_several(&params, more)?;
            return Ok((access, ReadPlan::Several(parts)));
        }
        let (access, plan) = self.plan_one(params)?;
        Ok((access, ReadPlan::One(Box::new(plan))))
    }

    async fn run(&self, plan: ReadPlan, context: ToolContext) -> Result<ReadOutput, ToolError> {
        let reader = self.reader.clone();
        let plan = match plan {
            ReadPlan::Several(parts) => {
                return blocking(context, move |context| reader.read_several(parts, context)).await;
            }
            ReadPlan::One(plan) => plan,
        };
        if let Some(file) = plan.text_if_cached() {
            // Waking another thread would take longer.
            return self.reader.read(&file, &plan, &context);
        }
        blocking(context, move |context| {
            let file = plan.open()?;
            reader.read(&file, &plan, context)
        })
        .await
    }
}

impl Read {
    fn plan_one(&self, mut params: ReadParams) -> Result<(Access, FilePlan), ToolError> {
        let (_, lines) = with_lines(&params.path);
        // An `offset` of the call is about another line.
        let character = lines.filter(|_| params.offset.is_none());
        if let Some(lines) = lines {
            params.offset.get_or_insert(lines.first);
            params.limit.get_or_insert(lines.count());
        }
        params.limit = params.limit.or(params.default_limit);
        let output = self.outputs.find(&params.path).transpose()?;
        let is_output = output.is_some();
        let (access, file) = match output {
            Some(output) => (access_to(&output), output),
            None => {
                let file = self.workspace.locate_existing(&params.path)?;
                (Access::reading(file.claim().clone()), file)
            }
        };
        let plan = FilePlan {
            file,
            params,
            is_output,
            first_character: character.map_or(1, |lines| lines.character),
        };
        Ok((access, plan))
    }
}

impl FilePlan {
    /// Opens the file. An output of a command is text, whatever it holds.
    fn open(&self) -> Result<OpenFile, ToolError> {
        let file = self.file.open_file()?;
        Ok(if self.is_output { file.as_text() } else { file })
    }

    /// The file, if it is a small one of text that is in memory and asked for as such.
    fn text_if_cached(&self) -> Option<OpenFile> {
        let is_notebook =
            self.params.notebook.unwrap_or(false) && notebook::has_name_of_one(self.file.target());
        let is_plain = self.params.encoding.is_none() && !is_notebook;
        let file = is_plain.then(|| self.file.open_if_cached(limits::READ_AT_ONCE_MAX_BYTES))??;
        matches!(file.content_kind(), Ok(ContentKind::Text)).then_some(file)
    }
}

impl Reader {
    fn read(
        &self,
        file: &OpenFile,
        plan: &FilePlan,
        context: &ToolContext,
    ) -> Result<ReadOutput, ToolError> {
        let mut output = self.output(file, plan, context)?;
        self.note(file, plan, &mut output)?;
        Ok(output)
    }

    fn output(
        &self,
        file: &OpenFile,
        plan: &FilePlan,
        context: &ToolContext,
    ) -> Result<ReadOutput, ToolError> {
        let params = &plan.params;
        let encoding = params
            .encoding
            .filter(|encoding| !params.wants_page(*encoding));
        let kind = file.content_kind()?;
        let is_notebook = params.notebook.unwrap_or(false) && notebook::is_notebook(file);
        match (kind, encoding) {
            (_, Some(ReadEncoding::Base64)) => {
                whole::read(file, ReadEncoding::Base64, context).map(ReadOutput::Whole)
            }
            (ContentKind::Image(_), _) => image::read(file, context).map(ReadOutput::Image),
            (ContentKind::Binary(kind), None) if kind.is_pdf() => {
                pdf::page(file, params, context).map(ReadOutput::Text)
            }
            (ContentKind::Binary(kind), Some(ReadEncoding::Utf8)) if kind.is_pdf() => {
                pdf::whole(file, params, context).map(ReadOutput::Whole)
            }
            (ContentKind::Text, Some(ReadEncoding::Utf8)) if is_notebook => {
                notebook::read(file, params).map(ReadOutput::Text)
            }
            // Binary files are refused by the readers of text, which know their kind.
            (_, Some(encoding)) => whole::read(file, encoding, context).map(ReadOutput::Whole),
            (ContentKind::Text, None) if is_notebook => {
                notebook::read(file, params).map(ReadOutput::Text)
            }
            (_, None) => page::read(file, &self.marks, params, plan.first_character, context)
                .map(ReadOutput::Text),
        }
    }

    /// What is shown now is known from now on, and has anchors where they are wanted.
    fn note(
        &self,
        file: &OpenFile,
        plan: &FilePlan,
        output: &mut ReadOutput,
    ) -> Result<(), ToolError> {
        let is_notebook = plan.params.notebook.unwrap_or(false) && notebook::is_notebook(file);
        let is_source = file.content_kind()? == ContentKind::Text && !is_notebook;
        if is_source && !plan.is_output && plan.params.anchors.unwrap_or(false) {
            self.add_anchors(file, output)?;
        }
        if !plan.is_output {
            self.ledger.saw_part(file)?;
        }
        Ok(())
    }

    /// Puts anchors to the lines, which the session knows from then on. A file that is too large for that has none.
    fn add_anchors(&self, file: &OpenFile, output: &mut ReadOutput) -> Result<(), ToolError> {
        let (shown, anchors) = match output {
            ReadOutput::Text(page) => {
                let lines = page.page.lines().map(str::to_owned).collect();
                (
                    Lines {
                        first: page.page.first_line,
                        text: lines,
                    },
                    &mut page.anchors,
                )
            }
            ReadOutput::Whole(whole) if whole.encoding != ReadEncoding::Base64 => {
                let lines = whole.content.lines().map(str::to_owned).collect();
                (
                    Lines {
                        first: 1,
                        text: lines,
                    },
                    &mut whole.anchors,
                )
            }
            ReadOutput::Whole(_) | ReadOutput::Image(_) | ReadOutput::Several(_) => return Ok(()),
        };
        let snapshot = match file.read_bytes(limits::ANCHORED_MAX_BYTES) {
            Err(tenon_workspace::Error::TooLarge { .. }) => {
                *anchors = Some(Vec::new());
                return Ok(());
            }
            snapshot => snapshot?,
        };
        let text = snapshot.decode()?;
        *anchors = shown.anchors(&self.anchors, file.located(), text.text());
        Ok(())
    }
}

/// Lines as they are shown.
struct Lines {
    first: u64,
    text: Vec<String>,
}

impl Lines {
    /// Their anchors; `None` if the file is not what is shown any more.
    fn anchors(&self, shown: &ShownFiles, file: &Located, text: &str) -> Option<Vec<String>> {
        let first = usize::try_from(self.first).ok()?;
        let last = first + self.text.len() - 1;
        let mut lines = text.lines().skip(first - 1);
        let is_same = |line: &String| {
            let now = lines.next();
            // Lines that are too long are shown in part.
            now.is_some_and(|now| now.starts_with(line.trim_end_matches('\r')))
        };
        if self.text.is_empty() || !self.text.iter().all(is_same) {
            return None;
        }
        Some(shown.show(file, text, tenon_edit::Lines { first, last }))
    }
}
