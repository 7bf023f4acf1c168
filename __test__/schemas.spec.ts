import { TypeCompiler } from '@sinclair/typebox/compiler'
import { TypeGuard } from '@sinclair/typebox'
import { Value as OldValue } from '@sinclair/typebox/value'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { Toolkit, type AgentTool } from '../index.js'

const DIALECTS = ['agent', 'canonical', 'coder', 'manager', 'acp'] as const
const tools = DIALECTS.flatMap((dialect) => new Toolkit({ workspace: '/', dialect }).tools().map((tool) => [`${dialect} ${tool.name}`, tool] as const))

/** Parameters that a schema takes: every property, of its type. */
function sample(schema: any): any {
  if (schema.anyOf) return sample(schema.anyOf[0])
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      return schema.properties ? Object.fromEntries(Object.entries(schema.properties).map(([name, child]) => [name, sample(child)])) : {}
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items))
    case 'string':
      return 'x'.repeat(Math.max(1, schema.minLength ?? 1))
    case 'boolean':
      return true
    default:
      return schema.minimum ?? 1
  }
}

describe.each(tools)('the schema of %s', (_, tool: AgentTool) => {
  const { parameters } = tool
  const good = sample(parameters)
  const [first = 'none'] = Object.keys(parameters.properties)
  const bad = { ...good, [first]: { not: 'of this type' } }

  test('is taken by TypeBox 0.34', () => {
    expect(TypeGuard.IsSchema(parameters)).toBe(true)
    expect(TypeGuard.IsObject(parameters)).toBe(true)
    expect(OldValue.Check(parameters, good)).toBe(true)
    expect(OldValue.Check(parameters, bad)).toBe(false)
    const compiled = TypeCompiler.Compile(parameters)
    expect(compiled.Check(good)).toBe(true)
    expect(compiled.Check(bad)).toBe(false)
    for (const name of Object.keys(parameters.properties)) {
      expect(TypeGuard.IsOptional(parameters.properties[name])).toBe(!(parameters.required ?? []).includes(name))
    }
  })

  test('is taken by TypeBox 1', () => {
    expect(Type.IsObject(parameters)).toBe(true)
    expect(Value.Check(parameters, good)).toBe(true)
    expect(Value.Check(parameters, bad)).toBe(false)
    expect(Compile(parameters).Check(good)).toBe(true)
    expect(Compile(parameters).Check(bad)).toBe(false)
  })

  test.each([
    ['draft-07', () => new Ajv({ strict: true, allErrors: true })],
    ['2020-12', () => new Ajv2020({ strict: true, allErrors: true })],
  ])('is taken by Ajv in strict mode (%s)', (_, ajv) => {
    const validate = ajv().compile(parameters)
    expect(validate(good)).toBe(true)
    expect(validate(bad)).toBe(false)
    expect(validate({ ...good, frob: 1 })).toBe(false)
  })

  test('is taken by Zod 4', () => {
    const schema = z.fromJSONSchema(parameters)
    expect(schema).toBeInstanceOf(z.ZodObject)
    expect(Object.keys((schema as z.ZodObject).shape)).toEqual(Object.keys(parameters.properties))
    expect(schema.safeParse(good)).toMatchObject({ success: true })
    expect(schema.safeParse(bad)).toMatchObject({ success: false })
  })

  test('is a Standard Schema', () => {
    const standard = parameters['~standard']
    expect(standard).toMatchObject({ version: 1, vendor: 'tenon' })
    expect(standard.jsonSchema.input({ target: 'draft-07' })).toEqual(JSON.parse(JSON.stringify(parameters)))
    // A single value is taken for a list of it, so a fault may lie deeper.
    expect(standard.validate(bad).issues).toEqual(expect.arrayContaining([{ message: expect.any(String), path: expect.arrayContaining([first]) }]))
    const optional = Object.keys(parameters.properties).filter((name) => !(parameters.required ?? []).includes(name))
    const nulls = Object.fromEntries(optional.map((name) => [name, null]))
    const required = Object.fromEntries((parameters.required ?? []).map((name: string) => [name, good[name]]))
    const { value, issues } = standard.validate({ ...required, ...nulls })
    if (issues === undefined) expect(value).toEqual(required)
  })

  test('stays within what model providers take', () => {
    const refused = ['$ref', '$defs', '$schema', 'oneOf', 'allOf', 'not', 'format', 'const', 'patternProperties', 'title']
    expect(keywords(parameters).filter((word) => refused.includes(word))).toEqual([])
    expect(Object.keys(parameters)).toEqual(expect.arrayContaining(['type', 'properties', 'additionalProperties']))
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false })
    expect(tool.name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    for (const [name, child] of Object.entries<any>(parameters.properties)) {
      expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
      expect(child.description).toMatch(/\S/)
    }
  })

  test('keeps its marks out of sight', () => {
    expect(JSON.parse(JSON.stringify(parameters))).toEqual(structuredClone(parameters))
    expect(Object.keys(parameters).filter((key) => key.startsWith('~'))).toEqual([])
    expect(Object.getOwnPropertySymbols(parameters).filter((symbol) => Object.prototype.propertyIsEnumerable.call(parameters, symbol))).toEqual([])
    expect(Object.isFrozen(parameters)).toBe(false)
  })
})

/** Every keyword of a schema and of those below it; names of parameters are none. */
function keywords(schema: any): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(keywords)
  const { properties = {}, ...others } = schema
  const below = [...Object.values(properties), ...Object.values(others)]
  return [...Object.keys(others), ...below.flatMap(keywords)]
}

test('no parameters at all are an empty object to the Standard Schema of a tool, as they are to a call', () => {
  for (const [name, { parameters }] of tools) {
    const isTaken = (parameters.required ?? []).length === 0
    for (const none of [null, undefined]) {
      const validation = parameters['~standard'].validate(none)
      if (isTaken) expect({ name, validation }).toEqual({ name, validation: { value: {} } })
      else expect(validation.issues.map(({ path }: any) => path[0])).toEqual(expect.arrayContaining(parameters.required))
    }
  }
})
