// @ts-nocheck
// An agent for the tests of `tenon acp` that writes what it is given to write, and shows each line that it gets.

import { createInterface } from 'node:readline'

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const answers = JSON.parse(process.argv[2] ?? '{}')
let sessions = 0

const OWN = {
  initialize: ({ protocolVersion }) => ({ protocolVersion }),
  'session/new': () => ({ sessionId: `s${++sessions}` }),
  'session/fork': () => ({ sessionId: `s${++sessions}` }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'say') return void process.stdout.write(`${params.line}\n`)
  write({ jsonrpc: '2.0', method: 'session/update', params: { got: line } })
  const answer = answers[method] ?? { result: OWN[method]?.(params) ?? {} }
  if (method !== undefined && id !== undefined && answer !== 'none') write({ jsonrpc: '2.0', id, ...answer })
})
