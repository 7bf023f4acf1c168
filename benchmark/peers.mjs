// The native search engines of other agents, where they load: oh-my-pi's and fff.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** @typedef {{ name: string, run: () => Promise<unknown> }} Contender */

/** oh-my-pi's addon. Its package's entry is for Bun only; its `.node` file loads in Node by a plain `require`. */
const omp = loaded('oh-my-pi', () => {
  const directory = dirname(require.resolve(`@oh-my-pi/pi-natives-${process.platform}-${process.arch}/package.json`))
  const variant = process.arch === 'x64' ? '-modern' : ''
  return require(join(directory, `pi_natives.${process.platform}-${process.arch}${variant}.node`))
})

const fff = await import('@ff-labs/fff-node').then(
  ({ FileFinder }) => FileFinder,
  (error) => left('fff', error),
)

function loaded(name, load) {
  try {
    return load()
  } catch (error) {
    return left(name, error)
  }
}

function left(name, error) {
  console.log(`${name} is left out (${error.message})`)
}

/**
 * Contenders over one tree; `close` ends what they keep.
 * @param {string} directory
 */
export async function peersOf(directory) {
  const finder = fff && (await opened(directory))
  return {
    /** @returns {Contender[]} */
    grep: (pattern, { ignoreCase = false, limit = 1e6, isRegex = false } = {}) => [
      ...(omp
        ? [
            {
              name: 'oh-my-pi grep',
              run: () => omp.grep({ pattern, path: directory, ignoreCase, hidden: true, gitignore: true, maxCount: limit, mode: 'content' }),
            },
          ]
        : []),
      // It knows smart case only: a pattern in lower case is sought without regard to case.
      ...(finder
        ? [
            {
              name: 'fff grep',
              run: async () =>
                finder.grep(pattern, { mode: isRegex ? 'regex' : 'plain', smartCase: ignoreCase, pageSize: limit, maxMatchesPerFile: limit, maxFileSize: 1e9 }),
            },
          ]
        : []),
    ],
    /** @returns {Contender[]} */
    glob: (pattern) => [
      ...(omp ? [{ name: 'oh-my-pi glob', run: () => omp.glob({ pattern, path: directory, hidden: true, gitignore: true }) }] : []),
      ...(finder ? [{ name: 'fff glob', run: async () => finder.glob(pattern, { pageSize: 1e6 }) }] : []),
    ],
    close: () => finder?.destroy(),
  }
}

/** A finder whose index is complete. */
async function opened(directory) {
  const made = fff.create({ basePath: directory })
  if (!made.ok) return left('fff', new Error(made.error))
  await made.value.waitForScan(120_000)
  return made.value
}
