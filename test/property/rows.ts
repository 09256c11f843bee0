/** What a stored field of a reference row holds; ids are whole numbers of any size. */
export type Value = string | bigint | null

/** A stored person, without the hidden `password`, which no request may tell apart. */
export type Person = Readonly<{
  id: bigint
  name: string
  email: string | null
  birth_date: string | null
  gender: string | null
}>

/** A stored computer; `person_id` is its owner, or null. */
export type Computer = Readonly<{ id: bigint; serial: string; person_id: bigint | null }>

/** A stored row of either type. */
export type Row = Person | Computer

/** The two resource types of the service. */
export type TypeName = 'person' | 'computer'

/** All rows that a reference answer is told from; ids are unique within each list. */
export interface Tables {
  readonly persons: readonly Person[]
  readonly computers: readonly Computer[]
}

/** What a field's values are, and so which operators it takes. */
export type Kind = 'text' | 'email' | 'date' | 'id' | 'relationship'

/** The fields a filter may name, with their kinds (SERVICE §2, §5). */
export const filterable = {
  person: {
    id: 'id',
    name: 'text',
    email: 'email',
    birth_date: 'date',
    gender: 'text',
    computers: 'relationship',
  },
  computer: { id: 'id', serial: 'text', owner: 'relationship' },
} as const satisfies Record<TypeName, Record<string, Kind>>

/** The one relationship that each type has, with the type it leads to and the operator that follows it. */
export const relationships = {
  person: { name: 'computers', type: 'computer', follow: 'any' },
  computer: { name: 'owner', type: 'person', follow: 'has' },
} as const satisfies Record<TypeName, { name: string; type: TypeName; follow: 'any' | 'has' }>

/** The kind of a type's filterable field; throws when there is none, for then the test itself is wrong. */
export function kindOf(type: TypeName, name: string): Kind {
  const kinds: Readonly<Record<string, Kind>> = filterable[type]
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`the reference knows no ${type}.${name}`)
  return kind
}

/** All rows of a type. */
export function rowsOf(tables: Tables, type: TypeName): readonly Row[] {
  return type === 'person' ? tables.persons : tables.computers
}

/** What a row holds under the name of an attribute, or of `id`. */
export function storedValue(row: Row, name: string): Value {
  const values: Readonly<Record<string, Value>> = row
  const value = values[name]
  if (value === undefined) throw new Error(`the reference row has no ${name}`)
  return value
}

/** The rows that a row is linked to: the computers of a person, or the owner of a computer. */
export function relatedRows(tables: Tables, row: Row): readonly Row[] {
  if ('person_id' in row) return tables.persons.filter((person) => person.id === row.person_id)
  return tables.computers.filter((computer) => computer.person_id === row.id)
}
