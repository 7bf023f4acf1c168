import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

import { expect, test } from 'vitest'

import { ROOT, runScript } from './support/run.js'
import { isAlive, until, workspaceOf } from './support/workspace.js'

const FILE = path.join(ROOT, '__test__/support/worker.cjs')

function start(workspace: string): Promise<{ worker: Worker; said: string }> {
  const worker = new Worker(FILE, { workerData: { root: ROOT, workspace } })
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (said: string) => resolve({ worker, said }))
  })
}

async function end(worker: Worker, how: 'terminate' | 'exit'): Promise<void> {
  if (how === 'terminate') return void (await worker.terminate())
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.postMessage('end')
  return exited
}

test.each(['terminate', 'exit'] as const)('six workers in a row, each ended (%s) with work pending, leave nothing', async (how) => {
  for (let round = 0; round < 6; round += 1) {
    const workspace = workspaceOf({ 'a.txt': `worker ${round}` })
    const { worker, said } = await start(workspace)
    expect(said).toContain(`worker ${round}`)
    const pid = Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
    await end(worker, how)
    await until(() => !isAlive(pid))
  }
})

test('workers side by side work and end', async () => {
  const started = await Promise.all(Array.from({ length: 4 }, (_, index) => start(workspaceOf({ 'a.txt': `side ${index}` }))))
  expect(started.map(({ said }) => said).every((said, index) => said.includes(`side ${index}`))).toBe(true)
  await Promise.all(started.map(({ worker }, index) => end(worker, index % 2 ? 'terminate' : 'exit')))
})

test('a process that loads the addon in workers only unloads and loads it again', async () => {
  const workspace = JSON.stringify(workspaceOf({ 'a.txt': 'x' }))
  const script = `
    const { Worker } = require('node:worker_threads');
    const code = 'const { Toolkit } = require(${JSON.stringify(ROOT)}); new Toolkit({ workspace: ' + JSON.stringify(${workspace}) + ' }).execute("read", { file_path: "a.txt" })';
    (async () => {
      for (let round = 0; round < 6; round += 1) {
        await new Promise((resolve, reject) => new Worker(code, { eval: true }).on('exit', resolve).on('error', reject));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      console.log('done');
    })()`
  const { code, stdout, stderr } = await runScript(script)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'done\n', stderr: '' })
})
