// Images of MCP servers: models are shown what every provider takes, since one that is refused stays in the conversation.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { expect, test } from 'vitest'

import type { Toolkit } from '../index.js'
import { toolkitOf } from './support/workspace.js'

const { formatOf, sizeOf } = createRequire(path.resolve('package.json'))('./js/mcp-client/images.js')

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))
const base64 = (...parts: (string | number[])[]) => bytes(...parts).toString('base64')
const png = (width: number[], height: number[], rest = '') =>
  base64('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, ...width], [0, 0, ...height], [8, 6, 0, 0, 0], rest)
const PNG = png([0, 1], [0, 1])
// A comment and a fill byte before the frame.
const JPEG = base64([0xff, 0xd8, 0xff, 0xfe, 0, 4], 'hi', [0xff, 0xff, 0xc0, 0, 17, 8, 0, 5, 0, 9, 3])
const GIF = base64('GIF89a', [3, 0, 2, 0])
const webp = (kind: string, ...rest: number[]) => base64('RIFF', [30, 0, 0, 0], 'WEBP', kind, [10, 0, 0, 0], rest)
const WEBP = webp('VP8X', 0, 0, 0, 0, 63, 31, 0, 0, 0, 0)
const SVG = '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'

/** What models are shown of one part of a result. */
async function shown(part: object) {
  const toolkit = toolkitOf() as Toolkit<any>
  const client = { listTools: async () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }), callTool: async () => ({ content: [part] }) }
  await toolkit.registerMcpClient(client, { id: 's' })
  const { content } = await toolkit.execute('mcp__s__a', {})
  expect(content).toHaveLength(1)
  return content[0]
}

const image = (data: string, mimeType: string) => ({ type: 'image', data, mimeType })
const text = (words: string) => ({ type: 'text', text: words })

test.each<[string, object, object]>([
  ['a PNG', image(PNG, 'image/png'), image(PNG, 'image/png')],
  ['a JPEG', image(JPEG, 'image/jpeg'), image(JPEG, 'image/jpeg')],
  ['a GIF', image(GIF, 'image/gif'), image(GIF, 'image/gif')],
  ['a WebP', image(WEBP, 'image/webp'), image(WEBP, 'image/webp')],
  ['a lossy WebP', image(webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 4, 0, 4, 0), ''), image(webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 4, 0, 4, 0), 'image/webp')],
  ['a lossless WebP', image(webp('VP8L', 0x2f, 0, 0, 0, 0), ''), image(webp('VP8L', 0x2f, 0, 0, 0, 0), 'image/webp')],
  ['a PNG that is called JPEG', image(PNG, 'image/jpeg'), image(PNG, 'image/png')],
  ['a type in capitals', image(PNG, 'IMAGE/PNG'), image(PNG, 'image/png')],
  ['no type', { type: 'image', data: PNG }, image(PNG, 'image/png')],
  ['an address of data', image(`data:image/png;base64,${PNG}`, 'image/png'), image(PNG, 'image/png')],
  ['lines', image(`${PNG.slice(0, 20)}\n${PNG.slice(20)}\n`, 'image/png'), image(PNG, 'image/png')],
  ['a PNG of 8000 pixels', image(png([0x1f, 0x40], [0, 1]), 'image/png'), image(png([0x1f, 0x40], [0, 1]), 'image/png')],
  ['a PNG of 8001 pixels', image(png([0x1f, 0x41], [0, 1]), 'image/png'), text('[Image, image/png, 8001 × 1 pixels: too large to be shown]')],
  ['a PNG of 5 MB', image(png([0, 1], [0, 1], 'x'.repeat(4_000_000)), 'image/png'), text('[Image, image/png, 4000029 bytes: too large to be shown]')],
  ['SVG', image(Buffer.from(SVG).toString('base64'), 'image/svg+xml'), text(`[Image, image/svg+xml]\n${SVG}`)],
  ['SVG in an address', image('data:image/svg+xml,%3Csvg/%3E', 'image/svg+xml'), text('[Image, image/svg+xml]\n<svg/>')],
  ['a TIFF', image(base64('II*\0'), 'image/tiff'), text('[An image that cannot be shown, 4 bytes]')],
  ['a text that is called PNG', image(base64('hello world'), 'image/png'), text('[An image that cannot be shown, 11 bytes]')],
  ['nothing', image('', 'image/png'), text('[An image that cannot be shown, 0 bytes]')],
  ['no data', { type: 'image', mimeType: 'image/png' }, text('[An image that cannot be shown, 0 bytes]')],
  [
    'a PNG that ends in its size',
    image(base64('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0]), 'image/png'),
    text('[An image that cannot be shown, 18 bytes]'),
  ],
  ['a JPEG without a frame', image(base64([0xff, 0xd8, 0xff, 0xd9]), 'image/jpeg'), text('[An image that cannot be shown, 4 bytes]')],
])('an image with %s is shown as what it is', async (_, part, expected) => {
  expect(await shown(part)).toEqual(expected)
})

test.each<[string, object, object]>([
  ['an image', { blob: PNG, mimeType: 'application/octet-stream' }, image(PNG, 'image/png')],
  ['an image that no provider takes', { blob: base64('II*\0'), mimeType: 'image/tiff' }, text('[An image that cannot be shown, 4 bytes]')],
  ['a text', { blob: base64('{"a":1}'), mimeType: 'application/json' }, text('[Resource: db://1]\n{"a":1}')],
  ['SVG', { blob: base64('<svg/>'), mimeType: 'image/svg+xml' }, text('[Resource: db://1]\n<svg/>')],
  ['bytes', { blob: base64([0, 1]), mimeType: 'application/zip' }, text('[Resource: db://1, application/zip, 2 bytes; not shown]')],
  ['nothing', { blob: '' }, text('[Resource: db://1, binary, 0 bytes; not shown]')],
])('a resource whose bytes are %s is shown as what it is', async (_, resource, expected) => {
  expect(await shown({ type: 'resource', resource: { uri: 'db://1', ...resource } })).toEqual(expected)
})

test('a text that begins like an image in SVG ten thousand times takes no time', async () => {
  const begun = Date.now()
  await shown(image(Buffer.from('<!-- --><!DOCTYPE svg [ ]>'.repeat(10_000)).toString('base64'), 'image/svg+xml'))
  expect(Date.now() - begun).toBeLessThan(5000)
})

const HEADERS = readFileSync(path.resolve('fixtures/image-sizes.tsv'), 'utf8').split('\n').slice(1, -1)

test.each(HEADERS.map((line) => line.split('\t') as [string, string, string]))('the size of %s is what the core reads', (_, hex, expected) => {
  const header = Buffer.from(hex, 'hex')
  const format = formatOf(header)
  const size = format && sizeOf(header, format.sides)
  expect(size ? [format.mimeType, ...size].join(' ') : '-').toBe(expected)
})
