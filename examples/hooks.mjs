// Hooks, permission modes and events: plans first, then changes files, and prints what happened. Needs no model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Toolkit } from 'tenon'

const workspace = mkdtempSync(join(tmpdir(), 'tenon-hooks-'))
writeFileSync(join(workspace, 'greeting.txt'), 'hello\n')

const toolkit = new Toolkit({
  workspace,
  mode: 'plan',
  record: join(workspace, '..', 'tenon-hooks.jsonl'),
  hooks: {
    // Every written text ends with a newline.
    before: ({ tool, params }) => (tool === 'write' && !params.content.endsWith('\n') ? { params: { ...params, content: `${params.content}\n` } } : undefined),
    after: ({ tool }, { content }) => (tool === 'write' ? { content: [...content, { type: 'text', text: 'Run the tests next.' }] } : undefined),
  },
  onApproval: ({ tool, preview }) => {
    console.log(`approving ${tool}: ${preview.plan ?? JSON.stringify(preview.writes)}`)
    return 'once'
  },
})
toolkit.on('*', ({ seq, type, ...event }) => console.log(`  ${seq} ${type} ${event.tool ?? event.mode ?? ''} ${event.verdict ?? event.outcome ?? ''}`))

const write = { file_path: 'greeting.txt', content: 'good morning' }
await toolkit.execute('write', write).catch((error) => console.log(error.message))
await toolkit.execute('exit_plan', { plan: 'Greet politely.' })
const { content } = await toolkit.execute('write', write)
console.log(content.map(({ text }) => text).join('\n'))
console.log(JSON.stringify(readFileSync(join(workspace, 'greeting.txt'), 'utf8')))

await toolkit.close()
rmSync(workspace, { recursive: true })
rmSync(join(workspace, '..', 'tenon-hooks.jsonl'))
