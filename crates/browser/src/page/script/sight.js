// Whether a user can see what an element says. Asked only for elements with text: most are there for others.

/** Less of a colour than this is not seen, as little difference between two. */
const FAINT = 0.05;
const DIFFERENT = 24;
const NO_CLIP = /^(?:inset\((?:50|100)%|circle\(0|ellipse\(0)/;

const isOutOfSight = (sight) => {
  const { style, display } = sight;
  // What is inline stands in the flow and has no indent of its own.
  if (display === 'contents') return false;
  const { clipPath } = style;
  if (clipPath !== 'none' && NO_CLIP.test(clipPath)) return true;
  if (display === 'inline') return false;
  const { position } = style;
  if (position === 'absolute' || position === 'fixed') {
    if (style.clip !== 'auto' && /rect\((?:0|1)(?:px)?,? /.test(style.clip)) return true;
    const box = sight.box();
    if (box.width > 0 && box.height > 0) {
      const fixed = position === 'fixed';
      if (box.right + (fixed ? 0 : scrollX) <= 0 || box.bottom + (fixed ? 0 : scrollY) <= 0) return true;
    }
  }
  if (style.overflowY !== 'visible') {
    const box = sight.box();
    if (box.width <= 1 || box.height <= 1) return true;
  }
  if (style.contentVisibility === 'hidden') return true;
  const { filter } = style;
  if (filter !== 'none' && /opacity\(0(?:\.0\d*)?%?\)/.test(filter)) return true;
  return parseFloat(style.textIndent) < -900;
};

const channels = (color) => {
  const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)];
};
const remembered = (compute) => {
  const known = new Map();
  return (key, ...given) => {
    let value = known.get(key);
    if (value === undefined) {
      if (known.size > 1000) known.clear();
      known.set(key, value = compute(key, ...given));
    }
    return value;
  };
};
const isClear = remembered((color) => color === 'transparent' || (channels(color)?.[3] ?? 1) < FAINT);
/** Whether letters of this colour cannot be distinguished from the background: `color on ground`. */
const isLost = remembered((_, color, ground) => {
  const [one, other] = [channels(color), channels(ground)];
  if (one === null || other === null) return color === ground;
  if (other[3] < 1) return false;
  return [0, 1, 2].reduce((sum, at) => sum + Math.abs(one[at] - other[at]) * one[3], 0) < DIFFERENT;
});

/** One element with those around it. */
class Sight {
  constructor(element, style, display, around) {
    this.element = element;
    this.style = style;
    this.display = display;
    this.around = around;
    this.seen = null;
    this.out = null;
    this.paint = undefined;
    this.share = null;
    this.size = null;
    this.rect = null;
    this.placed = null;
  }

  box() {
    return this.rect ??= boxOf(this.element);
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

  /** The colour behind its text; nothing where that is a picture. */
  ground() {
    if (this.paint === undefined) {
      if (this.style.backgroundImage !== 'none') this.paint = null;
      else {
        const color = this.style.backgroundColor;
        const own = color === 'rgba(0, 0, 0, 0)' || isClear(color);
        this.paint = !own ? color : this.around === null ? 'rgb(255, 255, 255)' : this.around.ground();
      }
    }
    return this.paint;
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

  /** Whether all text in it, or in the block that it is a part of, is known to have a place. */
  isPlaced() {
    if (this.placed === null) {
      const { around } = this;
      // What is in a shadow root is not text of its host.
      const isPart = this.display === 'inline' && around !== null && parentNode(this.element) === around.element;
      this.placed = (isPart && around.isPlaced()) || isAllPlaced(this.element);
    }
    return this.placed;
  }

  /** Whether text that stands in it is seen. */
  shows() {
    return this.seen ??= this.looks();
  }

  looks() {
    const { style } = this;
    if (style.visibility !== 'visible' || this.opacity() < FAINT || this.isGone() || parseFloat(style.fontSize) < 1.5) return false;
    if (!this.hasBox()) return false;
    const fill = style.webkitTextFillColor;
    if (isClear(fill)) return style.backgroundClip === 'text';
    const ground = this.ground();
    return ground === null || !isLost(`${fill} on ${ground}`, fill, ground);
  }
}
const sightOf = (element, around) => {
  const style = styleOf(element);
  return new Sight(element, style, style.display, around);
};
