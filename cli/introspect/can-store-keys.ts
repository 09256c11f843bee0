import { type Catalog, canStore, type StoredColumn } from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import { evaluateCodec } from './evaluate-code.ts'
import type { Findings } from './findings.ts'
import { inferKeyKind } from './infer-kind.ts'

/** The catalog and the kinds of its columns. */
interface KeyContext {
  readonly catalog: Pick<Catalog, 'dialect'>
  readonly findings: Pick<Findings, 'kinds'>
}

/** True if a foreign key column can store every value of the column that it references, by the kind with which that column is declared. */
export function canStoreKeys(
  foreignKey: StoredColumn | undefined,
  referenced: StoredColumn | undefined,
  { catalog, findings }: KeyContext,
): boolean {
  if (foreignKey === undefined || referenced === undefined) return false
  const kind = findings.kinds.get(referenced) ?? inferKeyKind(referenced, catalog)
  // Keys that are numbers and texts have a codec of their own, which needs a column that converts texts as theirs does.
  const { mixedKeys } = commandDatabases[catalog.dialect]
  const codec = (kind?.name === 'databaseText' && mixedKeys) || evaluateCodec(kind)
  return codec === undefined || canStore(foreignKey.type, { codec }, catalog.dialect)
}
