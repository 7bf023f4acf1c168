//! Five published vocabularies over the operations, as tables.
