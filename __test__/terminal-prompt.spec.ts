import { expect, test } from 'vitest'

import { ROOT } from './support/run.js'
import { toolkitOf } from './support/workspace.js'

const question = (text: string, multiSelect = false) => ({
  question: text,
  header: 'Choice',
  options: [
    { label: 'red', description: 'warm' },
    { label: 'blue\u001b[31m', description: '' },
  ],
  multiSelect,
})

/** A program with a terminal that asks these questions; its terminal is one of our own. */
async function terminal(questions: object[], answered = 'JSON.stringify(details.answers)') {
  const toolkit = toolkitOf()
  const script = `const { Toolkit } = require(${JSON.stringify(ROOT)})
    const toolkit = new Toolkit({ workspace: process.cwd(), dialect: 'canonical' })
    const abort = new AbortController()
    process.on('SIGUSR1', () => abort.abort())
    toolkit.execute('AskUserQuestion', ${JSON.stringify({ questions })}, { signal: abort.signal })
      .then(({ details }) => console.log('ANSWER ' + ${answered}), (error) => console.log('FAILED ' + error.error_type + ' ' + error.message))`
  const command = `exec node -e '${script.replaceAll("'", "'\\''")}'`
  const { details } = await toolkit.execute('exec', { command, pty: true, waitFor: { output: '^> |\\n> ' }, yieldMs: 20_000, columns: 200 } as never)
  const sessionId = (details as any).sessionId as string
  const process = (params: object) => toolkit.execute('process', { sessionId, ...params } as never)
  const log = async () => (await process({ action: 'log' })).content.map((part) => ('text' in part ? part.text : '')).join('')
  const until = async (pattern: RegExp) => {
    for (const end = Date.now() + 15_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const found = pattern.exec(await log())
      if (found) return found[0]
    }
    throw new Error(`never came: ${pattern} in ${await log()}`)
  }
  return { submit: (data: string) => process({ action: 'submit', data }), keys: (keys: string[]) => process({ action: 'send_keys', keys }), until, log }
}

test('where there is a terminal the user is asked there, a question after the other', async () => {
  const { submit, until, log } = await terminal([question('First?'), question('Second?', true), question('Third?')])
  await until(/\[Choice\] First\?[^]*1\) red - warm/)
  // What would colour the terminal of the user does not reach it.
  expect(await log()).toContain('2) blue [31m')
  await submit('9')
  await submit('1')
  await until(/Second\?/)
  await submit('1, 2')
  await until(/Third\?/)
  await submit('neither, thanks')
  expect(await until(/ANSWER \{.*\}/)).toBe('ANSWER {"First?":"red","Second?":"red, blue\\u001b[31m","Third?":"neither, thanks"}')
})

test('previews of options are shown below them, without what would colour the terminal', async () => {
  const [red, blue] = question('').options
  const { submit, until, log } = await terminal([{ ...question('First?'), options: [{ ...red, preview: 'a |\u001b[31m b\nc | d' }, blue] }])
  await until(/2\) blue/)
  expect((await log()).replaceAll('\r', '')).toContain('  1) red - warm\n     a | [31m b\n     c | d\n  2) blue')
  await submit('1')
  await until(/ANSWER/)
})

test('a user who closes the prompt has not answered', async () => {
  const { keys, until } = await terminal([question('First?')])
  await until(/First\?/)
  await keys(['C-d'])
  expect(await until(/FAILED .*/)).toContain('FAILED execution_failed `host.askUser` failed: the user closed the prompt without an answer.')
})
