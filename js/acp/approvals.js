// @ts-check
'use strict'

const { sectionsOf } = require('../approval-text.js')
const { ToolError } = require('../tool-error.js')
const { kindOf, titleOf } = require('./kinds.js')
const { bounded, fenced, rawOf, textPart } = require('./report.js')

/** The answers of a user, by the ids of the options. @type {Record<string, 'once' | 'always' | 'never'>} */
const ANSWERS = { allow_once: 'once', allow_always: 'always', reject_always: 'never' }
const REJECT = 'reject_once'

/** Puts what policy asks to the user of an editor. */
class Approvals {
  #session

  /** @param {any} session */
  constructor(session) {
    this.#session = session
  }

  /**
   * @param {import('../../index.d.ts').ApprovalRequest} request
   * @param {AbortSignal} signal
   * @returns {Promise<'once' | 'always' | 'never'>}
   */
  async ask(request, signal) {
    const report = this.#session.running.get(request.toolCallId)
    const { wire } = this.#session
    const title = report?.title ?? titleOf(request.tool, 'other', request.preview, request.params)
    const params = wire.permission(request, this.#shown(request, report), `Allow ${title}?`, optionsOf(request))
    const answer = await this.#session.request('session/request_permission', params, signal)
    const { outcome, optionId } = answer?.outcome ?? {}
    if (outcome === 'cancelled') throw refused(request.tool, 'the user cancelled the turn', 'cancelled')
    const known = outcome === 'selected' && optionsOf(request).some((option) => option.optionId === optionId)
    if (!known || optionId === REJECT)
      throw refused(request.tool, known ? 'the user declined it' : 'the ACP client returned an answer that was not offered', 'approval_denied')
    const said = ANSWERS[optionId]
    if (said === 'never') return said
    await report?.recheck?.()
    report?.approved()
    return said
  }

  /**
   * The call as the user has to see it.
   *
   * @param {import('../../index.d.ts').ApprovalRequest} request
   * @param {any} report
   */
  #shown(request, report) {
    const { tool, toolCallId, params, preview } = request
    const { wire, workspace } = this.#session
    const facts = report?.facts ?? { toolCallId, title: titleOf(tool, 'other', preview, params), kind: kindOf(undefined, preview), rawInput: rawOf(params) }
    return { ...facts, status: 'pending', content: questioned(request, wire, workspace) }
  }
}

/**
 * What a user reads of a call beside its parameters before they allow it.
 *
 * @param {import('../../index.d.ts').ApprovalRequest} request
 * @param {import('./wire.js').Wire} wire
 * @param {string} workspace
 */
function questioned(request, wire, workspace) {
  const { diff, changes = [] } = request.preview
  // Editors show a diff by themselves, with the file that it changes.
  const inDiff = diff ? ['Changes', 'Reads', 'Writes', 'Deletes'] : []
  const sections = sectionsOf(request).filter(({ label }) => !inDiff.includes(label))
  const lines = sections.map(({ label, text }) => (text.includes('\n') ? `${label}:\n${fenced(bounded(text))}` : `${label}: ${text}`))
  const diffs = typeof diff === 'string' && diff !== '' ? wire.preview(diff, workspace, changes) : []
  return [...[request.reason, ...lines].map(textPart), ...diffs]
}

/** @param {import('../../index.d.ts').ApprovalRequest} request */
function optionsOf({ remembers }) {
  const always = remembers.length > 0 ? [{ optionId: 'allow_always', name: `Always allow ${remembers.join(', ')}`, kind: 'allow_always' }] : []
  return [
    { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
    ...always,
    { optionId: REJECT, name: 'Reject', kind: 'reject_once' },
    { optionId: 'reject_always', name: 'Never allow in this session', kind: 'reject_always' },
  ]
}

/**
 * @param {string} tool
 * @param {string} why
 * @param {string} code
 */
function refused(tool, why, code) {
  return new ToolError(why, { tool, error_type: 'permission_denied', details: { code } })
}

module.exports = { Approvals, questioned }
