//! The Node-API binding of tenon.
