// Fields: what they are, what is put into them.

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
  if (role === 'checkbox' || role === 'switch' || role === 'radio') return 'check';
  if (role === 'slider' || role === 'spinbutton' || role === 'scrollbar') return 'steps';
  return isTypedInto(element) ? 'keys' : 'none';
};
const isRadio = (element) => (localName(element) === 'input' ? inputType(element) === 'radio' : givenRole(element) === 'radio');
/** What a field makes of a value, found without touching it. */
const madeOf = (element, value) => {
  const probe = newElement(page, 'input');
  for (const name of ['type', 'min', 'max', 'step', 'value']) if (hasAttribute(element, name)) setAttribute(probe, name, attribute(element, name));
  setInputValue(probe, value);
  return inputValue(probe);
};
const BLACK = ['#000000', '#000', 'black'];
/** Whether a field keeps what a value says. What it does not understand becomes empty, black or the nearest number. */
const takes = (element, value) => {
  const made = madeOf(element, value);
  switch (inputType(element)) {
    case 'range': return value !== '' && Number(made) === Number(value);
    case 'color': return made !== BLACK[0] || BLACK.includes(value.trim().toLowerCase());
    default: return made !== '' || value === '';
  }
};
const refused = (element) => {
  const [type, min, max, step] = ['type', 'min', 'max', 'step'].map((name) => attribute(element, name) ?? '');
  return JSON.stringify({ state: 'refused', type: type.toLowerCase(), min, max, step });
};
/** Whether a field for numbers takes a text that is to be put in by the keyboard. */
const accepts = (id, key, row, value) => {
  const found = find(id, key, row);
  if (found.state !== 'ok') return failure(found);
  return takes(found.element, value) ? JSON.stringify({ state: 'ok' }) : refused(found.element);
};
const isOn = (element) => (localName(element) === 'input' ? isChecked(element) : attribute(element, 'aria-checked') === 'true');
const inspect = (id, key, row) => {
  const found = find(id, key, row);
  if (found.state !== 'ok') return failure(found);
  const { element } = found;
  const readonly = isReadOnly(element, localName(element), roleOf(element));
  return JSON.stringify({ state: 'ok', kind: kindOf(element), on: isOn(element), radio: isRadio(element),
    numeric: localName(element) === 'input' && inputType(element) === 'number', disabled: isDisabled(element), readonly, seen: isSeen(element) || isTypedInto(element),
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
      else if (isEditableContent(now)) { const selection = getSelection(); selection.selectAllChildren(now); selection.collapseToEnd(); }
    } catch { /* as it is */ }
  }
  return JSON.stringify({ state: 'ok' });
};
/** Whether anything has the focus that may take what is typed. */
const hasFocus = () => {
  const now = deepActive();
  return now !== null && now !== bodyOf(page) && now !== documentElement(page);
};
const fire = (element, type) => dispatch(element, new Event(type, { bubbles: true, composed: true }));
const assign = (id, key, row, value) => {
  const found = find(id, key, row);
  if (found.state !== 'ok') return failure(found);
  if (!takes(found.element, value)) return refused(found.element);
  setInputValue(found.element, value);
  fire(found.element, 'input');
  fire(found.element, 'change');
  return JSON.stringify({ state: 'ok' });
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
    const among = (some) => some.find((it) => labelOf(it) === wanted) ?? some.find((it) => groupedLabelOf(it) === wanted) ?? some.find((it) => optionValue(it) === value)
      ?? some.find((it) => labelOf(it).toLowerCase() === wanted.toLowerCase());
    const option = among(options.filter((it) => !isOptionDisabled(it)));
    if (option === undefined) {
      if (among(options) !== undefined) return JSON.stringify({ state: 'disabledoption', value });
      const letters = wanted.toLowerCase();
      const near = options.filter((it) => groupedLabelOf(it).toLowerCase().includes(letters));
      const shown = (near.length > 0 ? near : options).slice(0, 10).map((it) => short(groupedLabelOf(it), 60));
      return JSON.stringify({ state: 'nooption', value, options: shown, total: options.length });
    }
    chosen.push(option);
  }
  if (chosen.length > 1 && !isMultiple(element)) return JSON.stringify({ state: 'single' });
  if (isMultiple(element)) for (const option of options) selectOption(option, chosen.includes(option));
  else if (chosen.length === 1) selectOption(chosen[0], true);
  fire(element, 'input');
  fire(element, 'change');
  return JSON.stringify({ state: 'ok', chosen: chosen.map(labelOf) });
};
