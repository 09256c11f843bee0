/**
 * The seed of every random test of a run. It differs from run to run; set `PROPERTY_SEED` to the number in the message of
 * a failure to repeat that run.
 */
export const seed: number = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)

/** How many times as many random cases as in `npm test` are tried; `npm run test:long` sets it. */
export const scale: number = Number(process.env.PROPERTY_SCALE ?? 1)
