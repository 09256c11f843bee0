import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import { formNamed } from '../model/forms.ts'
import { type RelationshipField, relationshipNamed, typeNamed } from '../model/model.ts'
import type { RowLayout } from '../plan/rows.ts'
import { isOwnKey } from './linkage.ts'
import {
  asKey,
  asText,
  columnAt,
  every,
  idOf,
  isLinkedFrom,
  isOfType,
  joinColumnAt,
  orderOf,
  storedValueAt,
  type Target,
  tableAt,
  tableName,
} from './tables.ts'

/** Writes what a layout reads from `t0`, in order: the id, then the values, then the linkages, and nothing else. */
export function compileSelect(layout: RowLayout, target: Target): Sql[] {
  const resource = typeNamed(target.model, layout.type)
  const values = layout.values.map((value) =>
    asText(storedValueAt(0, resource, value), value.form, target),
  )
  const linkages = layout.linkages.map(({ relationship, isTold }) =>
    isTold ? sql`null` : compileLinkage(relationshipNamed(resource, relationship), target),
  )
  return [idOf(resource, target), ...values, ...linkages]
}

/** A to-one's id or null; a to-many's ids as one text. */
function compileLinkage(field: RelationshipField, target: Target): Sql {
  const { link, many } = field
  const other = typeNamed(target.model, field.to)
  const here = columnAt(0, link.here)
  const { form } = other.id.kind
  if (isOwnKey(field, target.model)) return asKey(here, form, target)
  const from = tableAt(1, other.table)
  const where = every([isLinkedFrom(1, link, here), ...isOfType(1, other)])
  const id = columnAt(1, other.id.column)
  if (!many) return sql`(select ${asKey(id, form, target)} from ${from} where ${where})`
  const byScan = linkageByScan(field, target)
  if (byScan) return byScan
  return target.dialect.gatherIds(asText(id, form, target), orderOf(id, form, target), from, where)
}

/** A to-many's ids where no index finds them by the row's key; `undefined` where one does. */
function linkageByScan({ link, to }: RelationshipField, target: Target): Sql | undefined {
  const { dialect, isIndexed = () => true } = target
  const other = typeNamed(target.model, to)
  const { form } = other.id.kind
  const isFound =
    link.key === 'between' ? isIndexed(link.table, link.from) : isIndexed(other.table, link.there)
  if (isFound || dialect.gatherIdsByScan === undefined) return undefined
  const id = columnAt(1, other.id.column)
  const there = columnAt(1, link.there)
  const [key, from] =
    link.key === 'between'
      ? [
          joinColumnAt(1, link.from),
          sql`(select distinct ${sql.id(link.from)}, ${sql.id(link.to)} from ${tableName(link.table)}) as ${sql.id('j1')} join ${tableAt(1, other.table)} on ${there} = ${joinColumnAt(1, link.to)}`,
        ]
      : [there, tableAt(1, other.table)]
  return dialect.gatherIdsByScan(
    {
      id: asText(id, form, target),
      order: orderOf(id, form, target),
      key,
      from,
      where: every([sql`${key} is not null`, ...isOfType(1, other)]),
    },
    columnAt(0, link.here),
  )
}

/** Makes what turns a driver's row into one as its layout says, in place; `undefined` where they are the same. */
export function compileLoad(
  layout: RowLayout,
  dialect: Dialect,
): ((row: unknown[]) => void) | undefined {
  const values = layout.values.map(({ form }) => formNamed(form, dialect.name).load)
  const linkages = layout.linkages.map(({ many }) => (many ? gathered : undefined))
  const loads = [undefined, ...values, ...linkages].flatMap((load, at) => {
    return load ? [{ at, load }] : []
  })
  if (loads.length === 0) return undefined
  return (row) => {
    for (const { at, load } of loads) {
      const stored = row[at]
      if (stored === null) continue
      const value = load(stored)
      if (value !== stored) row[at] = value
    }
  }
}

/**
 * Ids are gathered into the text of a JSON array of strings. It is cut where they meet, unless something in it is escaped:
 * `JSON.parse` keeps every short text in a table of V8's, which grows with a long list and holds everybody up when it does.
 */
function gathered(ids: unknown): readonly string[] {
  const text = String(ids)
  if (text.length <= 2 || text.includes('\\')) return JSON.parse(text)
  // PostgreSQL writes a space after a comma, SQLite none.
  return text.slice(2, -2).split(text.includes('", "') ? '", "' : '","')
}
