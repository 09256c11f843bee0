import type { Page } from './documents.ts'

/** What a floor is asked for, and answers as the text of a document: at once, or later. */
export interface Floor {
  person(id: string): Told
  personWithComputers(id: string): Told
  /** A page of persons. */
  persons(list: PersonList, page: Page): Told
  /** A page of the computers of an owner. */
  computers(owner: string, page: Page): Told
  /** Makes a person. */
  create(attributes: PersonAttributes): Written
  rename(id: string, name: string): Told
  replaceComputers(id: string, computers: readonly string[]): Told
  close(): void | Promise<void>
}

/** A document. */
export type Told = string | Promise<string>

/** A document and the id of what it tells of. */
export type Written = readonly [string, string] | Promise<readonly [string, string]>

/** Which persons, in which order, and how they are told. */
export type PersonList =
  | Readonly<{ is: 'all' | 'included' | 'sparse' | 'sorted' }>
  | Readonly<{ is: 'contains' | 'anyCase' | 'owning'; value: string }>

/** What a person may be made of. */
export interface PersonAttributes {
  readonly name: string
  readonly email: string | null
  readonly birth_date: string | null
  readonly gender: string | null
}
