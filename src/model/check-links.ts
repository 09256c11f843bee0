import { suggestion } from '../errors/suggestion.ts'
import { type Catalog, isUnique, type StoredTable, tableIn } from './catalog.ts'
import { columnMistakes, type Mention, nobodyFills, unwritable } from './check-columns.ts'
import type { FormName } from './codecs.ts'
import type { DialectName } from './dialect.ts'
import {
  type Link,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
  typeNamed,
} from './model.ts'

/** What declarations are compared with. */
export interface Ground {
  readonly model: Model
  readonly catalog: Catalog
}

/** Says that a table is not there, and which are. */
export function noTable(place: string, { schema, name }: Table, catalog: Catalog): string {
  const there = catalog.tables.filter((table) => table.schema === (schema ?? catalog.schema))
  const names = suggestion(
    name,
    there.map((table) => table.name),
    'tables',
  )
  const where = schema === undefined ? 'the database' : `the schema "${schema}"`
  return `${place}: ${where} has no table "${name}"; ${names}`
}

/** What the tables on both ends of a relationship, and between them, do not bear out. */
export function relationshipMistakes(
  field: RelationshipField,
  resource: ResourceType,
  own: StoredTable,
  { model, catalog }: Ground,
): string[] {
  const place = `${resource.type}.fields.${field.name}`
  const { link } = field
  const target = typeNamed(model, field.to)
  const theirs = tableIn(catalog, target.table)
  // A far table that is missing is told once, at its own resource.
  if (theirs === undefined) return []
  const { dialect } = catalog
  if (link.key === 'between') {
    const from = formOf(link.here, resource, own, dialect)
    const to = formOf(link.there, target, theirs, dialect)
    return joinMistakes(field, { place, from, to }, catalog)
  }
  const isHere = link.key === 'here'
  const [holder, key] = isHere ? [own, link.here] : [theirs, link.there]
  const [one, column] = isHere ? [theirs, link.there] : [own, link.here]
  const keyPlace = `${place}.column`
  const referred: Mention = { place: `${place}.references`, column }
  const form = formOf(column, isHere ? target : resource, one, dialect)
  const mistakes = [
    ...columnMistakes({ place: keyPlace, column: key, form }, holder, dialect),
    ...columnMistakes(referred, one),
  ]
  if (mistakes.length > 0) return mistakes
  const isId = column === (isHere ? target : resource).id.column
  const unfit = one.is === 'table' ? referenceMistakes(referred, one, field.writes && !isId) : []
  if (unfit.length > 0) return unfit
  const isShared = !isHere && !field.many && theirs.is === 'table'
  if (isShared && !isUnique(theirs, link.there))
    return [
      `${keyPlace}: the column "${link.there}" of the table "${theirs.name}" is not unique, so there may be many; say toMany`,
    ]
  return field.writes ? unwritable(place, key, holder) : []
}

/** What is wrong with a column that keys refer to: it must tell rows apart, and all of them if links are to be made. */
function referenceMistakes(
  { place, column }: Mention,
  table: StoredTable,
  isLinked: boolean,
): string[] {
  const what = `the column "${column}" of the table "${table.name}"`
  if (!isUnique(table, column)) return [`${place}: ${what} is not unique`]
  return isLinked && table.columns.get(column)?.nullable
    ? [`${place}: ${what} may be null, and such a row cannot be linked; say access: "read-only"`]
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
): FormName | undefined {
  const reader = [id, ...fields.values()].find(
    (field) => field.is === 'attribute' && field.column === column,
  )
  const form = reader?.is === 'attribute' ? reader.kind.form : undefined
  return columnMistakes({ place: '', column, form }, table, dialect).length === 0 ? form : undefined
}

/** Where a relationship over a join table stands, and the forms of the ids on its two sides. */
interface Sides {
  readonly place: string
  readonly from: FormName | undefined
  readonly to: FormName | undefined
}

function joinMistakes(
  { link, writes }: Readonly<{ link: Link; writes: boolean }>,
  { place, ...forms }: Sides,
  catalog: Catalog,
): string[] {
  if (link.key !== 'between') return []
  const table = tableIn(catalog, link.table)
  if (table === undefined) return [noTable(`${place}.through.table`, link.table, catalog)]
  const { from, to } = link
  const sides: Mention[] = [
    { place: `${place}.through.from`, column: from, form: forms.from },
    { place: `${place}.through.to`, column: to, form: forms.to },
  ]
  const mistakes = sides.flatMap((side) => columnMistakes(side, table, catalog.dialect))
  if (mistakes.length > 0 || !writes) return mistakes
  if (table.is === 'view')
    return [`${place}.access: "${table.name}" is a view; say access: "read-only"`]
  return nobodyFills(table, [from, to]).map(
    (name) =>
      `${place}.through: a link cannot be added, since the column "${name}" of the table "${table.name}" has no default and must not be null; say access: "read-only"`,
  )
}
