//! Reads a text file page by page or whole, the text of a document, or an image.

mod document;
mod image;
mod notebook;
mod page;
mod pdf;
mod whole;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_workspace::{ContentKind, Ledger, LineMarks, Located, OpenFile, Workspace};

pub use self::image::ImageOutput;
pub use self::page::PageOutput;
pub use self::whole::{ReadEncoding, WholeOutput};
use crate::blocking::blocking;
use crate::outputs::{Outputs, access_to};
use crate::session::FileSession;

/// What to read.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadParams {
    /// File path, absolute or relative to the workspace.
    pub path: String,
    /// First line, 1-based. Default: 1.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// Maximum number of lines. Default: what fits in 2000 lines and 50 KB.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Return no lines for an offset past the end, instead of failing. Default: false.
    pub past_end: Option<bool>,
    /// Return the whole content at once, in this form. Default: a page of text, or an image.
    pub encoding: Option<ReadEncoding>,
    /// Show a notebook (`.ipynb`) as its cells and their outputs, instead of as the JSON that it is. Default: false.
    pub notebook: Option<bool>,
    /// Pages of a PDF or cells of a notebook, 1-based: `3`, `2-5` or `7-`. Default: all.
    pub pages: Option<String>,
}

impl ReadParams {
    /// Whether lines of a text are asked for, not the whole of it.
    fn wants_page(&self, encoding: ReadEncoding) -> bool {
        encoding == ReadEncoding::Utf8 && (self.offset.is_some() || self.limit.is_some())
    }
}

/// What was read.
#[derive(Debug)]
pub enum ReadOutput {
    /// A page of text.
    Text(PageOutput),
    /// A whole file.
    Whole(WholeOutput),
    /// An image.
    Image(ImageOutput),
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
            },
        }
    }
}

/// A located file and the page asked for.
#[derive(Debug)]
pub struct ReadPlan {
    file: Located,
    params: ReadParams,
    /// Whether it is an output of a command, which the session does not know as a file.
    is_output: bool,
}

impl Tool for Read {
    const OPERATION: Operation = Operation::Read;
    type Params = ReadParams;
    type Plan = ReadPlan;
    type Output = ReadOutput;

    fn plan(&self, params: ReadParams) -> Result<(Access, ReadPlan), ToolError> {
        let output = self.outputs.find(&params.path).transpose()?;
        let is_output = output.is_some();
        let (access, file) = match output {
            Some(output) => (access_to(&output), output),
            None => {
                let file = self.workspace.locate_existing(&params.path)?;
                (Access::reading(file.claim().clone()), file)
            }
        };
        let plan = ReadPlan {
            file,
            params,
            is_output,
        };
        Ok((access, plan))
    }

    async fn run(&self, plan: ReadPlan, context: ToolContext) -> Result<ReadOutput, ToolError> {
        if let Some(file) = plan.text_at_hand() {
            // Waking another thread would take longer.
            return self.reader.read(&file, &plan, &context);
        }
        let reader = self.reader.clone();
        blocking(context, move |context| {
            let file = plan.file.open_file()?;
            let file = if plan.is_output { file.as_text() } else { file };
            reader.read(&file, &plan, context)
        })
        .await
    }
}

impl ReadPlan {
    /// The file, if it is a small one of text that is in memory and asked for as such.
    fn text_at_hand(&self) -> Option<OpenFile> {
        let is_notebook =
            self.params.notebook.unwrap_or(false) && notebook::has_name_of_one(self.file.target());
        let is_plain = self.params.encoding.is_none() && !is_notebook;
        let file = is_plain.then(|| self.file.open_at_hand(limits::READ_AT_ONCE_MAX_BYTES))??;
        matches!(file.content_kind(), Ok(ContentKind::Text)).then_some(file)
    }
}

impl Reader {
    fn read(
        &self,
        file: &OpenFile,
        plan: &ReadPlan,
        context: &ToolContext,
    ) -> Result<ReadOutput, ToolError> {
        let params = &plan.params;
        let encoding = params
            .encoding
            .filter(|encoding| !params.wants_page(*encoding));
        let output = match (file.content_kind()?, encoding) {
            (_, Some(ReadEncoding::Base64)) => {
                whole::read(file, ReadEncoding::Base64).map(ReadOutput::Whole)
            }
            (ContentKind::Image(_), _) => image::read(file, context).map(ReadOutput::Image),
            (ContentKind::Binary(kind), None) if kind.is_pdf() => {
                pdf::page(file, params, context).map(ReadOutput::Text)
            }
            (ContentKind::Binary(kind), Some(ReadEncoding::Utf8)) if kind.is_pdf() => {
                pdf::whole(file, params, context).map(ReadOutput::Whole)
            }
            (ContentKind::Text, Some(ReadEncoding::Utf8))
                if params.notebook.unwrap_or(false) && notebook::is_notebook(file) =>
            {
                notebook::read(file, params).map(ReadOutput::Text)
            }
            // Binary files are refused by the readers of text, which know their kind.
            (_, Some(encoding)) => whole::read(file, encoding).map(ReadOutput::Whole),
            (ContentKind::Text, None)
                if params.notebook.unwrap_or(false) && notebook::is_notebook(file) =>
            {
                notebook::read(file, params).map(ReadOutput::Text)
            }
            (_, None) => page::read(file, &self.marks, params, context).map(ReadOutput::Text),
        }?;
        if !plan.is_output {
            self.ledger.saw_part(file)?;
        }
        Ok(output)
    }
}
