// One line in the middle of files of three sizes, and a patch of 200 files.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, promises, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

import { applyPatch, createPatch, parsePatch } from 'diff'
import { Toolkit } from 'tenon'
import { textFile } from '../corpora.mjs'
import { batched, measure, report } from '../measure.mjs'
import { ofPi } from '../pi.mjs'

const FILES = 200
const execute = promisify(execFile)

export async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'tenon-bench-'))
  try {
    for (const [label, bytes, rounds, times] of [
      ['10 KB', 1e4, 30, 20],
      ['1 MB', 1e6, 20, 2],
      ['20 MB', 2e7, 5, 1],
    ]) {
      await oneLine(directory, label, textFile(bytes), rounds, times)
    }
    for (const kind of ['.txt', '.js']) await patch(join(directory, `patch${kind}`), kind)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The same line is changed to and fro. Pi's tool is the yardstick, where it can be loaded. */
async function oneLine(directory, label, source, rounds, times) {
  const marked = (await promises.readFile(source, 'utf8')).split('\n')
  marked[marked.length >> 1] = 'const marked = 1 // the only one of its kind'
  const fileOf = (name) => {
    const path = join(directory, `${name}-${basename(source)}`)
    writeFileSync(path, marked.join('\n'))
    return path
  }
  const [one, two] = ['const marked = 1 //', 'const marked = 2 //']
  const toggling = (edit) => {
    let [oldText, newText] = [one, two]
    return batched(async () => {
      await edit(oldText, newText)
      ;[oldText, newText] = [newText, oldText]
    }, times)
  }
  const [tenon, plain, diffed, pis] = ['tenon', 'plain', 'diffed', 'pi'].map(fileOf)
  const toolkit = new Toolkit({ workspace: directory })
  const tool = toolkit.getTool('edit')
  const contenders = [
    ...ofPi((pi) => {
      const edit = pi.createEditTool(directory)
      return { name: 'pi edit', run: toggling((oldText, newText) => edit.execute('1', { path: pis, edits: [{ oldText, newText }] })) }
    }),
    { name: 'replace + createPatch + writeFile', run: toggling((oldText, newText) => byReplace(diffed, oldText, newText, true)) },
    { name: 'replace + writeFile', run: toggling((oldText, newText) => byReplace(plain, oldText, newText, false)) },
    { name: 'tenon edit', run: toggling((oldText, newText) => tool.execute('1', { path: tenon, oldText, newText })) },
  ]
  report(
    `edit, ${label}, one line in the middle`,
    (await measure(contenders, rounds)).map((row) => ({ ...row, milliseconds: row.milliseconds / times })),
  )
  await toolkit.close()
}

async function byReplace(path, oldText, newText, withDiff) {
  const text = await promises.readFile(path, 'utf8')
  if (text.split(oldText).length !== 2) throw new Error('not unique')
  const after = text.replace(oldText, () => newText)
  if (withDiff) createPatch(path, text, after)
  await promises.writeFile(path, after)
}

/** The patch is applied, then the one that takes it back. */
async function patch(directory, kind) {
  const before = join(directory, 'before')
  mkdirSync(before, { recursive: true })
  let [forth, back] = ['', '']
  for (let index = 0; index < FILES; index += 1) {
    const lines = Array.from({ length: 200 }, (_, line) => `const value${line} = compute(${index}, ${line})`)
    const text = `${lines.join('\n')}\n`
    const other = text.replace('value50 =', 'changed50 =').replace('value120 = compute', 'value120 = changed')
    const name = `file${index}${kind}`
    writeFileSync(join(before, name), text)
    forth += createPatch(name, text, other).replace(/^Index.*\n=+\n--- (.*?)\t?\n\+\+\+ (.*?)\t?\n/, '--- a/$1\n+++ b/$2\n')
    back += createPatch(name, other, text).replace(/^Index.*\n=+\n--- (.*?)\t?\n\+\+\+ (.*?)\t?\n/, '--- a/$1\n+++ b/$2\n')
  }
  const toggling = (name, apply) => {
    const workspace = join(directory, name)
    cpSync(before, workspace, { recursive: true })
    const patches = [forth, back]
    return async () => {
      await apply(workspace, patches[0])
      patches.reverse()
    }
  }
  const toolkits = []
  const tools = (workspace) => {
    const toolkit = toolkits[0] ?? new Toolkit({ workspace })
    toolkits[0] = toolkit
    return toolkit.getTool('apply_patch')
  }
  const contenders = [
    { name: 'git apply', run: toggling('git', byGit), yardstick: true },
    { name: 'npm diff applyPatch', run: toggling('diff', byDiff) },
    { name: 'tenon apply_patch', run: toggling('tenon', (workspace, input) => tools(workspace).execute('1', { input })) },
  ]
  report(`patch of ${FILES} ${kind} files, two hunks each`, await measure(contenders, 15))
  await Promise.all(toolkits.map((toolkit) => toolkit.close()))
}

async function byGit(workspace, text) {
  const child = execute('git', ['apply', '-'], { cwd: workspace, env: { ...process.env, GIT_CEILING_DIRECTORIES: join(workspace, '..') } })
  child.child.stdin.end(text)
  await child
}

async function byDiff(workspace, text) {
  for (const file of parsePatch(text)) {
    const path = join(workspace, file.oldFileName.slice(2))
    const after = applyPatch(await promises.readFile(path, 'utf8'), file)
    if (after === false) throw new Error(`does not apply: ${path}`)
    await promises.writeFile(path, after)
  }
}
