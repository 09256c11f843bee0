import type { Page } from './documents.ts'

/** The requests that the baseline serves. Each gives the text of a document, synchronously or as a promise. */
export interface Baseline {
  getPerson(id: string): DocumentText
  getPersonWithComputers(id: string): DocumentText
  listPersons(list: PersonList, page: Page): DocumentText
  listComputers(ownerId: string, page: Page): DocumentText
  createPerson(attributes: PersonAttributes): CreatedPerson
  createPersons(attributes: readonly PersonAttributes[]): DocumentText
  renamePerson(id: string, name: string): DocumentText
  replaceComputers(id: string, computers: readonly string[]): DocumentText
  close(): void | Promise<void>
}

/** The methods of the baseline that write. */
export type WriteMethod = 'createPerson' | 'createPersons' | 'renamePerson' | 'replaceComputers'

/** The methods of the baseline that read. */
export type ReadMethod = Exclude<keyof Baseline, WriteMethod | 'close'>

/** The JSON text of a document. */
export type DocumentText = string | Promise<string>

/** The JSON text of a created person, and its id. */
type CreatedPerson = readonly [string, string] | Promise<readonly [string, string]>

/** Which persons a list contains, in which order, and with which fields. */
export type PersonList =
  | Readonly<{ is: 'all' | 'included' | 'sparse' | 'sorted' }>
  | Readonly<{ is: 'contains' | 'anyCase' | 'owning'; value: string }>

/** The attributes of a new person. */
export interface PersonAttributes {
  readonly name: string
  readonly email: string | null
  readonly birth_date: string | null
  readonly gender: string | null
}
