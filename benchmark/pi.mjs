// Pi's tools, where this Node can load them (0.87 asks for Node 22).

/** A contender of pi, or none: `...ofPi((pi) => ({ name, run }))`. */
export const ofPi = await import('@earendil-works/pi-coding-agent').then(
  (pi) => (make) => [make(pi)],
  (error) => {
    console.log(`pi is left out (${error.message})`)
    return () => []
  },
)
