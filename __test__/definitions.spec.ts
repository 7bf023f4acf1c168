import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'

import { readyOf, toolkitOf } from './support/workspace.js'

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
    count: { type: 'integer', minimum: 1, format: 'uint32' },
    env: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] } },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    one: { const: 'x' },
    ref: { $ref: '#/$defs/name' },
  },
  required: ['path'],
  $defs: { name: { type: 'string', maxLength: 5 } },
}

const RECORD = 'Write it as JSON text of this schema: {"type":"object","additionalProperties":{"type":"string"}}.'

function definition(format: never) {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'own', description: 'Own.', parameters, handler: (params) => params })
  return (toolkit as any).definitions(['own'], format)[0]
}

test('the default is {name, description, inputSchema}', () => {
  const toolkit = toolkitOf()
  expect(toolkit.definitions(['read'])).toEqual(toolkit.definitions(['read'], 'json-schema'))
  expect(Object.keys(toolkit.definitions(['read'])[0]!)).toEqual(['name', 'description', 'inputSchema'])
  expect(toolkit.definitions().map(({ name }) => name)).toEqual(toolkit.listTools().map(({ name }) => name))
  expect(toolkit.definitions([])).toEqual([])
  expect(() => toolkit.definitions(undefined, 'klingon' as never)).toThrow('`klingon`')
})

test('openai, anthropic and mcp take the schema as it is', () => {
  expect(definition('openai' as never)).toEqual({ type: 'function', function: { name: 'own', description: 'Own.', parameters } })
  expect(definition('anthropic' as never)).toEqual({ name: 'own', description: 'Own.', input_schema: parameters })
  expect(definition('mcp' as never)).toEqual({
    name: 'own',
    title: 'own',
    description: 'Own.',
    inputSchema: parameters,
    annotations: { title: 'own', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  })
})

test('hints say which tools only look and which act elsewhere', async () => {
  const host = { sendMessage: () => ({ id: '1' }), channels: [{ id: 'team' }], runAgent: () => 'done' }
  const options = { browser: true, host, cron: {}, tools: { show: 'all' } }
  const hints = async (dialect: 'agent' | 'acp', name: string) => {
    const toolkit = await readyOf(toolkitOf({}, { ...options, dialect } as never))
    const { annotations, replay } = toolkit.tool(name as never)
    const { title: _, ...rest } = annotations
    return { ...rest, replay }
  }
  const acts = { readOnlyHint: false, idempotentHint: false, openWorldHint: true, replay: 'never' }
  expect({
    browser: await hints('agent', 'browser'),
    web_fetch: await hints('agent', 'web_fetch'),
    web_request: await hints('acp', 'web_request'),
    message: await hints('agent', 'message'),
    cron: await hints('agent', 'cron'),
    subagents: await hints('agent', 'subagents'),
  }).toEqual({
    browser: { ...acts, destructiveHint: true },
    web_fetch: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true, replay: 'safe' },
    web_request: { ...acts, destructiveHint: true },
    message: { ...acts, destructiveHint: false },
    cron: { ...acts, destructiveHint: true, openWorldHint: false },
    subagents: { ...acts, destructiveHint: true, openWorldHint: false },
  })
})

test('openai-strict requires everything, makes what was optional nullable and closes every object', () => {
  const { function: declared } = definition('openai-strict' as never)
  expect(declared).toMatchObject({ name: 'own', strict: true })
  expect(declared.parameters).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string' },
      mode: { type: ['string', 'null'], enum: ['a', 'b', null], description: 'Default: "a".' },
      count: { type: ['integer', 'null'], minimum: 1 },
      env: { type: ['string', 'null'], description: RECORD },
      items: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, note: { type: ['string', 'null'] } },
          required: ['id', 'note'],
          additionalProperties: false,
        },
      },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      one: { type: ['string', 'null'], enum: ['x', null] },
      ref: { anyOf: [{ $ref: '#/$defs/name' }, { type: 'null' }] },
    },
    required: Object.keys(parameters.properties),
    additionalProperties: false,
    $defs: { name: { type: 'string' } },
  })
})

test('gemini gets its subset: no references, no constants, nothing about other properties', () => {
  const declared = definition('gemini' as never)
  expect(declared.parameters).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      mode: { type: 'string', enum: ['a', 'b'], description: 'Default: "a".' },
      count: { type: 'integer', minimum: 1 },
      env: { type: 'string', description: RECORD },
      items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] } },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      one: { type: 'string', enum: ['x'] },
      ref: { type: 'string', maxLength: 5 },
    },
    required: ['path'],
  })
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'bare', handler: () => '' })
  expect(toolkit.definitions(['bare'], 'gemini')).toEqual([{ name: 'bare', description: '' }])
})

describe.each(['agent', 'canonical', 'coder', 'manager', 'acp'] as const)('the tools of %s', (dialect) => {
  test('fit the strict mode: what it would send is taken', () => {
    const toolkit = toolkitOf({}, { dialect })
    for (const { function: declared } of toolkit.definitions(undefined, 'openai-strict') as any[]) {
      const text = JSON.stringify(declared.parameters)
      for (const word of ['minLength', 'maxLength', 'default', 'examples', 'oneOf']) expect(text).not.toContain(`"${word}":`)
      new Ajv({ strict: false }).compile(declared.parameters)
      expect(declared.parameters.required).toEqual(Object.keys(declared.parameters.properties))
      const required = toolkit.tool(declared.name).parameters.required ?? []
      const nulls = Object.fromEntries(
        Object.keys(declared.parameters.properties)
          .filter((name) => !required.includes(name))
          .map((name) => [name, null]),
      )
      const errors = toolkit.validateParams(declared.name, nulls).errors ?? []
      // That something is missing is right, null itself is never wrong.
      expect(errors.filter(({ code }) => code !== 'MISSING_REQUIRED')).toEqual([])
    }
  })
})
