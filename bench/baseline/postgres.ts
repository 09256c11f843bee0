import pg, { type Pool } from 'pg'
import type { Baseline, PersonAttributes, PersonList, ReadMethod, WriteMethod } from './baseline.ts'
import {
  type ComputerRow,
  type PersonRow,
  relationshipUpdated,
  serializeComputers,
  serializePerson,
  serializePersons,
  serializePersonWithComputers,
  serializeResults,
  serializeSparsePersons,
} from './documents.ts'

const columns = 'id, name, birth_date::text, gender, email'
const computersAsJson =
  '(select json_agg(json_build_array(id, serial, person_id::text) order by id) from computer where person_id = person.id)'
const fold = (text: string) => `upper(lower(${text} collate pg_unicode_fast))`

/** The conditions of searches. */
const conditions = {
  contains: 'strpos(name, $2) > 0',
  anyCase: `strpos(${fold('name')}, ${fold('$2')}) > 0`,
  owning: 'exists (select 1 from computer where person_id = person.id and starts_with(serial, $2))',
} as const

/** Opens the baseline on PostgreSQL. It uses named statements, rows as arrays, and one round trip for each document. */
export function openPostgresBaseline(url: string): Baseline {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const prepare = createPrepare(pool)
  return { ...prepareReads(prepare), ...prepareWrites(prepare), close: () => pool.end() }
}

function prepareReads(prepare: Prepare): Pick<Baseline, ReadMethod> {
  const page = (where: string, order = 'id') => {
    const count = `(select count(*) from person ${where})`
    const rows = `select ${columns}, ${count} from person ${where} order by ${order}`
    return prepare<CountedPerson>(`${rows} limit 30 offset $1`)
  }
  const pages = { unfiltered: page(''), sorted: page('', 'birth_date desc nulls first, name, id') }
  const searches = {
    contains: page(`where ${conditions.contains}`),
    anyCase: page(`where ${conditions.anyCase}`),
    owning: page(`where ${conditions.owning}`),
  }
  const person = prepare<PersonRow>(`select ${columns} from person where id = $1`)
  const personWithComputers = prepare<OwnerRow>(
    `select ${columns}, ${computersAsJson}, 1 from person where id = $1`,
  )
  const personsWithComputers = prepare<OwnerRow>(
    `select ${columns}, ${computersAsJson}, (select count(*) from person) from person order by id limit 30 offset $1`,
  )
  const computers = prepare<CountedComputer>(
    `select id, serial, person_id, (select count(*) from computer where person_id = $2)
     from computer where person_id = $2 order by id limit 30 offset $1`,
  )
  const select = (list: PersonList, offset: number): Promise<CountedPerson[]> => {
    if ('value' in list) return searches[list.is](offset, list.value)
    return (list.is === 'sorted' ? pages.sorted : pages.unfiltered)(offset)
  }
  return {
    getPerson: async (id) => serializePerson(first(await person(id))),
    getPersonWithComputers: async (id) => {
      const row = first(await personWithComputers(id))
      return serializePersonWithComputers(row, row[5] ?? [])
    },
    listPersons: async (list, page) => {
      const offset = (page.number - 1) * 30
      if (list.is === 'included') {
        const rows = await personsWithComputers(offset)
        const included = rows.flatMap((row) => row[5] ?? [])
        included.sort(([left], [right]) => Number(left) - Number(right))
        return serializePersons(rows, included, Number(first(rows)[6]), page)
      }
      const rows = await select(list, offset)
      // No request is for a page past the end, so no rows means no match.
      const total = Number(rows[0]?.[5] ?? 0)
      if (list.is === 'sparse') return serializeSparsePersons(rows, total, page)
      return serializePersons(rows, undefined, total, page)
    },
    listComputers: async (ownerId, page) => {
      const rows = await computers((page.number - 1) * 30, ownerId)
      return serializeComputers(rows, Number(rows[0]?.[3] ?? 0), page)
    },
  }
}

function prepareWrites(prepare: Prepare): Pick<Baseline, WriteMethod> {
  const insert = prepare<readonly [id: string]>(
    'insert into person (name, email, birth_date, gender) values ($1, $2, $3, $4) returning id',
  )
  const insertMany = prepare<PersonRow>(
    `insert into person (name, email, birth_date, gender)
     select * from unnest($1::text[], $2::text[], $3::date[], $4::text[]) returning ${columns}`,
  )
  const update = prepare<PersonRow>(
    `update person set name = $1 where id = $2 returning ${columns}`,
  )
  // A statement is atomic.
  const replace = prepare(
    `with released as (update computer set person_id = null where person_id = $1 and id <> all($2::bigint[]))
     update computer set person_id = $1 where id = any($2::bigint[])`,
  )
  return {
    createPerson: async ({ name, email, birth_date, gender }) => {
      const [id] = first(await insert(name, email, birth_date, gender))
      return [serializePerson([id, name, birth_date, gender, email]), id]
    },
    createPersons: async (persons) => {
      const column = (name: keyof PersonAttributes) => persons.map((person) => person[name])
      const lists = [column('name'), column('email'), column('birth_date'), column('gender')]
      return serializeResults(await insertMany(...lists))
    },
    renamePerson: async (id, name) => serializePerson(first(await update(name, id))),
    replaceComputers: async (id, computers) => {
      await retryAfterDeadlock(() => replace(id, `{${computers.join(',')}}`))
      return relationshipUpdated
    },
  }
}

/** Repeats a write that PostgreSQL aborts because of a deadlock with another write to the same rows. */
async function retryAfterDeadlock(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '40P01') throw error
    }
  }
}

/** A person with all computers and a count. */
type OwnerRow = readonly [...PersonColumns, computers: readonly ComputerRow[] | null, count: string]
/** A person with a count. */
type CountedPerson = readonly [...PersonColumns, count: string]
/** A computer with a count. */
type CountedComputer = readonly [id: string, serial: string, owner: string, count: string]
type PersonColumns = readonly [
  id: string,
  name: string,
  birthDate: string | null,
  gender: string | null,
  email: string | null,
]

/** Defines a named statement, which each connection prepares once. */
type Prepare = <Row>(text: string) => (...values: unknown[]) => Promise<Row[]>

function createPrepare(pool: Pool): Prepare {
  let statements = 0
  return <Row>(text: string) => {
    statements += 1
    const name = `baseline_${statements}`
    return async (...values: unknown[]) => {
      const { rows } = await pool.query({ name, text, values, rowMode: 'array' })
      // The rows have the columns that the statement selects.
      return rows as Row[]
    }
  }
}

function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The baseline supports only requests for existing rows.')
  return row
}
