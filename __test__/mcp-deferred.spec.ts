// Tools of MCP servers that the search of a provider finds, in place of `find_tools` and `use_tool`.

import { expect, test } from 'vitest'

import { toAISDKTools } from '../ai-sdk.js'
import { betaTools, runToolUses, toAnthropicTools } from '../anthropic.js'
import type { ToolkitOptions } from '../index.js'
import { runResponsesCalls, toResponsesTools } from '../openai.js'
import { LONG, fake, ready } from './support/mcp-servers.js'

/** A toolkit that shows `read` and what is always loaded of a server, and searches for the rest. */
const searching = (options: Partial<ToolkitOptions<'agent'>> = {}) =>
  ready(
    { big: fake({ tools: ['list', 'remove'] }, { load: { always: ['list'] } }) },
    { tools: { allow: ['read', 'find_tools', 'use_tool', 'mcp__big__*'] }, ...options },
  )

const REST = ['mcp__big__echo', 'mcp__big__environment', 'mcp__big__remove']
const marks = (tools: readonly any[]) => tools.map(({ name, type, defer_loading }) => [name ?? type, defer_loading ?? false])

test('without the option models see what there is, and search with `find_tools`', LONG, async () => {
  const toolkit = await searching()
  expect(marks(toAnthropicTools(toolkit)).sort()).toEqual(
    [
      ['read', false],
      ['mcp__big__list', false],
      ['find_tools', false],
      ['use_tool', false],
    ].sort(),
  )
})

test('Anthropic: tools that are searched for are marked, beside the search of the API', LONG, async () => {
  const toolkit = await searching()
  const expected = [['read', false], ['mcp__big__list', false], ...REST.map((name) => [name, true]), ['tool_search_tool_bm25', false]]
  expect(marks(toAnthropicTools(toolkit, { deferLoading: 'searched' })).sort()).toEqual(expected.sort())
  const tools = betaTools(toolkit, { deferLoading: 'searched' })
  expect(marks(tools).sort()).toEqual(expected.sort())
  expect(tools.at(-1)).toEqual({ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' })
  // What the model found is run, and policy sees it by its name.
  const message = { content: [{ type: 'tool_use', id: 't', name: 'mcp__big__remove', input: { a: 1 } }] }
  expect(await runToolUses(toolkit, message)).toEqual([{ type: 'tool_result', tool_use_id: 't', content: 'remove: {"a":1}' }])
  expect(toolkit.history().map(({ tool }: any) => tool)).toEqual(['mcp__big__remove'])
})

test('OpenAI: the same for Responses', LONG, async () => {
  const toolkit = await searching()
  const tools = toResponsesTools(toolkit, { deferLoading: 'searched' })
  expect(marks(tools).sort()).toEqual([['read', false], ['mcp__big__list', false], ...REST.map((name) => [name, true]), ['tool_search', false]].sort())
  const call = { type: 'function_call', call_id: 'c', name: 'mcp__big__remove', arguments: '{}' }
  expect(await runResponsesCalls(toolkit, [call])).toEqual([{ type: 'function_call_output', call_id: 'c', output: 'remove: {}' }])
})

test('AI SDK: the same for `toolSearch` of version 7', LONG, async () => {
  const toolkit = await searching()
  const tools: Record<string, any> = toAISDKTools(toolkit, { deferLoading: 'searched', version: 7, progress: false })
  expect(
    Object.entries(tools)
      .map(([name, { deferLoading = false }]) => [name, deferLoading])
      .sort(),
  ).toEqual([['read', false], ['mcp__big__list', false], ...REST.map((name) => [name, true])].sort())
  expect(await tools.mcp__big__remove.execute({}, { toolCallId: 'c' })).toMatchObject({ content: [{ text: 'remove: {}' }] })
})

test('where nothing is searched for, nothing is marked and no search is added', LONG, async () => {
  const toolkit = await ready({ few: fake({ tools: ['list'] }, { tools: { allow: ['list'] } }) }, { tools: { allow: ['mcp__few__list'] } })
  expect(marks(toAnthropicTools(toolkit, { deferLoading: 'searched' }))).toEqual([['mcp__few__list', false]])
  expect(marks(toResponsesTools(toolkit, { deferLoading: 'searched' }))).toEqual([['mcp__few__list', false]])
})
