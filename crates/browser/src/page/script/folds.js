// Runs of alike elements: the first few, those in sight, and a line for the rest.

const FOLD_MIN = 10;
const FOLD_SHOWN = 8;
/** Parts of a form look alike, since a library makes them all, and are not: so many are shown before any is folded. */
const FOLD_MIN_FIELDS = 40;
const FIELDS = 'input:not([type=hidden]),select,textarea,[role=combobox],[role=slider],[role=switch],[contenteditable]';
const FOLDED_TAGS = new Set(['tr', 'li', 'article', 'div', 'a', 'section', 'button', 'label', 'tbody', 'ul', 'dl', 'option', 'figure']);
const ROW_WORDS = { tr: 'rows', li: 'items', a: 'links', option: 'options', button: 'buttons' };

const alike = (element) => {
  const name = localName(element);
  const role = givenRole(element);
  if (!FOLDED_TAGS.has(name) && role === '' && !name.includes('-')) return '';
  let inner = '';
  let count = 0;
  for (let child = firstElement(element); child !== null && count < 2; child = nextElement(child)) {
    inner += `>${localName(child)}`;
    count++;
  }
  const kind = name === 'tr' || name === 'li' || name === 'a' || name === 'option' ? '' : (attribute(element, 'class') ?? '').split(/\s+/, 1)[0];
  if (name === 'div' && inner === '' && role === '' && kind === '') return '';
  return `${name}|${role}|${kind}|${inner}`;
};

/** How many of these elements there are before they are folded. Of rows, items, links and options it is always the same. */
const foldMin = (kind, run) => {
  if (run.length <= FOLD_MIN || run.length > FOLD_MIN_FIELDS || ROW_WORDS[kind.split('|', 1)[0]] !== undefined) return FOLD_MIN;
  const fields = run.filter((element) => matches(element, FIELDS) || query(element, FIELDS) !== null);
  return fields.length * 2 > run.length ? FOLD_MIN_FIELDS : FOLD_MIN;
};

const runs = (look, children, sight, flags) => {
  const kinds = children.map((child) => (isElement(child) ? alike(child) : null));
  let index = 0;
  while (index < children.length) {
    if (look.isFull()) return;
    const kind = kinds[index];
    if (kind === null || kind === '') { look.walk(children[index], sight, flags); index++; continue; }
    const run = [];
    let end = index;
    for (; end < children.length; end++) {
      const other = children[end];
      if (kinds[end] === null) {
        if (nodeType(other) === 3 && nodeValue(other).trim() !== '') break;
        continue;
      }
      if (kinds[end] !== kind) break;
      if (isRendered(other)) run.push(other);
    }
    if (run.length > foldMin(kind, run)) fold(look, kind, run, sight, flags);
    else for (let at = index; at < end; at++) look.walk(children[at], sight, flags);
    index = end;
  }
};

/** The first few of a run, those in sight, and a line for the rest. */
const fold = (look, kind, run, sight, flags) => {
  const parent = sight.element;
  let from = 0;
  const first = boxOf(run[0]);
  if (first.bottom < 0) {
    let low = 0;
    let high = run.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (boxOf(run[middle]).bottom < 0) low = middle + 1;
      else high = middle;
    }
    if (low > FOLD_SHOWN) from = low;
  }
  const shown = (start, count) => { for (const element of run.slice(start, start + count)) look.walk(element, sight, flags); };
  const rest = (start, end) => {
    if (end <= start) return;
    if (end - start <= 2) { shown(start, end - start); return; }
    look.flush();
    // The same rows keep their number from look to look.
    if (!foldIds.has(parent)) foldIds.set(parent, new Map());
    const known = foldIds.get(parent);
    const place = `${kind}:${start}`;
    const id = known.get(place) ?? ++lastId;
    known.set(place, id);
    folds.set(id, { parent, kind, first: run[0], start, end });
    if (folds.size > 2000) folds.delete(folds.keys().next().value);
    const word = ROW_WORDS[kind.split('|', 1)[0]] ?? 'parts';
    look.foldedRows += end - start;
    look.put(`… ${end - start} more ${word} like these \u0003${id}\u0002`, 'R', [[id, '', '', '', '']], run[start], null);
  };
  if (from === 0) {
    shown(0, FOLD_SHOWN);
    rest(FOLD_SHOWN, run.length);
  } else {
    shown(0, 2);
    rest(2, from);
    shown(from, FOLD_SHOWN);
    rest(from + FOLD_SHOWN, run.length);
  }
};

/** The elements of a fold as they are now. */
const runOf = (fold) => {
  const { parent, first } = fold;
  if (!isConnected(parent)) return null;
  const children = childrenOf(parent);
  let begin = children.indexOf(first);
  if (begin < 0) begin = children.findIndex((child) => isElement(child) && alike(child) === fold.kind);
  const run = [];
  for (let at = Math.max(begin, 0); at < children.length; at++) {
    const child = children[at];
    if (!isElement(child)) continue;
    if (alike(child) !== fold.kind) break;
    if (isRendered(child)) run.push(child);
  }
  return run;
};
