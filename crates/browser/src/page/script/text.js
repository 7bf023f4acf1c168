// Text of a page as it may stand in a line.

const NAME_MAX = 120;
// Controls, zero-width letters, direction marks, tag characters, and what the marks of references are made of. A joiner between two letters or signs
// of other scripts than the Latin one belongs to how they are written.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|(?<![^\u0000-\u024f\u2000-\u206f\ufeff\u{e0000}-\u{e007f}])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u024f\u2000-\u206f\ufeff\u{e0000}-\u{e007f}])/gu;
const isPlain = (text) => !/[^\x20-\x5a\x5c-\x7e]| {2}/.test(text);
/** Brackets that look like a reference of ours. */
const unmarked = (text) => (text.includes('[') ? text.replace(/\[\s*([er]\d+|new)\s*\]/gi, '($1)') : text);
const clean = (text) => (isPlain(text) ? text : unmarked(text.replace(INVISIBLE, '').replace(/\s+/g, ' ')));
const short = (text, most) => {
  const letters = text.length > most * 2 ? text.slice(0, most * 2) : text;
  const all = [...letters];
  return all.length > most ? `${all.slice(0, most - 1).join('')}…` : letters;
};
/** A function of a text that is found once for each text. */
const remembered = (compute) => {
  const known = new Map();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      if (known.size > 1000) known.clear();
      known.set(key, value = compute(key));
    }
    return value;
  };
};
const hash = remembered((text) => {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995) + (a >>> 15);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
});
// Four bytes at a time: letter by letter takes long in code that has only just come to the page.
const encoder = new TextEncoder();
const DIGEST_LETTERS = 1024;
const bytes = new Uint8Array(DIGEST_LETTERS * 4);
const fours = new Int32Array(bytes.buffer);
/** A number that stands for a text, and for what was before it. */
const digestOf = (text, before) => {
  let sum = before;
  for (let from = 0; from < text.length; from += DIGEST_LETTERS) {
    const { written } = encoder.encodeInto(text.length <= DIGEST_LETTERS ? text : text.slice(from, from + DIGEST_LETTERS), bytes);
    bytes.fill(0, written, written + 3);
    for (let at = 0; at * 4 < written; at++) {
      sum = Math.imul(sum ^ fours[at], 0x01000193);
      sum ^= sum >>> 15;
    }
  }
  return sum;
};
/** Most letters of texts whose digests are kept, once more for those before them: lines of a page are mostly those of the last look. */
const DIGESTED_MAX = 1000000;
let digests = new Map();
let olderDigests = new Map();
let digested = 0;
/** A number that stands for the text of a line. */
const digestOfLine = (text) => {
  let digest = digests.get(text);
  if (digest !== undefined) return digest;
  digest = olderDigests.get(text) ?? digestOf(text, 0x811c9dc5) >>> 0;
  digests.set(text, digest);
  digested += text.length;
  if (digested > DIGESTED_MAX) {
    olderDigests = digests;
    digests = new Map();
    digested = 0;
  }
  return digest;
};
const quoted = (text) => JSON.stringify(text);
