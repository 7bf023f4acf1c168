// @ts-check
'use strict'

/** @param {any} [source] */
const loadPolicyEngine = async (source) => {
  const { loadPolicyEngine } = await import('./policy.mjs')
  return loadPolicyEngine(source)
}

module.exports = { loadPolicyEngine }
