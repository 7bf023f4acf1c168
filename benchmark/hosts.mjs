// Hosts that have much in memory: what a command costs from Node grows with it.

/** Megabytes that this process has resident. */
export const resident = () => Math.round(process.memoryUsage().rss / 1e6)

/**
 * Memory that is kept as long as the list is, so that this process has `megabytes` resident.
 * @param {number} megabytes
 */
export function heldUpTo(megabytes) {
  const ballast = []
  while (resident() < megabytes) ballast.push(Buffer.alloc(10 << 20, 1))
  return ballast
}
