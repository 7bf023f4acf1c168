//! What turns a tool name and JSON into an answer: the pipeline, the registry, the toolkit.
