import { Ajv2020 } from 'ajv/dist/2020.js'

/** The published rules of providers for the parameters of a tool, one validator each. What is wrong, a line each. */

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })

type Faults = string[]
type Walk = (node: any, place: string, faults: Faults, depth: number) => void

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']
const OPENAI_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/** Keywords that a node has and its type does not take. */
function strangers(node: any, byType: Record<string, string[]>, always: string[]): string[] {
  const types: string[] = [node.type].flat()
  const taken = [...always, ...types.flatMap((type) => byType[type] ?? [])]
  return Object.keys(node).filter((word) => !taken.includes(word))
}

function below(node: any, walk: Walk, place: string, faults: Faults, depth: number): void {
  const deeper = [node.type].flat().some((type) => type === 'object' || type === 'array') ? depth + 1 : depth
  for (const [name, child] of Object.entries(node.properties ?? {})) walk(child, `${place}.${name}`, faults, deeper)
  if (node.items !== undefined) walk(node.items, `${place}[]`, faults, deeper)
  if (typeof node.additionalProperties === 'object') walk(node.additionalProperties, `${place}{}`, faults, deeper)
  for (const [index, child] of (node.anyOf ?? []).entries()) walk(child, `${place}|${index}`, faults, depth)
}

function size(root: any): { properties: number; values: number; characters: number } {
  const sum = { properties: 0, values: 0, characters: 0 }
  const visit = (node: any): void => {
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      sum.properties += 1
      sum.characters += name.length
      visit(child)
    }
    for (const [name, child] of Object.entries(node.$defs ?? {})) {
      sum.characters += name.length
      visit(child)
    }
    sum.values += node.enum?.length ?? 0
    for (const value of node.enum ?? []) if (typeof value === 'string') sum.characters += value.length
    if (node.items) visit(node.items)
    for (const child of node.anyOf ?? []) visit(child)
  }
  visit(root)
  return sum
}

function checkEnum(node: any, place: string, faults: Faults): void {
  if (node.enum === undefined) return
  if (!Array.isArray(node.enum) || node.enum.length === 0) faults.push(`${place}: an empty enum`)
  else if (new Set(node.enum.map((value: unknown) => JSON.stringify(value))).size !== node.enum.length) faults.push(`${place}: enum repeats a value`)
  else if (node.enum.some((value: unknown) => typeof value === 'object' && value !== null)) faults.push(`${place}: enum of objects`)
}

/** https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas */
function openaiStrict(root: any): Faults {
  const faults: Faults = []
  const byType = {
    object: ['properties', 'required', 'additionalProperties'],
    array: ['items', 'minItems', 'maxItems'],
    string: ['pattern', 'format', 'enum'],
    number: [...NUMERIC, 'enum'],
    integer: [...NUMERIC, 'enum'],
    boolean: [],
    null: [],
  }
  const walk: Walk = (node, place, found, depth) => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return void found.push(`${place}: not an object`)
    if (node.$ref !== undefined) {
      if (Object.keys(node).length > 1) found.push(`${place}: $ref cannot have keywords`)
      if (node.$ref !== '#' && root.$defs?.[node.$ref.replace('#/$defs/', '')] === undefined) found.push(`${place}: ${node.$ref} leads nowhere`)
      return
    }
    const isUnion = node.anyOf !== undefined
    const types = [node.type].flat()
    if (!isUnion && !types.every((type) => TYPES.includes(type))) found.push(`${place}: the type ${JSON.stringify(node.type)}`)
    if (isUnion && (node.anyOf.length === 0 || place === '')) found.push(`${place}: anyOf is empty, or at the root`)
    const unknown = strangers(node, byType, ['type', 'description', ...(isUnion ? ['anyOf'] : []), ...(place === '' ? ['$defs'] : [])])
    if (unknown.length > 0) found.push(`${place}: ${unknown} is not permitted`)
    if (node.format !== undefined && !OPENAI_FORMATS.includes(node.format)) found.push(`${place}: ${node.format} is not a valid format`)
    if (node.pattern !== undefined && /\(\?[=!<]/.test(node.pattern)) found.push(`${place}: the pattern looks around`)
    if (types.includes('array') && node.items === undefined) found.push(`${place}: array schema missing items`)
    if (types.includes('object')) {
      if (node.additionalProperties !== false) found.push(`${place}: additionalProperties is required to be false`)
      if (JSON.stringify(Object.keys(node.properties ?? 'x').toSorted()) !== JSON.stringify([...(node.required ?? [])].toSorted()))
        found.push(`${place}: required is not all of properties`)
    }
    const containers = types.filter((type) => type === 'object' || type === 'array')
    if (containers.length > 0 && depth >= 10) found.push(`${place}: more than 10 levels`)
    checkEnum(node, place, found)
    below(node, walk, place, found, depth)
  }
  if (root.type !== 'object') faults.push('the root is no object')
  walk(root, '', faults, 0)
  for (const [name, child] of Object.entries(root.$defs ?? {})) walk(child, `$defs/${name}`, faults, 1)
  const { properties, values, characters } = size(root)
  if (properties > 5000) faults.push('more than 5000 properties')
  if (values > 1000) faults.push('more than 1000 values')
  if (characters > 120_000) faults.push('more than 120000 characters')
  return faults
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
function anthropicStrict(root: any): Faults {
  const faults: Faults = []
  const formats = [...OPENAI_FORMATS, 'uri']
  const byType = {
    object: ['properties', 'required', 'additionalProperties'],
    array: ['items', 'minItems'],
    string: ['format', 'enum'],
    number: ['enum'],
    integer: ['enum'],
  }
  const walk: Walk = (node, place, found, depth) => {
    const unknown = strangers(node, byType, ['type', 'description', ...(node.anyOf && place !== '' ? ['anyOf'] : [])])
    if (unknown.length > 0) found.push(`${place}: ${unknown} is not supported`)
    if (!node.anyOf && ![node.type].flat().every((type) => TYPES.includes(type))) found.push(`${place}: the type ${node.type}`)
    if (node.type === 'object' && node.additionalProperties !== false) found.push(`${place}: additionalProperties must be false`)
    if (node.required?.some((name: string) => !(name in node.properties))) found.push(`${place}: required names what is not there`)
    if (Object.keys(node.properties ?? {}).some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))) found.push(`${place}: a property key`)
    if (node.minItems > 1) found.push(`${place}: minItems ${node.minItems}`)
    if (node.format !== undefined && !formats.includes(node.format)) found.push(`${place}: ${node.format} is not supported`)
    if ([node.type].flat().includes('array') && node.items === undefined) found.push(`${place}: no items`)
    checkEnum(node, place, found)
    below(node, walk, place, found, depth)
  }
  if (root.type !== 'object') faults.push('the root is no object')
  walk(root, '', faults, 0)
  return faults
}

/** https://ai.google.dev/api/caching#Schema, and what the API and Vertex answer with 400. */
export function gemini(root: any): Faults {
  const faults: Faults = []
  const byType = {
    object: ['properties', 'required'],
    array: ['items', 'minItems', 'maxItems'],
    string: ['pattern', 'format', 'enum', 'minLength', 'maxLength'],
    number: ['minimum', 'maximum', 'format'],
    integer: ['minimum', 'maximum', 'format'],
  }
  const formats: Record<string, string[]> = { string: ['date-time', 'enum'], number: ['float', 'double'], integer: ['int32', 'int64'] }
  const walk: Walk = (node, place, found, depth) => {
    if (node.anyOf) {
      if (Object.keys(node).length > 1 || node.anyOf.length === 0) found.push(`${place}: any_of must be the only field set`)
      return below(node, walk, place, found, depth)
    }
    if (!['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(node.type)) found.push(`${place}: the type ${JSON.stringify(node.type)}`)
    const unknown = strangers(node, byType, ['type', 'description', 'nullable'])
    if (unknown.length > 0) found.push(`${place}: ${unknown}: unknown, or only allowed for another type`)
    if (node.enum?.some((value: unknown) => typeof value !== 'string' || value === '')) found.push(`${place}: enum[0]: cannot be empty`)
    if (node.type === 'object' && Object.keys(node.properties ?? {}).length === 0 && place !== '')
      found.push(`${place}: properties: should be non-empty for OBJECT type`)
    if (node.required?.some((name: string) => !(name in (node.properties ?? {})))) found.push(`${place}: required: property is not defined`)
    if (Object.keys(node.properties ?? {}).some((name) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name))) found.push(`${place}: the name of a parameter`)
    if (node.type === 'array' && node.items === undefined) found.push(`${place}: items: missing field`)
    if (node.format !== undefined && !formats[node.type]?.includes(node.format)) found.push(`${place}: the format ${node.format}`)
    checkEnum(node, place, found)
    below(node, walk, place, found, depth)
  }
  if (root.type !== 'object' || root.nullable !== undefined) faults.push('the root is no object')
  walk(root, '', faults, 0)
  return faults
}

/** What the reference of `responseJsonSchema` says of JSON Schema in Gemini. */
function geminiJsonSchema(root: any): Faults {
  const faults: Faults = []
  const known = ['type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum', 'anyOf']
  const walk: Walk = (node, place, found, depth) => {
    const unknown = Object.keys(node).filter((word) => ![...known, 'properties', 'additionalProperties', 'required'].includes(word))
    if (unknown.length > 0) found.push(`${place}: ${unknown} is not supported`)
    if (!node.anyOf && ![node.type].flat().every((type) => TYPES.includes(type))) found.push(`${place}: the type ${node.type}`)
    if (node.enum?.some((value: unknown) => typeof value === 'boolean' || value === '')) found.push(`${place}: enum is for strings and numbers`)
    if (node.required?.some((name: string) => !(name in (node.properties ?? {})))) found.push(`${place}: required names what is not there`)
    if (Object.keys(node.properties ?? {}).some((name) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name))) found.push(`${place}: the name of a parameter`)
    checkEnum(node, place, found)
    below(node, walk, place, found, depth)
  }
  if (root.type !== 'object' || root.anyOf) faults.push('the root is no object')
  walk(root, '', faults, 0)
  return faults
}

/** What both APIs refuse in every mode: another root than an object, unions at the root, arrays without items, what is no JSON Schema. */
function unconstrained(root: any): Faults {
  const faults: Faults = []
  if (root.type !== 'object') faults.push('schema must have type object')
  const refused = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref'].filter((word) => word in root)
  if (refused.length > 0) faults.push(`${refused} at the top level`)
  if (!ajv.validateSchema(root)) faults.push(ajv.errorsText(ajv.errors))
  const walk: Walk = (node, place, found, depth) => {
    if (typeof node !== 'object' || node === null) return
    if ([node.type].flat().includes('array') && node.items === undefined) found.push(`${place}: array schema missing items`)
    below(node, walk, place, found, depth)
  }
  walk(root, '', faults, 0)
  return faults
}

export function anthropic(root: any): Faults {
  const names = Object.keys(root.properties ?? {}).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  return [...unconstrained(root), ...names.map((name) => `Property keys should match pattern: ${name}`)]
}

export const RULES_OF: Record<string, (root: any) => Faults> = {
  openai: unconstrained,
  'openai-strict': openaiStrict,
  anthropic,
  'anthropic-strict': anthropicStrict,
  gemini,
  'gemini-json-schema': geminiJsonSchema,
}
