//! Notebooks, as their cells.

use std::path::Path;

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_document::{Notebook, as_text, parts};
use tenon_workspace::OpenFile;

use super::document::page_of;
use super::page::PageOutput;
use super::params::ReadParams;

/// Whether the name is that of a notebook. Its content is JSON, as that of many files.
pub(super) fn is_notebook(file: &OpenFile) -> bool {
    has_name_of_one(file.located().target())
}

/// Whether a file of this path is shown as cells.
pub(super) fn has_name_of_one(target: &Path) -> bool {
    let extension = target.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

pub(super) fn read(file: &OpenFile, params: &ReadParams) -> Result<PageOutput, ToolError> {
    let source = file.read_text(limits::READ_DOCUMENT_MAX_BYTES)?;
    let name = file.located().name();
    let notebook = Notebook::parse(source.text()).map_err(|reason| {
        let message = format!("`{name}` is named like a notebook, but {reason}.");
        ToolError::new(ErrorCode::Syntax, message).with("path", name)
    })?;
    let cells = parts(params.pages.as_deref(), "cell", notebook.cells.len())?;
    page_of(
        name,
        &as_text(&notebook, &cells, |text| {
            tenon_process::strip_escapes(text).into_owned()
        }),
        file.metadata().size,
        params,
    )
}
