import type { StoredColumn, StoredTable, TableSample } from 'lapidary'
import { constant } from './fallback-kinds.ts'
import { looksSecret } from './looks-secret.ts'
import { listNameColumns, listValueColumns } from './name-columns.ts'

// Rows that repeat what other columns contain: the audit of a table, whose rows are objects or have the name of a column beside its old and
// new value, and tables of settings. Names are judged as those of columns of the same table.

/** Finds the columns with objects that have a secret as a member, and those with the values of secrets whose names are beside them. */
export function findStoredSecrets(
  table: StoredTable,
  sample: TableSample | undefined,
): readonly StoredColumn[] {
  const isSecretName = (name: string, isNumber: boolean) =>
    looksSecret({
      column: { name, type: '', nullable: true, hasDefault: false, writable: false },
      kind: isNumber ? constant('integer') : undefined,
      table: { name: table.name, columns: new Map() },
    })
  const hasSecretMember = ({ name }: StoredColumn) =>
    sample?.columns.get(name)?.members?.some((each) => isSecretName(each.name, each.isNumber)) ??
    false
  const namesSecret = listNameColumns(table).some(({ name }) =>
    sample?.columns.get(name)?.names?.some((each) => isSecretName(each, false)),
  )
  return [
    ...[...table.columns.values()].filter(hasSecretMember),
    ...(namesSecret ? listValueColumns(table) : []),
  ]
}
