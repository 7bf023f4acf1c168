//! Files and text: containment, atomic change sets, encodings, line ends.
