// The walk over what a user sees, and the lines that come of it.

const INTERACTIVE = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[contenteditable],[onclick],[draggable=true],[ondrop],iframe';
/** Whether something in an element may be a control: what stands in a slot, or in a shadow root, is not found by a selector. */
const holdsControls = (element) => firstElement(element) !== null
  && (query(element, INTERACTIVE) !== null || query(element, 'slot') !== null || [...queryAll(element, '*')].some((inner) => rootOf(inner) !== null));
const FIELD_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'file', 'color',
  'date', 'time', 'datetime', 'month', 'week', 'button', 'summary', 'clickable', 'video', 'audio', 'canvas']);
const MAX_CHARACTERS = 2000000;
const MAX_LINES = 40000;
const MAX_MS = 4000;
// Letters of a line, and about what a control takes of it. Data without a break would otherwise be one line that fits nowhere.
const LINE_MAX = 2000;
const CONTROL_LENGTH = 40;
// Elements in each other. Pages nest some dozens; what is walked has to fit onto the stack.
const MAX_DEPTH = 400;
// A page chooses both, and may choose megabytes.
const TITLE_MAX = 4000;
const ADDRESS_MAX = 4000;

// What holds for all that is in an element: it is said already by the control that it names, it is shown only for its controls, it is in
// a row, its mouse pointer is that of something to click, it is preformatted, where nothing may be put between its letters.
const MUTE = 1;
const QUIET = 2;
const ROW = 4;
const POINTED = 8;
const VERBATIM = 16;
const HEADINGS = new Map([['h1', '1'], ['h2', '2'], ['h3', '3'], ['h4', '4'], ['h5', '5'], ['h6', '6']]);
/** What makes more of an element that stands in a line than the text in it: attributes, and names. */
const MARKS = '[role],[contenteditable],[onclick],[tabindex],[draggable=true],[ondrop],[ondragover]';
const MAY_BE_CONTROLS = new Set(['a', 'area', 'svg:a', 'body', 'button', 'input', 'textarea', 'select', 'summary', 'video', 'audio', 'canvas']);
const MEANINGFUL = new Set(['tr', 'li', 'label', 'pre', 'svg:text', ...HEADINGS.keys(), ...LANDMARKS.keys()]);

/** What of a drawing is more than a picture. */
const IN_DRAWINGS = 'text,a,foreignObject,[role],[tabindex],[onclick]';
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const isCellOf = (sight, role) => sight.display === 'table-cell' || CELL_ROLES.has(role);
/** Whether it is made to be clicked, as far as its role and its place in the order of focus say. Of the cells of a grid one at a time has such a place;
 * what scrolls has one for the keyboard. */
const takesFocus = ({ element, style }, role) => (role === '' || role === 'group' ? hasHandler(element) && !/auto|scroll/.test(style.overflow)
  : CELL_ROLES.has(role) && hasAttribute(element, 'tabindex'));
/** Whether it is a label that says nothing but what its field is called, which is shown by itself or in the place of the label. */
const isLabelOfShown = (look, element, name) => {
  const control = name === 'label' ? labelControl(element) : null;
  return control !== null && (isWorkedByLabel(control) || look.isSaid(control, element));
};
const areasOf = (image) => {
  const wanted = (attribute(image, 'usemap') ?? '').replace(/^#/, '');
  const map = [...queryDocument(page, 'map')].find((it) => attribute(it, 'name') === wanted);
  return map === undefined || wanted === '' ? [] : [...queryAll(map, 'area[href]')];
};

/** What says a number by an attribute instead. */
const isGauge = (element, role) => (role === 'progressbar' || role === 'meter') && (hasAttribute(element, 'aria-valuenow') || hasAttribute(element, 'aria-valuetext'));
const gaugeValue = (element, name) => {
  if (name === 'meter') return `${meterValue(element)}${meterMax(element) === 1 ? '' : ` of ${meterMax(element)}`}`;
  if (name !== 'progress') return short(clean(attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow')).trim(), NAME_MAX);
  const part = progressPosition(element);
  return part < 0 ? '' : `${Math.round(part * 100)}%`;
};
/** What an element is called without the controls in it. */
const ownName = (element) => namesOf(element, 'clickable').seen;
const isShortName = (text) => text !== '' && text.length <= NAME_MAX;
/** A label is said with its field, a row by its cells, a part of the page by what it is. */
const mayHoldControls = (name, role) => name !== 'label' && name !== 'tr' && !LANDMARKS.has(name) && (role === '' || CONTENT_NAMED.has(role) || role === 'listitem') && role !== 'row';

/** What stands before an item of a list: its number, where a user sees one. */
const itemPrefix = (element, sight) => {
  const list = parentNode(element);
  if (!isElement(list) || localName(list) !== 'ol' || sight.style.listStyleType === 'none') return '- ';
  const number = (memory?.numbersIn(list) ?? numbersIn(list)).get(element);
  return number === undefined ? '- ' : `${number}. `;
};
const numbersIn = (list) => {
  const numbers = new Map();
  const items = [];
  for (let child = firstElement(list); child !== null; child = nextElement(child)) if (localName(child) === 'li') items.push(child);
  const isReversed = hasAttribute(list, 'reversed');
  let number = integer(attribute(list, 'start')) ?? (isReversed ? items.length : 1);
  for (const item of items) {
    number = integer(attribute(item, 'value')) ?? number;
    numbers.set(item, number);
    number += isReversed ? -1 : 1;
  }
  return numbers;
};
const integer = (text) => (text !== null && /^\s*[-+]?\d/.test(text) ? parseInt(text, 10) : null);

/** Whether an element stands in a line with what is around it: words with their readings, and parts of a formula, do as well. */
const standsInLine = (name, display) => /^(?:inline|ruby|math)/.test(display) || (name.startsWith('math:') && name !== 'math:math');

class Look {
  constructor(options) {
    this.options = options;
    /** Whether lines are written only when they are wanted. */
    this.isLazy = options.room !== undefined;
    this.lines = [];
    this.characters = 0;
    this.hidden = 0;
    /** Controls that have been shown by a label of theirs. */
    this.labelled = new Set();
    this.foldedRows = 0;
    this.foldedOptions = 0;
    this.cut = false;
    this.isLeftOut = false;
    this.until = performance.now() + MAX_MS;
    this.steps = 0;
    this.height = innerHeight;
    this.width = innerWidth;
    this.begin();
    extent = null;
    paintersLeft = PAINTERS_MAX;
  }

  /** Whether a line has all words that are searched. */
  isSearchedFor(text) {
    const { words } = this.options;
    if (words === undefined) return false;
    const letters = text.toLowerCase();
    return words.every((word) => letters.includes(word));
  }

  begin() {
    this.parts = [];
    this.length = 0;
    this.isBlank = true;
    this.isBegun = false;
    this.at = null;
    this.sight = null;
    this.hasControls = false;
    this.heading = null;
    this.prefix = '';
  }

  isFull() {
    if (this.cut) return true;
    if (++this.steps % 256 === 0 && performance.now() > this.until) this.cut = true;
    if (this.characters > MAX_CHARACTERS || this.lines.length > MAX_LINES) this.cut = true;
    return this.cut;
  }

  flush() {
    if (!this.isBlank) {
      const line = new Line(this.heading !== null ? 'H' : this.hasControls ? 'C' : 'T', this.at, this.sight);
      line.parts = this.parts;
      line.prefix = this.prefix;
      line.heading = this.heading;
      line.hasControls = this.hasControls;
      if (!this.isLazy) line.write(this);
      if (line.text !== '') this.add(line);
    }
    this.begin();
  }

  /** Adds a line of which all is known: it begins at a node. What is known of the element around that spares a question. */
  put(text, kind, refs, at, sight, more) {
    const line = new Line(kind, at, sight);
    line.text = text;
    line.refs = refs;
    line.more = more ?? 0;
    this.add(line);
  }

  add(line) {
    line.look(this);
    this.characters += line.size();
    this.lines.push(line);
  }

  /** A space, or what stands between cells. */
  space(text) {
    if (text === ' ' && !this.isBegun) return;
    this.isBegun = true;
    this.parts.push(text);
  }

  /** What is in an element, between what a style sheet writes around it: that alone makes no line. */
  inner(sight, flags) {
    const marks = (flags & (QUIET | MUTE | VERBATIM)) === 0 ? MARKS_AROUND.get(sight.name) : undefined;
    if (marks !== undefined && !(sight.name === 'sup' && query(sight.element, 'a') !== null)) return this.marked(sight, flags, marks);
    this.content(sight, flags);
  }

  /** What is raised or struck, with marks that say so: 10 with a raised 6 is not 106, nor is a price that was the price. */
  marked(sight, flags, [before, after]) {
    this.parts.push(before);
    this.content(sight, flags);
    this.parts.push(after);
  }

  /** A formula whose parts stand above, below or over each other. */
  formula(sight, flags, parts) {
    const children = childrenOf(sight.element).filter(isElement);
    children.forEach((child, at) => {
      const [before, [open, close]] = parts[at]?.length > 0 ? parts[at] : ['', ['', '']];
      this.parts.push(before, open);
      this.walk(child, sight, flags);
      this.parts.push(close);
    });
  }

  content(sight, flags) {
    const formula = (flags & (QUIET | MUTE)) === 0 ? FORMULAS.get(sight.name) : undefined;
    if (formula !== undefined) return this.formula(sight, flags, formula);
    if ((flags & (QUIET | MUTE | VERBATIM)) !== 0) return this.children(sight, flags);
    this.parts.push(sight);
    this.children(sight, flags);
    if (this.isBegun) this.parts.push(new Part(GENERATED, sight.element, sight, '::after', ''));
  }

  /** Something that may be seen. What would be too long for a line begins another one, save for headings. */
  say(part) {
    const length = part.type === LETTERS ? part.text.length : CONTROL_LENGTH;
    if (this.length > 0 && this.length + length > LINE_MAX && this.heading === null) this.flush();
    this.length += length;
    if (part.type === CONTROL) this.hasControls = true;
    this.isBlank = false;
    this.isBegun = true;
    if (this.at === null) {
      this.at = part.place();
      this.sight = part.sight;
    }
    this.parts.push(part);
  }

  walk(node, around, flags) {
    if (this.isFull()) return;
    const type = nodeType(node);
    if (type === 3) return this.letters(node, around, flags);
    if (type !== 1) return;
    const known = knownOf(node);
    const { name } = known;
    if (SKIPPED.has(name)) return;
    const style = known.styleOf(node);
    const { display } = style;
    if (display === 'none') return;
    if (around !== null && around.depth >= MAX_DEPTH) return this.leaveOut(node, around);
    if (display === '') {
      // It is in the page, but in no place: its parent shows something else instead.
      const parent = parentNode(node);
      if (isElement(parent)) suspect(parent);
      this.hidden += clean(textContent(node)).trim().length;
      return;
    }
    suspectHost(node, name);
    this.element(new Sight(node, name, style, display, around), flags);
  }

  /** What is in more elements than can be walked. */
  leaveOut(node, around) {
    if (textContent(node).trim() === '') return;
    this.flush();
    this.put(`… more in over ${MAX_DEPTH} elements in each other, which are not shown`, 'T', [], node, around);
    this.isLeftOut = true;
  }

  letters(node, sight, flags) {
    if ((flags & (QUIET | MUTE)) !== 0) return;
    const raw = nodeValue(node);
    if (raw === '') return;
    if (!/\S/.test(raw)) return this.space(' ');
    if (raw.includes('\n') && sight.isPreformatted()) {
      raw.split('\n').forEach((line, index) => {
        if (index > 0) this.flush();
        if (/\S/.test(line)) this.sayLetters(node, sight, line);
        else if (line !== '') this.space(' ');
      });
      return;
    }
    this.sayLetters(node, sight, raw);
  }

  sayLetters(node, sight, text) {
    let from = 0;
    while (text.length - from > LINE_MAX) {
      const space = text.lastIndexOf(' ', from + LINE_MAX);
      let to = space > from + LINE_MAX / 2 ? space : from + LINE_MAX;
      // No half of a character.
      if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--;
      this.say(new Part(LETTERS, node, sight, text.slice(from, to), ''));
      from = to;
    }
    this.say(new Part(LETTERS, node, sight, from === 0 ? text : text.slice(from), ''));
  }

  element(sight, flags) {
    const { element, name } = sight;
    if (isPutAside(element, name)) return;
    // Most elements have none of these attributes, which is one question instead of several.
    const isMarked = hasAttributes(element) && matches(element, MARKS);
    const role = isMarked || MAY_BE_CONTROLS.has(name) ? controlRole(element, name) : '';
    if (role !== '') return this.control(sight, role, flags);
    if (name === 'iframe' || name === 'frame') return this.frame(sight);
    if (name === 'br') return (flags & ROW) !== 0 ? this.space(' ') : this.flush();
    const given = isMarked ? givenRole(element) : '';
    if (name === 'img' || name === 'svg' || given === 'img') return this.picture(sight, flags);
    if (name === 'meter' || name === 'progress' || (isMarked && isGauge(element, given))) return this.gauge(sight, given, flags);
    const isPointed = sight.style.cursor === 'pointer';
    const inner = isPointed ? flags | POINTED : flags & ~POINTED;
    const isHandled = (isPointed && (flags & (POINTED | MUTE)) === 0 && !isLabelOfShown(this, element, name)) || (isMarked && (hasAttribute(element, 'onclick') || takesFocus(sight, given) || isDragged(element) || isDroppedOn(element)));
    if ((flags & QUIET) === 0 && isHandled && sight.isVisible() && this.isSmall(element, name, given)) {
      if ((flags & ROW) !== 0 && isCellOf(sight, given)) this.space(' | ');
      return this.control(sight, CELL_ROLES.has(given) ? given : 'clickable', inner);
    }
    this.block(sight, given, inner);
  }

  /** A picture: what it is called, and what can be read or worked in it. */
  picture(sight, flags) {
    const { element, name } = sight;
    const label = short(nameOf(element, 'img'), NAME_MAX);
    if (label !== '' && (flags & QUIET) === 0) this.say(new Part(IMAGE, element, sight, ` image ${quoted(label)} `, ''));
    if (name === 'img' && hasAttribute(element, 'usemap')) {
      for (const area of areasOf(element)) {
        this.say(new Part(CONTROL, area, sight, controlRole(area, 'area'), 'area'));
      }
    }
    if (name !== 'svg' || query(element, IN_DRAWINGS) === null) return;
    if ((flags & (ROW | QUIET)) !== 0) return this.inner(sight, flags);
    this.flush();
    this.inner(sight, flags);
    this.flush();
  }

  /** What shows a number by its length. */
  gauge(sight, given, flags) {
    const { element, name } = sight;
    if ((flags & QUIET) !== 0) return;
    const role = name === 'meter' ? 'meter' : name === 'progress' ? 'progressbar' : given;
    const label = short(nameOf(element, role), NAME_MAX);
    const value = gaugeValue(element, name);
    this.say(new Part(IMAGE, element, sight, ` ${role}${label === '' ? '' : ` ${quoted(label)}`}${value === '' ? '' : ` =${quoted(value)}`} `, ''));
  }

  /** An input that is not shown itself, in the place of the label by which it is worked. Whether it is one. */
  byLabel(sight, control, flags) {
    if (!isWorkedByLabel(control) || standingOf(sight, 'label') !== THERE) return false;
    if (this.labelled.has(control)) return true;
    this.labelled.add(control);
    const own = (flags & (ROW | QUIET)) === 0;
    if (own) this.flush();
    this.say(new Part(CONTROL, control, sight, controlRole(control, 'input'), ''));
    if (own) this.flush();
    return true;
  }

  /** Whether a control is shown with what its label says. */
  isSaid(control, label) {
    if (control === null || control === undefined || !isConnected(control) || boxesOf(control).length === 0) return false;
    const other = attribute(control, 'aria-label');
    if (other !== null && clean(other).trim() !== clean(textContent(label)).trim()) return false;
    if (hasAttribute(control, 'aria-labelledby')) return false;
    const name = localName(control);
    if (name === 'output' || isPutAside(control, name) || (name === 'input' && INPUT_ROLES[inputType(control)] === 'button')) return false;
    return !name.includes('-') || hasFieldWithin(control) || hasHandler(control);
  }

  /** A clickable says little, and some of it by itself: a page that listens on its body is not one, nor is what only holds controls. */
  isSmall(element, name, role) {
    if (element === bodyOf(page) || element === documentElement(page)) return false;
    const text = textContent(element);
    // What is dragged elsewhere has to be dropped somewhere, whatever is there already.
    if (isDroppedOn(element)) return true;
    if (holdsControls(element)) return text.length < 300 && mayHoldControls(name, role) && isShortName(ownName(element));
    // Shapes of drawings have the pointer of what they are in.
    if (isOfSvg(element) && text.trim() === '' && !hasAttribute(element, 'aria-label')) return false;
    return text.length < 300;
  }

  control(sight, role, flags) {
    const { element, name } = sight;
    const isField = name === 'select' || name === 'input' || name === 'textarea' || isEditingHost(element);
    // What is dropped somewhere is dropped among others, which stay what they are.
    const isOpen = role === 'clickable' && (isDroppedOn(element) || givenRole(element) === 'group')
      && (hasAttribute(element, 'aria-label') || holdsControls(element));
    const isNested = isOpen || (!isField && (holdsControls(element) || rootOf(element) !== null));
    const own = FIELD_ROLES.has(role) && (flags & (ROW | QUIET)) === 0;
    // Where nothing else hangs on whether it is there, that is asked when it is written.
    const isLater = !own && !isNested;
    if (!isLater) {
      const standing = standingOf(sight, name);
      if (standing === HOLLOW) return this.inner(sight, flags | QUIET);
      if (standing === GONE) return;
    }
    if (own) this.flush();
    this.say(new Part(CONTROL, element, sight, role, isLater ? name : ''));
    if (name === 'select' && selectOptions(element).length > 10) this.foldedOptions += selectOptions(element).length;
    if (isNested) this.inner(sight, CONTENT_NAMED.has(role) && !isOpen ? flags | QUIET : flags & ~QUIET);
    if (own) this.flush();
  }

  frame(sight) {
    const { element } = sight;
    if (!sight.showsFrame()) return;
    this.flush();
    const label = short(clean(attribute(element, 'title') ?? attribute(element, 'name') ?? '').trim(), NAME_MAX);
    this.put(`frame${label === '' ? '' : ` ${quoted(label)}`}:`, 'F', [], element, sight, frames.get(element) ?? 0);
  }

  block(sight, role, flags) {
    const { element, name, display } = sight;
    const isInLine = standsInLine(name, display);
    if ((flags & QUIET) !== 0 || (role === '' && isInLine && !MEANINGFUL.has(name))) return this.inner(sight, flags);
    const isInRow = (flags & ROW) !== 0;
    const isRow = name === 'tr' || role === 'row';
    const isCell = isCellOf(sight, role);
    const isItem = name === 'li' || role === 'listitem';
    // Words of a drawing stand in one line.
    const isInline = isInLine || (name.startsWith('svg:') && name !== 'svg:foreignObject');
    if (name === 'svg:text') this.space(' ');
    const isBlock = !(isInline || display === 'contents') && !(isInRow && (isCell || !isRow));
    // What it says stands with the control that it names.
    if (name === 'label') {
      const control = labelControl(element);
      if (this.byLabel(sight, control, flags) || this.isSaid(control, element)) flags |= MUTE;
    }
    const heading = HEADINGS.get(name) ?? (role === 'heading' ? attribute(element, 'aria-level') ?? '2' : null);
    if (isBlock || isRow || heading !== null) this.flush();
    if (heading !== null) {
      this.heading = sight;
      this.prefix = `${'#'.repeat(Math.min(6, Number(heading) || 2))} `;
    } else if (isItem && !isInRow) this.prefix = itemPrefix(element, sight);
    const landmark = LANDMARKS.get(name) ?? (LANDMARK_ROLES.has(role) ? role : null);
    if (landmark !== null && !isInRow && !isRow) {
      const label = short(nameOf(element, landmark), NAME_MAX);
      if (label !== '' || landmark === 'main' || landmark === 'navigation' || landmark.endsWith('dialog')) {
        this.flush();
        this.put(`[${landmark}${label === '' ? '' : ` ${quoted(label)}`}]`, 'L', [], element, sight);
      }
    }
    if (isCell && isInRow) this.space(' | ');
    else if (isInRow && !isInline) this.space(' ');
    if (name === 'pre') flags |= VERBATIM;
    this.inner(sight, isRow ? flags | ROW : flags);
    if (isBlock || isRow || heading !== null) this.flush();
  }

  children(sight, flags) {
    const children = childrenIn(sight.element, sight.name);
    if (children.length <= FOLD_MIN || this.options.unfolded) {
      for (let at = 0; at < children.length; at++) this.walk(children[at], sight, flags);
      return;
    }
    runs(this, children, sight, flags);
  }

  result(more) {
    this.flush();
    if (this.isLazy) writeLikely(this, this.options);
    const look = this.isLazy ? keep(this) : 0;
    const lines = unsent(this.lines.map((line) => line.sent()), look, this.options.base);
    return JSON.stringify({ ...lines, look, hidden: this.hidden, rows: this.foldedRows, options: this.foldedOptions, cut: this.cut || this.isLeftOut, suspects: asked(), ...more });
  }
}

/** What is around an element. */
const sightAround = (element) => {
  const chain = [];
  for (let at = parentOf(element); at !== null && isElement(at); at = parentOf(at)) chain.push(at);
  let sight = null;
  for (const at of chain.reverse()) sight = sightOf(at, sight);
  return sight;
};

// Frames are numbered by the host, which alone knows which is which.
const frames = new WeakMap();

const lookAt = (options) => {
  active = deepActive();
  return withMemory(() => lookWith(new Look(options), options));
};
const lookWith = (look, options) => {
  if (options.fold) {
    const fold = folds.get(options.fold);
    const run = fold === undefined ? null : runOf(fold);
    if (run === null) return JSON.stringify({ gone: true });
    const around = sightAround(run[0] ?? documentElement(page));
    let at = Math.min(fold.start + (options.offset ?? 0), run.length);
    while (at < run.length && look.characters < options.budget && !look.cut) look.walk(run[at++], around, 0);
    const total = Math.max(0, run.length - fold.start);
    return look.result({ next: at < run.length ? at - fold.start : null, total });
  }
  if (options.scope) {
    const element = elements.get(options.scope);
    if (element === undefined || !isConnected(element)) return JSON.stringify({ gone: true });
    if (localName(element) === 'select') return optionsOf(look, element, options);
    const around = sightAround(element);
    look.walk(element, around, 0);
    look.flush();
    if (look.lines.length === 0) {
      look.begin();
      look.inner(sightOf(element, around), 0);
    }
    return look.result({});
  }
  const root = documentElement(page);
  if (root !== null) look.walk(root, null, 0);
  return look.result({ page: { title: clean(titleOf(page).slice(0, TITLE_MAX)).trim(), url: addressOf(page).slice(0, ADDRESS_MAX) } });
};
const optionsOf = (look, element, options) => {
  const all = [...selectOptions(element)].filter((option) => !isOptionHidden(option));
  let at = Math.min(options.offset ?? 0, all.length);
  for (; at < all.length && look.characters < options.budget; at++) {
    const option = all[at];
    const label = short(groupedLabelOf(option), NAME_MAX);
    const value = optionValue(option);
    const states = [optionSelected(option) ? 'selected' : '', isOptionDisabled(option) ? 'disabled' : ''].filter((state) => state !== '');
    look.put(`option ${quoted(label)}${value !== labelOf(option) && value !== '' ? ` value=${quoted(short(clean(value), 60))}` : ''}${states.length ? ` (${states.join(', ')})` : ''}`, 'C', [], null, null);
  }
  return look.result({ next: at < all.length ? at : null, total: all.length });
};
