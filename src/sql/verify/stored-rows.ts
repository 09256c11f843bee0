import { quote, quoteNames } from '../../errors/quote.ts'
import { getResourceType, type Model } from '../../model/model.ts'
import type { DanglingKey, DatabaseFacts } from '../database-facts.ts'

/** Describes the rows that no response contains: a line for each type that has some. */
export function describeUnserved(model: Model, { rowsWithoutId }: DatabaseFacts): string[] {
  return [...rowsWithoutId].map(([type, { found }]) => {
    const { id, table } = getResourceType(model, type)
    const names = quoteNames(id.columns)
    const isSingle = id.columns.length === 1
    const verb = isSingle ? 'contains' : 'contain'
    const value = found === null ? 'null' : `${quote(found)}, which is not an id of ${type}`
    const key = `${isSingle ? 'the column' : 'the columns'} ${names} of "${table.name}"`
    return `${type}.id: ${key} ${verb} ${value}; such rows are left out of every response; correct or delete them`
  })
}

/** Describes the foreign keys that rows violate: a line for each relationship. */
export function describeDanglingKeys({ danglingKeys }: DatabaseFacts): string[] {
  return danglingKeys.map(describeDanglingKey)
}

function describeDanglingKey({ key: violated, value }: DanglingKey): string {
  const { field, resource, table, columns, to } = violated
  const [names, references] = [columns, violated.references].map((each) =>
    each.map((column) => `"${column}"`),
  )
  const list = names?.join(', ') ?? ''
  const name = `${list} of "${table.name}"`
  const cleared = names?.map((column) => `${column} = null`).join(', ')
  const key = columns.length === 1 ? list : `(${list})`
  const change =
    field.link.foreignKey === 'join table'
      ? `delete from "${table.name}"`
      : `update "${table.name}" set ${cleared}`
  const fix = `${change} where ${key} not in (select ${references?.join(', ')} from "${to.name}")`
  const consequence =
    field.link.foreignKey === 'own'
      ? 'linkage is looked up there for each row'
      : 'each request for related resources looks it up'
  return `${resource.type}.fields.${field.name}: the key ${quote(value)} in ${name} references no row of "${to.name}", so ${consequence}; to fix it: ${fix}`
}
