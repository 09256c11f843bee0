import { quote, quoteNames } from '../errors/quote.ts'
import type { ResourceType } from '../model/model.ts'
import type { Rows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'

/**
 * Checks that each row of a list has an id of its own; in a stream, of each batch.
 * @returns the rows
 * @throws Error that names the type, the id and the columns, which clients see as a bare 500
 */
export function checkIds(rows: Rows, resource: ResourceType): Rows {
  if (rows.is === 'complete') {
    checkBatch(rows.primary, resource)
    return rows
  }
  const { primary } = rows
  async function* checked(): AsyncGenerator<readonly Row[]> {
    for await (const batch of primary) {
      checkBatch(batch, resource)
      yield batch
    }
  }
  return { ...rows, primary: checked() }
}

function checkBatch(rows: readonly Row[], { type, id, table }: ResourceType): void {
  const known = new Set<unknown>()
  for (const [key] of rows) {
    if (key !== null && !known.has(key)) {
      known.add(key)
      continue
    }
    const first = Object.keys(table.call?.parameters ?? {}).length
    const columns = quoteNames(id.columns.slice(first))
    const problem = key === null ? 'a row without an id' : `several rows with the id ${quote(key)}`
    throw new Error(
      `${type}: the table function returns ${problem}, and each id must name one resource; declare other columns than ${columns} as its id`,
    )
  }
}
