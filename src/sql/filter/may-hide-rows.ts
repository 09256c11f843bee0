import type { ResourceType, Table } from '../../model/model.ts'
import { listTables } from '../database-facts.ts'
import type { ReadHooks } from '../store.ts'
import type { Target } from '../tables.ts'

/**
 * Whether rows of the tables may be hidden from a request: by access rules, hooks, a tenant, the session, policies of the database, or
 * the scopes of all types of a table. Then an explanation tells nothing that depends on their number: neither what a plan has read and
 * removed, nor what it estimates.
 * @param target - with the rules of the request
 */
export function mayHideRows(
  { model, access, facts }: Target,
  hooks: ReadHooks | undefined,
): boolean {
  const types = [...model.types.values()]
  const isServedWhole = ({ schema, name }: Table) =>
    types.some((type) => {
      const { table } = type
      return table.schema === schema && table.name === name && !isNarrow(type)
    })
  const restrictions = [access, hooks, model.access?.tenant, model.session, model.begin]
  return (
    restrictions.some((each) => each !== undefined) ||
    listTables(model).some(facts.mayHide) ||
    types.some(({ table }) => !isServedWhole(table))
  )
}

/** Whether a type is declared to leave rows of its table out. */
function isNarrow({ hasDeclaredScope, softDelete }: ResourceType): boolean {
  return hasDeclaredScope || softDelete !== undefined
}
