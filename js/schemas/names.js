// @ts-check
'use strict'

const MAX_LENGTH = 64

/**
 * The names of properties as a provider takes them, in their order. One that it takes stays as it is; two are never the same.
 *
 * @param {readonly string[]} names
 * @param {RegExp | undefined} taken what names may be; undefined: anything
 * @returns {string[]}
 */
function shownNames(names, taken) {
  if (taken === undefined) return [...names]
  const used = new Set(names.filter((name) => taken.test(name)))
  return names.map((name) => {
    if (taken.test(name)) return name
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])|^$/, '_')
    let shown = plain.slice(0, MAX_LENGTH)
    for (let count = 2; used.has(shown); count += 1) shown = `${plain.slice(0, MAX_LENGTH - String(count).length - 1)}_${count}`
    used.add(shown)
    return shown
  })
}

module.exports = { shownNames }
