// Frames, boxes, sizes, scrolling.

const markFrame = (owner, number) => { frames.set(owner, number); return '{}'; };
const hasText = (text) => {
  const body = bodyOf(page);
  if (body === null) return false;
  const wanted = clean(text);
  if (clean(innerText(body)).includes(wanted)) return true;
  // The text of an element is not that of the root that it shows.
  const isShown = (root) => {
    for (const element of root === page ? queryDocument(page, '*') : queryRoot(root, '*')) {
      const inner = rootOf(element);
      if (inner === null || !isRendered(element)) continue;
      for (let child = firstChild(inner); child !== null; child = nextSibling(child)) {
        if (child instanceof HTMLElement && plainName(child) !== 'style' && clean(innerText(child)).includes(wanted)) return true;
      }
      if (isShown(inner)) return true;
    }
    return false;
  };
  return isShown(page);
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
