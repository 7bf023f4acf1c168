//! The script that looks at pages and works them.

/// What runs in every isolated world: the files of `script`, one subject each, in one function. Its value is an object with
/// the functions that are called here.
pub(crate) const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("script/before.js"),
    "if (Object.hasOwn(globalThis, KEY)) return globalThis[KEY];\n",
    include_str!("script/dom.js"),
    include_str!("script/text.js"),
    include_str!("script/tree.js"),
    include_str!("script/names.js"),
    include_str!("script/generated.js"),
    include_str!("script/references.js"),
    include_str!("script/sight.js"),
    include_str!("script/behind.js"),
    include_str!("script/folds.js"),
    include_str!("script/lines.js"),
    include_str!("script/look.js"),
    include_str!("script/aiming.js"),
    include_str!("script/fields.js"),
    include_str!("script/similar.js"),
    include_str!("script/scrolling.js"),
    include_str!("script/reading.js"),
    include_str!("script/calls.js"),
    "return globalThis[KEY] = calls;\n})()"
);
