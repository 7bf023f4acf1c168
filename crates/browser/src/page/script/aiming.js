// Where an element can be hit, and what is hit instead.

const find = (id, key, row) => {
  extent = null;
  paintersLeft = PAINTERS_MAX;
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
  while (hit !== null && rootOf(hit) !== null) {
    const inner = shadowByPoint(rootOf(hit), x, y);
    if (inner === null || inner === hit) break;
    hit = inner;
  }
  return hit;
};
const isHit = (hit, element) => {
  if (hit === null) return false;
  if (isWithin(hit, element) || controlByLabel(hit) === element) return true;
  const widget = widgetOf(element) ?? boxAround(element);
  if (widget === null || !isWithin(hit, widget)) return false;
  const taker = takerIn(widget, hit);
  return taker === null || isWithin(element, taker);
};
const TYPED_ROLES = new Set(['combobox', 'textbox', 'searchbox', 'spinbutton']);
/** What takes the clicks on a field that lets them through: the select around its input. */
const boxAround = (field) => {
  if (styleOf(field).pointerEvents !== 'none' || !TYPED_ROLES.has(controlRole(field, localName(field)))) return null;
  for (let at = parentOf(field); isElement(at); at = parentOf(at)) {
    const role = controlRole(at, localName(at));
    if (role !== '') return role === 'combobox' ? at : null;
  }
  return null;
};
const TICKED_TYPES = ['checkbox', 'radio'];
/** Most elements that a widget is made of. */
const WIDGET_MAX = 40;
/** What is drawn in the place of a checkbox or radio button that nobody sees: the first element around it that is larger and holds no other control. */
const widgetOf = (input) => {
  if (!(input instanceof HTMLInputElement) || !TICKED_TYPES.includes(inputType(input))) return null;
  const own = boxOf(input);
  const { opacity, clip, pointerEvents } = styleOf(input);
  // One that is seen and lies under something is covered.
  if (own.width > 2 && own.height > 2 && opacity !== '0' && clip === 'auto' && pointerEvents !== 'none') return null;
  for (let at = parentOf(input); isElement(at) && at !== bodyOf(page); at = parentOf(at)) {
    const inner = [...queryAll(at, '*')];
    if (inner.length > WIDGET_MAX || inner.some((one) => one !== input && isControl(one, localName(one)))) return null;
    if (controlRole(at, localName(at)) !== '' || ids.has(at)) return null;
    const box = boxOf(at);
    if (box.width > own.width && box.height > own.height) return at;
  }
  return null;
};
/** Controls that do something when they are clicked: a click on one is none on what is around it. */
const ACTING_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'summary']);
/** What in an element takes a click there for itself: an item of the menu that is in an item, a button on a card. */
const takerIn = (element, hit) => {
  for (let at = hit; at !== null && at !== element; at = parentOf(at)) {
    if (!isElement(at)) continue;
    const role = controlRole(at, localName(at));
    if (ACTING_ROLES.has(role) || (role === '' && ids.has(at))) return at;
  }
  return null;
};
/** What took the click that an element was last made ready for, where there was no point without. */
const takers = new WeakMap();
const isTaken = (hit, element) => {
  const taker = isWithin(hit, element) ? takerIn(element, hit) : null;
  return taker !== null && taker !== takers.get(element);
};
/** The control to which a click here is sent on by the label around it. Of what is worked itself, none is. */
const controlByLabel = (hit) => {
  for (let at = hit; at !== null; at = parentOf(at)) {
    if (!isElement(at)) continue;
    const name = localName(at);
    if (name === 'label') return labelControl(at);
    if (MAY_BE_CONTROLS.has(name) && controlRole(at, name) !== '') return null;
  }
  return null;
};
const LABEL_TYPES = ['checkbox', 'radio', 'file'];
/** Whether an input is not shown itself, but can be worked by its label. */
const isWorkedByLabel = (control) => control instanceof HTMLInputElement && isConnected(control) && LABEL_TYPES.includes(inputType(control))
  && (boxesOf(control).length === 0 || styleOf(control).visibility !== 'visible');
const imageOf = (area) => {
  const map = closest(area, 'map');
  const name = map === null ? null : attribute(map, 'name');
  return name === null ? null : [...queryDocument(page, 'img[usemap]')].find((image) => attribute(image, 'usemap') === `#${name}`) ?? null;
};
/** The box of an area of a picture, by its shape. */
const areaBox = (area) => {
  const image = imageOf(area);
  if (image === null) return [];
  const all = boxOf(image);
  const [left, top] = [all.left + clientLeft(image), all.top + clientTop(image)];
  const numbers = (attribute(area, 'coords') ?? '').split(',').map(Number);
  const shape = (attribute(area, 'shape') ?? 'rect').toLowerCase();
  if (shape === 'default') return [all];
  if (shape.startsWith('circ')) {
    const [x, y, radius] = numbers;
    return [new DOMRect(left + x - radius, top + y - radius, radius * 2, radius * 2)];
  }
  const along = (odd) => numbers.filter((_, at) => at % 2 === odd);
  const [across, down] = [along(0), along(1)];
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return [new DOMRect(left + x, top + y, Math.max(...across) - x, Math.max(...down) - y)];
};
const hasSize = (box) => box.width > 0 && box.height > 0;
const targetBox = (element) => {
  if (localName(element) === 'area') return areaBox(element).filter(hasSize);
  const boxes = isWorkedByLabel(element) ? [] : [...boxesOf(element)].filter(hasSize);
  if (boxes.length > 0) return boxes;
  if (styleOf(element).display === 'contents') return [boxOfContent(element)].filter(hasSize);
  if (localName(element) === 'input') {
    for (const label of labelsOf(element)) {
      const own = [...boxesOf(label)].filter(hasSize);
      if (own.length > 0) return own;
    }
  }
  return [];
};
const isSeen = (element) => {
  if (targetBox(element).length === 0) return false;
  return styleOf(element).visibility === 'visible' || localName(element) === 'input';
};

/** What is brought into view for an element that has no box of its own. */
const visibleOf = (element) => {
  if (localName(element) === 'area') return imageOf(element) ?? element;
  if (boxesOf(element).length > 0) return element;
  if (localName(element) === 'input') return labelsOf(element).find((label) => boxesOf(label).length > 0) ?? element;
  return childrenOf(element).find((child) => isElement(child) && boxesOf(child).length > 0) ?? element;
};

/** One attempt at a point to click: in sight, standing still, enabled, not covered. */
const ready = async (id, key, row, needs) => {
  let found = find(id, key, row);
  if (found.state !== 'ok') return failure(found);
  const { element } = found;
  if (!isSeen(element)) return JSON.stringify({ state: 'hidden' });
  if (needs.click && isDisabled(element)) return JSON.stringify({ state: 'disabled' });
  // Where it lies under something else, or where nobody looks, its labels and what is drawn for it may not.
  const places = [{ visible: visibleOf(element), boxes: () => targetBox(element) }, ...otherPlaces(element)];
  let cover = null;
  for (const { visible, boxes } of places) {
    for (const isCentred of [false, true]) {
      const isStill = await comeToRest(visible, boxes, isCentred);
      found = find(id, key, row);
      if (found.state !== 'ok') return failure(found);
      if (!isStill) return JSON.stringify({ state: 'moving' });
      const hit = hitIn(boxes(), element, needs.click);
      if (hit.state === 'ok' || hit.state === 'taken') return JSON.stringify(hit);
      cover ??= hit.cover;
      // A bar at the edge of the view does not cover its middle.
      if (hit.cover === null || !isStuck(hit.cover)) break;
    }
  }
  const isOfPage = cover === null || cover === documentElement(page) || cover === bodyOf(page);
  if (isOfPage && styleOf(element).pointerEvents === 'none') return JSON.stringify({ state: 'inert' });
  if (cover === null) return JSON.stringify({ state: 'outside' });
  return JSON.stringify({ state: 'covered', ...lineOf(cover) });
};
const otherPlaces = (element) => {
  const labels = localName(element) === 'input' && LABEL_TYPES.includes(inputType(element)) ? labelsOf(element) : [];
  return [...labels, widgetOf(element)].filter((visible) => visible !== null)
    .map((visible) => ({ visible, boxes: () => [...boxesOf(visible)].filter(hasSize) })).filter(({ boxes }) => boxes().length > 0);
};
/** Whether something stays where it is while what lies under it is scrolled. */
const isStuck = (element) => {
  for (let at = element; isElement(at); at = parentOf(at)) if (/^(?:fixed|sticky)$/.test(styleOf(at).position)) return true;
  return false;
};
/** Whether the middle of something lies beside what it is scrolled in. */
const isScrolledAway = (element) => {
  const box = boxOf(element);
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  let { position } = styleOf(element);
  for (let at = parentOf(element); isElement(at) && at !== bodyOf(page) && position !== 'fixed'; at = parentOf(at)) {
    const style = styleOf(at);
    // What is absolute is held by the next one that is placed itself.
    if (position === 'absolute' && style.position === 'static') continue;
    position = style.position;
    if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
    const own = boxOf(at);
    if (hasSize(own) && (x < own.left || x > own.right || y < own.top || y > own.bottom)) return true;
  }
  return false;
};
/** Brings something into view, or into the middle of it. Whether it stands still there. */
const comeToRest = async (visible, boxes, isCentred) => {
  const inside = (it) => it.top >= 0 && it.left >= 0 && it.bottom <= innerHeight && it.right <= innerWidth;
  const first = boxes()[0];
  if (first !== undefined && (isCentred || !inside(first) || isScrolledAway(visible))) scrollTo(visible, { block: 'center', inline: 'center', behavior: 'instant' });
  const where = () => { const it = boxes()[0]; return it === undefined ? '' : `${it.x},${it.y},${it.width},${it.height}`; };
  await pause();
  const before = where();
  await pause();
  return before !== '' && before === where();
};
const MIDDLES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]];
/** A point in these boxes where an element is hit, or what is hit instead; neither where they are out of view. */
const hitIn = (boxes, element, isClick) => {
  const points = [];
  for (const box of boxes) {
    const left = Math.max(box.left, 0);
    const right = Math.min(box.right, innerWidth);
    const top = Math.max(box.top, 0);
    const bottom = Math.min(box.bottom, innerHeight);
    if (right - left < 1 || bottom - top < 1) continue;
    for (const [across, down] of MIDDLES) points.push([left + (right - left) * across, top + (bottom - top) * down]);
  }
  takers.delete(element);
  let cover = null;
  let taken = null;
  const isFree = ([x, y]) => {
    const hit = deepest(x, y);
    if (!isHit(hit, element)) cover ??= hit;
    else if (isClick && isTaken(hit, element)) taken ??= { state: 'ok', x, y, taker: takerIn(element, hit) };
    else return true;
    return false;
  };
  const free = points.find(isFree) ?? (taken === null ? undefined : ownPoints(element).find(isFree));
  if (free !== undefined) return { state: 'ok', x: free[0], y: free[1] };
  if (taken === null) return { state: 'none', cover };
  // A button that fills a link, or the box of an option: both are called the same, and mean the same.
  const { name } = said(taken.taker);
  if (name !== '' && name !== said(element).name) return { state: 'taken', ...lineOf(taken.taker) };
  takers.set(element, taken.taker);
  return { state: 'ok', x: taken.x, y: taken.y };
};
/** Most parts of an element that are looked at for a point of its own. */
const PARTS_MAX = 200;
/** The middles of its texts, pictures and other parts in which nothing takes a click for itself; then points at its edges. */
const ownPoints = (element) => {
  const points = [];
  let left = PARTS_MAX;
  const add = (box) => { if (hasSize(box)) points.push([(box.left + box.right) / 2, (box.top + box.bottom) / 2]); };
  const visit = (node) => {
    for (const child of childrenOf(node)) {
      if (--left < 0) return;
      if (nodeType(child) === 3) { if (/\S/.test(nodeValue(child))) add(boxOfContent(child)); }
      else if (isElement(child) && takerIn(node, child) === null) {
        if (firstElement(child) === null) add(boxOf(child));
        else visit(child);
      }
    }
  };
  visit(element);
  for (const box of [...boxesOf(element)].filter(hasSize)) {
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    points.push([x, box.top + 3], [box.left + 3, y], [box.right - 3, y], [x, box.bottom - 3], [box.left + 3, box.top + 3]);
  }
  return points;
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
/** The roots around an element into which events do not show their way from outside. */
const closedAround = (element) => {
  const roots = [];
  for (let at = element; at !== null; ) {
    const root = rootNode(at);
    if (!(root instanceof ShadowRoot)) break;
    at = hostOf(root);
    if (closedRoots.get(at) === root) roots.push(root);
  }
  return roots;
};
const judge = (event) => {
  if (watch === null || !event.isTrusted) return;
  const target = pathOf(event)[0] ?? null;
  // Out here the host stands for what is in a root that it keeps to itself; in there it is judged.
  const within = isElement(target) ? closedRoots.get(target) : undefined;
  if (within !== undefined && watch.roots.includes(within)) return;
  const isPointer = POINTER.includes(event.type);
  if (watch.id !== 0 && isPointer === watch.pointer) {
    if (watch.landed && event.type !== 'keydown' && event.type !== 'beforeinput') {
      // What the page does in answer to the first event is its own affair, but no other element gets the rest.
      if (isElement(target) && (isHit(target, watch.element) || (target === watch.sentOnTo && event.type === 'click'))) return;
    } else {
      const found = find(watch.id, watch.key, watch.row);
      if (found.state === 'ok' && isElement(target) && isHit(target, found.element) && !(isPointer && isTaken(target, found.element))) { watch.landed = true; return; }
      watch.failure ??= found.state === 'ok' ? { state: 'covered', ...(isElement(target) ? lineOf(target) : { text: 'the page', refs: [] }) } : { ...found, element: undefined };
    }
  } else watch.failure ??= { state: 'covered', ...(isElement(target) ? lineOf(target) : { text: 'the page', refs: [] }) };
  // A letter of a text whose field the focus has left.
  if (event.type === 'keydown' || event.type === 'beforeinput') watch.lost++;
  prevent(event);
  stop(event);
};
const arm = (id, key, row, pointer) => {
  disarm();
  const element = id === 0 ? null : elements.get(id) ?? null;
  watch = { id, key, row, pointer, element, sentOnTo: controlByLabel(element), roots: closedAround(element), landed: false, lost: 0, failure: null };
  for (const place of [window, ...watch.roots]) for (const type of pointer ? POINTER : KEYS) listen(place, type, judge, { capture: true });
  const mine = watch;
  setTimeout(() => { if (watch === mine) disarm(); }, 10000);
  return '{}';
};
const disarm = () => {
  const was = watch;
  watch = null;
  for (const place of [window, ...(was?.roots ?? [])]) for (const type of [...POINTER, ...KEYS]) unlisten(place, type, judge, { capture: true });
  return JSON.stringify(was === null ? {} : { landed: was.landed, lost: was.lost, failure: was.failure });
};
