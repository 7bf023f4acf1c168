// What is called from outside. Each returns JSON.

const calls = {
  __proto__: null, adopt, suspectOf, lookAt, writeMore, find: inspect, ready, outward, arm, disarm, focusOn, hasFocus, accepts, assign, choose, read, similar, markFrame, frameShows, hasText, elementOf, boxes, scrollBy, size, fades,
  readable, place: (owner, x, y) => JSON.stringify(place(owner, x, y)),
};
