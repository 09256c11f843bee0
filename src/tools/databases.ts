import type { Catalog } from '../model/catalog.ts'
import { checkStoredTables } from '../model/check/check-tables.ts'
import type { Database } from '../model/database.ts'
import type { DialectName } from '../model/database-names.ts'
import { type Codec, getCodec } from '../model/kinds/codecs.ts'
import type { Model } from '../model/model.ts'
import { postgres } from '../postgres/database.ts'
import { sqlite } from '../sqlite/database.ts'

// For functions of the public API that get the name of a database. Everything else gets the database itself.

/** The databases by their names. */
export const databases: Readonly<Record<DialectName, Database>> = { sqlite, postgres }

/** The database whose SQL is shown to people when none is known. */
export const defaultDatabase: Database = postgres

/**
 * Checks that the tables of a database match a model.
 * @throws DeclarationError with one line per error, each starting with the path to the wrong option
 */
export function checkTables(model: Model, catalog: Catalog): void {
  checkStoredTables(model, catalog, databases[catalog.dialect])
}

/**
 * True if a column can store every value of an attribute kind unchanged.
 * @param columnType - the declared type of the column; may be empty
 */
export function canStore(
  columnType: string,
  { codec }: Readonly<{ codec: Codec }>,
  dialect: DialectName,
): boolean {
  return getCodec(codec, databases[dialect]).acceptsColumnType(columnType)
}
