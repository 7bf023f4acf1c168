// A short agent session on this very repository: pi-agent-core drives tenon's tools with its
// scripted provider, so that no model and no network is needed. Prints what the model saw and what
// the host got. Run by `npm start`.

import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Toolkit } from 'tenon'

import { Agent, fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, streamSimple, version } from './pi.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'tenon-session-'))
for (const part of ['crates/policy', 'examples', 'README.md', 'LICENSE']) {
  cpSync(join(repository, part), join(scratch, part), { recursive: true })
}

/** What the model "decides", turn by turn; the file to read comes from what grep answered. */
const script = [
  () => fauxToolCall('find', { pattern: '*.rs', path: 'crates/policy' }),
  () => fauxToolCall('grep', { pattern: 'pub enum Verdict', glob: '*.rs', context: 2 }),
  (context) => {
    const answer = context.messages.at(-1).content[0].text
    const [, file, line] = /^(\S+?):(\d+): /m.exec(answer)
    return fauxToolCall('read', { file_path: file, offset: Number(line), limit: 9 })
  },
  () =>
    fauxToolCall('edit', {
      file_path: 'README.md',
      edits: [{ oldText: '# tenon', newText: '# tenon (edited by an agent)' }],
    }),
  () => fauxToolCall('exec', { command: 'head -n 1 README.md && wc -l crates/policy/src/*.rs | tail -n 1', timeout: 10 }),
  () => fauxToolCall('read', { file_path: '../outside.txt' }),
  () => fauxText('Done: found, searched, read, edited and ran; the way out was refused.'),
]

const provider = registerFauxProvider()
provider.setResponses(
  script.map((step) => (context) => {
    const block = step(context)
    return fauxAssistantMessage(block, { stopReason: block.type === 'toolCall' ? 'toolUse' : 'stop' })
  }),
)

const toolkit = new Toolkit({ workspace: scratch })
const agent = new Agent({
  streamFn: streamSimple,
  initialState: { systemPrompt: 'You work on a small project.', model: provider.getModel(), tools: toolkit.tools() },
})

console.log(`pi-agent-core ${version}, Node ${process.version}`)
const rule = '─'.repeat(78)
agent.subscribe((event) => {
  if (event.type === 'tool_execution_start') {
    console.log(`${rule}\n▶ ${event.toolName} ${JSON.stringify(event.args)}`)
  } else if (event.type === 'tool_execution_end') {
    const [content] = event.result.content
    console.log(`\n  the model saw${event.isError ? ' (as an error)' : ''}:\n${indent(content.text)}`)
    console.log(`\n  the host got:\n${indent(JSON.stringify(event.result.details, null, 1))}`)
  }
})

const failures = []
try {
  await agent.prompt('Look around, rename the title, and say what you did.')
  const answer = agent.state.messages
    .at(-1)
    .content.map((part) => part.text)
    .join('')
  console.log(`${rule}\n${answer}\n`)
  for (const call of toolkit.history()) {
    console.log(`  ${call.outcome.padEnd(18)} ${String(call.durationMs).padStart(5)} ms  ${call.tool}`)
  }
  const title = readFileSync(join(scratch, 'README.md'), 'utf8').split('\n')[0]
  expect('the edit reached the disk', title === '# tenon (edited by an agent)', title)
  const outcomes = toolkit
    .history()
    .map((call) => call.outcome)
    .join(' ')
  expect('five calls answered and the way out was refused', outcomes === 'ok ok ok ok ok permission_denied', outcomes)
} finally {
  await toolkit.close()
  provider.unregister()
  rmSync(scratch, { recursive: true, force: true })
}
if (failures.length > 0) {
  console.error(`\nFailed: ${failures.join('; ')}`)
  process.exitCode = 1
}

function expect(what, holds, found) {
  if (!holds) failures.push(`${what} (${found})`)
}

function indent(text = '') {
  const lines = text.split('\n')
  const shown = lines.slice(0, 14).map((line) => `    ${line.slice(0, 160)}`)
  return [...shown, ...(lines.length > 14 ? [`    … ${lines.length - 14} more lines`] : [])].join('\n')
}
