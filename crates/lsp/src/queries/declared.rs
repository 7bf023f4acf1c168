//! A rename begins where a name is declared, and so does a hierarchy that has nothing to say of an import.
//!
//! TypeScript servers that are asked at a use of an imported name rename what the file calls it
//! (`import { add as sum }`). Anyone who asks for another name of a symbol means the symbol.

use tenon_workspace::Located;

use crate::error::RequestError;
use crate::freshness::documents::Document;
use crate::protocol::position::Position;
use crate::protocol::uri::file_path;
use crate::protocol::wire;
use crate::queries::address::FoundName;
use crate::queries::query::Asker;

/// The language whose servers do so.
const LANGUAGE: &str = "typescript";

/// Where a name is declared.
pub(crate) struct Declared {
    pub(crate) document: Document,
    /// In the server's units.
    pub(crate) position: Position,
    /// What the caller has to know.
    pub(crate) note: String,
}

impl Asker<'_> {
    /// The declaration of a name, if it lies in the workspace, is the only one, lies elsewhere, and bears the name:
    /// one that is called otherwise here was given that name on purpose.
    pub(crate) async fn declared(
        &self,
        found: &FoundName,
    ) -> Result<Option<Declared>, RequestError> {
        if self.session.spec.language != LANGUAGE {
            return Ok(None);
        }
        let answer = self
            .session
            .ask_value(
                "textDocument/definition",
                &self.at(found),
                self.cancellation,
            )
            .await?;
        let places = wire::places(&answer);
        let [place] = places.as_slice() else {
            return Ok(None);
        };
        let workspace = self.document.located.workspace();
        let located: Option<Located> = file_path(&place.uri)
            .and_then(|path| workspace.locate(path.to_str()?).ok())
            .filter(|located| located.target() != self.document.located.target());
        let Some(located) = located else {
            return Ok(None);
        };
        // A file that cannot be opened is none that can be renamed in.
        let Ok(document) = self.session.refresh(&located, self.cancellation).await else {
            return Ok(None);
        };
        let range = document.text.range(place.span, self.session.encoding());
        let name = self.text_of(Some(found));
        if name.is_none() || document.text.text().get(range) != name {
            return Ok(None);
        }
        let note = format!(
            "Renamed `{}` from its declaration in {}, line {}.",
            name.unwrap_or_default(),
            located.name(),
            place.span.start.line + 1
        );
        Ok(Some(Declared {
            document,
            position: place.span.start,
            note,
        }))
    }
}
