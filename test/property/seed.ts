/**
 * The number that all random tests of a run start from.
 *
 * Another one each run; set `PROPERTY_SEED` to the number that a failure names to see it again.
 */
export const seed: number = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)
