//! Who may do what: exposure, rules, decisions. Pure.
