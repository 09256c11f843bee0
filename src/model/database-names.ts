// The only list of the databases outside of their folders and of `src/tools/databases.ts`: kinds and operators of a program have
// members with these names.

/** The names of the supported databases. */
export const databaseNames = ['sqlite', 'postgres'] as const

/** The name of a supported database. */
export type DialectName = (typeof databaseNames)[number]
