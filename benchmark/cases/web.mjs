// Reading pages: what is kept of the article (F1 of words) and how long one page takes.
//
// Two sets: Mozilla's test pages (the crate `readability-rust` holds them), whose expected text is what Readability.js
// itself gave when the page was taken in; and the texts of this repository's documentation, which are known to the word,
// in the frames of four kinds of sites.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Readability } from '@mozilla/readability'
import { JSDOM } from 'jsdom'
import { parseHTML } from 'linkedom'
import { marked } from 'marked'
import TurndownService from 'turndown'

import { mozillaPages } from '../corpora.mjs'
import { median, report } from '../measure.mjs'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const directory = fileURLToPath(new URL('../corpora/pages', import.meta.url))
const ROUNDS = 2

const links = (count, word) => Array.from({ length: count }, (_, index) => `<li><a href="/${word}/${index}">${word} ${index} of the site</a></li>`).join('')
const nav = (count) => `<nav class="menu"><ul>${links(count, 'chapter')}</ul></nav>`
const footer = `<footer><p>Copyright. All rights reserved.</p><ul>${links(8, 'legal')}</ul></footer>`
const cookies = '<div class="cookie-banner" role="dialog"><p>We use cookies to improve your visit. Accept all or choose.</p><button>Accept</button></div>'
const comments = `<section id="comments" class="comments">${Array.from({ length: 6 }, (_, index) => `<div class="comment"><b>reader${index}</b> <p>Thanks, that helped me a lot!</p></div>`).join('')}</section>`
const related = `<aside class="sidebar related"><h3>Read next</h3><ul>${links(12, 'story')}</ul></aside>`

/** Sites, each a frame around an article. */
const SITES = {
  blog: (title, body) =>
    `<header><a href="/">A blog</a>${nav(5)}</header>${cookies}<main><article><h1>${title}</h1>${body}</article>${comments}</main>${related}${footer}`,
  news: (title, body) =>
    `${cookies}<div id="top">${nav(20)}</div><div class="page"><div class="story"><h1>${title}</h1><div class="byline">By A. Writer</div>${body}</div>${related}</div><div class="ad">Advertisement</div>${footer}`,
  docs: (title, body) =>
    `<div class="layout"><div class="toc">${nav(60)}</div><div class="content" role="main"><h1>${title}</h1>${body}<div class="pager"><a href="/prev">Previous</a> <a href="/next">Next</a></div></div></div>${footer}`,
  plain: (title, body) => `<h1>${title}</h1>${body}`,
}

/** Mozilla's pages, with the words of what is expected of them. */
function mozilla() {
  const directory = mozillaPages()
  return readdirSync(directory)
    .map((name) => ({ path: join(directory, name, 'source.html'), expected: join(directory, name, 'expected.html') }))
    .filter(({ path, expected }) => existsSync(path) && existsSync(expected))
    .map(({ path, expected }) => ({ path, html: readFileSync(path, 'utf8'), expected: words(plain(readFileSync(expected, 'utf8'))) }))
}

/** The text of a piece of HTML. */
const plain = (html) => parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body.textContent

/** Our pages, with the words of their articles. */
function framed() {
  mkdirSync(directory, { recursive: true })
  const texts = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...['docs', 'docs/decisions', 'docs/dialects'].flatMap((at) =>
      readdirSync(join(repository, at))
        // The catalogue is a table of 200 KB, which takes linkedom and jsdom gigabytes.
        .filter((name) => name.endsWith('.md') && name !== 'programs.md')
        .map((name) => join(at, name)),
    ),
  ]
  return texts.flatMap((name) => {
    const [heading = '# Page', ...rest] = readFileSync(join(repository, name), 'utf8')
      .replace(/^<!--[^]*?-->\s*/, '')
      .split('\n')
    const title = heading.replace(/^#+ /, '')
    const body = marked.parse(rest.join('\n'))
    const expected = words(`${title} ${body.replace(/<[^>]+>/g, ' ')}`)
    return Object.entries(SITES).map(([site, frame]) => {
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${frame(title, body)}</body></html>`
      const path = join(directory, `${name.replaceAll('/', '-')}.${site}.html`)
      writeFileSync(path, html)
      return { path, html, expected }
    })
  })
}

/** The words of a text without its marks. */
function words(text) {
  const plain = text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, ' ').replace(/\]\([^)]*\)/g, ' ')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** F1 of bags of words. */
function score(found, expected) {
  const left = new Map()
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of found) {
    const count = left.get(word) ?? 0
    if (count > 0) {
      shared += 1
      left.set(word, count - 1)
    }
  }
  return shared === 0 ? 0 : (2 * shared) / (found.length + expected.length)
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })

/** Readability and turndown over a DOM. */
function readable(documentOf) {
  return (html) => {
    const article = new Readability(documentOf(html)).parse()
    return article ? `# ${article.title}\n\n${turndown.turndown(article.content)}` : ''
  }
}

/** @type {Record<string, (pages: { path: string, html: string }[]) => { markdown: string, ms: number }[]>} */
const CONTENDERS = {
  'Readability.js + turndown on linkedom': timed(readable((html) => parseHTML(html).document)),
  'Readability.js + turndown on jsdom': timed((html) => {
    const { window } = new JSDOM(html, { url: 'http://fakehost/test/page.html' })
    const markdown = readable(() => window.document)(html)
    // Otherwise every page stays in memory.
    window.close()
    return markdown
  }),
  tenon: (pages) => {
    const options = {
      cwd: repository,
      input: pages.map(({ path }) => path).join('\n'),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['pipe', 'pipe', 'inherit'],
    }
    const lines = execFileSync('cargo', ['run', '--release', '--quiet', '-p', 'tenon-web', '--example', 'extract'], options).trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  },
}

function timed(read) {
  return (pages) =>
    pages.map(({ html }) => {
      const started = process.hrtime.bigint()
      const markdown = read(html)
      return { markdown, ms: Number(process.hrtime.bigint() - started) / 1e6 }
    })
}

export async function run() {
  for (const [label, set] of [
    ["Mozilla's test pages", mozilla()],
    ['documentation in four frames', framed()],
  ]) {
    const kilobytes = Math.round(set.reduce((sum, { html }) => sum + html.length, 0) / set.length / 1024)
    const rows = Object.entries(CONTENDERS).map(([name, read]) => {
      const rounds = Array.from({ length: ROUNDS + 1 }, () => read(set)).slice(1)
      const scores = rounds[0].map(({ markdown }, index) => score(words(markdown), set[index].expected))
      const below = scores.filter((score) => score < 0.9).length
      return { name, milliseconds: median(rounds.map((round) => mean(round.map(({ ms }) => ms)))), F1: mean(scores).toFixed(3), 'below 0.9': below }
    })
    report(
      `web, reading, ${label} (${set.length} pages, ${kilobytes} KB on average)`,
      rows.map((row) => ({ ...row, ratio: row.milliseconds / rows[0].milliseconds })),
    )
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
