// What runs in the isolated world of a frame. The page cannot reach this world's built-ins, but it can give elements
// names that stand before those of their own properties (`<form><input name="childNodes">`), so every property of a node
// is read by the getter of its prototype.
(() => {
  'use strict';
  // One for each document, however often it is asked for. No element can be called by a symbol.
  const KEY = Symbol.for('tenon');
  if (Object.hasOwn(globalThis, KEY)) return globalThis[KEY];
  const getter = (prototype, name) => {
    const { get } = Reflect.getOwnPropertyDescriptor(prototype, name);
    return (object) => Reflect.apply(get, object, []);
  };
  const setter = (prototype, name) => {
    const { set } = Reflect.getOwnPropertyDescriptor(prototype, name);
    return (object, value) => Reflect.apply(set, object, [value]);
  };
  const method = (prototype, name) => {
    const own = prototype[name];
    return (object, ...given) => Reflect.apply(own, object, given);
  };
  const N = Node.prototype;
  const E = Element.prototype;
  const H = HTMLElement.prototype;
  const D = Document.prototype;
  const page = document;
  const nodeType = getter(N, 'nodeType');
  const nodeValue = getter(N, 'nodeValue');
  const firstChild = getter(N, 'firstChild');
  const nextSibling = getter(N, 'nextSibling');
  const parentNode = getter(N, 'parentNode');
  const isConnected = getter(N, 'isConnected');
  const textContent = getter(N, 'textContent');
  const rootNode = method(N, 'getRootNode');
  const dispatch = method(EventTarget.prototype, 'dispatchEvent');
  const plainName = getter(E, 'localName');
  const namespaceOf = getter(E, 'namespaceURI');
  const HTML = 'http://www.w3.org/1999/xhtml';
  const SVG = 'http://www.w3.org/2000/svg';
  // An element of another namespace that is called `input` is none.
  const localName = (element) => {
    const space = namespaceOf(element);
    if (space === HTML) return plainName(element);
    const name = plainName(element);
    return space === SVG && (name === 'svg' || name === 'title' || name === 'style' || name === 'script') ? name : `x-${name}`;
  };
  const shadowRoot = getter(E, 'shadowRoot');
  const assignedSlot = getter(E, 'assignedSlot');
  const attribute = method(E, 'getAttribute');
  const hasAttribute = method(E, 'hasAttribute');
  const matches = method(E, 'matches');
  const closest = method(E, 'closest');
  const queryAll = method(E, 'querySelectorAll');
  const query = method(E, 'querySelector');
  const boxOf = method(E, 'getBoundingClientRect');
  const boxesOf = method(E, 'getClientRects');
  const isRendered = method(E, 'checkVisibility');
  const scrollTo = method(E, 'scrollIntoView');
  const clientLeft = getter(E, 'clientLeft');
  const clientTop = getter(E, 'clientTop');
  const offsetWidth = getter(H, 'offsetWidth');
  const offsetHeight = getter(H, 'offsetHeight');
  const innerText = getter(H, 'innerText');
  const isEditableContent = getter(H, 'isContentEditable');
  const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
  const documentElement = getter(D, 'documentElement');
  const scrollingElement = getter(D, 'scrollingElement');
  const titleOf = getter(D, 'title');
  const scrollWidth = getter(E, 'scrollWidth');
  const scrollHeight = getter(E, 'scrollHeight');
  const clientHeight = getter(E, 'clientHeight');
  const scrollLeft = getter(E, 'scrollLeft');
  const scrollTop = getter(E, 'scrollTop');
  const bodyOf = getter(D, 'body');
  const byPoint = method(D, 'elementFromPoint');
  const shadowByPoint = method(ShadowRoot.prototype, 'elementFromPoint');
  const hostOf = getter(ShadowRoot.prototype, 'host');
  const activeIn = getter(D, 'activeElement');
  const shadowActive = getter(ShadowRoot.prototype, 'activeElement');
  const byId = method(D, 'getElementById');
  const shadowById = method(DocumentFragment.prototype, 'getElementById');
  const inputType = getter(HTMLInputElement.prototype, 'type');
  const inputValue = getter(HTMLInputElement.prototype, 'value');
  const isChecked = getter(HTMLInputElement.prototype, 'checked');
  const isMixed = getter(HTMLInputElement.prototype, 'indeterminate');
  const inputLabels = getter(HTMLInputElement.prototype, 'labels');
  const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
  const areaLabels = getter(HTMLTextAreaElement.prototype, 'labels');
  const selectOptions = getter(HTMLSelectElement.prototype, 'options');
  const selectLabels = getter(HTMLSelectElement.prototype, 'labels');
  const isMultiple = getter(HTMLSelectElement.prototype, 'multiple');
  const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
  const selectOption = setter(HTMLOptionElement.prototype, 'selected');
  const optionLabel = getter(HTMLOptionElement.prototype, 'label');
  const optionValue = getter(HTMLOptionElement.prototype, 'value');
  const optionDisabled = getter(HTMLOptionElement.prototype, 'disabled');
  const setInputValue = setter(HTMLInputElement.prototype, 'value');
  const selectInput = method(HTMLInputElement.prototype, 'select');
  const selectArea = method(HTMLTextAreaElement.prototype, 'select');
  const labelControl = getter(HTMLLabelElement.prototype, 'control');
  const pathOf = method(Event.prototype, 'composedPath');
  const prevent = method(Event.prototype, 'preventDefault');
  const stop = method(Event.prototype, 'stopImmediatePropagation');
  const styleOf = (element) => getComputedStyle(element);
  const isElement = (node) => node !== null && nodeType(node) === 1;

  // ---- Text ----

  const NAME_MAX = 120;
  // Controls, zero-width letters, direction marks, tag characters, and what the marks of references are made of.
  const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
  const clean = (text) => text.replace(INVISIBLE, '').replace(/\s+/g, ' ').replace(/\[(?=(?:[er]\d+|new)\])/g, '[ ');
  const short = (text, most) => {
    const letters = text.length > most * 2 ? text.slice(0, most * 2) : text;
    const all = [...letters];
    return all.length > most ? `${all.slice(0, most - 1).join('')}…` : letters;
  };
  const hash = (text) => {
    let a = 0x9e3779b9;
    let b = 0x85ebca6b;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x5bd1e995) + (a >>> 15);
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
  };
  const quoted = (text) => JSON.stringify(text);

  // ---- The tree that a person sees ----

  const childrenOf = (node) => {
    if (isElement(node)) {
      const shadow = shadowRoot(node);
      if (shadow !== null) node = shadow;
      else if (localName(node) === 'slot') {
        const given = assignedNodes(node, { flatten: true });
        if (given.length > 0) return [...given];
      } else if (localName(node) === 'details' && !hasAttribute(node, 'open')) {
        for (let child = firstChild(node); child !== null; child = nextSibling(child)) {
          if (isElement(child) && localName(child) === 'summary') return [child];
        }
        return [];
      }
    }
    const children = [];
    for (let child = firstChild(node); child !== null; child = nextSibling(child)) children.push(child);
    return children;
  };
  const parentOf = (node) => {
    if (isElement(node)) {
      const slot = assignedSlot(node);
      if (slot !== null) return slot;
    }
    const parent = parentNode(node);
    return parent instanceof ShadowRoot ? hostOf(parent) : parent;
  };
  const isWithin = (node, ancestor) => {
    for (let at = node; at !== null; at = parentOf(at)) if (at === ancestor) return true;
    return false;
  };
  const idIn = (element, id) => {
    const root = rootNode(element);
    if (root === page) return byId(page, id);
    return root instanceof ShadowRoot ? shadowById(root, id) : null;
  };

  // ---- Roles and names ----

  const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'link', 'meta', 'title', 'base', 'param', 'source', 'track', 'datalist']);
  const CONTROL_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
    'option', 'slider', 'spinbutton', 'textbox', 'searchbox', 'combobox', 'treeitem', 'listbox', 'scrollbar', 'gridcell']);
  const CONTENT_NAMED = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
    'option', 'treeitem', 'summary', 'clickable', 'heading', 'cell', 'row', 'gridcell']);
  const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', color: 'color', date: 'date', time: 'time',
    'datetime-local': 'datetime', month: 'month', week: 'week', email: 'textbox', tel: 'textbox', url: 'textbox' };
  const LANDMARKS = { nav: 'navigation', main: 'main', aside: 'complementary', form: 'form', dialog: 'dialog', search: 'search' };
  const LANDMARK_ROLES = new Set(['navigation', 'main', 'complementary', 'banner', 'contentinfo', 'form', 'search', 'region', 'dialog',
    'alertdialog', 'alert', 'status', 'tablist', 'menu', 'toolbar', 'tree', 'grid', 'radiogroup', 'group']);

  const givenRole = (element) => {
    const role = attribute(element, 'role');
    return role === null ? '' : role.trim().toLowerCase().split(/\s+/)[0];
  };
  const isEditingHost = (element) => {
    const value = attribute(element, 'contenteditable');
    return value !== null && value.toLowerCase() !== 'false' && element instanceof HTMLElement && isEditableContent(element);
  };
  /** The role of a control, or nothing for what is none. */
  const controlRole = (element, name) => {
    switch (name) {
      case 'a': case 'area':
        if (hasAttribute(element, 'href')) return CONTROL_ROLES.has(givenRole(element)) ? givenRole(element) : 'link';
        break;
      case 'button': return CONTROL_ROLES.has(givenRole(element)) ? givenRole(element) : 'button';
      case 'input': {
        const type = inputType(element);
        if (type === 'hidden') return '';
        const role = givenRole(element);
        if (role === 'switch' || role === 'combobox' || role === 'searchbox') return role;
        return INPUT_ROLES[type] ?? 'textbox';
      }
      case 'textarea': return 'textbox';
      case 'select': return isMultiple(element) ? 'listbox' : 'combobox';
      case 'summary': return 'summary';
      case 'video': case 'audio': return hasAttribute(element, 'controls') ? name : '';
      default:
    }
    const role = givenRole(element);
    if (CONTROL_ROLES.has(role) && role !== 'gridcell') return role;
    if (isEditingHost(element)) return 'textbox';
    return '';
  };
  const hasHandler = (element) => hasAttribute(element, 'onclick') || (hasAttribute(element, 'tabindex') && attribute(element, 'tabindex').trim() !== '-1');

  const isNameHidden = (element) => attribute(element, 'aria-hidden') === 'true' || !isRendered(element);
  const contentText = (node, seen, depth) => {
    if (depth > 40) return '';
    let text = '';
    for (const child of childrenOf(node)) {
      if (text.length > 4000) break;
      const type = nodeType(child);
      if (type === 3) text += nodeValue(child);
      else if (type === 1) {
        const name = localName(child);
        if (SKIPPED.has(name) || isNameHidden(child)) continue;
        const part = nameOf(child, '', seen, depth + 1, true);
        const isInline = styleOf(child).display.startsWith('inline');
        text += isInline ? part : ` ${part} `;
      }
    }
    return text;
  };
  const labelText = (labels, seen, depth) => {
    const parts = [];
    for (const label of labels) {
      if (!seen.has(label)) { seen.add(label); parts.push(contentText(label, seen, depth + 1)); }
    }
    return parts.join(' ');
  };
  /** The accessible name, by the rules that matter (accname 1.2), not cut. */
  const nameOf = (element, role, seen = new Set(), depth = 0, embedded = false) => {
    if (seen.has(element) || depth > 40) return '';
    seen.add(element);
    const by = depth === 0 ? attribute(element, 'aria-labelledby') : null;
    if (by !== null && by.trim() !== '') {
      const parts = [];
      for (const id of by.trim().split(/\s+/)) {
        const other = idIn(element, id);
        if (other !== null && !parts.includes(other)) {
          seen.delete(other);
          parts.push(nameOf(other, 'heading', seen, depth + 1, true));
        }
      }
      const text = clean(parts.join(' ')).trim();
      if (text !== '') return text;
    }
    const label = attribute(element, 'aria-label');
    if (label !== null && clean(label).trim() !== '') return clean(label).trim();
    const name = localName(element);
    let text = '';
    if (name === 'img' || name === 'area') text = attribute(element, 'alt') ?? '';
    else if (name === 'input') {
      const type = inputType(element);
      if (embedded && depth > 0 && (type === 'text' || type === 'number' || type === 'search')) return clean(inputValue(element)).trim();
      if (type === 'button' || type === 'submit' || type === 'reset') {
        text = inputValue(element) || (type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '');
      } else if (type === 'image') text = attribute(element, 'alt') || attribute(element, 'value') || '';
      if (text.trim() === '') text = labelText(inputLabels(element) ?? [], seen, depth);
      if (text.trim() === '') text = attribute(element, 'placeholder') ?? '';
    } else if (name === 'textarea' || name === 'select') {
      text = labelText((name === 'select' ? selectLabels : areaLabels)(element), seen, depth);
      if (text.trim() === '') text = attribute(element, 'placeholder') ?? '';
    } else if (name === 'svg') {
      for (const child of childrenOf(element)) if (isElement(child) && localName(child) === 'title') { text = textContent(child); break; }
    } else if (name === 'fieldset' || name === 'table' || name === 'figure' || name === 'details') {
      const wanted = { fieldset: 'legend', table: 'caption', figure: 'figcaption', details: 'summary' }[name];
      if (!embedded) {
        for (const child of childrenOf(element)) if (isElement(child) && localName(child) === wanted) { text = contentText(child, seen, depth + 1); break; }
      } else text = contentText(element, seen, depth);
    } else if (embedded || CONTENT_NAMED.has(role)) text = contentText(element, seen, depth);
    else if (role === 'textbox' || role === 'searchbox') text = attribute(element, 'aria-placeholder') ?? attribute(element, 'data-placeholder') ?? '';
    text = clean(text);
    if (text.trim() === '') text = clean(attribute(element, 'title') ?? '');
    return embedded && depth > 0 ? text : text.trim();
  };

  // ---- References ----

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
  const folds = new Map();
  const foldIds = new WeakMap();

  /** What a row is about: its first cell or heading. The same button in the row of somebody else is another one. */
  const ROWS = 'tr,li,article,[role=row],[role=listitem],[role=article],[role=treeitem]';
  const rowText = (element) => {
    const parent = parentNode(element);
    const row = isElement(parent) ? closest(parent, ROWS) : null;
    if (row === null) return '';
    const head = query(row, 'th,td,[role=cell],[role=gridcell],[role=rowheader],h1,h2,h3,h4,h5,h6,[role=heading]');
    let text = head !== null && !isWithin(element, head) ? clean(textContent(head)).trim() : '';
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
    return controlRole(element, name) || (hasAttribute(element, 'role') && givenRole(element)) || 'clickable';
  };
  const said = (element) => {
    const role = roleOf(element);
    const name = nameOf(element, role);
    return { role, name: short(name, NAME_MAX), key: `${role}\n${hash(name)}\n${name.length}`, row: rowText(element) };
  };

  const SECRET_HINTS = /^(?:cc-|current-password|new-password|one-time-code)/;
  const isSecret = (element) => {
    const hints = (attribute(element, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
    if (hints.some((hint) => SECRET_HINTS.test(hint))) return true;
    if (localName(element) !== 'input') return false;
    if (inputType(element) === 'password') {
      wasSecret.add(element);
      return true;
    }
    // One that a "show password" button has turned into text stays a secret.
    return wasSecret.has(element) || styleOf(element).webkitTextSecurity !== 'none';
  };
  const wasSecret = new WeakSet();
  const valueOf = (element, name) => {
    let value = '';
    if (name === 'input') {
      const type = inputType(element);
      if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(type)) return '';
      value = type === 'file' ? inputValue(element).replace(/^.*[\\/]/, '') : inputValue(element);
    } else if (name === 'textarea') value = areaValue(element);
    else if (name === 'select') {
      const chosen = [...selectOptions(element)].filter(optionSelected).map((option) => clean(optionLabel(option)).trim());
      value = chosen.slice(0, 5).join(', ') + (chosen.length > 5 ? `, … (${chosen.length})` : '');
    } else if (isEditingHost(element)) value = innerText(element);
    else value = attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ?? '';
    if (value === '') return '';
    if (isSecret(element)) return ' ="••••••"';
    return ` =${quoted(short(clean(value).trim(), 200))}`;
  };
  const isDisabled = (element) => matches(element, ':disabled') || closest(element, '[aria-disabled=true]') !== null || closest(element, '[inert]') !== null;
  const deepActive = () => {
    let active = activeIn(page);
    while (active !== null && isElement(active) && shadowRoot(active) !== null && shadowActive(shadowRoot(active)) !== null) active = shadowActive(shadowRoot(active));
    return active;
  };
  const statesOf = (element, name, role) => {
    const states = [];
    const given = (state) => attribute(element, `aria-${state}`);
    if (name === 'input' && (inputType(element) === 'checkbox' || inputType(element) === 'radio')) {
      if (isMixed(element)) states.push('mixed');
      else if (isChecked(element)) states.push('checked');
    } else if (given('checked') === 'true') states.push('checked');
    else if (given('checked') === 'mixed') states.push('mixed');
    if (given('selected') === 'true') states.push('selected');
    if (given('pressed') === 'true') states.push('pressed');
    if (given('current') !== null && given('current') !== 'false') states.push('current');
    if (given('expanded') === 'true') states.push('expanded');
    else if (given('expanded') === 'false') states.push('collapsed');
    else if (role === 'summary') {
      const details = parentNode(element);
      if (isElement(details) && localName(details) === 'details') states.push(hasAttribute(details, 'open') ? 'expanded' : 'collapsed');
    }
    if (isDisabled(element)) states.push('disabled');
    if ((name === 'input' || name === 'textarea') && hasAttribute(element, 'readonly')) states.push('readonly');
    if (hasAttribute(element, 'required') || given('required') === 'true') states.push('required');
    if (given('invalid') === 'true') states.push('invalid');
    if (name === 'select') {
      const options = [...selectOptions(element)];
      const labels = options.slice(0, 10).map((option) => clean(optionLabel(option)).trim());
      const listed = labels.join(' | ');
      states.push(options.length <= 10 && listed.length <= 160 ? `options: ${listed}` : `${options.length} options`);
    }
    if (element === active) states.push('focused');
    return states.length > 0 ? ` (${states.join(', ')})` : '';
  };
  let active = null;

  /** One control as it stands in a line. The number is written between marks that no text of a page can hold. */
  const controlText = (element, name, role, refs) => {
    const saidNow = said(element);
    const id = idOf(element);
    refs.push([id, saidNow.role, saidNow.name, saidNow.key, saidNow.row]);
    const label = saidNow.name === '' ? '' : ` ${quoted(saidNow.name)}`;
    return `${role}${label} \u0001${id}\u0002${valueOf(element, name)}${statesOf(element, name, role)}`;
  };
  const lineOf = (element) => {
    active = deepActive();
    const refs = [];
    const role = controlRole(element, localName(element));
    if (role === '' && !ids.has(element)) {
      const name = localName(element);
      const text = short(clean(textContent(element)).trim(), 60);
      const id = attribute(element, 'id');
      return { text: `<${name}${id === null ? '' : ` id=${quoted(short(clean(id), 40))}`}>${text === '' ? '' : ` ${quoted(text)}`}`, refs };
    }
    return { text: controlText(element, localName(element), role || roleOf(element), refs), refs };
  };

  // ---- The look ----

  const FOLD_MIN = 10;
  const FOLD_SHOWN = 8;
  const FOLDED_TAGS = new Set(['tr', 'li', 'article', 'div', 'a', 'section', 'button', 'label', 'tbody', 'ul', 'dl', 'option', 'figure']);
  const INTERACTIVE = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[contenteditable],[onclick],iframe';
  const FIELD_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'file', 'color',
    'date', 'time', 'datetime', 'month', 'week', 'button', 'summary', 'clickable', 'video', 'audio']);
  const MAX_CHARACTERS = 2000000;
  const MAX_LINES = 40000;
  const MAX_MS = 4000;
  const ROW_WORDS = { tr: 'rows', li: 'items', a: 'links', option: 'options', button: 'buttons' };

  const alike = (element) => {
    const name = localName(element);
    const role = givenRole(element);
    if (!FOLDED_TAGS.has(name) && role === '' && !name.includes('-')) return '';
    let inner = '';
    let count = 0;
    for (let child = firstChild(element); child !== null && count < 2; child = nextSibling(child)) {
      if (isElement(child)) { inner += `>${localName(child)}`; count++; }
    }
    const kind = name === 'tr' || name === 'li' || name === 'a' || name === 'option' ? '' : (attribute(element, 'class') ?? '').split(/\s+/, 1)[0];
    if (name === 'div' && inner === '' && role === '' && kind === '') return '';
    return `${name}|${role}|${kind}|${inner}`;
  };

  const isOutOfSight = (element, style) => {
    if (style.position === 'absolute' || style.position === 'fixed') {
      if (style.clip !== 'auto' && /rect\((?:0|1)(?:px)?,? /.test(style.clip)) return true;
      const box = boxOf(element);
      if (box.width > 0 && box.height > 0) {
        const fixed = style.position === 'fixed';
        if (box.right + (fixed ? 0 : scrollX) <= 0 || box.bottom + (fixed ? 0 : scrollY) <= 0) return true;
        if (box.width <= 1 && box.height <= 1 && style.overflow === 'hidden') return true;
      }
    }
    if (style.clipPath === 'inset(50%)' || style.clipPath === 'inset(100%)') return true;
    return parseFloat(style.textIndent) < -900;
  };
  const isClear = (color) => color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);

  class Look {
    constructor(options) {
      this.options = options;
      this.lines = [];
      this.characters = 0;
      this.hidden = 0;
      this.foldedRows = 0;
      this.foldedOptions = 0;
      this.cut = false;
      this.until = performance.now() + MAX_MS;
      this.steps = 0;
      this.height = innerHeight;
      this.width = innerWidth;
      this.begin();
    }

    begin() {
      this.text = '';
      this.refs = [];
      this.at = null;
      this.kind = 'T';
      this.prefix = '';
    }

    isFull() {
      if (this.cut) return true;
      if (++this.steps % 256 === 0 && performance.now() > this.until) this.cut = true;
      if (this.characters > MAX_CHARACTERS || this.lines.length > MAX_LINES) this.cut = true;
      return this.cut;
    }

    flush() {
      const text = this.text.replace(/ {2,}/g, ' ').trim();
      const isEmptyRow = /^[|\s]*$/.test(text);
      if (text !== '' && !isEmptyRow) this.put(this.prefix + text, this.refs.length > 0 && this.kind === 'T' ? 'C' : this.kind, this.refs, this.at);
      this.begin();
    }

    put(text, kind, refs, at, more) {
      let seen = 0;
      let target = at;
      while (target !== null && target !== undefined && !isElement(target)) target = parentOf(target);
      if (target) {
        const box = boxOf(target);
        seen = box.bottom > 0 && box.top < this.height && box.right > 0 && box.left < this.width ? 1 : 0;
      }
      this.characters += text.length + 8 + refs.length * 6;
      this.lines.push([text, kind, seen, refs, more ?? 0]);
    }

    write(text, node) {
      if (text.trim() !== '' && this.at === null) this.at = node;
      this.text += text;
    }

    walk(node, env) {
      if (this.isFull()) return;
      const type = nodeType(node);
      if (type === 3) return this.letters(node, env);
      if (type !== 1) return;
      const name = localName(node);
      if (SKIPPED.has(name)) return;
      const style = styleOf(node);
      if (style.display === 'none') return;
      env = this.envOf(node, style, env);
      this.element(node, name, style, env);
    }

    letters(node, env) {
      const raw = nodeValue(node);
      if (env.quiet || env.mute) return;
      if (!env.shown) {
        this.hidden += raw.trim() === '' ? 0 : clean(raw).trim().length;
        return;
      }
      if (env.pre && raw.includes('\n')) {
        raw.split('\n').forEach((line, index) => {
          if (index > 0) this.flush();
          this.write(clean(line), node);
        });
        return;
      }
      this.write(clean(raw), node);
    }

    envOf(element, style, env) {
      let { shown, bg, faded } = env;
      if (style.opacity === '0') faded = true;
      const background = style.backgroundColor;
      if (style.backgroundImage !== 'none') bg = null;
      else if (!isClear(background)) bg = background;
      const gone = env.gone || isOutOfSight(element, style);
      shown = style.visibility === 'visible' && !faded && !gone && parseFloat(style.fontSize) >= 1.5;
      if (shown && (isClear(style.webkitTextFillColor) ? style.backgroundClip !== 'text' : style.color === bg)) shown = false;
      return { ...env, shown, bg, faded, gone, pre: style.whiteSpace.startsWith('pre') && style.whiteSpace !== 'pre-line' ? true : style.whiteSpace === 'pre-line' };
    }

    element(element, name, style, env) {
      const role = controlRole(element, name);
      if (role !== '') return this.control(element, name, role, style, env);
      if (name === 'iframe' || name === 'frame') return this.frame(element, style);
      if (name === 'br') return env.row ? this.write(' ', null) : this.flush();
      if (name === 'img' || name === 'svg' || givenRole(element) === 'img') {
        const label = short(nameOf(element, 'img'), NAME_MAX);
        if (label !== '' && env.shown && !env.quiet) this.write(` image ${quoted(label)} `, element);
        return;
      }
      const pointer = style.cursor === 'pointer';
      if (!env.quiet && style.visibility === 'visible' && (hasAttribute(element, 'onclick') || (pointer && !env.pointer) || (hasHandler(element) && givenRole(element) === ''))) {
        if (this.isSmall(element)) return this.control(element, name, 'clickable', style, { ...env, pointer });
      }
      this.block(element, name, style, { ...env, pointer });
    }

    isSaid(control) {
      return control !== null && control !== undefined && isConnected(control) && boxesOf(control).length > 0 && !hasAttribute(control, 'aria-label') && !hasAttribute(control, 'aria-labelledby');
    }

    /** A clickable is a leaf: a page that listens on its body is not one. */
    isSmall(element) {
      if (element === bodyOf(page) || element === documentElement(page)) return false;
      if (query(element, INTERACTIVE) !== null) return false;
      const text = textContent(element);
      return text.length < 300;
    }

    control(element, name, role, style, env) {
      if (style.visibility !== 'visible') return;
      const box = boxOf(element);
      const isTiny = box.width === 0 || box.height === 0;
      const isLabelled = name === 'input' && (inputLabels(element)?.length ?? 0) > 0;
      // Inputs without a size of their own are worked by their label.
      if (isTiny && !isLabelled && boxesOf(element).length === 0 && name !== 'area') return this.inner(element, name, style, { ...env, quiet: true });
      if (isTiny && !isLabelled && name !== 'area' && query(element, '*') === null && textContent(element).trim() === '') return;
      if (env.gone && !isLabelled) return;
      const own = FIELD_ROLES.has(role) && !env.row && !env.quiet;
      if (own) this.flush();
      if (this.at === null) this.at = element;
      this.text += ` ${controlText(element, name, role, this.refs)} `;
      if (name === 'select' || name === 'input' || name === 'textarea' || isEditingHost(element)) {
        if (name === 'select' && selectOptions(element).length > 10) this.foldedOptions += selectOptions(element).length;
      } else if (query(element, INTERACTIVE) !== null || shadowRoot(element) !== null) {
        this.inner(element, name, style, { ...env, quiet: CONTENT_NAMED.has(role) });
      }
      if (own) this.flush();
    }

    frame(element, style) {
      if (style.visibility !== 'visible') return;
      const box = boxOf(element);
      if (box.width < 2 || box.height < 2) return;
      this.flush();
      const label = short(clean(attribute(element, 'title') ?? attribute(element, 'name') ?? '').trim(), NAME_MAX);
      this.put(`frame${label === '' ? '' : ` ${quoted(label)}`}:`, 'F', [], element, frames.get(element) ?? 0);
    }

    block(element, name, style, env) {
      const role = givenRole(element);
      const isRow = name === 'tr' || role === 'row';
      const isCell = style.display === 'table-cell' || role === 'cell' || role === 'gridcell' || role === 'columnheader' || role === 'rowheader';
      const isItem = name === 'li' || role === 'listitem';
      const isBlock = !(style.display.startsWith('inline') || style.display === 'contents') && !(env.row && (isCell || !isRow));
      if (env.quiet) return this.inner(element, name, style, env);
      // What it says stands with the control that it names.
      if (name === 'label' && this.isSaid(labelControl(element))) env = { ...env, mute: true };
      const heading = /^h([1-6])$/.exec(name)?.[1] ?? (role === 'heading' ? attribute(element, 'aria-level') ?? '2' : null);
      if (isBlock || isRow || heading !== null) this.flush();
      if (heading !== null && env.shown) {
        this.kind = 'H';
        this.prefix = `${'#'.repeat(Math.min(6, Number(heading) || 2))} `;
      } else if (isItem && !env.row) this.prefix = '- ';
      const landmark = LANDMARKS[name] ?? (LANDMARK_ROLES.has(role) ? role : null);
      if (landmark !== null && !env.row && !isRow) {
        const label = short(nameOf(element, landmark), NAME_MAX);
        if (label !== '' || landmark === 'main' || landmark === 'navigation' || landmark.endsWith('dialog')) {
          this.flush();
          this.put(`[${landmark}${label === '' ? '' : ` ${quoted(label)}`}]`, 'L', [], element);
        }
      }
      if (isCell && env.row) this.text += ' | ';
      else if (env.row && !style.display.startsWith('inline')) this.text += ' ';
      this.inner(element, name, style, { ...env, row: env.row || isRow });
      if (isBlock || isRow || heading !== null) this.flush();
    }

    inner(element, name, style, env) {
      const children = childrenOf(element);
      if (children.length <= FOLD_MIN || this.options.unfolded) {
        for (const child of children) this.walk(child, env);
        return;
      }
      this.runs(element, children, env);
    }

    runs(parent, children, env) {
      let index = 0;
      while (index < children.length) {
        if (this.isFull()) return;
        const child = children[index];
        const kind = isElement(child) ? alike(child) : '';
        if (kind === '') { this.walk(child, env); index++; continue; }
        const run = [];
        let end = index;
        for (; end < children.length; end++) {
          const other = children[end];
          if (!isElement(other)) {
            if (nodeType(other) === 3 && nodeValue(other).trim() !== '') break;
            continue;
          }
          if (alike(other) !== kind) break;
          if (isRendered(other)) run.push(other);
        }
        if (run.length > FOLD_MIN) this.fold(parent, kind, run, env);
        else for (let at = index; at < end; at++) this.walk(children[at], env);
        index = end;
      }
    }

    /** The first few of a run, those in sight, and a line for the rest. */
    fold(parent, kind, run, env) {
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
      const shown = (start, count) => { for (const element of run.slice(start, start + count)) this.walk(element, env); };
      const rest = (start, end) => {
        if (end <= start) return;
        if (end - start <= 2) { shown(start, end - start); return; }
        this.flush();
        // The same rows keep their number from look to look.
        if (!foldIds.has(parent)) foldIds.set(parent, new Map());
        const known = foldIds.get(parent);
        const place = `${kind}:${start}`;
        const id = known.get(place) ?? ++lastId;
        known.set(place, id);
        folds.set(id, { parent, kind, first: run[0], start, end });
        if (folds.size > 2000) folds.delete(folds.keys().next().value);
        const word = ROW_WORDS[kind.split('|', 1)[0]] ?? 'parts';
        this.foldedRows += end - start;
        this.put(`… ${end - start} more ${word} like these \u0003${id}\u0002`, 'R', [[id, '', '', '', '']], run[start]);
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
    }

    result(more) {
      this.flush();
      return JSON.stringify({ lines: this.lines, hidden: this.hidden, rows: this.foldedRows, options: this.foldedOptions, cut: this.cut, ...more });
    }
  }

  const ROOT_ENV = { mute: false, shown: true, bg: null, faded: false, gone: false, quiet: false, row: false, pre: false, pointer: false };
  /** What an element inherits from those around it. */
  const envAt = (look, element) => {
    const chain = [];
    for (let at = parentOf(element); at !== null && isElement(at); at = parentOf(at)) chain.push(at);
    let env = { ...ROOT_ENV, bg: 'rgb(255, 255, 255)' };
    for (const at of chain.reverse()) env = { ...look.envOf(at, styleOf(at), env), pointer: false };
    return env;
  };
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

  // Frames are numbered by the host, which alone knows which is which.
  const frames = new WeakMap();

  const lookAt = (options) => {
    active = deepActive();
    const look = new Look(options);
    if (options.fold) {
      const fold = folds.get(options.fold);
      const run = fold === undefined ? null : runOf(fold);
      if (run === null) return JSON.stringify({ gone: true });
      const env = envAt(look, run[0] ?? documentElement(page));
      let at = Math.min(fold.start + (options.offset ?? 0), run.length);
      const isRow = run.length > 0 && styleOf(run[0]).display === 'table-row';
      while (at < run.length && look.characters < options.budget && !look.cut) look.walk(run[at++], { ...env, row: env.row && !isRow });
      const total = Math.max(0, run.length - fold.start);
      return look.result({ next: at < run.length ? at - fold.start : null, total });
    }
    if (options.scope) {
      const element = elements.get(options.scope);
      if (element === undefined || !isConnected(element)) return JSON.stringify({ gone: true });
      if (localName(element) === 'select') return optionsOf(look, element, options);
      look.walk(element, envAt(look, element));
      if (look.lines.length === 0 && look.text.trim() === '') {
        look.begin();
        look.inner(element, localName(element), styleOf(element), envAt(look, element));
      }
      return look.result({});
    }
    const root = documentElement(page);
    if (root !== null) look.walk(root, { ...ROOT_ENV, bg: 'rgb(255, 255, 255)' });
    return look.result({ title: clean(titleOf(page)).trim() });
  };
  const optionsOf = (look, element, options) => {
    const all = [...selectOptions(element)];
    let at = Math.min(options.offset ?? 0, all.length);
    for (; at < all.length && look.characters < options.budget; at++) {
      const option = all[at];
      const label = short(clean(optionLabel(option)).trim(), NAME_MAX);
      const value = optionValue(option);
      const states = [optionSelected(option) ? 'selected' : '', optionDisabled(option) ? 'disabled' : ''].filter((state) => state !== '');
      look.put(`option ${quoted(label)}${value !== label && value !== '' ? ` value=${quoted(short(clean(value), 60))}` : ''}${states.length ? ` (${states.join(', ')})` : ''}`, 'C', [], null);
    }
    return look.result({ next: at < all.length ? at : null, total: all.length });
  };

  // ---- Actions ----

  const find = (id, key, row) => {
    const element = elements.get(id);
    if (element === undefined || !isConnected(element)) return { state: 'gone' };
    const now = said(element);
    if (key !== null && (now.key !== key || now.row !== row)) {
      const { text, refs } = lineOf(element);
      return { state: 'changed', line: text, refs, why: now.key === key ? 'row' : 'name', row: now.row };
    }
    return { state: 'ok', element };
  };
  const failure = (found) => JSON.stringify({ ...found, element: undefined });
  const pause = () => new Promise((done) => {
    const timer = setTimeout(done, 60);
    requestAnimationFrame(() => { clearTimeout(timer); done(); });
  });
  const deepest = (x, y) => {
    let hit = byPoint(page, x, y);
    while (hit !== null && shadowRoot(hit) !== null) {
      const inner = shadowByPoint(shadowRoot(hit), x, y);
      if (inner === null || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const isHit = (hit, element) => {
    if (hit === null) return false;
    if (isWithin(hit, element)) return true;
    for (let at = hit; at !== null; at = parentOf(at)) {
      if (isElement(at) && localName(at) === 'label' && labelControl(at) === element) return true;
    }
    return false;
  };
  const targetBox = (element) => {
    const boxes = [...boxesOf(element)].filter((box) => box.width > 0 && box.height > 0);
    if (boxes.length > 0) return boxes;
    if (localName(element) === 'input') {
      for (const label of inputLabels(element) ?? []) {
        const own = [...boxesOf(label)].filter((box) => box.width > 0 && box.height > 0);
        if (own.length > 0) return own;
      }
    }
    return [];
  };
  const isSeen = (element) => {
    if (targetBox(element).length === 0) return false;
    return styleOf(element).visibility === 'visible' || localName(element) === 'input';
  };

  /** One attempt at a point to click: in sight, standing still, enabled, not covered. */
  const ready = async (id, key, row, needs) => {
    let found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    const { element } = found;
    if (!isSeen(element)) return JSON.stringify({ state: 'hidden' });
    if (needs.enabled && isDisabled(element)) return JSON.stringify({ state: 'disabled' });
    let box = targetBox(element)[0];
    const inside = (it) => it.top >= 0 && it.left >= 0 && it.bottom <= innerHeight && it.right <= innerWidth;
    if (!inside(box)) scrollTo(element, { block: 'center', inline: 'center', behavior: 'instant' });
    const where = () => { const it = targetBox(element)[0]; return it === undefined ? '' : `${it.x},${it.y},${it.width},${it.height}`; };
    await pause();
    const before = where();
    await pause();
    found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    if (before === '' || before !== where()) return JSON.stringify({ state: 'moving' });
    let cover = null;
    for (box of targetBox(element)) {
      const left = Math.max(box.left, 0);
      const right = Math.min(box.right, innerWidth);
      const top = Math.max(box.top, 0);
      const bottom = Math.min(box.bottom, innerHeight);
      if (right - left < 1 || bottom - top < 1) continue;
      for (const [across, down] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]]) {
        const x = left + (right - left) * across;
        const y = top + (bottom - top) * down;
        const hit = deepest(x, y);
        if (isHit(hit, element)) return JSON.stringify({ state: 'ok', x, y });
        cover ??= hit;
      }
    }
    if (cover === null) return JSON.stringify({ state: 'outside' });
    return JSON.stringify({ state: 'covered', ...lineOf(cover) });
  };

  /** From a point in a frame to one in the page around it, if nothing lies over the frame there. */
  const place = (owner, x, y) => {
    const box = boxOf(owner);
    const style = styleOf(owner);
    const across = offsetWidth(owner) > 0 ? box.width / offsetWidth(owner) : 1;
    const down = offsetHeight(owner) > 0 ? box.height / offsetHeight(owner) : 1;
    return {
      x: box.left + (clientLeft(owner) + parseFloat(style.paddingLeft) + x) * across,
      y: box.top + (clientTop(owner) + parseFloat(style.paddingTop) + y) * down,
    };
  };
  const outward = (owner, x, y) => {
    const point = place(owner, x, y);
    const hit = deepest(point.x, point.y);
    if (hit === owner) return JSON.stringify({ state: 'ok', ...point });
    if (hit === null) return JSON.stringify({ state: 'outside' });
    return JSON.stringify({ state: 'covered', ...lineOf(hit) });
  };

  // Between the check of a point and the click the page may change: what reaches another element is stopped.
  const POINTER = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'dragstart'];
  const KEYS = ['keydown', 'keypress', 'keyup', 'beforeinput', 'paste'];
  let watch = null;
  const judge = (event) => {
    if (watch === null || !event.isTrusted) return;
    const target = pathOf(event)[0] ?? null;
    const isPointer = POINTER.includes(event.type);
    if (watch.id !== 0 && isPointer === watch.pointer) {
      if (watch.landed && event.type !== 'keydown' && event.type !== 'beforeinput') {
        // What the page does in answer to the first event is its own affair, but no other element gets the rest.
        if (isElement(target) && isHit(target, watch.element)) return;
      } else {
        const found = find(watch.id, watch.key, watch.row);
        if (found.state === 'ok' && isElement(target) && isHit(target, found.element)) { watch.landed = true; return; }
        watch.failure ??= found.state === 'ok' ? { state: 'covered', ...(isElement(target) ? lineOf(target) : { text: 'the page', refs: [] }) } : { ...found, element: undefined };
      }
    } else watch.failure ??= { state: 'covered', ...(isElement(target) ? lineOf(target) : { text: 'the page', refs: [] }) };
    prevent(event);
    stop(event);
  };
  const arm = (id, key, row, pointer) => {
    disarm();
    const element = id === 0 ? null : elements.get(id) ?? null;
    watch = { id, key, row, pointer, element, landed: false, failure: null };
    for (const type of pointer ? POINTER : KEYS) addEventListener(type, judge, { capture: true });
    const mine = watch;
    setTimeout(() => { if (watch === mine) disarm(); }, 10000);
    return '{}';
  };
  const disarm = () => {
    const was = watch;
    watch = null;
    for (const type of [...POINTER, ...KEYS]) removeEventListener(type, judge, { capture: true });
    return JSON.stringify(was === null ? {} : { landed: was.landed, failure: was.failure });
  };

  const VALUE_TYPES = new Set(['range', 'color', 'date', 'time', 'datetime-local', 'month', 'week']);
  const kindOf = (element) => {
    const name = localName(element);
    if (name === 'input') {
      const type = inputType(element);
      if (type === 'checkbox' || type === 'radio') return 'check';
      if (type === 'file') return 'file';
      if (VALUE_TYPES.has(type)) return 'value';
      return INPUT_ROLES[type] === 'button' ? 'none' : 'text';
    }
    if (name === 'textarea') return 'text';
    if (name === 'select') return 'select';
    if (element instanceof HTMLElement && isEditableContent(element)) return 'content';
    const role = givenRole(element);
    return role === 'checkbox' || role === 'switch' || role === 'radio' ? 'check' : 'none';
  };
  const isOn = (element) => (localName(element) === 'input' ? isChecked(element) : attribute(element, 'aria-checked') === 'true');
  const inspect = (id, key, row) => {
    const found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    const { element } = found;
    const readonly = hasAttribute(element, 'readonly') || attribute(element, 'aria-readonly') === 'true';
    return JSON.stringify({ state: 'ok', kind: kindOf(element), on: isOn(element), disabled: isDisabled(element), readonly, seen: isSeen(element),
      multiple: localName(element) === 'input' && hasAttribute(element, 'multiple'), href: attribute(element, 'href') !== null });
  };
  const focusOn = (id, key, row, all) => {
    const found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    const { element } = found;
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) return JSON.stringify({ state: 'unfocused' });
    Reflect.apply(HTMLElement.prototype.focus, element, []);
    const now = deepActive();
    if (now === null || !isWithin(now, element)) return JSON.stringify({ state: 'unfocused' });
    if (all) {
      const name = localName(now);
      if (name === 'input') selectInput(now);
      else if (name === 'textarea') selectArea(now);
      else getSelection().selectAllChildren(now);
    } else {
      // Behind what is there. Fields such as those for numbers have no caret to be moved.
      try {
        if (localName(now) === 'input') Reflect.apply(HTMLInputElement.prototype.setSelectionRange, now, [inputValue(now).length, inputValue(now).length]);
        else if (localName(now) === 'textarea') Reflect.apply(HTMLTextAreaElement.prototype.setSelectionRange, now, [areaValue(now).length, areaValue(now).length]);
        else { const selection = getSelection(); selection.selectAllChildren(now); selection.collapseToEnd(); }
      } catch { /* as it is */ }
    }
    return JSON.stringify({ state: 'ok' });
  };
  const fire = (element, type) => dispatch(element, new Event(type, { bubbles: true, composed: true }));
  const assign = (id, key, row, value) => {
    const found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    setInputValue(found.element, value);
    const now = inputValue(found.element);
    if (now !== value && !(inputType(found.element) === 'color' && now.toLowerCase() === value.toLowerCase()) && Number(now) !== Number(value || NaN)) {
      return JSON.stringify({ state: 'refused', type: inputType(found.element), now });
    }
    fire(found.element, 'input');
    fire(found.element, 'change');
    return JSON.stringify({ state: 'ok', now });
  };
  const read = (id) => {
    const element = elements.get(id);
    if (element === undefined) return 'null';
    const name = localName(element);
    return JSON.stringify(name === 'input' ? inputValue(element) : name === 'textarea' ? areaValue(element) : innerText(element));
  };
  const choose = (id, key, row, values) => {
    const found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    const { element } = found;
    if (localName(element) !== 'select') return JSON.stringify({ state: 'noselect' });
    const options = [...selectOptions(element)];
    const chosen = [];
    for (const value of values) {
      const wanted = clean(value).trim();
      const by = (test) => options.find((option) => !optionDisabled(option) && test(option));
      const option = by((it) => clean(optionLabel(it)).trim() === wanted) ?? by((it) => optionValue(it) === value)
        ?? by((it) => clean(optionLabel(it)).trim().toLowerCase() === wanted.toLowerCase());
      if (option === undefined) {
        const letters = wanted.toLowerCase();
        const near = options.filter((it) => clean(optionLabel(it)).toLowerCase().includes(letters));
        const shown = (near.length > 0 ? near : options).slice(0, 10).map((it) => short(clean(optionLabel(it)).trim(), 60));
        return JSON.stringify({ state: 'nooption', value, options: shown, total: options.length });
      }
      chosen.push(option);
    }
    if (chosen.length > 1 && !isMultiple(element)) return JSON.stringify({ state: 'single' });
    if (isMultiple(element)) for (const option of options) selectOption(option, chosen.includes(option));
    else if (chosen.length === 1) selectOption(chosen[0], true);
    fire(element, 'input');
    fire(element, 'change');
    return JSON.stringify({ state: 'ok', chosen: chosen.map((option) => clean(optionLabel(option)).trim()) });
  };

  /** Living controls that say what a lost one said. */
  const similar = (role, name, most) => {
    active = deepActive();
    const same = [];
    const near = [];
    const until = performance.now() + 300;
    const visit = (root) => {
      for (let at = firstChild(root); at !== null; at = nextSibling(at)) {
        if (!isElement(at) || performance.now() > until) continue;
        if (controlRole(at, localName(at)) === role && isRendered(at)) {
          const now = said(at);
          if (now.name === name) same.push(at);
          else if (near.length < most && now.name !== '' && (now.name.includes(name) || name.includes(now.name))) near.push(at);
        }
        if (same.length >= most) return;
        visit(at);
        if (shadowRoot(at) !== null) visit(shadowRoot(at));
      }
    };
    visit(page);
    return JSON.stringify([...same, ...near].slice(0, most).map(lineOf));
  };

  const markFrame = (owner, number) => { frames.set(owner, number); return '{}'; };
  const hasText = (text) => {
    const body = bodyOf(page);
    return body === null ? false : clean(innerText(body)).includes(clean(text));
  };
  const elementOf = (id) => elements.get(id) ?? null;
  const boxes = (wanted) => JSON.stringify(wanted.map((id) => {
    const element = elements.get(id);
    if (element === undefined || !isConnected(element)) return null;
    const box = targetBox(element)[0];
    return box === undefined ? null : [box.x, box.y, box.width, box.height];
  }));
  const scrollBy = (id, key, row, across, down) => {
    let element = null;
    if (id !== 0) {
      const found = find(id, key, row);
      if (found.state !== 'ok') return failure(found);
      element = found.element;
      scrollTo(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
      while (element !== null && !(isElement(element) && (scrollHeight(element) > clientHeight(element) + 1 && /auto|scroll/.test(styleOf(element).overflowY)))) element = parentOf(element);
    }
    if (element === null || !isElement(element)) element = scrollingElement(page) ?? documentElement(page);
    const before = [scrollLeft(element), scrollTop(element)];
    Reflect.apply(E.scrollBy, element, [{ left: across, top: down, behavior: 'instant' }]);
    return JSON.stringify({ state: 'ok', moved: before[0] !== scrollLeft(element) || before[1] !== scrollTop(element), top: scrollTop(element),
      height: scrollHeight(element), view: clientHeight(element) });
  };
  const size = () => {
    const root = scrollingElement(page) ?? documentElement(page);
    return JSON.stringify({ width: Math.max(scrollWidth(root), innerWidth), height: Math.max(scrollHeight(root), innerHeight), viewWidth: innerWidth, viewHeight: innerHeight,
      x: scrollX, y: scrollY });
  };

  // ---- Text for reading ----

  const KEPT = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'td', 'th', 'caption', 'pre', 'code', 'blockquote',
    'a', 'em', 'strong', 'b', 'i', 'br', 'hr', 'dl', 'dt', 'dd', 'img', 'main', 'article', 'section', 'nav', 'aside', 'header', 'footer', 'figure', 'figcaption']);
  const VOID = new Set(['br', 'hr', 'img']);
  const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const readable = (id, most) => {
    const look = new Look({});
    let html = '';
    const visit = (node, env) => {
      if (html.length > most || look.isFull()) return;
      if (nodeType(node) === 3) { if (env.shown) html += escape(nodeValue(node).replace(INVISIBLE, '')); return; }
      if (!isElement(node)) return;
      const name = localName(node);
      if (SKIPPED.has(name)) return;
      const style = styleOf(node);
      if (style.display === 'none') return;
      const inner = { ...look.envOf(node, style, env), pointer: false };
      if (name === 'input' || name === 'select' || name === 'textarea') return;
      const tag = KEPT.has(name) ? name : style.display.startsWith('inline') || style.display === 'contents' ? '' : 'div';
      if (tag !== '') {
        const href = name === 'a' ? attribute(node, 'href') : null;
        const alt = name === 'img' ? attribute(node, 'alt') : null;
        const span = attribute(node, 'colspan');
        html += `<${tag}${href === null ? '' : ` href="${escape(href)}"`}${alt === null ? '' : ` alt="${escape(alt)}"`}${span === null ? '' : ` colspan="${escape(span)}"`}>`;
      }
      for (const child of childrenOf(node)) visit(child, inner);
      if (tag !== '' && !VOID.has(tag)) html += `</${tag}>`;
    };
    const element = id === 0 ? documentElement(page) : elements.get(id);
    if (element === undefined || element === null || !isConnected(element)) return JSON.stringify({ gone: true });
    const start = id === 0 ? { ...ROOT_ENV, bg: 'rgb(255, 255, 255)' } : envAt(look, element);
    visit(element, start);
    return JSON.stringify({ html, cut: html.length > most || look.cut, title: clean(titleOf(page)).trim() });
  };

  return globalThis[KEY] = { __proto__: null, lookAt, find: inspect, ready, outward, arm, disarm, focusOn, assign, choose, read, similar, markFrame, hasText, elementOf, boxes, scrollBy,
    size, readable, place: (owner, x, y) => JSON.stringify(place(owner, x, y)) };
})()
