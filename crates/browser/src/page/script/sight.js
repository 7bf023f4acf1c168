// Whether a user can see what an element says. Asked only for elements with text: most are there for others.

/** Less of a colour than this is not seen, as little difference between two. */
const FAINT = 0.05;
const DIFFERENT = 24;
/** So far beside the view nobody scrolls, though the page would. */
const FAR = 8000;

/** What a clipping shape leaves of a box: nothing, where less than a pixel remains of its width or its height. */
const isClippedAway = (clip, box) => {
  const shape = /^(inset|polygon|circle|ellipse)\(([^()]*)\)/.exec(clip);
  if (shape === null) return false;
  const length = (text, all) => (text.endsWith('%') ? (parseFloat(text) / 100) * all : parseFloat(text));
  if (shape[1] === 'polygon') {
    const points = shape[2].replace(/^(?:nonzero|evenodd),\s*/, '').split(',').map((point) => point.trim().split(/\s+/));
    const remains = (at, all) => {
      const along = points.map((point) => Math.min(Math.max(length(point[at] ?? '', all), 0), all));
      return Math.max(...along) - Math.min(...along);
    };
    return remains(0, box.width) < 1 || remains(1, box.height) < 1;
  }
  const sizes = shape[2].split(/ (?:round|at) /)[0].trim().split(/\s+/);
  if (shape[1] !== 'inset') return sizes.some((size) => parseFloat(size) === 0);
  const [top, right = top, bottom = top, left = right] = sizes;
  return box.height - length(top, box.height) - length(bottom, box.height) < 1 || box.width - length(left, box.width) - length(right, box.width) < 1;
};
/** A mask that is clear all over. */
const isMaskedAway = (mask) => {
  if (!/^(?:repeating-)?(?:linear|radial|conic)-gradient\(/.test(mask)) return false;
  const colors = mask.match(COLORS);
  return colors !== null && colors.every(isClear);
};
const BLOCKS_OF_FIXED = ['transform', 'translate', 'scale', 'rotate', 'perspective', 'filter', 'backdropFilter'];
/** Whether something is fixed to the view: one of those around it may hold it as it holds others. */
const isFixed = (sight) => {
  for (let at = sight.around; at !== null; at = at.around) {
    if (BLOCKS_OF_FIXED.some((property) => at.style[property] !== 'none') || at.style.willChange !== 'auto' || at.style.contain !== 'none') return false;
  }
  return true;
};
/** From where to where the page can be scrolled, the view being at its start. */
let extent = null;
const extentOf = () => {
  if (extent !== null) return extent;
  const root = scrollingElement(page) ?? documentElement(page);
  const starts = [documentElement(page), bodyOf(page)].filter((it) => it !== null).map(styleOf);
  // The page begins at the right side, or it may.
  const isBackward = starts.some((style) => style.direction === 'rtl' || style.writingMode !== 'horizontal-tb');
  const left = isBackward ? clientWidth(root) - scrollWidth(root) : 0;
  return extent = { left, right: Math.min(scrollWidth(root), innerWidth + FAR), bottom: scrollHeight(root), x: scrollX, y: scrollY, width: innerWidth, height: innerHeight };
};
/** Where text can be brought into view: how far that around it has been scrolled, and what bounds it. */
const WHOLE_PAGE = { x: 0, y: 0, isFixed: false, isScrolled: false };
const reachOf = (sight) => {
  const around = sight.around === null ? WHOLE_PAGE : sight.around.reach();
  const { display, element } = sight;
  if (display === 'inline' || display === 'contents' || sight.around === null) return around;
  const scrolls = sight.clips() && element !== bodyOf(page);
  const fixed = sight.flow() === 'fixed' && isFixed(sight);
  if (!scrolls && !fixed) return around;
  const from = fixed ? { ...WHOLE_PAGE, isFixed: true } : around;
  if (!scrolls) return from;
  return { x: from.x + scrollLeft(element), y: from.y + scrollTop(element), isFixed: from.isFixed, isScrolled: true };
};
/** Whether a box can be seen somewhere: it has a size, and there is a way to it. */
const isReached = (box, sight) => {
  // Letters of which even one is hardly a pixel, drawn so small or so narrow.
  const { x, y, width, height } = box;
  if (width < 1 || height < 1.5) return false;
  const all = extentOf();
  if (x >= 0 && y >= 0 && x < all.width && y < all.height) return true;
  const { x: beyond, y: above, isFixed: isStuck, isScrolled } = sight.reach();
  const across = x + beyond + (isStuck ? 0 : all.x);
  const down = y + above + (isStuck ? 0 : all.y);
  if (across + width <= (isStuck ? 0 : all.left) || down + height <= 0) return false;
  return isScrolled || (across < (isStuck ? all.width : all.right) && down < (isStuck ? all.height : all.bottom));
};
/** Whether letters of a drawing lie beside all of it. */
const isOffDrawing = (box, sight) => {
  let root = sight;
  while (root.around !== null && isOfSvg(root.around.element)) root = root.around;
  const all = root.box();
  return root.clips() && (box.left >= all.right || box.right <= all.left || box.top >= all.bottom || box.bottom <= all.top);
};
/** Whether letters lie beside the one box that shows them: that of their own block, where it cuts off what is outside. */
const isCutOff = (box, sight) => {
  if (isOfSvg(sight.element)) return isOffDrawing(box, sight);
  const block = sight.display === 'inline' ? sight.block() : sight;
  if (block === null || block.around === null || !block.clips() || block.scrollsAcross()) return false;
  const own = block.box();
  return box.left >= own.right || box.right <= own.left;
};

const isOutOfSight = (sight) => {
  const { style, display } = sight;
  // What is inline stands in the flow.
  if (display === 'contents') return false;
  const { clipPath, maskImage } = style;
  if (clipPath !== 'none' && isClippedAway(clipPath, sight.box())) return true;
  if (maskImage !== 'none' && isMaskedAway(maskImage)) return true;
  if (display === 'inline') return false;
  const position = sight.flow();
  if (position === 'absolute' || position === 'fixed') {
    if (style.clip !== 'auto' && /rect\((?:0|1)(?:px)?,? /.test(style.clip)) return true;
    const box = sight.box();
    if (box.width > 0 && box.height > 0 && !isReached(box, sight)) return true;
  }
  if (sight.clips()) {
    const box = sight.box();
    if (box.width <= 1 || box.height <= 1) return true;
  }
  if (style.contentVisibility === 'hidden') return true;
  const { filter } = style;
  return filter !== 'none' && isFilteredAway(filter, style);
};
/** So blurred, in parts of the size of its letters, nobody reads a text. */
const BLURRED = 0.4;
/** What is clear, grey all over, or blurred. */
const isFilteredAway = (filter, style) => {
  if (/(?:opacity|contrast)\(0(?:\.0\d*)?%?\)/.test(filter)) return true;
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return blur !== null && Number(blur[1]) > parseFloat(style.fontSize) * BLURRED;
};

const COLORS = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)/g;
let brush = null;
/** A colour in any notation, as the browser paints it. */
const painted = (color) => {
  brush ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = color;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
};
const channels = (color) => {
  const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color);
  if (found !== null) return [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)];
  return /^[a-z]+\(/.test(color) ? painted(color) : null;
};
const isClear = remembered((color) => color === 'transparent' || (channels(color)?.[3] ?? 1) < FAINT);
const isLostOnAll = remembered((pair) => {
  const [color, ground] = pair.split('\n');
  return (ground.match(COLORS) ?? [ground]).every((part) => {
    const [one, other] = [channels(color), channels(part)];
    if (one === null || other === null) return color === part;
    if (other[3] < 1) return false;
    return [0, 1, 2].reduce((sum, at) => sum + Math.abs(one[at] - other[at]) * one[3], 0) < DIFFERENT;
  });
});
// Mostly the same as for the element before.
let lastPair = { color: '', ground: '', isLost: false };
/** Whether letters of this colour cannot be distinguished from the background, whose colours these are. */
const isLost = (color, ground) => {
  if (lastPair.color !== color || lastPair.ground !== ground) lastPair = { color, ground, isLost: isLostOnAll(`${color}\n${ground}`) };
  return lastPair.isLost;
};
/** What is behind a page that paints nothing itself. */
const canvasColor = (style) => {
  let scheme = style.colorScheme;
  if (scheme === 'normal') scheme = attribute(query(documentElement(page), 'meta[name="color-scheme" i]') ?? documentElement(page), 'content') ?? '';
  const isDark = /\bdark\b/.test(scheme) && (!/\blight\b/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches);
  return isDark ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)';
};
const isGradient = (picture) => /^[a-z-]+-gradient\(/.test(picture) && !picture.includes('url(');
const isOfSvg = (element) => namespaceOf(element) === SVG;

/** What shows something else than the text that is in it. */
const REPLACED = new Set(['canvas', 'video', 'audio', 'object']);

/** One element with those around it. */
class Sight {
  constructor(element, name, style, display, around) {
    this.element = element;
    this.name = name;
    this.style = style;
    this.display = display;
    this.around = around;
    this.depth = around === null ? 0 : around.depth + 1;
    this.seen = null;
    this.out = null;
    this.paint = undefined;
    this.share = null;
    this.size = null;
    this.rect = null;
    this.way = null;
    this.shown = null;
    this.isClipping = null;
    this.isAcross = null;
    this.isShowing = null;
    this.position = null;
    this.isPre = null;
    /** Whether a style sheet may write something before or after what is in it. */
    this.isWrittenAround = null;
    this.isShaded = null;
    /** Of those around letters that would be lost: what is in them, what it paints, what style sheets paint there, whether they change colours. */
    this.inner = null;
    this.painters = null;
    this.generated = null;
    this.isColoring = null;
    this.isUnder = null;
  }

  // It stands for the text that a style sheet puts before its content, as a part of a line: the walk makes nothing more of every element.
  get type() { return GENERATED; }

  get sight() { return this; }

  get text() { return '::before'; }

  box() {
    return this.rect ??= this.display === 'contents' ? boxOfContent(this.element) : boxOf(this.element);
  }

  /** Whether it begins below the view, as all does that follows in its flow. Each element around is measured once, not each line. */
  isBelow(look) {
    if (this.isUnder === null) {
      const isIn = this.around !== null && this.around.isBelow(look);
      if (this.display === 'inline' || this.display === 'contents') this.isUnder = isIn;
      else this.isUnder = (isIn && this.flow() === 'static') || this.box().top >= look.height;
    }
    return this.isUnder;
  }

  /** Whether it cuts off what is outside of it. */
  clips() {
    return this.isClipping ??= this.style.overflowY !== 'visible' || /paint|strict|content/.test(this.style.contain);
  }

  scrollsAcross() {
    return this.isAcross ??= /auto|scroll/.test(this.style.overflowX);
  }

  isVisible() {
    return this.isShowing ??= this.style.visibility === 'visible';
  }

  flow() {
    return this.position ??= this.style.position;
  }

  isPreformatted() {
    return this.isPre ??= this.style.whiteSpace.startsWith('pre');
  }

  /** Whether sheets of a shadow root may concern it: as its host, in its slots, or in it. */
  isInShadow() {
    return this.isShaded ??= rootOf(this.element) !== null || (this.around !== null && this.around.isInShadow());
  }

  /** The block that it is a part of, if it is known. */
  block() {
    let at = this.around;
    while (at !== null && at.display === 'inline') at = at.around;
    return at !== null && at.display !== 'contents' ? at : null;
  }

  /** Whether it lies where nobody looks. */
  isGone() {
    return this.out ??= (this.around !== null && this.around.isGone()) || isOutOfSight(this);
  }

  /** The colours behind its text; nothing where that is a picture. */
  ground() {
    if (this.paint === undefined) {
      const { style } = this;
      const picture = style.backgroundImage;
      // What is drawn before text of a drawing is unknown.
      if (isOfSvg(this.element)) this.paint = null;
      else if (picture !== 'none') this.paint = isGradient(picture) ? picture : null;
      else {
        const color = style.backgroundColor;
        const own = color === 'rgba(0, 0, 0, 0)' || isClear(color);
        this.paint = !own ? color : this.around === null ? canvasColor(style) : this.around.ground();
      }
    }
    return this.paint;
  }

  /** Whether it has a background of its own. */
  paintsGround() {
    return paintOfStyle(this.style) !== NOTHING;
  }

  /** The colour of its letters; nothing where they are painted otherwise. */
  ink() {
    const { style } = this;
    if (!isOfSvg(this.element)) return style.webkitTextFillColor;
    const { fill } = style;
    if (fill === 'none') return style.stroke === 'none' ? 'transparent' : null;
    return fill.startsWith('url(') ? null : fill;
  }

  reach() {
    return this.way ??= reachOf(this);
  }

  opacity() {
    return this.share ??= (this.around === null ? 1 : this.around.opacity()) * Number(this.style.opacity);
  }

  /** Whether the block around it has any size. What is scaled to nothing has none. */
  hasBox() {
    if (this.size === null) {
      if (this.display === 'inline' || this.display === 'contents') this.size = this.around === null || this.around.hasBox();
      else {
        const box = this.box();
        this.size = box.width > 0 || box.height > 0;
      }
    }
    return this.size;
  }

  /** Whether letters in it are painted so that they can be distinguished. */
  isPainted() {
    return this.seen ??= this.looks();
  }

  looks() {
    if (!this.isVisible() || this.opacity() < FAINT || this.style.webkitTextSecurity !== 'none') return false;
    const ink = this.ink();
    if (ink === null) return true;
    if (isClear(ink)) return this.style.backgroundClip === 'text' || isOutlined(this.style, this.ground());
    const ground = this.ground();
    return ground === null || !isLost(ink, ground) || isSeenOtherwise(this, ink, ground);
  }

  /** Whether a picture in it is seen. */
  showsPicture() {
    return this.isVisible() && this.opacity() >= FAINT && !this.isGone() && this.hasBox() && isReached(this.box(), this);
  }

  /** Whether a frame is seen, with all that is in it. */
  showsFrame() {
    const { element } = this;
    return this.isVisible() && clientWidth(element) >= 2 && clientHeight(element) >= 2 && this.opacity() >= FAINT && !this.isGone() && isReached(this.box(), this);
  }

  /** Whether text that stands in it is seen: this one, as a rule all of it. */
  shows(text) {
    return this.isPainted() && this.hasSeenPlace(text);
  }

  /** Whether text in it has a place that can be looked at. */
  hasSeenPlace(text) {
    if (this.isGone()) return false;
    if (this.shown === null) {
      const { element } = this;
      const isHost = knownOf(element).mayKeepRoot;
      // What is inline has the box of its letters, which is often known.
      const box = this.display === 'inline' && !isHost && !REPLACED.has(plainName(element)) ? this.box() : boxOfContent(text);
      if (isHost && box.height === 0) suspect(element);
      this.shown = isReached(box, this) && !isCutOff(box, this);
    }
    return this.shown;
  }
}
/** The sight of an element, found once for a look. */
const frameShows = (owner) => JSON.stringify(sightIn(owner).showsFrame());
const sightIn = (element) => {
  const known = memory?.sights.get(element);
  if (known !== undefined) return known;
  const parent = parentOf(element);
  const sight = sightOf(element, isElement(parent) ? sightIn(parent) : null);
  memory?.sights.set(element, sight);
  return sight;
};
const sightOf = (element, around) => {
  const style = styleOf(element);
  return new Sight(element, localName(element), style, style.display, around);
};
