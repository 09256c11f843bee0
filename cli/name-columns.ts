import type { StoredColumn, StoredTable } from 'lapidary'
import { parseName } from './name.ts'

/** The last words of columns with the names of other columns or of settings. */
const nameWords = new Set(
  'key keys name field column attribute attr property prop setting option param parameter variable k'.split(
    ' ',
  ),
)
/** The last words of columns with the values beside such a name. */
const valueWords = new Set('value values val vals v old new before after'.split(' '))
/** Words of tables whose values are texts for readers, also of the key `login.password`. */
const textWords = new Set('translation translations i18n l10n locale locales dictionary'.split(' '))

const lastWord = ({ name }: StoredColumn) => parseName(name).words.at(-1) ?? ''

/** Lists the columns whose texts may be the names of the values beside them. */
export function listNameColumns({
  name,
  columns,
}: Pick<StoredTable, 'name' | 'columns'>): StoredColumn[] {
  const all = [...columns.values()]
  const isOfTexts = parseName(name).words.some((word) => textWords.has(word))
  if (isOfTexts || listValueColumns({ columns }).length === 0) return []
  return all.filter((column) => nameWords.has(lastWord(column)))
}

/** Lists the columns with the values of which such a column has the names. */
export function listValueColumns({ columns }: Pick<StoredTable, 'columns'>): StoredColumn[] {
  return [...columns.values()].filter((column) => valueWords.has(lastWord(column)))
}
