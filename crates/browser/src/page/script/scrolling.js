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
/** Whether an element has something to scroll in the direction of a movement. */
const isScroller = (element, across, down) => {
  const style = styleOf(element);
  return (down !== 0 && scrollHeight(element) > clientHeight(element) + 1 && /auto|scroll/.test(style.overflowY))
    || (across !== 0 && scrollWidth(element) > clientWidth(element) + 1 && /auto|scroll/.test(style.overflowX));
};
/** What is scrolled where the mouse is over an element: the nearest around it that can be, else the page. */
const scrollerAt = (element, across, down) => {
  const root = scrollingElement(page) ?? documentElement(page);
  // What is said of the body holds for the view, unless it is said of the root as well.
  const isOfView = styleOf(documentElement(page)).overflowY === 'visible';
  for (let at = element; isElement(at); at = parentOf(at)) if (isScroller(at, across, down) && !(isOfView && at === bodyOf(page))) return at;
  return root;
};
/** What a user scrolls who says no more: the page, or the part in the middle where the page itself is as high as the view. */
const mainScroller = (across, down) => {
  const root = scrollingElement(page) ?? documentElement(page);
  const isMovable = (down !== 0 && scrollHeight(root) > innerHeight + 1) || (across !== 0 && scrollWidth(root) > innerWidth + 1);
  const starts = [documentElement(page), bodyOf(page)].filter((it) => it !== null).map(styleOf);
  // What is hidden beyond the view of an application is nothing to scroll to.
  if (isMovable && !starts.some((style) => style.overflowY === 'hidden' || style.overflowY === 'clip')) return root;
  return scrollerAt(deepest(innerWidth / 2, innerHeight / 2), across, down);
};
const scrollBy = (id, key, row, across, down) => {
  let element = null;
  if (id !== 0) {
    const found = find(id, key, row);
    if (found.state !== 'ok') return failure(found);
    scrollTo(found.element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    element = scrollerAt(found.element, across, down);
  } else element = mainScroller(across, down);
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
/** For how long what fades in or out is waited for, how much of the view is covered by what others wait for, and how many are looked at. */
const FADES_MAX = 1000;
const FADES_AREA = 0.25;
const ANIMATIONS_MAX = 500;
const isFade = (effect) => effect.getKeyframes().some((frame) => frame.opacity !== undefined);
/** How long, in milliseconds, something fades that is not to be seen yet, or that covers much of the view: pages show a dialog when
 * what is behind it has come. */
const fades = () => {
  let most = 0;
  for (const { effect, playState, currentTime } of animationsOf(page).slice(0, ANIMATIONS_MAX)) {
    if (playState !== 'running' || !(effect instanceof KeyframeEffect) || effect.target === null) continue;
    const left = effect.getComputedTiming().endTime - currentTime;
    if (!(left > most && left <= FADES_MAX) || !isFade(effect)) continue;
    const { width, height } = boxOf(effect.target);
    const isLarge = width * height >= innerWidth * innerHeight * FADES_AREA;
    if (isLarge || (Number(styleOf(effect.target).opacity) < FAINT && textContent(effect.target).trim() !== '')) most = left;
  }
  return String(Math.ceil(most));
};
