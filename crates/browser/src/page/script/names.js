// Roles and accessible names.

const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'link', 'meta', 'title', 'base', 'param', 'source', 'track', 'datalist',
  'svg:defs', 'svg:symbol', 'svg:clipPath', 'svg:mask', 'svg:pattern', 'svg:marker', 'svg:desc', 'svg:metadata',
  'math:annotation', 'math:annotation-xml']);
const CONTROL_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
  'option', 'slider', 'spinbutton', 'textbox', 'searchbox', 'combobox', 'treeitem', 'listbox', 'scrollbar', 'gridcell']);
const CONTENT_NAMED = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
  'option', 'treeitem', 'summary', 'clickable', 'heading', 'cell', 'row', 'gridcell', 'columnheader', 'rowheader']);
const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', color: 'color', date: 'date', time: 'time',
  'datetime-local': 'datetime', month: 'month', week: 'week', email: 'textbox', tel: 'textbox', url: 'textbox' };
const LANDMARKS = new Map([['nav', 'navigation'], ['main', 'main'], ['aside', 'complementary'], ['form', 'form'], ['dialog', 'dialog'], ['search', 'search']]);
const LANDMARK_ROLES = new Set(['navigation', 'main', 'complementary', 'banner', 'contentinfo', 'form', 'search', 'region', 'dialog',
  'alertdialog', 'alert', 'status', 'tablist', 'menu', 'toolbar', 'tree', 'grid', 'radiogroup', 'group']);

/** Other roles of the standard (WAI-ARIA 1.2). Browsers skip a role that is not among them. */
const OTHER_ROLES = new Set(['application', 'article', 'blockquote', 'caption', 'cell', 'code', 'columnheader', 'definition', 'deletion', 'directory', 'document',
  'emphasis', 'feed', 'figure', 'generic', 'heading', 'image', 'img', 'insertion', 'list', 'listitem', 'log', 'marquee', 'math', 'menubar', 'meter', 'none', 'note',
  'paragraph', 'presentation', 'progressbar', 'row', 'rowgroup', 'rowheader', 'separator', 'strong', 'subscript', 'superscript', 'table', 'tabpanel', 'term', 'time',
  'timer', 'tooltip', 'treegrid']);
/** What says nothing, and another word for one that does. */
const PLAIN_ROLES = new Map([['generic', ''], ['none', ''], ['presentation', ''], ['image', 'img']]);
const firstRole = remembered((roles) => {
  const isRole = (role) => CONTROL_ROLES.has(role) || LANDMARK_ROLES.has(role) || OTHER_ROLES.has(role);
  const role = roles.toLowerCase().trim().split(/\s+/).find(isRole) ?? '';
  return PLAIN_ROLES.get(role) ?? role;
});
const givenRole = (element) => {
  const roles = attribute(element, 'role');
  return roles === null ? '' : firstRole(roles);
};
const givenControl = (element) => {
  const role = givenRole(element);
  return CONTROL_ROLES.has(role) ? role : '';
};
const isEditingHost = (element) => {
  if (element === bodyOf(page) && designMode(page) === 'on') return true;
  const value = attribute(element, 'contenteditable');
  return value !== null && value.toLowerCase() !== 'false' && element instanceof HTMLElement && isEditableContent(element);
};
/** Whether a surface may be worked by points of it: what is drawn there is no text. */
const CANVAS_MIN = 24;
const isWorkedByPoints = (canvas) => {
  if (hasAttribute(canvas, 'role') || attribute(canvas, 'aria-hidden') === 'true' || styleOf(canvas).pointerEvents === 'none') return false;
  const { width, height } = boxOf(canvas);
  return width >= CANVAS_MIN && height >= CANVAS_MIN;
};
/** The role of a control, or nothing for what is none. */
const controlRole = (element, name) => {
  switch (name) {
    case 'a': case 'area': case 'svg:a':
      if (hasAttribute(element, 'href') || (name === 'svg:a' && hasAttribute(element, 'xlink:href'))) return givenControl(element) || 'link';
      break;
    case 'button': return givenControl(element) || 'button';
    case 'input': {
      const type = inputType(element);
      if (type === 'hidden') return '';
      const role = givenRole(element);
      if (role === 'switch' || role === 'combobox' || role === 'searchbox') return role;
      return INPUT_ROLES[type] ?? 'textbox';
    }
    case 'textarea': return 'textbox';
    case 'select': return isMultiple(element) || shownOptions(element) > 1 ? 'listbox' : 'combobox';
    case 'summary': return 'summary';
    case 'body': return isEditingHost(element) ? 'textbox' : '';
    case 'video': case 'audio': return hasAttribute(element, 'controls') ? name : '';
    case 'canvas':
      if (isWorkedByPoints(element)) return 'canvas';
      break;
    default:
  }
  if (!hasAttributes(element)) return '';
  const role = givenRole(element);
  if (CONTROL_ROLES.has(role) && role !== 'gridcell') return role;
  if (isEditingHost(element)) return 'textbox';
  return '';
};
/** A field that nobody is to work: it keeps for a form, or for the keyboard, what something else shows. */
const isPutAside = (element, name) => (name === 'input' || name === 'textarea' || name === 'select') && attribute(element, 'aria-hidden') === 'true'
  && (attribute(element, 'tabindex') ?? '').trim() === '-1' && !(name === 'input' && inputType(element) === 'file');
/** Whether it takes what is typed as a page does it by itself, without an editable element. */
const isTypedInto = (element) => hasHandler(element) && /^(?:textbox|searchbox)$/.test(givenRole(element));
const isDragged = (element) => attribute(element, 'draggable') === 'true';
const isDroppedOn = (element) => hasAttribute(element, 'ondrop') || hasAttribute(element, 'ondragover');
const hasHandler = (element) => hasAttribute(element, 'tabindex') && attribute(element, 'tabindex').trim() !== '-1';

// What has no box itself, as a slot, may hold what has one.
const isNameHidden = (element) => !readsHidden && isHiddenElement(element);
const isHiddenElement = (element) => attribute(element, 'aria-hidden') === 'true' || (!isRendered(element) && styleOf(element).display !== 'contents');
/** What of an element counts for its name; nothing where all of it does. */
let counts = null;
const countsSeen = (sight, node) => (isElement(node) ? sight.showsPicture() : !/\S/.test(nodeValue(node)) || sight.shows(node));
const countsPainted = (sight, node) => (isElement(node) ? sight.isVisible() && sight.opacity() >= FAINT : sight.isPainted());
let isAllSeen = true;
const countsAll = (sight, node) => {
  if (isAllSeen) isAllSeen = countsSeen(sight, node);
  return true;
};
/** Whether what is hidden counts as well: all that is in a hidden element, where that is what names another one. */
let readsHidden = false;
/** What a clickable is called is not what the controls in it are called. */
let isOwnText = false;
const isControl = (element, name) => controlRole(element, name) !== '' || (hasAttributes(element) && (hasAttribute(element, 'onclick') || hasHandler(element) || isDragged(element)));

/** Whether a name has text of a style sheet, and whether that counts: what shows only under the pointer changes nothing of what it is. */
let isGenerated = false;
let withGenerated = false;
const generated = (sight, place) => {
  if (sight === null) return '';
  const text = generatedText(sight, place);
  if (text !== '') isGenerated = true;
  return withGenerated ? text : '';
};

const contentText = (node, seen, depth) => {
  if (depth > 40) return '';
  const sight = counts === null ? null : sightIn(node);
  let text = generated(sight, '::before');
  const children = childrenOf(node);
  for (let at = 0; at < children.length && text.length <= 4000; at++) {
    const child = children[at];
    const type = nodeType(child);
    if (type === 3) text += counts === null || counts(sight, child) ? nodeValue(child) : '';
    else if (type === 1) {
      const name = localName(child);
      if (name === 'br') text += ' ';
      if (SKIPPED.has(name) || isNameHidden(child) || (isOwnText && isControl(child, name))) continue;
      if (counts !== null && (name === 'img' || name === 'svg') && !counts(sightIn(child), child)) continue;
      const part = nameOf(child, '', seen, depth + 1, true);
      const { display } = memory !== null && counts !== null ? sightIn(child) : styleOf(child);
      text += display === 'inline' || display === 'contents' || display.startsWith('ruby') ? part : ` ${part} `;
    }
  }
  return text + generated(sight, '::after');
};
/** Labels by what they are for. No element is asked for its own: the browser would look through the whole page for each. */
const labelsIn = (root) => {
  const labels = new Map();
  const found = root === page ? queryDocument(page, 'label') : root instanceof ShadowRoot ? queryRoot(root, 'label') : [];
  for (const label of found) {
    const control = isCalled(label, 'label') ? labelControl(label) : null;
    if (control === null) continue;
    const known = labels.get(control);
    if (known === undefined) labels.set(control, [label]);
    else known.push(label);
  }
  return labels;
};
const NO_LABELS = [];
const labelsOf = (element) => {
  const root = rootNode(element);
  return (memory === null ? labelsIn(root) : memory.labelsIn(root)).get(element) ?? NO_LABELS;
};
/** The field that an element of its own making shows: what that is labelled as is what the field is called. */
const FIELDS_WITHIN = 'input:not([type=hidden],[aria-hidden=true]),button:not([aria-hidden=true]),select,textarea';
const hasFieldWithin = (element) => {
  const root = rootOf(element);
  return root !== null && queryRoot(root, FIELDS_WITHIN)[0] !== undefined;
};
const hostLabels = (element) => {
  const root = rootNode(element);
  return root instanceof ShadowRoot && queryRoot(root, FIELDS_WITHIN)[0] === element ? labelsOf(hostOf(root)) : NO_LABELS;
};
const labelText = (element, seen, depth, labels = labelsOf(element)) => {
  const parts = [];
  for (const label of labels) {
    if (!seen.has(label)) { seen.add(label); parts.push(contentText(label, seen, depth + 1)); }
  }
  return parts.join(' ');
};
/** Whether something that is called by what is in it has a label besides. */
const mayBeLabelled = (element, name) => (name === 'button' || (name.includes('-') && !hasFieldWithin(element)))
  && (labelsOf(element) !== NO_LABELS || (name === 'button' && hostLabels(element) !== NO_LABELS));
/** What stands in the name of another control by its value. */
const VALUE_ROLES = new Set(['textbox', 'searchbox', 'spinbutton', 'slider', 'combobox']);
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
        const before = readsHidden;
        readsHidden ||= isHiddenElement(other);
        parts.push(nameOf(other, 'heading', seen, depth + 1, true));
        readsHidden = before;
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
    if (embedded && depth > 0 && VALUE_ROLES.has(controlRole(element, name))) return isSecret(element) ? '' : clean(inputValue(element)).trim();
    if (type === 'button' || type === 'submit' || type === 'reset') {
      text = inputValue(element) || (type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '');
    } else if (type === 'image') text = attribute(element, 'alt') || attribute(element, 'value') || '';
    if (text.trim() === '') text = labelText(element, seen, depth);
    if (text.trim() === '') text = labelText(element, seen, depth, hostLabels(element));
    if (text.trim() === '') text = attribute(element, 'placeholder') ?? '';
  } else if (embedded && depth > 0 && name === 'textarea') return isSecret(element) ? '' : clean(areaValue(element)).trim();
  else if (embedded && depth > 0 && name === 'select') return [...selectOptions(element)].filter(optionSelected).map(labelOf).join(' ');
  else if (name === 'textarea' || name === 'select') {
    text = labelText(element, seen, depth);
    if (text.trim() === '') text = labelText(element, seen, depth, hostLabels(element));
    if (text.trim() === '') text = attribute(element, 'placeholder') ?? '';
  } else if (name === 'meter' || name === 'progress') text = labelText(element, seen, depth);
  else if (name === 'svg' || name.startsWith('svg:')) {
    for (const child of childrenOf(element)) if (isElement(child) && localName(child) === 'title') { text = textContent(child); break; }
    if (text.trim() === '' && (embedded || CONTENT_NAMED.has(role))) text = contentText(element, seen, depth);
  } else if (name === 'fieldset' || name === 'table' || name === 'figure' || name === 'details') {
    const wanted = { fieldset: 'legend', table: 'caption', figure: 'figcaption', details: 'summary' }[name];
    if (!embedded) {
      for (const child of childrenOf(element)) if (isElement(child) && localName(child) === wanted) { text = contentText(child, seen, depth + 1); break; }
    } else text = contentText(element, seen, depth);
  } else if (!embedded && mayBeLabelled(element, name)) {
    // A label says what a button is for; what is in it may say more, such as what has been chosen.
    const own = CONTENT_NAMED.has(role) ? contentText(element, seen, depth) : '';
    const isEmpty = own.trim() === '';
    const label = labelText(element, seen, depth, labelsOf(element) === NO_LABELS && isEmpty ? hostLabels(element) : labelsOf(element));
    text = isEmpty || label.includes(own.trim()) ? label : `${label} ${own}`;
  } else if (embedded || CONTENT_NAMED.has(role)) text = contentText(element, seen, depth);
  else if (role === 'textbox' || role === 'searchbox') text = attribute(element, 'aria-placeholder') ?? attribute(element, 'data-placeholder') ?? '';
  text = clean(text);
  if (text.trim() === '') text = clean(attribute(element, 'title') ?? '');
  return embedded && depth > 0 ? text : text.trim();
};
/** Elements that are called by the text in them, and can hold no root that shows something else. */
const CALLED_BY_TEXT = new Set(['a', 'button', 'summary']);
/** What a control with nothing in it but one text is called, where a user sees that: as most are, and quicker than by the rules. */
const nameOfText = (element, tag, role) => {
  const text = memory !== null && CALLED_BY_TEXT.has(tag) && CONTENT_NAMED.has(role) ? firstChild(element) : null;
  if (text === null || nodeType(text) !== 3 || nextSibling(text) !== null || (tag === 'button' && mayBeLabelled(element, tag))) return '';
  const sight = sightIn(element);
  if (!sight.shows(text) || generatedText(sight, '::before') !== '' || generatedText(sight, '::after') !== '') return '';
  return clean(nodeValue(text)).trim();
};
/** The name of a control, and what a user sees of it where its content is its name. Where that is nothing, it is named by what was put out of sight
 * for screen readers, but never by what is painted so that nobody could read it. */
const namesOf = (element, role) => {
  const tag = localName(element);
  if (tag === 'input' || tag === 'select' || tag === 'textarea' || hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby')) {
    const name = nameOf(element, role);
    return { name, seen: name };
  }
  const text = nameOfText(element, tag, role);
  if (text !== '') return { name: text, seen: text };
  try {
    isAllSeen = true;
    isGenerated = false;
    isOwnText = role === 'clickable';
    counts = countsAll;
    const name = nameOf(element, role);
    if (isAllSeen && !isGenerated) return { name, seen: name };
    withGenerated = true;
    for (counts of [countsSeen, countsPainted]) {
      const seen = nameOf(element, role);
      if (seen !== '') return { name, seen };
    }
    return { name, seen: '' };
  } finally {
    counts = null;
    withGenerated = false;
    isOwnText = false;
  }
};
