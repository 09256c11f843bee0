import * as fc from 'fast-check'
import type { TestService } from '../../service-suite.ts'
import { people } from '../people.ts'
import type { Data, Row } from '../schema.ts'
import { anyDate, anyEmail, anyText } from './random-texts.ts'

/** Persons and computers before they are stored. An owner is an index in the list of persons. */
interface UnstoredRows {
  readonly persons: readonly Readonly<{
    name: string
    email: string | null
    birth_date: string | null
    gender: string | null
  }>[]
  readonly computers: readonly Readonly<{ serial: string; owner: number | null }>[]
}

const sizes = { persons: 24, computers: 36 }

/** Rows that share texts, so that fields often equal, begin or contain other fields. */
export const anyUnstoredRows: fc.Arbitrary<UnstoredRows> = fc
  .array(fc.oneof({ weight: 4, arbitrary: anyText }, { weight: 1, arbitrary: anyEmail }), {
    minLength: 12,
    maxLength: 18,
  })
  .chain((pool) => {
    const shared = fc.constantFrom(...pool)
    const text = fc.oneof(
      shared,
      anyText,
      fc.tuple(shared, shared).map(([one, other]) => one + other),
    )
    const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
      fc.option(values, { freq: 3 })
    return fc.record({
      persons: fc.array(
        fc.record({
          name: text,
          email: maybe(anyEmail),
          birth_date: maybe(anyDate),
          gender: maybe(text),
        }),
        { minLength: sizes.persons, maxLength: sizes.persons },
      ),
      computers: fc.array(
        fc.record({
          serial: text,
          // A third of the persons own nothing.
          owner: maybe(fc.integer({ min: 0, max: Math.floor((sizes.persons * 2) / 3) })),
        }),
        { minLength: sizes.computers, maxLength: sizes.computers },
      ),
    })
  })

/** Stores rows over HTTP. @returns the rows with the ids that the service generated */
export async function store(app: TestService, unstored: UnstoredRows): Promise<Data> {
  const persons: Row[] = []
  for (const attributes of unstored.persons) {
    const { id } = await app.person(attributes)
    persons.push({ id: BigInt(id), ...attributes })
  }
  const computers: Row[] = []
  for (const { serial, owner } of unstored.computers) {
    const person = owner === null ? undefined : persons[owner]
    const identifier = person ? { type: 'person', id: String(person.id) } : null
    const { id } = await app.computer({ serial }, identifier)
    computers.push({ id: BigInt(id), serial, person_id: person?.id ?? null })
  }
  return { schema: people, tables: { person: persons, computer: computers } }
}
