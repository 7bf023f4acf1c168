// The server that the official conformance suite examines: a toolkit with the tools, resources and prompts that the suite expects, behind
// `mcpHttpHandler`.

import { setTimeout as sleep } from 'node:timers/promises'

import { Toolkit, type McpPrompt, type McpResource } from '../../index.js'
import { askClient, logToClient } from '../../mcp.js'
import { served } from './mcp.js'
import { workspaceOf } from './workspace.js'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

/** The toolkit whose tools the suite has changed. */
let listed: Toolkit | undefined
/** The tools of the suite. */
const customTools: any[] = []

function tool(name: string, run: (params: any, context: any) => unknown, parameters: object = { type: 'object', properties: {} }) {
  customTools.push({ name, description: `The tool ${name} of the conformance suite.`, parameters, handler: run })
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const image = { type: 'image', data: PNG, mimeType: 'image/png' }
const form = (message: string, properties: object) => ({ message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } })
const elicit =
  (key: string, message: string, properties: object) =>
  (_params: unknown, context: any): Promise<any> =>
    askClient('elicitation/create', form(message, properties), { ...context, key })
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }], maxTokens: 50 }
const named = elicit('user_name', 'What is your name?', { name: { type: 'string' } })
const confirmed = elicit('confirm', 'Please confirm', { ok: { type: 'boolean' } })

tool('test_simple_text', () => text('This is a simple text response for testing.'))
tool('test_image_content', () => ({ content: [image] }))
tool('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }))
tool('test_embedded_resource', () => ({
  content: [{ type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' } }],
}))
tool('test_multiple_content_types', () => ({
  content: [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' } },
  ],
}))
tool('test_error_handling', () => {
  throw new Error('This tool intentionally returns an error for testing')
})
tool('test_tool_with_progress', async (_params, { onUpdate }) => {
  for (const percent of [0, 50, 100]) {
    onUpdate(text(`${percent}/100`))
    await sleep(200)
  }
  return text('done')
})
tool('test_logging_tool', () => text('done'))
tool('test_tool_with_logging', async (_params, context) => {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    logToClient({ level: 'info', data }, context)
    await sleep(50)
  }
  return text('done')
})
tool('test_streaming_elicitation', named)
tool('test_missing_capability', (_params, context) => askClient('sampling/createMessage', sampling, context))
tool('test_trigger_tool_change', () => {
  listed!.unregisterTool('test_simple_text')
  listed!.registerTool(customTools[0])
  return text('changed')
})
tool('test_x_mcp_header', ({ region }) => text(String(region)), { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } })

tool(
  'test_sampling',
  async ({ prompt }, context) => {
    const { content } = await askClient(
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
      context,
    )
    return text(`LLM response: ${content.text}`)
  },
  { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
)
tool(
  'test_elicitation',
  async ({ message }, context) => {
    const fields = { username: { type: 'string', description: "User's response" }, email: { type: 'string', description: "User's email address" } }
    const { action, content } = await askClient('elicitation/create', form(message, fields), context)
    return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`)
  },
  { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
)
const elicited = (schema: object) => async (_params: unknown, context: any) => {
  const { action, content } = await askClient(
    'elicitation/create',
    { message: 'Please fill in the form', requestedSchema: { type: 'object', properties: schema } },
    context,
  )
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
}
tool(
  'test_elicitation_sep1034_defaults',
  elicited({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
)
const options = ['option1', 'option2', 'option3']
const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }))
tool(
  'test_elicitation_sep1330_enums',
  elicited({
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }),
)

tool('test_input_required_result_elicitation', async (params, context) => text(`Hello, ${(await named(params, context)).content?.name}!`))
tool('test_input_required_result_sampling', async (_params, context) => {
  const question = { messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }], maxTokens: 100 }
  const { content } = await askClient('sampling/createMessage', question, { ...context, key: 'capital_question' })
  return text(`Answer: ${content.text}`)
})
tool('test_input_required_result_list_roots', async (_params, context) =>
  text(JSON.stringify((await askClient('roots/list', {}, { ...context, key: 'client_roots' })).roots)),
)
tool('test_input_required_result_request_state', async (params, context) => {
  await confirmed(params, context)
  return text('state-ok')
})
tool('test_input_required_result_tampered_state', async (params, context) => {
  await confirmed(params, context)
  return text('state-ok')
})
tool('test_input_required_result_multiple_inputs', async (params, context) => {
  const [name, greeting, { roots }] = await Promise.all([
    named(params, context),
    askClient('sampling/createMessage', sampling, { ...context, key: 'greeting' }),
    askClient('roots/list', {}, { ...context, key: 'client_roots' }),
  ])
  return text(`${greeting.content.text} ${name.content.name} ${roots.length}`)
})
tool('test_input_required_result_multi_round', async (params, context) => {
  const name = await elicit('step1', 'Step 1: What is your name?', { name: { type: 'string' } })(params, context)
  const color = await elicit('step2', 'Step 2: What is your favorite color?', { color: { type: 'string' } })(params, context)
  return text(`${name.content.name} likes ${color.content.color}`)
})
tool('test_input_required_result_capabilities', async (_params, context) =>
  text((await askClient('sampling/createMessage', sampling, { ...context, key: 'greeting' })).content.text),
)

tool('json_schema_2020_12_tool', () => text('done'), {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
})

const resources: McpResource[] = [
  { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain', read: () => 'The same.', watch: () => {} },
  { uri: 'test://static-text', name: 'text', description: 'A text.', mimeType: 'text/plain', read: () => 'This is the content of the static text resource.' },
  { uri: 'test://static-binary', name: 'binary', description: 'An image.', mimeType: 'image/png', read: () => Buffer.from(PNG, 'base64') },
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data by its id.',
    mimeType: 'application/json',
    read: (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
]

const prompts: McpPrompt[] = [
  { name: 'test_simple_prompt', description: 'A prompt.', get: () => 'This is a simple prompt for testing.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments.',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, required: true, complete: (value) => [`${value}ing`] })),
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource.',
    arguments: [{ name: 'resourceUri', required: true }],
    get: ({ resourceUri }) => [
      { content: { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } } },
      { content: 'Please process the embedded resource above.' },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt with an image.',
    get: () => [{ content: { ...image } }, { content: 'Please analyze the image above.' }],
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks.',
    get: async (_args, context) =>
      `Context: ${(await elicit('user_input', 'What is it about?', { context: { type: 'string' } })({}, context)).content?.context}`,
  },
]

/** The URL of the server, which ends with the test. */
export function examined(): Promise<URL> {
  const toolkit = new Toolkit({ workspace: workspaceOf(), customTools, tools: { allow: customTools.map(({ name }) => name) } })
  listed = toolkit
  return served(toolkit, { resources, prompts })
}
