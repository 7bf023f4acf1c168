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
