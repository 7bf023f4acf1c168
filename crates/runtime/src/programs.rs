//! Programs of the host: rows of the options and of settings files, in front of the catalogue.

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::{Catalogue, PlacedRow, ProgramRow, check_examples};

/// Which programs the policy knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownPrograms {
    /// With the rows of the options and of files that are trusted.
    pub(crate) catalogue: Catalogue,
    /// With those of other files in front, which can only make a decision stricter.
    pub(crate) untrusted: Option<Catalogue>,
}

/// Rows that were given, with the places where they stand.
#[derive(Debug, Default)]
pub(crate) struct GivenRows {
    trusted: Vec<PlacedRow>,
    untrusted: Vec<PlacedRow>,
}

impl GivenRows {
    /// Adds the rows of the options, or of a file.
    pub(crate) fn add(&mut self, rows: Vec<ProgramRow>, file: Option<&str>, is_trusted: bool) {
        let file = file.map_or_else(String::new, |file| format!("`{file}`: "));
        let rows = rows.into_iter().enumerate();
        let placed = rows.map(|(place, row)| (format!("{file}programs[{place}]"), row));
        match is_trusted {
            true => self.trusted.extend(placed),
            false => self.untrusted.extend(placed),
        }
    }

    /// The programs that are known with these rows, whose examples are checked.
    pub(crate) fn known(self) -> Result<KnownPrograms, ToolError> {
        let catalogue = checked(&self.trusted)?;
        let untrusted = match self.untrusted.as_slice() {
            [] => None,
            rows => Some(checked(rows)?.in_front_of(&catalogue)),
        };
        Ok(KnownPrograms {
            catalogue,
            untrusted,
        })
    }
}

fn checked(rows: &[PlacedRow]) -> Result<Catalogue, ToolError> {
    let invalid = |faults: Vec<String>| {
        ToolError::new(ErrorCode::InvalidParams, faults.join(" "))
            .with("option", "options.programs")
            .with("errors", faults)
    };
    let catalogue = Catalogue::of_host(rows.to_vec()).map_err(invalid)?;
    match check_examples(&catalogue, rows) {
        wrong if wrong.is_empty() => Ok(catalogue),
        wrong => Err(invalid(wrong)),
    }
}
