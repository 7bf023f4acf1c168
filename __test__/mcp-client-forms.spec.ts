// Forms of MCP servers: what the user is shown, and what the server gets.

import { expect, test } from 'vitest'

import { mcpHost } from '../mcp.js'
import { ELICITS, connected, modern } from './support/mcp.js'
import { LONG, fake, ready, textOf } from './support/mcp-servers.js'

/** What a server gets for a form of these fields, and the questions that were put. */
async function answered(properties: object, host: object, required = Object.keys(properties)) {
  const toolkit = await ready({ fake: fake({ tools: ['asks-so'] }) }, { host })
  const requestedSchema = { type: 'object', properties, required }
  return JSON.parse(textOf(await toolkit.execute('mcp__fake__asks-so', { requestedSchema })))
}

/** A user who answers each question in turn: a text, or the number of a choice. */
function user(...says: (string | number)[]) {
  const seen: { question: string; labels: string[] }[] = []
  const askUser = ({ questions }: any) => ({
    answers: Object.fromEntries(
      questions.map(({ question, options }: any) => {
        const said = says[seen.push({ question, labels: options.map(({ label }: any) => label) }) - 1]!
        return [question, typeof said === 'number' ? options[said].label : said]
      }),
    ),
  })
  return { seen, host: { askUser } }
}

const accepted = (content: object) => ({ action: 'accept', content })
const city = { type: 'string', title: 'City' }
const choice = (names: string[], values = ['a', 'b']) => ({ type: 'string', enum: values, enumNames: names })
const email = { type: 'string', format: 'email', minLength: 3 }

test('two fields with the same title are asked for by their names', LONG, async () => {
  const { seen, host } = user('Rome', 'Oslo')
  expect(await answered({ from: city, to: city }, host)).toEqual(accepted({ from: 'Rome', to: 'Oslo' }))
  expect(seen.map(({ question }) => question)).toEqual(['Fill in. City (from)', 'Fill in. City (to)'])
})

test.each<[string, object, (string | number)[], string[], object]>([
  ['with invisible letters', choice(['\u{1f468}\u200d\u{1f4bb} Dev', 'B\u00adb']), [1], ['\u{1f468}\u{1f4bb} Dev', 'Bb'], { f: 'b' }],
  ['with the same title', choice(['Same', 'Same']), [1], ['Same (a)', 'Same (b)'], { f: 'b' }],
  ['that look the same without their invisible letters', choice(['a', 'a\u200b']), [1], ['a (a)', 'a (b)'], { f: 'b' }],
  ['without a title', choice(['\u200b', '']), [0], ['a', 'b'], { f: 'a' }],
  ['whose titles are the values of others', choice(['no', 'yes'], ['yes', 'no']), [1], ['no', 'yes'], { f: 'no' }],
  ['that are answered by their value', choice(['One', 'Two']), ['b'], ['One', 'Two'], { f: 'b' }],
])('choices %s are the value that was chosen', LONG, async (_, field, says, labels, content) => {
  const { seen, host } = user(...says)
  expect(await answered({ f: field }, host)).toEqual(accepted(content))
  expect(seen).toEqual([{ question: 'Fill in.', labels }])
})

test.each<[string, object, string, string, string]>([
  ['an address', email, 'nobody', 'a@b.c', '`f`: Expected an email address, such as `ada@example.com`.'],
  ['a length', email, 'x', 'a@b.c', '`f`: Expected at least 3 characters, got 1.'],
  ['a URI', { type: 'string', format: 'uri' }, 'example', 'https://a.b/', '`f`: Expected an address, such as `https://example.com/`.'],
  ['a date', { type: 'string', format: 'date' }, '2026-02-30', '2026-02-28', '`f`: Expected a date, such as `2026-07-28`.'],
  [
    'a time',
    { type: 'string', format: 'date-time' },
    '2026-02-28 9:00',
    '2026-02-28T09:00:00+01:00',
    '`f`: Expected a date with its time and zone, such as `2026-07-28T09:30:00Z`.',
  ],
])('what is not %s is asked for again with what is wrong, and is not sent', LONG, async (_, field, wrong, right, problem) => {
  const { seen, host } = user(wrong, right)
  expect(await answered({ f: field }, host)).toEqual(accepted({ f: right }))
  expect(seen.map(({ question }) => question)).toEqual(['Fill in.', `${problem} Fill in.`])
  expect(await answered({ f: field }, user(wrong, wrong, wrong).host)).toEqual({ action: 'decline' })
  expect(await answered({ f: field }, { elicit: () => accepted({ f: wrong }) })).toEqual({ action: 'decline' })
  expect(await answered({ f: field }, { elicit: () => accepted({ f: right }) })).toEqual(accepted({ f: right }))
})

test('an optional field that was left empty is not sent, and has its default where there is one', LONG, async () => {
  expect(await answered({ a: email, b: { type: 'string', default: 'x' }, c: city }, user('', '', '').host, ['c'])).toEqual(accepted({ b: 'x', c: '' }))
})

test('choices without a type are choices, and a field without one is named to its server', LONG, async () => {
  const { seen, host } = user('b', 1)
  const oneOf = [
    { const: 'x', title: 'First' },
    { const: 'y', title: 'Second' },
  ]
  expect(await answered({ f: { enum: ['a', 'b'] }, g: { oneOf } }, host)).toEqual(accepted({ f: 'b', g: 'y' }))
  expect(seen.map(({ labels }) => labels)).toEqual([
    ['a', 'b'],
    ['First', 'Second'],
  ])
  expect(await answered({ f: { title: 'City' } }, host)).toEqual({
    code: -32602,
    message: 'The field `f` of the form has no `type`. Set it to `string`, `number`, `integer`, `boolean`, or `array` with choices.',
  })
})

test('a bare text or list answers the only question', LONG, async () => {
  expect(await answered({ f: city }, { askUser: () => 'Rome' })).toEqual(accepted({ f: 'Rome' }))
  expect(await answered({ f: choice(['One', 'Two']) }, { askUser: () => ['Two'] })).toEqual(accepted({ f: 'b' }))
  expect(await answered({ f: city, g: city }, { askUser: () => 'Rome' })).toEqual({ action: 'cancel' })
})

const CITY = { type: 'object', properties: { city }, required: ['city'] }
const ASKS = { name: 'mcp__fake__asks-so', arguments: { requestedSchema: CITY } }

test('in 2026-07-28 the form of a server ends the call, which is made again with the answer to exactly that', LONG, async () => {
  const { ask } = connected(await ready({ fake: fake({ tools: ['asks-so'] }) }, { host: mcpHost.host }))
  const { result } = await ask(modern(1, 'tools/call', ASKS, ELICITS))
  const [[key, request]]: any = Object.entries(result.inputRequests)
  expect([result.resultType, request]).toEqual([
    'input_required',
    { method: 'elicitation/create', params: { message: '`fake`: Fill in.', requestedSchema: CITY } },
  ])
  const again = (id: number, inputResponses: object) => ask(modern(id, 'tools/call', { ...ASKS, inputResponses, requestState: result.requestState }, ELICITS))
  const answered = await again(2, { [key]: accepted({ city: 'Rome' }) })
  expect(JSON.parse(textOf(answered.result))).toEqual(accepted({ city: 'Rome' }))
})

test('where calls of two clients run in a server, its form is shown to neither', LONG, async () => {
  const toolkit = await ready({ fake: fake({ tools: ['asks-so'] }) }, { host: mcpHost.host })
  const initialize = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } }
  const clients = [connected(toolkit), connected(toolkit)] as const
  for (const { ask } of clients) await ask({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: initialize })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ASKS }
  clients[0].send(call)
  const form = await clients[0].until(({ method }) => method === 'elicitation/create')
  expect(form.params).toEqual({ message: '`fake`: Fill in.', requestedSchema: CITY })
  const { result } = await clients[1].ask(call)
  expect(JSON.parse(textOf(result))).toEqual({ action: 'decline' })
  expect(clients[1].messages.filter(({ method }) => method === 'elicitation/create')).toEqual([])
})

test('`askUser` is given the call that a form belongs to', LONG, async () => {
  const seen: unknown[] = []
  const askUser = ({ toolCallId }: any) => (seen.push(toolCallId), 'Rome')
  const toolkit = await ready({ fake: fake({ tools: ['asks-so'] }) }, { host: { askUser } })
  await toolkit.execute('mcp__fake__asks-so', { requestedSchema: CITY }, { toolCallId: 'mine' })
  expect(seen).toEqual(['mine'])
})
