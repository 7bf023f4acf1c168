// @ts-check
'use strict'

/** Most places that are named. */
const SHOWN_MAX = 5

/**
 * The places that text came from, for users.
 *
 * @param {readonly import('../index.d.ts').Origin[]} sources
 */
function placesOf(sources) {
  const shown = sources.slice(0, SHOWN_MAX).map(({ source, from }) => `${from} (${source})`)
  const more = sources.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

module.exports = { placesOf }
