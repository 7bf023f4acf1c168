// What others paint behind letters: an element that lies under them, a picture, what a style sheet puts there. Asked only where letters
// could not be distinguished from the background of what they are in, which is seldom.

/** Most elements of one look that are asked what they paint. */
const PAINTERS_MAX = 10000;
/** Of many siblings, those that are asked: the first and the last ones, and those beside what the letters are in. */
const OUTER_SIBLINGS = 8;
const NEAR_SIBLINGS = 20;
/** How far down in a sibling what it paints may stand. */
const DEEP = 4;
let paintersLeft = PAINTERS_MAX;
const PICTURES = new Set(['canvas', 'video', 'iframe', 'frame', 'object', 'embed', 'svg']);
const NOTHING = '';

/** Whether letters can be distinguished where this is painted under them. */
const isSeenOn = (ink, paint) => paint === null || (paint !== NOTHING && (paint.match(COLORS) ?? [paint]).some((part) => {
  const [one, other] = [channels(ink), channels(part)];
  if (one === null || other === null) return ink !== part;
  return [0, 1, 2].reduce((sum, at) => sum + Math.abs(one[at] - other[at]), 0) * one[3] * other[3] >= DIFFERENT;
}));
/** The colours of a background, nothing at all, or `null` for a picture. */
const paintOfStyle = (style) => {
  const picture = style.backgroundImage;
  if (picture !== 'none') return isGradient(picture) ? picture : null;
  const color = style.backgroundColor;
  return isClear(color) ? NOTHING : color;
};
const paintOf = (sight) => {
  if (!sight.isVisible() || sight.opacity() < FAINT) return NOTHING;
  if (sight.name === 'img') return naturalWidth(sight.element) > 0 ? null : NOTHING;
  return PICTURES.has(sight.name) ? null : paintOfStyle(sight.style);
};
/** Whether most of one box lies in another one. */
const isMostlyIn = (box, other) => {
  const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
  const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
  return width > 0 && height > 0 && width * height * 2 >= box.width * box.height;
};

/** What style sheets paint over an element before its content, with their sizes: those that stand in no line. */
const generatedPainters = (element) => ['::before', '::after'].flatMap((place) => {
  const style = generatedStyleOf(element, place);
  const { content, position } = style;
  if (content === 'none' || content === 'normal' || (position !== 'absolute' && position !== 'fixed')) return [];
  if (style.display === 'none' || style.visibility !== 'visible' || Number(style.opacity) < FAINT) return [];
  const paint = paintOfStyle(style);
  return paint === NOTHING ? [] : [{ paint, width: parseFloat(style.width), height: parseFloat(style.height) }];
});
/** What fills an element otherwise than its background: a shadow that falls into it, a border that is a picture. */
const isFilledOtherwise = ({ style }, ink, box) => {
  if (style.borderImageSource !== 'none' && style.borderImageSlice.includes('fill')) return true;
  const shadow = style.boxShadow;
  if (!shadow.includes('inset')) return false;
  const isWide = (shadow.replace(COLORS, '').match(/-?[\d.]+(?=px)/g) ?? []).some((length) => Math.abs(Number(length)) * 2 >= box.height);
  return isWide && isSeenOn(ink, (shadow.match(COLORS) ?? []).join(' '));
};
/** Whether what is painted in an element gets other colours there than it has. */
const hasOtherColors = ({ style }) => {
  const strength = (filter, name, none) => Math.abs((parseFloat(new RegExp(`${name}\\(([^)]*)`).exec(filter)?.[1] ?? none)) - none);
  const changes = (filter) => filter !== 'none' && (filter.includes('url(') || strength(filter, 'invert', 0) > 0.1 || strength(filter, 'contrast', 1) > 0.1
    || parseFloat(/brightness\(([^)]*)/.exec(filter)?.[1] ?? 1) < 0.9);
  return style.mixBlendMode !== 'normal' || changes(style.filter) || changes(style.backdropFilter);
};

/** Those of the children that are asked. */
const likelyPainters = (children, path) => {
  if (children.length <= 2 * (OUTER_SIBLINGS + NEAR_SIBLINGS)) return children;
  const at = Math.max(0, children.indexOf(path));
  return children.filter((_, index) => index < OUTER_SIBLINGS || index >= children.length - OUTER_SIBLINGS || Math.abs(index - at) <= NEAR_SIBLINGS);
};
/** Whether an element among the children of another one, or in one of these, paints something under letters. */
const isPaintedAmong = (sight, path, ink, box, depth) => {
  sight.inner ??= childrenOf(sight.element).filter((child) => isElement(child) && child !== path && !SKIPPED.has(localName(child)));
  sight.painters ??= new Map();
  for (const child of likelyPainters(sight.inner, path)) {
    if (child === path) continue;
    let painter = sight.painters.get(child);
    if (painter === undefined) {
      if (--paintersLeft < 0) return false;
      sight.painters.set(child, painter = sightOf(child, sight));
    }
    if (painter.display === 'none' || painter.display === '') continue;
    const own = painter.box();
    // What has no size may hold what has one.
    const isEmpty = own.width === 0 || own.height === 0;
    if (!isEmpty && !isMostlyIn(box, own)) continue;
    const paint = isEmpty ? NOTHING : paintOf(painter);
    if (isSeenOn(ink, paint)) return true;
    if (paint === NOTHING && depth < DEEP && isPaintedAmong(painter, null, ink, box, depth + 1)) return true;
  }
  return false;
};
/** Whether letters that are lost on the background of what they are in are seen all the same. */
const isSeenOtherwise = (sight, ink, ground) => {
  const { style } = sight;
  if (style.textShadow !== 'none' && (style.textShadow.match(COLORS) ?? []).some((color) => isSeenOn(color, ground))) return true;
  if (isOutlined(style, ground)) return true;
  const box = boxOfContent(sight.element);
  if (box.width === 0 || box.height === 0) return false;
  let path = null;
  for (let at = sight; at !== null && --paintersLeft >= 0; at = at.around) {
    const isGround = at.paintsGround();
    if (!isGround && (at.isColoring ??= hasOtherColors(at))) return true;
    at.generated ??= generatedPainters(at.element);
    if (at.generated.some(({ paint, width, height }) => width * 2 >= box.width && height * 2 >= box.height && isSeenOn(ink, paint))) return true;
    if (isFilledOtherwise(at, ink, box) || isPaintedAmong(at, path, ink, box, 0)) return true;
    if (isGround) return false;
    path = at.element;
  }
  return false;
};
/** Whether the edges of letters are painted so that they can be distinguished. */
const isOutlined = (style, ground) => parseFloat(style.webkitTextStrokeWidth) >= 0.5 && (ground === null || isSeenOn(style.webkitTextStrokeColor, ground));
