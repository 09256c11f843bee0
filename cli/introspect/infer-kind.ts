import { type Catalog, canStore, type StoredColumn } from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import { type Code, call, object } from './code.ts'
import { evaluateCodec } from './evaluate-code.ts'
import type { Findings } from './findings.ts'
import { constantsByName, integer64, type KindCode, readOnly } from './kind-code.ts'

/** Infers the attribute kind of a column from its type. @returns `undefined` when no kind fits the type */
export function inferKind(
  column: StoredColumn,
  { dialect }: Pick<Catalog, 'dialect'>,
): KindCode | undefined {
  const type = column.type.toLowerCase().replace(/\s*([(),])\s*/g, '$1')
  const { kinds, findElementType } = commandDatabases[dialect]
  const element = findElementType?.(type)
  if (element !== undefined) return inferArray({ ...column, type: element }, dialect)
  const rule = kinds.find(([pattern]) => pattern.test(type))
  const kind = storableKind(rule?.[1](rule[0].exec(type)?.slice(1) ?? []), type, dialect)
  // The catalog of PostgreSQL reports every enum type as `enum`.
  const canBeEnumeration = type === 'enum' || kind?.name === 'text'
  if (column.values === undefined || column.values.length === 0 || !canBeEnumeration) return kind
  const values: Code = { is: 'array', items: [...new Set(column.values)] }
  return { name: 'enumeration', code: call('enumeration', values) }
}

/** Replaces a kind by that of unknown types if columns convert its values: `CHARINT` and `POINTBLOB` of SQLite have integer affinity. */
function storableKind(
  kind: KindCode | undefined,
  type: string,
  dialect: Catalog['dialect'],
): KindCode | undefined {
  const { storesAnyType } = commandDatabases[dialect]
  if (!storesAnyType || (kind?.name !== 'text' && kind?.name !== 'bytes')) return kind
  const { codec } = constantsByName[kind.name]
  return canStore(type, { codec }, dialect) ? kind : readOnly('databaseText')
}

/** Whether the type of a column says nothing about its values: SQLite accepts any word as a type. */
export function isUnknownType(column: StoredColumn, catalog: Pick<Catalog, 'dialect'>): boolean {
  const kind = inferKind(column, catalog)
  const { storesAnyType } = commandDatabases[catalog.dialect]
  return kind === undefined || (storesAnyType && kind.name === 'databaseText')
}

/** PostgreSQL has no array type without null elements. */
function inferArray(element: StoredColumn, dialect: Catalog['dialect']): KindCode | undefined {
  const kind = inferKind(element, { dialect })
  if (kind === undefined) return undefined
  const code = call('array', kind.code, object({ nullElements: true }))
  return { ...kind, name: 'array', code }
}

/**
 * Infers the kind of a column as a key: `numeric(10)` and `numeric(10,0)` store integers, and so do such columns of SQLite with any number
 * of digits, because SQLite has no larger integers. Only an enum type limits the values of a key.
 */
export function inferKeyKind(
  column: StoredColumn,
  catalog: Pick<Catalog, 'dialect'>,
): KindCode | undefined {
  const { values: _, ...withoutValues } = column
  const [, digits] =
    /^(?:decimal|numeric|number)\s*\(\s*(\d+)\s*(?:,\s*0\s*)?\)$/i.exec(column.type) ?? []
  const { integerDigits } = commandDatabases[catalog.dialect]
  if (digits !== undefined && Number(digits) <= integerDigits) return integer64
  return inferKind(column.type === 'enum' ? column : withoutValues, catalog)
}

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
