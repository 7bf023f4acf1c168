// Roles and accessible names.

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
  if (!hasAttributes(element)) return '';
  const role = givenRole(element);
  if (CONTROL_ROLES.has(role) && role !== 'gridcell') return role;
  if (isEditingHost(element)) return 'textbox';
  return '';
};
const hasHandler = (element) => hasAttribute(element, 'tabindex') && attribute(element, 'tabindex').trim() !== '-1';

// What has no box itself, as a slot, may hold what has one.
const isNameHidden = (element) => attribute(element, 'aria-hidden') === 'true' || (!isRendered(element) && styleOf(element).display !== 'contents');
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
