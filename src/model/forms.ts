import type { ColumnForm } from './column-form.ts'
import type { DialectName } from './dialect.ts'
import { postgresForms } from './postgres-forms.ts'
import { sqliteForms } from './sqlite-forms.ts'

/** The name of a form; several kinds may share one. Shapes carry it, so that the store knows what a column holds. */
export type FormName = keyof typeof sqliteForms

/** Every form in which values are kept, by database. */
export const forms: Readonly<Record<DialectName, Readonly<Record<FormName, ColumnForm>>>> = {
  sqlite: sqliteForms,
  postgres: postgresForms,
}

/** The form of that name in a database. */
export function formNamed(name: FormName, dialect: DialectName): ColumnForm {
  return forms[dialect][name]
}
