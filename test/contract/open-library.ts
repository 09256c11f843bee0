import type { TestContext } from 'node:test'
import type { Model, Store } from 'lapidary'
import type { OpenDatabase } from '../open-database.ts'
import type { ContractDatabase, ContractOptions } from './contract-databases.ts'
import { library, listLibraryMigrations } from './library-model.ts'

/** The options of the library of a test. */
interface LibraryOptions extends ContractOptions {
  /** Further books, without an author. */
  readonly books?: number
  /** Whether the database stays empty. */
  readonly isEmpty?: boolean
}

/** A library on a fresh database. All of its stores are closed after the test. */
interface OpenLibrary {
  readonly database: OpenDatabase
  readonly store: Store
  /** Another store on the same database; the same store where no two can share a database. */
  another(): Promise<Store>
  /** A store with another model; on a database of its own where no two stores can share one. */
  openModel(model: Model): Promise<Store>
  /** Closes every store that is open. */
  close(): Promise<void>
}

/** Opens a library for a test. */
export async function openLibrary(
  test: TestContext,
  contract: ContractDatabase,
  { books, isEmpty = false, ...options }: LibraryOptions = {},
): Promise<OpenLibrary> {
  const database = await contract.create()
  const stores: Store[] = []
  const migrations = isEmpty ? [] : listLibraryMigrations(contract.columnTypes, books)
  const open = async (model: Model) => {
    const store = await contract.open(model, database.url, options)
    stores.push(store)
    if (!isEmpty) await store.migrate(migrations)
    return store
  }
  const close = async () => {
    await Promise.all(stores.splice(0).map((each) => each.close()))
  }
  test.after(async () => {
    await close()
    await database.remove()
  })
  const store = await open(library)
  const another = async () => (contract.isShared ? open(library) : store)
  return { database, store, another, openModel: open, close }
}
