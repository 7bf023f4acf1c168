// Lines of a page: what stands in each, whether a user sees it, and how it is written. What is seen takes most of the time of a
// look, so it is asked only for lines that are going to be shown: those are few on a long page.

const LETTERS = 0;
const CONTROL = 1;
const IMAGE = 2;
/** What a style sheet writes around the content of an element; its text is the place. */
const GENERATED = 3;
const NUMBER_CHARACTERS = 6;
const LINE_CHARACTERS = 8;

/** One thing of a line; spaces and the marks between cells are strings. */
class Part {
  constructor(type, node, sight, text, name) {
    this.type = type;
    this.node = node;
    this.sight = sight;
    /** The letters, the role of the control, or what the image is called. */
    this.text = text;
    this.name = name;
  }

  /** What is looked at to say whether it is in view: a control may be shown by something else, its label or a picture. */
  place() {
    return this.type === CONTROL ? this.sight.element : this.node;
  }
}

const GONE = 0;
const HOLLOW = 1;
const THERE = 2;
const DRAWN_TYPES = new Set(['checkbox', 'radio', 'file', 'range']);
/** Whether a control that is put out of sight is drawn by what is around it, and worked all the same: as a slider is, or an editor that has all keys. */
const isDrawnElsewhere = ({ element, around }, name) => around !== null && (name === 'input' ? DRAWN_TYPES.has(inputType(element)) : isTypedInto(element))
  && !around.isGone() && around.hasBox();
/** Whether a control can be worked: not at all, only what is in it, or itself. */
const standingOf = (sight, name) => {
  const { element } = sight;
  if (!sight.isVisible()) return GONE;
  const box = sight.box();
  // Inputs without a size of their own are worked by their label.
  if (name === 'input' && labelsOf(element) !== NO_LABELS) return THERE;
  if ((box.width === 0 || box.height === 0) && name !== 'area') {
    if (boxesOf(element).length === 0) return HOLLOW;
    // What is scaled to nothing is so with all that is in it; what has only no size may hold what has one.
    if (rootOf(element) === null && !hasSize(boxOfContent(element))) return isDrawnElsewhere(sight, name) ? THERE : GONE;
  }
  return sight.isGone() && !isDrawnElsewhere(sight, name) ? GONE : THERE;
};

const isInView = (box, { width, height }) => box.bottom > 0 && box.top < height && box.right > 0 && box.left < width;

const spaced = (text) => (text.includes('  ') ? text.replace(/ {2,}/g, ' ') : text);

/** What stands around what is raised and what is struck, until it is known what is seen of it. No text of a page has these signs. */
const RAISED = ['\u0004', '\u0005'];
const STRUCK = ['\u0006', '\u0007'];
/** What stands beside or over a word and says how it is read, and parts of a formula that are more than one term. */
const BESIDE = ['\u000e', '\u000f'];
const GROUPED = ['\u0010', '\u0011'];
const MARKS_AROUND = new Map([['sup', RAISED], ['del', STRUCK], ['s', STRUCK], ['strike', STRUCK], ['rt', BESIDE], ['math:msqrt', [`√${GROUPED[0]}`, GROUPED[1]]]]);
/** What stands before the parts of an element of a formula (MathML), and around the part. */
const FORMULAS = new Map([['math:msup', [[], ['', RAISED]]], ['math:msub', [[], ['_', GROUPED]]], ['math:msubsup', [[], ['_', GROUPED], ['', RAISED]]],
  ['math:mover', [[], ['^', GROUPED]]], ['math:munder', [[], ['_', GROUPED]]], ['math:munderover', [[], ['_', GROUPED], ['', RAISED]]],
  ['math:mfrac', [['', GROUPED], ['/', GROUPED]]], ['math:mroot', [['√', GROUPED], ['', RAISED]]]]);
/** Signs that stand beside a word stay as they are. */
const SIGNS = /^(?:[*†‡§¶®™©℠°′″ºª]*|\[.*\])$/;
/** What is clear without brackets where it ends. */
const ONE_TERM = /^(?:[-+−–]?(?:\p{Alphabetic}+|\d+)|\([^()]*\))$/u;
const raised = (text) => (ONE_TERM.test(text) ? `^${text}` : `^(${text})`);
const isTerm = (text) => /^(?:\p{Alphabetic}?|[\d.,]+)$/u.test(text);
/** What becomes of a part between marks, by the sign before it. */
const MARKED = {
  __proto__: null,
  '\u0004': (inner) => (SIGNS.test(inner) ? inner : raised(inner)),
  '\u0006': (inner) => (inner === '' ? '' : `~~${inner}~~`),
  '\u000e': (inner) => (inner === '' ? '' : `(${inner})`),
  '\u0010': (inner) => (isTerm(inner) ? inner : `(${inner})`),
};
/** Parts may lie in each other, the inner ones are written first. */
const MARKS_DEPTH = 8;
const withMarks = (text) => {
  if (!/[\u0004-\u0007\u000e-\u0011]/.test(text)) return text;
  const inmost = /([\u0004\u0006\u000e\u0010])( *)([^\u0004-\u0007\u000e-\u0011]*?)( *)[\u0005\u0007\u000f\u0011]/g;
  let written = text;
  for (let depth = 0; depth < MARKS_DEPTH; depth++) {
    const before = written;
    written = written.replace(inmost, (_, sign, space, inner, after) => `${space}${MARKED[sign](inner)}${after}`);
    if (written === before) break;
  }
  return written.replace(/[\u0004-\u0007\u000e-\u0011]/g, '');
};

class Line {
  constructor(kind, at, sight) {
    this.kind = kind;
    this.at = at;
    this.sight = sight;
    this.parts = null;
    this.prefix = '';
    this.hasControls = false;
    /** What a heading is in. */
    this.heading = null;
    /** Nothing until it is written; empty where a user sees nothing of it. */
    this.text = null;
    this.refs = [];
    this.more = 0;
    this.seen = 0;
    /** What it takes, as long as it is not written. */
    this.guess = -1;
  }

  /** What it takes, as far as is known without writing it. */
  size() {
    if (this.text !== null) return this.text.length + LINE_CHARACTERS + this.refs.length * NUMBER_CHARACTERS;
    if (this.guess < 0) this.guess = this.guessed();
    return this.guess;
  }

  guessed() {
    let size = LINE_CHARACTERS + this.prefix.length;
    const { parts } = this;
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at];
      if (typeof part === 'string') size += part.length;
      else if (part.type === CONTROL) size += part.text.length + NUMBER_CHARACTERS + 4 + Math.min(NAME_MAX, textContent(part.node).length);
      else if (part.type !== GENERATED) size += part.text.length;
    }
    return size;
  }

  controls() {
    let numbers = '';
    const { parts } = this;
    for (let at = 0; at < parts.length; at++) if (parts[at].type === CONTROL) numbers += ` ${idOf(parts[at].node)}`;
    return numbers;
  }

  /** Stands for what is in it, seen or not. */
  digest() {
    let all = '';
    const { parts } = this;
    if (parts === null) all = this.text;
    else for (let at = 0; at < parts.length; at++) {
      const part = parts[at];
      if (typeof part === 'string') all += part;
      else if (part.type !== GENERATED) all += part.type === CONTROL ? `\u0001${idOf(part.node)}` : part.text;
    }
    return digestOfLine(all);
  }

  /** Whether it is in view. */
  look(look) {
    let { at, sight } = this;
    if (at === null) return;
    if (sight === null || sight.element !== at) {
      // Text mostly stands in the element of its sight.
      if (sight !== null && parentNode(at) === sight.element && !isElement(at)) at = sight.element;
      else while (at !== null && !isElement(at)) at = parentOf(at);
      if (at === null) return;
    }
    const isOfSight = sight !== null && sight.element === at;
    if (isOfSight && sight.around !== null && sight.around.isBelow(look) && sight.flow() === 'static') return;
    // What is inline lies in its block, which has been measured for the line before it.
    if (isOfSight && sight.display === 'inline') {
      const block = sight.block();
      if (block !== null) {
        const box = block.box();
        if (box.height > 0 && box.width > 0 && !isInView(box, look)) return;
      }
    }
    this.seen = isInView(isOfSight ? sight.box() : boxOf(at), look) ? 1 : 0;
  }

  /** Writes what a user sees of it. */
  write(look) {
    let written = '';
    let first = null;
    const { parts } = this;
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at];
      if (typeof part === 'string') {
        written += part;
        continue;
      }
      const text = this.wordsOf(part, look);
      if (first === null && part.type !== GENERATED && text.trim() !== '') first = part;
      written += text;
    }
    // A mark may be made of the text of several elements.
    const text = unmarked(spaced(withMarks(spaced(written)))).trim();
    if (/^[|\s]*$/.test(text)) {
      this.text = '';
      return;
    }
    const isHeading = this.heading !== null && this.heading.isPainted() && !this.heading.isGone();
    this.text = `${isHeading || this.heading === null ? this.prefix : ''}${text}`;
    this.kind = isHeading ? 'H' : this.refs.length > 0 ? 'C' : 'T';
    if (first !== null && first.place() !== this.at) {
      this.at = first.place();
      this.sight = first.sight;
      this.look(look);
    }
    if (this.refs.length === 0 && first !== null && look.isSearchedFor(this.text)) this.refer(first.sight.element, look);
  }

  /** Gives a line without controls a reference: what listens need not say so, and who searches it wants to do something there. */
  refer(element, look) {
    const { role, name, key, row } = said(element);
    const id = idOf(element);
    this.refs.push([id, role, name, key, row]);
    this.text += ` \u0001${id}\u0002`;
  }

  wordsOf(part, look) {
    const { node, sight, text } = part;
    if (part.type === CONTROL && sight.element === node) memory?.sights.set(node, sight);
    if (part.type === CONTROL) return part.name !== '' && standingOf(sight, part.name) !== THERE ? '' : ` ${controlText(node, localName(node), text, this.refs, look)} `;
    if (part.type === GENERATED) return clean(generatedText(sight, text));
    if (part.type === IMAGE) return sight.showsPicture() ? text : '';
    if (sight.shows(node)) return clean(text);
    look.hidden += clean(text).trim().length;
    return '';
  }

  /** As it is sent: short where it has not been written. */
  sent() {
    if (this.text === null) return `${this.kind} ${this.seen} ${this.digest()} ${this.size()}${this.controls()}`;
    return [this.text, this.kind, this.seen, this.refs, this.more, this.digest()];
  }
}

/** Writes the lines that are likely to be chosen: those in view, what follows, the headings of the rest. Rust chooses, and requests any that are missing. */
const writeLikely = (look, { room, offset = 0, mode = 'page' }) => {
  const lines = mode === 'controls' ? look.lines.filter((line) => line.hasControls || line.refs.length > 0) : look.lines;
  const done = new Set();
  const spend = (most, from, to, isWanted) => {
    let used = 0;
    for (let at = from; at < to; at++) {
      const line = lines[at];
      if (done.has(line) || !isWanted(line)) continue;
      if (line.text === null) line.write(look);
      if (line.text === '') continue;
      const size = line.size();
      if (used + size > most) break;
      used += size;
      done.add(line);
    }
    return used;
  };
  if (mode === 'outline') return spend(room, offset, lines.length, (line) => line.kind === 'H');
  let total = 0;
  for (let at = offset; at < lines.length && total <= room; at++) total += lines[at].size();
  if (total <= room) return spend(Infinity, offset, lines.length, () => true);
  let left = room - room / 6;
  if (offset === 0) left -= spend(left, 0, lines.length, (line) => line.seen === 1);
  const view = offset > 0 ? offset : Math.max(0, lines.findIndex((line) => line.seen === 1));
  left -= spend(left, view, lines.length, () => true);
  spend(left, offset, view, () => true);
  return spend(room / 6, offset, lines.length, (line) => line.kind === 'H');
};

/** The last look, of which lines may be asked for, and its number. No look of another document has it. */
let kept = null;
let looks = Math.floor(Math.random() * 2 ** 31);
const keep = (look) => {
  kept = look;
  return ++looks;
};
/** The lines as they were sent for the last look whose lines may be asked for. */
let reported = [];
const isSameLine = (one, other) => one === other || (typeof one === 'object' && typeof other === 'object' && one.length === other.length
  && one.every((member, at) => isSameLine(member, other[at])));
/** What of the lines is not as it was sent for the look that the host still has: how many are the same before and behind it. */
const unsent = (lines, look, base) => {
  const before = base !== undefined && base === look - 1 ? reported : [];
  if (look > 0) reported = lines;
  const most = Math.min(lines.length, before.length);
  let head = 0;
  while (head < most && isSameLine(lines[head], before[head])) head++;
  let tail = 0;
  while (tail < most - head && isSameLine(lines[lines.length - 1 - tail], before[before.length - 1 - tail])) tail++;
  return { head, lines: lines.slice(head, lines.length - tail), tail };
};
const writeMore = (number, wanted) => {
  if (number !== looks) return JSON.stringify({ lines: [], hidden: 0, suspects: [], gone: true });
  const look = kept;
  active = deepActive();
  look.hidden = 0;
  const lines = withMemory(() => wanted.map((at) => {
    const line = look.lines[at];
    if (line === undefined) return null;
    if (line.text === null) line.write(look);
    return line.sent();
  }));
  return JSON.stringify({ lines, hidden: look.hidden, suspects: asked(), gone: false });
};
