import type { ColumnForm } from './column-codec.ts'
import type { DialectName } from './dialect.ts'
import { postgresForms } from './postgres-codecs.ts'
import { sqliteForms } from './sqlite-codecs.ts'

/** The name of a form; several kinds may share one. Shapes carry it, so that the store knows what a column holds. */
export type FormName = keyof typeof sqliteForms

/** Every form in which values are kept, by database. */
export const forms: Readonly<Record<DialectName, Readonly<Record<FormName, ColumnForm>>>> = {
  sqlite: sqliteForms,
  postgres: postgresForms,
}

/** Forms that are read as texts in which JSON has nothing to escape, whatever stands in the table. */
const plain = new Set<FormName>(['date', 'datetime', 'time', 'uuid', 'bytes'])

/** Whether what is read of a form is a text that only needs quotation marks to be JSON. */
export function isPlain(form: FormName): boolean {
  return plain.has(form)
}

/** Whether there is a form of that name. */
export function isForm(name: unknown): name is FormName {
  return typeof name === 'string' && Object.hasOwn(sqliteForms, name)
}

/** The form of that name in a database. */
export function formNamed(name: FormName, dialect: DialectName): ColumnForm {
  return forms[dialect][name]
}

/** Whether a column declared with a type, which may be empty, keeps every value of a kind unchanged. */
export function keeps(
  columnType: string,
  { form }: Readonly<{ form: FormName }>,
  dialect: DialectName,
): boolean {
  return formNamed(form, dialect).suits(columnType)
}
