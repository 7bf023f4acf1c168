// @ts-check
'use strict'

const { jsonText } = require('../json-text.js')
const { digestOf } = require('./state.js')

/** Where authorization says which user it is of: claims of a token, and what the samples of the official SDK put there. */
const SUBJECTS = ['sub', 'userId']

/**
 * Who makes a request, as far as its authorization says so: the answers of a user are taken from nobody else. A client is a
 * program that many users run, so its id alone names nobody: it takes the subject, else the token.
 *
 * @param {any} auth what a middleware found out about the token
 * @param {string} [authorization] the header
 */
function principalOf(auth, authorization = '') {
  const claims = [auth?.extra, auth]
  const subject = claims.flatMap((claim) => SUBJECTS.map((name) => claim?.[name])).find(isNamed)
  if (subject !== undefined) return digestOf(['subject', claims.map((claim) => claim?.iss).find(isNamed), auth.clientId, String(subject)])
  const token = [auth?.token, authorization].find(isNamed)
  return digestOf(token === undefined ? ['authorization', jsonText(auth ?? null)] : ['token', auth?.clientId, token])
}

/** @param {unknown} value */
function isNamed(value) {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

module.exports = { principalOf }
