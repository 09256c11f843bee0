import { type DialectAdapter, DummyDriver, Kysely, type QueryCompiler } from 'kysely'

/** Creates a Kysely that compiles and never connects. */
export function createCompiler(
  adapter: DialectAdapter,
  createQueryCompiler: () => QueryCompiler,
): Kysely<unknown> {
  return new Kysely({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error('This Kysely has no database.')
      },
      createQueryCompiler,
    },
  })
}
