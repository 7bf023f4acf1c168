//! PDF documents, as the text of their pages.

use tenon_contract::{ToolContext, ToolError, limits};
use tenon_document::{PdfText, read_pdf};
use tenon_workspace::OpenFile;

use super::document::page_of;
use super::page::PageOutput;
use super::params::ReadParams;
use super::whole::{ReadEncoding, WholeOutput, shown_max_bytes};

/// Some lines of the pages that are asked for.
pub(super) fn page(
    file: &OpenFile,
    params: &ReadParams,
    context: &ToolContext,
) -> Result<PageOutput, ToolError> {
    let document = document(file, params, context)?;
    let size = file.metadata().size;
    page_of(file.located().name(), &document.text, size, params)
}

/// All the text.
pub(super) fn whole(
    file: &OpenFile,
    params: &ReadParams,
    context: &ToolContext,
) -> Result<WholeOutput, ToolError> {
    let document = document(file, params, context)?;
    Ok(WholeOutput {
        path: file.located().name().to_owned(),
        shown_max_bytes: shown_max_bytes(&document.text, context),
        content: document.text,
        bytes: file.metadata().size,
        encoding: ReadEncoding::Utf8,
        text_encoding: None,
        anchors: None,
    })
}

fn document(
    file: &OpenFile,
    params: &ReadParams,
    context: &ToolContext,
) -> Result<PdfText, ToolError> {
    let snapshot = file.read_bytes(limits::READ_DOCUMENT_MAX_BYTES)?;
    let stop = || context.cancellation().is_cancelled();
    read_pdf(snapshot.bytes().to_vec(), params.pages.as_deref(), &stop)
        .map_err(|error| error.report(file.located().name()))
}
