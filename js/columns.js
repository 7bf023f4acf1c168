// @ts-check
'use strict'

/**
 * Details whose long lists have crossed by columns (`crates/border/src/columns.rs`): parsed, each object would take several times as long.
 *
 * @param {any} details with an empty list in the place of each
 * @param {readonly string[]} columns for each list its plan, and behind it the texts of each member that has texts, in pieces
 * @returns {any} the same details
 */
function withLists(details, columns) {
  const rest = columns.values()
  for (const plan of rest) {
    /** @type {{ name: string, members: { name: string, lengths?: number[], values?: unknown[] }[] }} */
    const { name, members } = JSON.parse(plan)
    const values = members.map(({ lengths, values }) => (lengths ? cut(rest, lengths) : /** @type {unknown[]} */ (values)))
    details[name] = objects(
      members.map((member) => member.name),
      values,
    )
  }
  return details
}

/**
 * The texts that pieces are made of.
 *
 * @param {Iterator<string>} pieces
 * @param {readonly number[]} lengths below 0 where the text before comes as often again
 */
function cut(pieces, lengths) {
  /** @type {string[]} */
  const texts = []
  let [piece, at, last] = ['', 0, '']
  for (const length of lengths) {
    for (let again = length; again < 0; again += 1) texts.push(last)
    if (length < 0) continue
    if (length > 0 && at === piece.length) [piece, at] = [pieces.next().value, 0]
    last = piece.slice(at, (at += length))
    texts.push(last)
  }
  return texts
}

/**
 * @param {readonly string[]} names of the members
 * @param {readonly (readonly unknown[])[]} values of each
 */
function objects(names, values) {
  return values[0].map((_, index) => {
    /** @type {Record<string, unknown>} */
    const one = {}
    for (let member = 0; member < names.length; member += 1) one[names[member]] = values[member][index]
    return one
  })
}

module.exports = { withLists }
