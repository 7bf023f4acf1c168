// Rounds, medians and ratios, and what a run has found.

/** @typedef {{ name: string, run: () => Promise<unknown>, yardstick?: boolean }} Contender */
/** @typedef {{ name: string, milliseconds: number, ratio: number, spread?: [number, number] }} Row a median, the median of the per-round ratios to the yardstick, their quartiles, and whatever else a case counts */

/** Every table of this run, in order: what `--save` writes. */
export const tables = []

/**
 * Runs every contender once a round, in rotating order, after one warm-up each.
 * @param {Contender[]} contenders
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measure(contenders, rounds) {
  for (const contender of contenders) await contender.run()
  const times = new Map(contenders.map((contender) => [contender.name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(round + turn) % contenders.length]
      const started = process.hrtime.bigint()
      await contender.run()
      times.get(contender.name).push(Number(process.hrtime.bigint() - started) / 1e6)
    }
  }
  const yardstick = times.get((contenders.find((contender) => contender.yardstick) ?? contenders[0]).name)
  return contenders.map(({ name }) => {
    const own = times.get(name)
    const ratios = own.map((time, round) => time / yardstick[round])
    return { name, milliseconds: median(own), ratio: median(ratios), spread: quartiles(ratios) }
  })
}

/**
 * The values between which the middle half lies.
 * @param {number[]} values
 * @returns {[number, number]}
 */
function quartiles(values) {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (part) => sorted[Math.round((sorted.length - 1) * part)]
  return [at(0.25), at(0.75)]
}

/** Repeats `run` so that one sample is long enough to be measured. */
export function batched(run, times) {
  return async () => {
    for (let index = 0; index < times; index += 1) await run()
  }
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Prints one table and keeps it.
 * @param {string} title starts with the name of the case: `grep, small, rare`
 * @param {Row[]} rows
 * @param {'ms' | 'µs'} unit
 */
export function report(title, rows, unit = 'ms') {
  console.log(`\n${title}`)
  const width = Math.max(...rows.map((row) => row.name.length))
  for (const { name, milliseconds, ratio, spread: _, ...more } of rows) {
    const figure = unit === 'µs' ? milliseconds * 1000 : milliseconds
    console.log(
      `  ${name.padEnd(width)}  ${figure.toFixed(figure < 10 ? 3 : 1).padStart(10)} ${unit}  ${ratio.toFixed(3).padStart(8)}${Object.entries(more)
        .map(([key, value]) => `  ${key} ${value}`)
        .join('')}`,
    )
  }
  tables.push({
    title,
    unit,
    rows: rows.map((row) => ({
      ...row,
      milliseconds: rounded(row.milliseconds),
      ratio: rounded(row.ratio),
      ...(row.spread && { spread: row.spread.map(rounded) }),
    })),
  })
}

/** Four significant figures: more is noise. */
const rounded = (value) => Number(value.toPrecision(4))
