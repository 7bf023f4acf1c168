// @ts-check
'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const path = require('node:path')

const { ToolError } = require('../tool-error.js')
const { connectionOf } = require('../toolkit.js')
const { CommandTimes } = require('./command-times.js')
const { diskText, hashOf, inFormOf, insideOf, placeOf } = require('./disk-texts.js')
const { EditedCalls, changedSince, handOver } = require('./editor-edits.js')

/** Operations whose changes can be made in a text of the editor. */
const EDITS = ['write', 'edit', 'patch', 'notebook_edit']
/** The operation of tools of the host and of MCP servers. */
const HOST = 'foreign'
/** What `lsp` does to files that only the language server knows, as models may spell it. */
const PROPOSED = /^(?:rename|apply[-_ ]?code[-_ ]?action)$/i
/** A client that takes longer does not answer. */
const ANSWER_MS = 30_000

/**
 * A text that the user has not saved, and the file on the disk.
 *
 * @typedef {ReturnType<typeof placeOf>} Place
 * @typedef {import('./disk-texts.js').DiskText} DiskText
 * @typedef {import('./editor-edits.js').Caller} Caller
 * @typedef {{ place: Place, name: string, text: string, disk: DiskText }} Draft `name` is what the editor calls the file
 */

/**
 * Files that are open in the editor of a user. The disk is the truth; what the user has not saved is edited in the editor, so that
 * nothing of it is lost.
 */
class Editor {
  #session
  /** Texts that a file had on the disk in this session, as hashes: an editor that has one of these has nothing of its user. @type {Map<string, Set<string>>} */
  #seen = new Map()
  /** The text that editor and disk had both, the last time that they were equal, by what the editor calls the file. @type {Map<string, string>} */
  #base = new Map()
  /** The texts that calls have put on the disk. @type {Map<string, string>} */
  #made = new Map()
  /** Calls that change one file wait for each other. @type {Map<string, Promise<unknown>>} */
  #last = new Map()
  /** The files of the calls within whose handlers a call is made, each with the calls within that change it. @type {AsyncLocalStorage<Map<string, Map<string, Promise<unknown>>>>} */
  #within = new AsyncLocalStorage()
  #commands = new CommandTimes()
  #calls = new EditedCalls()
  #texts = {
    open: (/** @type {Caller} */ caller, /** @type {string} */ name) => this.#open(caller, name),
    put: (/** @type {Caller} */ { signal }, /** @type {string} */ name, /** @type {string} */ text) =>
      this.#session.request('fs/write_text_file', { path: name, content: text }, signal),
  }

  /** @param {any} session */
  constructor(session) {
    this.#session = session
  }

  /**
   * Runs a call on the files as the user has them.
   *
   * @param {import('./report.js').CallReport} report
   * @param {() => Promise<any>} work
   */
  async run(report, work) {
    const { fs } = this.#session.capabilities
    const { writes = [], deletes = [], reads = [] } = report.effects
    const isCommand = report.kind === 'execute'
    for (const file of reads) this.#note(this.#placeOf(file), { isRead: true })
    // What a tool of the host changes is not known either.
    const timed = isCommand || (report.operation ?? HOST) === HOST ? () => this.#commands.during(report.toolkit, work) : work
    if (fs?.readTextFile !== true || report.verdict === 'deny' || isCommand) return timed()
    const files = [...new Set([...writes, ...deletes, ...(await proposedBy(report))])]
    if (files.length === 0) return timed()
    const places = this.#placesOf(files)
    return this.#alone(places, async () => {
      const drafts = await this.#drafts(report, places)
      if (drafts.length === 0) return this.#onDisk(report, places, timed)
      const removed = this.#placesOf(deletes).find(({ target }) => drafts.some(({ place }) => place.target === target))
      const isEdit = EDITS.includes(report.operation ?? '') && drafts.every(({ disk }) => disk.isUtf8)
      if (!isEdit || removed !== undefined || fs.writeTextFile !== true) throw unsaved(report, removed?.file ?? drafts[0].place.file)
      return this.#edit(report, places, drafts, timed)
    })
  }

  /**
   * Takes back what a call has changed, on the disk and in the editor, all or none.
   *
   * @param {string} id
   * @param {() => Promise<any[]>} work takes back what is on the disk
   */
  async undo(id, work) {
    const call = this.#calls.find(id)
    if (call === undefined) return work()
    const caller = { tool: 'undo', signal: new AbortController().signal }
    const places = this.#placesOf([...call.files, ...call.edits.map((edit) => edit.path)])
    return this.#alone(places, async () => {
      const now = await Promise.all(call.edits.map(({ name }) => this.#open(caller, name)))
      const changed = call.edits.filter((edit, index) => !call.isKept || !isOf(edit, now[index]))
      if (changed.length > 0) throw changedSince(call, changed, this.#calls.after(call, changed))
      const onDisk = this.#placesOf(call.files)
      const [draft] = await this.#drafts(caller, onDisk)
      if (draft) throw unsaved(caller, draft.place.file)
      const back = call.edits.map((edit, index) => ({ ...edit, before: now[index] ?? edit.after, after: edit.before }))
      const handed = await handOver(this.#texts, caller, back)
      if (handed.kind !== 'done') throw notHanded(caller, handed, placeNames(handed.left))
      const restored = await this.#restored(caller, back, call.files.length === 0, () => this.#noting(onDisk, work))
      this.#calls.remove(call)
      return [...restored, ...call.edits.map((edit) => ({ path: edit.path, kind: 'update' }))]
    })
  }

  /**
   * @param {Caller} caller
   * @param {readonly import('./editor-edits.js').Edit[]} back what the editor was given
   * @param {boolean} isEditorOnly whether nothing was changed on the disk
   * @param {() => Promise<any[]>} work
   */
  async #restored(caller, back, isEditorOnly, work) {
    try {
      return await work()
    } catch (error) {
      // With `undo: false` the core knows nothing of a call, and what was changed in the editor alone needs nothing of it.
      if (isEditorOnly && ToolError.is(error) && error.error_type === 'not_found') return []
      const again = back.map((edit) => ({ ...edit, before: edit.after, after: edit.before }))
      const handed = await handOver(this.#texts, caller, again)
      if (handed.kind === 'done' || !ToolError.is(error)) throw error
      throw extended(error, outcomeOf(back.map(({ path: name }) => `\`${name}\` in the editor`)))
    }
  }

  /** @param {string} file */
  #placeOf(file) {
    const { workspace } = this.#session
    return placeOf(path.resolve(workspace, file), workspace)
  }

  /**
   * Each file once, whatever it is called.
   *
   * @param {readonly string[]} files
   */
  #placesOf(files) {
    /** @type {Map<string, Place>} */
    const places = new Map()
    for (const place of files.map((file) => this.#placeOf(file))) {
      const names = [...(places.get(place.target)?.names ?? []), ...place.names]
      places.set(place.target, { ...place, ...places.get(place.target), names: [...new Set(names)] })
    }
    return [...places.values()]
  }

  /**
   * @template T
   * @param {readonly Place[]} places
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #alone(places, work) {
    const targets = places.map(({ target }) => target)
    const outer = this.#within.getStore()
    // A file that none of the outer calls has is left to the core, which knows who would wait for ever.
    const queueOf = (/** @type {string} */ target) => (outer ? (outer.get(target) ?? new Map()) : this.#last)
    const queues = targets.map((target) => ({ target, queue: queueOf(target) }))
    const before = Promise.all(queues.map(({ target, queue }) => queue.get(target)))
    const within = new Map([...(outer ?? []), ...targets.map((target) => /** @type {const} */ ([target, new Map()]))])
    const run = before.then(() => this.#within.run(within, work))
    const end = run.then(
      () => {},
      () => {},
    )
    for (const { target, queue } of queues) queue.set(target, end)
    try {
      return await run
    } finally {
      for (const { target, queue } of queues) if (queue.get(target) === end) queue.delete(target)
    }
  }

  /**
   * @param {import('./report.js').CallReport} report
   * @param {readonly Place[]} places
   * @param {() => Promise<any>} work
   */
  async #onDisk(report, places, work) {
    /** @type {unknown} */
    let typed
    report.recheck = async () => {
      typed = await this.#typedIn(report, places)
      if (typed !== undefined) throw typed
    }
    try {
      const result = await this.#noting(places, work)
      this.#calls.add({ id: report.id, edits: [], files: places.map(({ file }) => file) })
      return result
    } catch (error) {
      throw typed ?? error
    }
  }

  /**
   * Why a call does not change the disk any more: the user has typed in a file while it waited.
   *
   * @param {import('./report.js').CallReport} report
   * @param {readonly Place[]} places
   */
  async #typedIn(report, places) {
    try {
      const [draft] = await this.#drafts(report, places)
      return draft && fault(report, 'stale_file', `\`${draft.name}\` was changed in the editor while the call ran. ${outcomeOf([])} Call it again.`)
    } catch (error) {
      return error
    }
  }

  /**
   * Remembers what a call puts on the disk.
   *
   * @param {readonly Place[]} places
   * @param {() => Promise<any>} work
   */
  async #noting(places, work) {
    const before = places.map((place) => hashAt(this.#note(place)))
    try {
      return await work()
    } finally {
      for (const [index, place] of places.entries()) {
        const now = hashAt(this.#note(place))
        if (now !== undefined && now !== before[index]) this.#made.set(place.target, now)
      }
    }
  }

  /**
   * The texts of those files that the user has not saved.
   *
   * @param {Caller} caller
   * @param {readonly Place[]} places
   */
  async #drafts(caller, places) {
    const drafts = []
    for (const place of places) {
      const draft = await this.#draft(caller, place)
      if (draft) drafts.push(draft)
    }
    return drafts
  }

  /**
   * @param {Caller} caller
   * @param {Place} place
   * @returns {Promise<Draft | undefined>}
   */
  async #draft(caller, place) {
    const open = await Promise.all(place.names.map(async (name) => ({ name, text: await this.#open(caller, name) })))
    const disk = this.#note(place)
    /** @type {Draft[]} */
    const drafts = []
    for (const { name, text } of open) {
      if (text === undefined) continue
      if (typeof disk !== 'object') {
        // A file that was never saved: a new one on the disk would be written over when it is.
        if (text !== '' && !this.#seen.get(place.target)?.has(hashOf(text))) throw unsaved(caller, name)
      } else if (this.#isUnsaved(caller, place, name, text, disk)) drafts.push({ place, name, text, disk })
    }
    const [draft, ...others] = drafts
    if (others.some(({ text }) => hashOf(text) !== hashOf(draft.text))) throw unsaved(caller, place.file)
    return draft
  }

  /**
   * Whether the editor has something that the disk never had.
   *
   * @param {Caller} caller
   * @param {Place} place
   * @param {string} name
   * @param {string} text
   * @param {DiskText} disk
   */
  #isUnsaved(caller, { target, file }, name, text, disk) {
    const ofText = hashOf(text)
    if (disk.hashes.includes(ofText)) {
      this.#base.set(name, disk.hash)
      return false
    }
    // Editors are slow to notice that a command has changed the disk.
    if (this.#seen.get(target)?.has(ofText)) return false
    const wasChanged = this.#made.get(target) === disk.hash || this.#commands.covers(disk.mtime)
    if (this.#base.get(name) !== disk.hash && wasChanged) throw conflict(caller, file)
    this.#base.set(name, disk.hash)
    return true
  }

  /**
   * @param {import('./report.js').CallReport} report
   * @param {readonly Place[]} places
   * @param {readonly Draft[]} drafts
   * @param {() => Promise<any>} work
   */
  async #edit(report, places, drafts, work) {
    const others = places.filter(({ target }) => !drafts.some(({ place }) => place.target === target))
    const before = others.map((place) => hashAt(this.#note(place)))
    const onDisk = () => others.filter((place, index) => hashAt(this.#note(place)) !== before[index])
    /** @type {(Draft & { after: string })[]} */
    const changed = []
    const result = await this.#inDrafts(report, drafts, changed, () => this.#noting(others, work)).catch(async (error) => {
      // A call that fails after its changes were made has not changed the editor.
      const left = changed.length === 0 ? [] : await this.#takenBack(report, onDisk())
      throw left.length === 0 || !ToolError.is(error) ? error : extended(error, outcomeOf(left))
    })
    const edits = changed.map(({ place, name, text, disk, after }) => {
      const shown = insideOf(this.#session.workspace, place.file) ?? place.file
      return { path: shown, target: place.target, name, before: text, after, disk: disk.hash }
    })
    const handed = await handOver(this.#texts, report, edits)
    if (handed.kind !== 'done') throw notHanded(report, handed, [...placeNames(handed.left), ...(await this.#takenBack(report, onDisk()))])
    this.#calls.add({ id: report.id, edits, files: onDisk().map(({ file }) => file) })
    const notes = changed.map(({ place, after }) => {
      report.drafts.set(place.file, after)
      const disk = this.#note(place)
      const isSaved = typeof disk === 'object' && disk.hash === hashOf(after)
      const state = isSaved ? 'has them as well now' : 'is as before until the user saves it'
      return `\`${place.file}\` has unsaved changes in the editor of the user, so it was edited there; the file on the disk ${state}.`
    })
    return notes.length === 0 ? result : { ...result, content: [...result.content, { type: 'text', text: notes.join('\n') }] }
  }

  /**
   * Makes a call in texts of the editor.
   *
   * @param {import('./report.js').CallReport} report
   * @param {readonly Draft[]} drafts
   * @param {(Draft & { after: string })[]} changed receives those that it changed, also when it fails
   * @param {() => Promise<any>} work
   */
  async #inDrafts(report, drafts, changed, work) {
    const connection = /** @type {any} */ (connectionOf(report.toolkit))
    try {
      for (const { place, text, disk } of drafts) {
        // What the model has read has the line ends of the file.
        connection.holdDraft(place.file, inFormOf(text, disk.text))
        report.startsFrom(place.file, text)
        report.drafts.set(place.file, text)
      }
      return await work()
    } catch (error) {
      throw explained(
        error,
        drafts.map(({ place }) => place.file),
      )
    } finally {
      for (const draft of drafts) {
        const text = connection.releaseDraft(draft.place.file)
        if (text !== null) changed.push({ ...draft, after: inFormOf(text, draft.text) })
      }
    }
  }

  /**
   * Takes back what a call has changed on the disk. Returns what could not be taken back.
   *
   * @param {import('./report.js').CallReport} report
   * @param {readonly Place[]} places
   */
  async #takenBack(report, places) {
    if (places.length === 0) return []
    try {
      await this.#noting(places, () => /** @type {any} */ (connectionOf(report.toolkit)).takeBack(report.id))
      return []
    } catch {
      // Nothing is kept, or something else has changed the files by now.
      return places.map(({ file }) => `\`${file}\` on the disk`)
    }
  }

  /**
   * The text that the editor has of a file; nothing where it has none.
   *
   * @param {Caller} caller
   * @param {string} name
   * @returns {Promise<string | undefined>}
   */
  async #open(caller, name) {
    const limit = AbortSignal.timeout(ANSWER_MS)
    const signal = AbortSignal.any([caller.signal, limit])
    try {
      const answer = await this.#session.request('fs/read_text_file', { path: name }, signal)
      return typeof answer?.content === 'string' ? answer.content : undefined
    } catch (error) {
      if (limit.aborted)
        throw fault(
          caller,
          'timeout',
          `The editor did not say within ${ANSWER_MS / 1000} s whether \`${name}\` has unsaved changes, so nothing was changed. Try again later.`,
          error,
        )
      if (caller.signal.aborted) throw error
      return undefined
    }
  }

  /**
   * Remembers the text that a file has on the disk, and returns it.
   *
   * @param {Place} place
   * @param {{ isRead?: boolean }} [options]
   */
  #note({ target }, options) {
    const disk = diskText(target, options)
    if (typeof disk !== 'object') return disk
    const seen = this.#seen.get(target) ?? new Set()
    for (const hash of disk.hashes) seen.add(hash)
    this.#seen.set(target, seen)
    return disk
  }
}

/**
 * The files that a language server would change, asked of it without changing them. What makes that fail is what makes the call fail.
 *
 * @param {import('./report.js').CallReport} report
 * @returns {Promise<string[]>}
 */
async function proposedBy({ operation, toolkit, tool, params, signal }) {
  const isProposed = operation === 'lsp' && Object.values(params ?? {}).some((value) => typeof value === 'string' && PROPOSED.test(value))
  if (!isProposed) return []
  const { details } = await /** @type {any} */ (connectionOf(toolkit)).unobserved(tool, { ...params, dryRun: true }, signal)
  return (details.results ?? []).flatMap((/** @type {any} */ { path: to, from }) => (from ? [from, to] : [to]))
}

/** @param {ReturnType<typeof diskText>} disk */
function hashAt(disk) {
  return typeof disk === 'object' ? disk.hash : undefined
}

/**
 * Whether the text of an edit is still that of its call, in the editor and on the disk, which may have been saved since.
 *
 * @param {import('./editor-edits.js').Edit} edit
 * @param {string | undefined} text that the editor has
 */
function isOf(edit, text) {
  const disk = hashAt(diskText(edit.target))
  return text !== undefined && hashOf(text) === hashOf(edit.after) && [edit.disk, hashOf(edit.after)].includes(disk ?? '')
}

/** @param {readonly import('./editor-edits.js').Edit[]} edits */
function placeNames(edits) {
  return edits.map(({ name }) => `\`${name}\` in the editor`)
}

/** @param {readonly string[]} left what was changed and not taken back */
function outcomeOf(left) {
  return left.length === 0 ? 'Nothing was changed.' : `Changed, and not taken back: ${left.join(', ')}. Read that first.`
}

/**
 * @param {Caller} caller
 * @param {{ kind: 'stale' | 'refused', edit: import('./editor-edits.js').Edit, error?: unknown }} handed
 * @param {readonly string[]} left what was changed and not taken back
 */
function notHanded(caller, { kind, edit, error }, left) {
  const outcome = outcomeOf(left)
  if (kind === 'stale') {
    const next = left.length === 0 ? ' Call it again.' : ''
    return fault(caller, 'stale_file', `\`${edit.name}\` was changed in the editor while the call ran. ${outcome}${next}`)
  }
  if (ToolError.is(error))
    return fault(caller, 'timeout', `The editor did not answer within ${ANSWER_MS / 1000} s what it has of \`${edit.name}\`. ${outcome}`, error)
  return fault(caller, 'io', `\`${edit.name}\` has unsaved changes in the editor, which did not accept the edit: ${messageOf(error)}. ${outcome}`, error)
}

/**
 * @param {Caller} caller
 * @param {string} file
 */
function unsaved(caller, file) {
  return fault(
    caller,
    'unsaved_changes',
    `\`${file}\` has unsaved changes in the editor of the user, which this call would lose. Ask the user to save or close it, then call again.`,
  )
}

/**
 * @param {Caller} caller
 * @param {string} file
 */
function conflict(caller, file) {
  return fault(
    caller,
    'unsaved_changes',
    `\`${file}\` was changed on the disk, and the editor of the user has another text of it. Ask the user to save or reload it, then read it again.`,
  )
}

/**
 * A failure in a text that the model has never read.
 *
 * @param {unknown} error
 * @param {readonly string[]} files
 */
function explained(error, files) {
  if (!ToolError.is(error) || error.error_type === 'permission_denied' || error.error_type === 'aborted') return error
  const names = files.map((file) => `\`${file}\``).join(', ')
  return extended(error, `The editor of the user has unsaved changes of ${names}, in which this call works: ask the user to save, then read the file again.`)
}

/**
 * @param {ToolError} error
 * @param {string} text to say as well
 */
function extended(error, text) {
  const { tool, error_type, details, message } = error
  return new ToolError(`${message} ${text}`, { tool, error_type, details, cause: error })
}

/**
 * @param {Caller} caller
 * @param {string} code
 * @param {string} message
 * @param {unknown} [cause]
 */
function fault(caller, code, message, cause) {
  return new ToolError(message, { tool: caller.tool, error_type: code === 'timeout' ? 'timeout' : 'execution_failed', details: { code }, cause })
}

/** @param {any} error */
function messageOf(error) {
  return String(error?.message ?? error).replace(/\.$/, '')
}

module.exports = { Editor }
