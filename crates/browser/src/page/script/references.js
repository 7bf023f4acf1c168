// Elements as they stand in lines, each by a number that it keeps.

let lastId = 0;
const ids = new WeakMap();
const elements = new Map();
const idOf = (element) => {
  let id = ids.get(element);
  if (id === undefined) {
    id = ++lastId;
    ids.set(element, id);
    // Not by weak references: those to a living element may become empty, since what stands for it here is made again.
    elements.set(id, element);
    if (id % 5000 === 0) for (const [known, other] of elements) if (!isConnected(other)) elements.delete(known);
  }
  return id;
};
/** Elements that the browser is to be asked about. */
let waiting = [];
const asked = () => {
  waiting = [...suspects];
  suspects.clear();
  return waiting.map((_, index) => index);
};
const suspectOf = (index) => waiting[index] ?? null;
const folds = new Map();
const foldIds = new WeakMap();

/** What a row is about: its first cell or heading. The same button in the row of somebody else is another one. */
const ROWS = 'tr,li,article,[role=row],[role=listitem],[role=article],[role=treeitem]';
const HEADS = 'th,td,[role=cell],[role=gridcell],[role=rowheader],h1,h2,h3,h4,h5,h6,[role=heading]';
const headOf = (row) => {
  const head = query(row, HEADS);
  return { head, text: head === null ? '' : clean(textContent(head)).trim() };
};
const DISABLED = '[aria-disabled=true],[inert]';

/** What is around many elements, found once for all of them. Good for as long as the page does nothing. */
class Memory {
  constructor() {
    this.rows = new Map();
    this.disabled = new Map();
    this.heads = new Map();
    this.sights = new Map();
    this.labels = new Map();
    this.numbers = new Map();
    this.written = null;
    this.dialogs = null;
    /** Whether anything of the document is disabled with all that is in it; of shadow roots that is not known. */
    this.hasDisabled = null;
  }

  generators() {
    return this.written ??= generatorsNow();
  }

  /** As `closest`, by what is known of those further out. */
  static closest(known, element, selector) {
    const passed = [];
    let found = null;
    for (let at = element; isElement(at); at = parentNode(at)) {
      const before = known.get(at);
      if (before !== undefined) { found = before; break; }
      passed.push(at);
      if (matches(at, selector)) { found = at; break; }
    }
    for (let at = 0; at < passed.length; at++) known.set(passed[at], found);
    return found;
  }

  disabledAround(element) {
    this.hasDisabled ??= queryFirst(page, DISABLED) !== null;
    if (!this.hasDisabled && rootNode(element) === page) return null;
    return Memory.closest(this.disabled, element, DISABLED);
  }

  /** The labels of a document or a shadow root. */
  labelsIn(root) {
    let labels = this.labels.get(root);
    if (labels === undefined) this.labels.set(root, labels = labelsIn(root));
    return labels;
  }

  /** The numbers of the items of a list. */
  numbersIn(list) {
    let numbers = this.numbers.get(list);
    if (numbers === undefined) this.numbers.set(list, numbers = numbersIn(list));
    return numbers;
  }

  headOf(row) {
    let head = this.heads.get(row);
    if (head === undefined) this.heads.set(row, head = headOf(row));
    return head;
  }
}
let memory = null;
/** Looks at many elements without a pause in which the page could change. */
const withMemory = (look) => {
  memory = new Memory();
  try {
    return look();
  } finally {
    memory = null;
  }
};
const rowOf = (element) => (memory === null ? closest(element, ROWS) : Memory.closest(memory.rows, element, ROWS));
const rowText = (element) => {
  const parent = parentNode(element);
  const row = isElement(parent) ? rowOf(parent) : null;
  if (row === null) return '';
  const { head, text: title } = memory === null ? headOf(row) : memory.headOf(row);
  let text = head !== null && !isWithin(element, head) ? title : '';
  if (text === '') {
    let budget = 40;
    const first = (node) => {
      for (const child of childrenOf(node)) {
        if (child === element || --budget < 0) return '';
        const found = nodeType(child) === 3 ? clean(nodeValue(child)).trim() : isElement(child) && !SKIPPED.has(localName(child)) ? first(child) : '';
        if (found !== '') return found;
      }
      return '';
    };
    text = first(row);
  }
  return short(text, 80);
};
const roleOf = (element) => {
  const name = localName(element);
  const role = controlRole(element, name);
  if (role !== '') return role;
  // What is named by what is in it.
  const given = givenRole(element);
  return CONTENT_NAMED.has(given) ? given : 'clickable';
};
const said = (element) => {
  const role = roleOf(element);
  const { name, seen } = namesOf(element, role);
  // By all of the name: what shows only under the pointer changes nothing of what it is.
  return { role, name: short(seen, NAME_MAX), hidden: Math.max(0, name.length - seen.length), key: `${role}\n${hash(name)}\n${name.length}`, row: rowText(element) };
};

const SECRET_HINTS = /^(?:cc-|current-password|new-password|one-time-code)/;
const labelOf = (option) => clean(optionLabel(option)).trim();
/** The label of an option, with that of its group. */
const groupedLabelOf = (option) => {
  const group = parentNode(option);
  const label = isElement(group) && localName(group) === 'optgroup' ? clean(attribute(group, 'label') ?? '').trim() : '';
  return label === '' ? labelOf(option) : `${label}: ${labelOf(option)}`;
};
/** Whether the label of an option says which one it is: only groups may have several of them. */
const isOnlyOne = (select, option) => {
  const group = parentNode(option);
  if (!isElement(group) || localName(group) !== 'optgroup') return true;
  const label = labelOf(option);
  return [...selectOptions(select)].filter((other) => labelOf(other) === label).length === 1;
};
/** Those of a list that is closed have no place, but a style. */
const isOptionHidden = (option) => styleOf(option).display === 'none';
/** By itself, or with its group. */
const isOptionDisabled = (option) => matches(option, ':disabled');
/** Whether a field is for finding something: pages forbid browsers to fill it by saying that it is for a new password. */
const isSearched = (element) => localName(element) === 'input' && (inputType(element) === 'search' || (inputType(element) === 'text' && /^(?:combobox|searchbox)$/.test(givenRole(element))));
const isSecret = (element) => {
  const hints = (attribute(element, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
  if (hints.some((hint) => SECRET_HINTS.test(hint) && !(hint === 'new-password' && isSearched(element)))) return true;
  const isMasked = styleOf(element).webkitTextSecurity !== 'none';
  if (localName(element) !== 'input') return isMasked;
  if (inputType(element) === 'password') {
    wasSecret.add(element);
    return true;
  }
  // One that a "show password" button has turned into text stays a secret.
  return wasSecret.has(element) || isMasked;
};
const wasSecret = new WeakSet();
/** Attributes that say of a control in which state it is, or which value it has. Most controls have none of them. */
const SAYING = new Set(['aria-checked', 'aria-selected', 'aria-pressed', 'aria-current', 'aria-expanded', 'aria-required', 'aria-invalid', 'aria-valuetext', 'aria-valuenow',
  'aria-readonly', 'contenteditable', 'required']);
const isSaying = (element) => attributeNames(element).some((name) => SAYING.has(name));
/** The files of a field, by their names. */
const valueOfFiles = (element) => {
  const names = [...inputFiles(element) ?? []].map((file) => quoted(short(clean(fileName(file)).trim(), 200)));
  if (names.length === 0) return '';
  return ` =${names.slice(0, 5).join(', ')}${names.length > 5 ? `, … (${names.length})` : ''}`;
};
/** What has been chosen in a combobox that is no field. */
const contentOfCombobox = (element) => {
  if (query(element, INTERACTIVE) !== null) return '';
  const before = counts;
  counts = countsSeen;
  try {
    return contentText(element, new Set([element]), 0);
  } finally {
    counts = before;
  }
};
const valueOf = (element, name, role, isPlain) => {
  let value = '';
  if (name === 'input') {
    const type = inputType(element);
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(type)) return '';
    if (type === 'file') return valueOfFiles(element);
    value = inputValue(element);
  } else if (name === 'textarea') value = areaValue(element);
  else if (name === 'select') {
    const chosen = [...selectOptions(element)].filter(optionSelected).map((option) => (isOnlyOne(element, option) ? labelOf(option) : groupedLabelOf(option)));
    value = chosen.slice(0, 5).join(', ') + (chosen.length > 5 ? `, … (${chosen.length})` : '');
  } else if ((!isPlain || name === 'body') && isEditingHost(element)) value = innerText(element);
  else if (role === 'combobox') value = attribute(element, 'aria-valuetext') ?? contentOfCombobox(element);
  else if (isPlain) return '';
  else value = attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ?? '';
  if (value === '') return '';
  if (isSecret(element)) return ' ="••••••"';
  return ` =${quoted(short(clean(value).trim(), 200))}`;
};
const isDisabled = (element) => matches(element, ':disabled')
  || (memory === null ? closest(element, DISABLED) : memory.disabledAround(element)) !== null;
/** By the attribute, where it holds for the field, or as a page says of one of its own making. */
const isReadOnly = (element, name, role) => (name === 'input' || name === 'textarea' ? hasAttribute(element, 'readonly') && READ_ONLY.has(role)
  : attribute(element, 'aria-readonly')?.trim().toLowerCase() === 'true');
const deepActive = () => {
  let active = activeIn(page);
  while (active !== null && isElement(active) && rootOf(active) !== null && shadowActive(rootOf(active)) !== null) active = shadowActive(rootOf(active));
  return active;
};
/** Whether an open dialog keeps everything outside of it from being worked. */
const isBehindDialog = (element) => {
  const dialogs = memory === null ? dialogsNow() : memory.dialogs ??= dialogsNow();
  return dialogs.length > 0 && !dialogs.some((dialog) => isWithin(element, dialog));
};
const dialogsNow = () => [...queryDocument(page, 'dialog:modal')];
/** Types of fields that can be for reading only. Of others the attribute says nothing. */
const READ_ONLY = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'date', 'time', 'datetime', 'month', 'week']);
const statesOf = (element, name, role, isPlain) => {
  const states = [];
  const given = (state) => (isPlain ? null : attribute(element, `aria-${state}`)?.trim().toLowerCase() ?? null);
  if (name === 'input' && (inputType(element) === 'checkbox' || inputType(element) === 'radio')) {
    if (isMixed(element)) states.push('mixed');
    else if (isChecked(element)) states.push('checked');
  } else if (given('checked') === 'true') states.push('checked');
  else if (given('checked') === 'mixed') states.push('mixed');
  if (given('selected') === 'true') states.push('selected');
  if (given('pressed') === 'true') states.push('pressed');
  else if (given('pressed') === 'mixed') states.push('mixed');
  if (given('current') !== null && given('current') !== 'false' && given('current') !== '') states.push('current');
  if (given('expanded') === 'true') states.push('expanded');
  else if (given('expanded') === 'false') states.push('collapsed');
  else if (role === 'summary') {
    const details = parentNode(element);
    if (isElement(details) && localName(details) === 'details') states.push(hasAttribute(details, 'open') ? 'expanded' : 'collapsed');
  }
  if (isDisabled(element)) states.push('disabled');
  else if (isBehindDialog(element)) states.push('behind dialog');
  if ((name === 'input' || name === 'textarea' || !isPlain) && isReadOnly(element, name, role)) states.push('readonly');
  if (!isPlain && (hasAttribute(element, 'required') || given('required') === 'true')) states.push('required');
  if (given('invalid') !== null && given('invalid') !== 'false' && given('invalid') !== '') states.push('invalid');
  if (name === 'select') {
    const options = [...selectOptions(element)].filter((option, index) => index >= 10 || !isOptionHidden(option));
    const labels = options.slice(0, 10).map((option) => `${groupedLabelOf(option)}${isOptionDisabled(option) ? ' (disabled)' : ''}`);
    const listed = labels.join(' | ');
    states.push(options.length <= 10 && listed.length <= 160 ? `options: ${listed}` : options.length === 1 ? '1 option' : `${options.length} options`);
  }
  if (element === active) states.push('focused');
  return states.length > 0 ? ` (${states.join(', ')})` : '';
};
let active = null;

/** One control as it stands in a line. The number is written between marks that no text of a page can hold. */
const controlText = (element, name, role, refs, look = null) => {
  const saidNow = said(element);
  if (look !== null) look.hidden += saidNow.hidden;
  const id = idOf(element);
  refs.push([id, saidNow.role, saidNow.name, saidNow.key, saidNow.row]);
  const label = saidNow.name === '' ? '' : ` ${quoted(saidNow.name)}`;
  const isPlain = !isSaying(element);
  return `${role}${label} \u0001${id}\u0002${valueOf(element, name, role, isPlain)}${statesOf(element, name, role, isPlain)}`;
};
const lineOf = (element) => {
  active = deepActive();
  const refs = [];
  const role = controlRole(element, localName(element));
  if (role === '' && !ids.has(element)) {
    const name = localName(element);
    // The text of the whole page says nothing of what covers, and holds that of its style sheets.
    const isPage = element === documentElement(page) || element === bodyOf(page);
    const text = isPage ? '' : short(clean(textContent(element)).trim(), 60);
    const id = attribute(element, 'id');
    return { text: `<${name}${id === null ? '' : ` id=${quoted(short(clean(id), 40))}`}>${text === '' ? '' : ` ${quoted(text)}`}`, refs };
  }
  return { text: controlText(element, localName(element), role || roleOf(element), refs), refs };
};
