// What runs in the isolated world of a frame: the files of this directory one after the other, in one function. The page
// cannot reach this world's built-ins, but it can give elements names that stand before those of their own properties
// (`<form><input name="childNodes">`), so every property of a node is read by the getter of its prototype.

// One for each document, however often it is asked for. No element can be called by a symbol.
const KEY = Symbol.for('tenon');
