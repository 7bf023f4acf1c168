//! Generates what is generated and checks the house rules.

fn main() {}
