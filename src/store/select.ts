import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import { formNamed } from '../model/forms.ts'
import { type Model, relationshipOf, typeNamed } from '../model/model.ts'
import type { RowLayout } from '../plan/rows.ts'
import { columnAt, tableAt } from './filter.ts'

/** The expression that reads an id as text: ids never pass through a float. */
export function idText(column: Sql, dialect: Dialect): Sql {
  return formNamed('id', dialect.name).select?.(column) ?? column
}

/** Writes what a layout reads from `t0`: the id, then the columns, then the linkages, and nothing else. */
export function compileSelect(layout: RowLayout, model: Model, dialect: Dialect): Sql {
  const resource = typeNamed(model, layout.type)
  const columns = layout.columns.map(({ column, form }) => {
    const here = columnAt(0, column)
    return formNamed(form, dialect.name).select?.(here) ?? here
  })
  const linkages = layout.linkages.map(({ relationship, many }) => {
    const field = relationshipOf(resource, relationship)
    if (field === undefined) throw new Error(`${layout.type} has no relationship ${relationship}.`)
    const { here, there } = field.link
    if (!many) return idText(columnAt(0, here), dialect)
    const target = typeNamed(model, field.to)
    const id = columnAt(1, target.id.column)
    const where = sql`${columnAt(1, there)} = ${columnAt(0, here)}`
    return dialect.gatherIds(idText(id, dialect), id, tableAt(1, target.table), where)
  })
  return sql.join(
    [idText(columnAt(0, resource.id.column), dialect), ...columns, ...linkages],
    sql.raw(', '),
  )
}

/** Makes what turns a driver's row of the layout into the kinds' values, in place; `undefined` where they are the same. */
export function compileLoad(
  layout: RowLayout,
  dialect: Dialect,
): ((row: unknown[]) => void) | undefined {
  const loads = layout.columns.flatMap(({ form: name }, index) => {
    const form = formNamed(name, dialect.name)
    return form.load ? [{ at: index + 1, form }] : []
  })
  if (loads.length === 0) return undefined
  return (row) => {
    for (const { at, form } of loads) {
      if (row[at] !== null) row[at] = form.load?.(row[at])
    }
  }
}
