/** Takes the first of some texts that nobody has taken, or else the last with a number behind it. */
export type Take = (candidates: readonly string[], beforeNumber?: string) => string

/**
 * Makes a function that gives each text out once.
 * @param taken - what is taken from the start
 */
export function taker(taken: Iterable<string> = []): Take {
  const all = new Set(taken)
  return (candidates, beforeNumber = '') => {
    const last = candidates.at(-1) ?? ''
    let text = candidates.find((each) => !all.has(each))
    for (let number = 2; text === undefined; number += 1) {
      const numbered = `${last}${beforeNumber}${number}`
      if (!all.has(numbered)) text = numbered
    }
    all.add(text)
    return text
  }
}
