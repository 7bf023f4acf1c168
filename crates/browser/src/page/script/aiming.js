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
  if (isWithin(hit, element)) return true;
  return controlByLabel(hit) === element;
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
  if (needs.enabled && isDisabled(element)) return JSON.stringify({ state: 'disabled' });
  // Where it lies under something else, or where nobody looks, its labels may not.
  const places = [{ visible: visibleOf(element), boxes: () => targetBox(element) }, ...placesOfLabels(element)];
  let cover = null;
  for (const { visible, boxes } of places) {
    for (const isCentred of [false, true]) {
      const isStill = await comeToRest(visible, boxes, isCentred);
      found = find(id, key, row);
      if (found.state !== 'ok') return failure(found);
      if (!isStill) return JSON.stringify({ state: 'moving' });
      const hit = hitIn(boxes(), element);
      if (hit.state === 'ok') return JSON.stringify(hit);
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
const placesOfLabels = (element) => (localName(element) === 'input' && LABEL_TYPES.includes(inputType(element)) ? labelsOf(element) : [])
  .map((label) => ({ visible: label, boxes: () => [...boxesOf(label)].filter(hasSize) })).filter(({ boxes }) => boxes().length > 0);
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
/** A point in these boxes where an element is hit, or what is hit instead; neither where they are out of view. */
const hitIn = (boxes, element) => {
  let cover = null;
  for (const box of boxes) {
    const left = Math.max(box.left, 0);
    const right = Math.min(box.right, innerWidth);
    const top = Math.max(box.top, 0);
    const bottom = Math.min(box.bottom, innerHeight);
    if (right - left < 1 || bottom - top < 1) continue;
    for (const [across, down] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]]) {
      const x = left + (right - left) * across;
      const y = top + (bottom - top) * down;
      const hit = deepest(x, y);
      if (isHit(hit, element)) return { state: 'ok', x, y };
      cover ??= hit;
    }
  }
  return { state: 'none', cover };
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
      if (found.state === 'ok' && isElement(target) && isHit(target, found.element)) { watch.landed = true; return; }
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
