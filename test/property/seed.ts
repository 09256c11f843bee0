/** Continuous integration repeats the same cases, so that a failure there comes from the change that it checks. */
const seedOfCi = process.env.CI === 'true' ? 20_261_123 : undefined

/**
 * The seed of every random test of a run. It differs from run to run, except in continuous integration; set `PROPERTY_SEED`
 * to the number in the message of a failure to repeat that run.
 */
export const seed: number = Number(process.env.PROPERTY_SEED ?? seedOfCi ?? Date.now() % 2 ** 31)

/** The number of random cases, as a multiple of that of `npm test`; `npm run test:long` sets it. */
export const scale: number = Number(process.env.PROPERTY_SCALE ?? 1)

/** Whether this run tries all cases of a table. `npm test` tries a part of large tables; which part depends on the seed. */
export const isExhaustive: boolean = scale > 1

/**
 * Returns all cases of a table, or one of `parts` equal parts of them, which differs from run to run.
 *
 * @param start - shifts the part, so that a test with several tables does not take the same part of each
 */
export function takePart<Case>(cases: Iterable<Case>, parts: number, start = 0): readonly Case[] {
  const all = [...cases]
  return isExhaustive ? all : all.filter((_, index) => (index + start) % parts === seed % parts)
}
