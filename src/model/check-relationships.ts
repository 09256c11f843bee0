import { suggest } from '../errors/suggestion.ts'
import { type Catalog, findTable, isUnique, type StoredTable } from './catalog.ts'
import {
  type ColumnReference,
  findColumnErrors,
  findGeneratedColumnErrors,
  findUnfilledColumns,
} from './check-columns.ts'
import type { CodecName } from './codecs.ts'
import type { DialectName } from './dialect.ts'
import {
  getResourceType,
  type Link,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from './model.ts'

/** What declarations are compared with. */
export interface CheckContext {
  readonly model: Model
  readonly catalog: Catalog
}

/** Says that a table is not there, and which are. */
export function describeMissingTable(
  place: string,
  { schema, name }: Table,
  catalog: Catalog,
): string {
  const there = catalog.tables.filter((table) => table.schema === (schema ?? catalog.schema))
  const names = suggest(
    name,
    there.map((table) => table.name),
    'tables',
  )
  const where = schema === undefined ? 'the database' : `the schema "${schema}"`
  return `${place}: ${where} has no table "${name}"; ${names}`
}

/** What the tables on both ends of a relationship, and between them, do not bear out. */
export function findRelationshipErrors(
  field: RelationshipField,
  resource: ResourceType,
  own: StoredTable,
  { model, catalog }: CheckContext,
): string[] {
  const place = `${resource.type}.fields.${field.name}`
  const { link } = field
  const target = getResourceType(model, field.to)
  const theirs = findTable(catalog, target.table)
  // A far table that is missing is told once, at its own resource.
  if (theirs === undefined) return []
  const { dialect } = catalog
  if (link.foreignKey === 'join table') {
    const from = formOf(link.ownKey, resource, own, dialect)
    const to = formOf(link.otherKey, target, theirs, dialect)
    return joinMistakes(field, { place, from, to }, catalog)
  }
  const isHere = link.foreignKey === 'own'
  const [holder, key] = isHere ? [own, link.ownKey] : [theirs, link.otherKey]
  const [one, column] = isHere ? [theirs, link.otherKey] : [own, link.ownKey]
  const keyPlace = `${place}.column`
  const referred: ColumnReference = { location: `${place}.references`, column }
  const codec = formOf(column, isHere ? target : resource, one, dialect)
  const mistakes = [
    ...findColumnErrors({ location: keyPlace, column: key, codec }, holder, dialect),
    ...findColumnErrors(referred, one),
  ]
  if (mistakes.length > 0) return mistakes
  const isId = column === (isHere ? target : resource).id.column
  const unfit =
    one.is === 'table' ? referenceMistakes(referred, one, field.isWritable && !isId) : []
  if (unfit.length > 0) return unfit
  const isShared = !isHere && !field.many && theirs.is === 'table'
  if (isShared && !isUnique(theirs, link.otherKey))
    return [
      `${keyPlace}: the column "${link.otherKey}" of the table "${theirs.name}" is not unique, so there may be many; say toMany`,
    ]
  return field.isWritable ? findGeneratedColumnErrors(place, key, holder) : []
}

/** What is wrong with a column that keys refer to: it must tell rows apart, and all of them if links are to be made. */
function referenceMistakes(
  { location, column }: ColumnReference,
  table: StoredTable,
  isLinked: boolean,
): string[] {
  const what = `the column "${column}" of the table "${table.name}"`
  if (!isUnique(table, column)) return [`${location}: ${what} is not unique`]
  return isLinked && table.columns.get(column)?.nullable
    ? [`${location}: ${what} may be null, and such a row cannot be linked; say access: "read-only"`]
    : []
}

/**
 * In which form a type reads one of its columns; `undefined` when it does not, and when the column does not keep such
 * values: that is told where the column is declared, and not for every key that refers to it.
 */
function formOf(
  column: string,
  { id, fields }: ResourceType,
  table: StoredTable,
  dialect: DialectName,
): CodecName | undefined {
  const reader = [id, ...fields.values()].find(
    (field) => field.is === 'attribute' && field.column === column,
  )
  const form = reader?.is === 'attribute' ? reader.kind.codec : undefined
  return findColumnErrors({ location: '', column, codec: form }, table, dialect).length === 0
    ? form
    : undefined
}

/** Where a relationship over a join table stands, and the forms of the ids on its two sides. */
interface Sides {
  readonly place: string
  readonly from: CodecName | undefined
  readonly to: CodecName | undefined
}

function joinMistakes(
  { link, isWritable }: Readonly<{ link: Link; isWritable: boolean }>,
  { place, ...forms }: Sides,
  catalog: Catalog,
): string[] {
  if (link.foreignKey !== 'join table') return []
  const table = findTable(catalog, link.joinTable)
  if (table === undefined)
    return [describeMissingTable(`${place}.through.table`, link.joinTable, catalog)]
  const { from, to } = link
  const sides: ColumnReference[] = [
    { location: `${place}.through.from`, column: from, codec: forms.from },
    { location: `${place}.through.to`, column: to, codec: forms.to },
  ]
  const mistakes = sides.flatMap((side) => findColumnErrors(side, table, catalog.dialect))
  if (mistakes.length > 0 || !isWritable) return mistakes
  if (table.is === 'view')
    return [`${place}.access: "${table.name}" is a view; say access: "read-only"`]
  return findUnfilledColumns(table, [from, to]).map(
    (name) =>
      `${place}.through: a link cannot be added, since the column "${name}" of the table "${table.name}" has no default and must not be null; say access: "read-only"`,
  )
}
