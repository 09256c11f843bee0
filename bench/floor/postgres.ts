import pg, { type Pool } from 'pg'
import {
  type Computer,
  computersDocument,
  type Person,
  personDocument,
  personsDocument,
  personWithComputers,
  sparseDocument,
  updated,
} from './documents.ts'
import type { Floor, PersonList } from './tables.ts'

const columns = 'id, name, birth_date::text, gender, email'
const owned =
  '(select json_agg(json_build_array(id, serial, person_id::text) order by id) from computer where person_id = person.id)'
const fold = (text: string) => `upper(lower(${text} collate pg_unicode_fast))`

/** How persons are searched for. */
const conditions = {
  contains: 'strpos(name, $2) > 0',
  anyCase: `strpos(${fold('name')}, ${fold('$2')}) > 0`,
  owning: 'exists (select 1 from computer where person_id = person.id and starts_with(serial, $2))',
} as const

/** The floor on PostgreSQL: named statements, rows as arrays, one round trip for each document. */
export function postgresFloor(url: string): Floor {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  return { ...preparedReads(pool), ...preparedWrites(pool), close: () => pool.end() }
}

type Reads = 'person' | 'personWithComputers' | 'persons' | 'computers'

function preparedReads(pool: Pool): Pick<Floor, Reads> {
  const page = (where: string, order = 'id') => {
    const count = `(select count(*) from person ${where})`
    const rows = `select ${columns}, ${count} from person ${where} order by ${order}`
    return rowsOf<CountedPerson>(pool, `${rows} limit 30 offset $1`)
  }
  const pages = { all: page(''), sorted: page('', 'birth_date desc nulls first, name, id') }
  const searches = {
    contains: page(`where ${conditions.contains}`),
    anyCase: page(`where ${conditions.anyCase}`),
    owning: page(`where ${conditions.owning}`),
  }
  const one = rowsOf<Person>(pool, `select ${columns} from person where id = $1`)
  const owner = rowsOf<Owner>(pool, `select ${columns}, ${owned}, 1 from person where id = $1`)
  const owners = rowsOf<Owner>(
    pool,
    `select ${columns}, ${owned}, (select count(*) from person) from person order by id limit 30 offset $1`,
  )
  const ofOwner = rowsOf<CountedComputer>(
    pool,
    `select id, serial, person_id, (select count(*) from computer where person_id = $2)
     from computer where person_id = $2 order by id limit 30 offset $1`,
  )
  const select = (list: PersonList, offset: number): Promise<CountedPerson[]> => {
    if ('value' in list) return searches[list.is](offset, list.value)
    return (list.is === 'sorted' ? pages.sorted : pages.all)(offset)
  }
  return {
    person: async (id) => personDocument(first(await one(id))),
    personWithComputers: async (id) => {
      const row = first(await owner(id))
      return personWithComputers(row, row[5] ?? [])
    },
    persons: async (list, page) => {
      const offset = (page.number - 1) * 30
      if (list.is === 'included') {
        const rows = await owners(offset)
        const computers = rows.flatMap((row) => row[5] ?? [])
        computers.sort(([left], [right]) => Number(left) - Number(right))
        return personsDocument(rows, computers, Number(first(rows)[6]), page)
      }
      const rows = await select(list, offset)
      // Nobody asks for a page past the end, so no rows means that nothing matches.
      const total = Number(rows[0]?.[5] ?? 0)
      if (list.is === 'sparse') return sparseDocument(rows, total, page)
      return personsDocument(rows, undefined, total, page)
    },
    computers: async (id, page) => {
      const rows = await ofOwner((page.number - 1) * 30, id)
      return computersDocument(rows, Number(rows[0]?.[3] ?? 0), page)
    },
  }
}

type Writes = 'create' | 'rename' | 'replaceComputers'

function preparedWrites(pool: Pool): Pick<Floor, Writes> {
  const insert = rowsOf<readonly [id: string]>(
    pool,
    'insert into person (name, email, birth_date, gender) values ($1, $2, $3, $4) returning id',
  )
  const rename = rowsOf<Person>(
    pool,
    `update person set name = $1 where id = $2 returning ${columns}`,
  )
  // One statement is all or nothing.
  const replace = rowsOf(
    pool,
    `with released as (update computer set person_id = null where person_id = $1 and id <> all($2::bigint[]))
     update computer set person_id = $1 where id = any($2::bigint[])`,
  )
  return {
    create: async ({ name, email, birth_date, gender }) => {
      const [id] = first(await insert(name, email, birth_date, gender))
      return [personDocument([id, name, birth_date, gender, email]), id]
    },
    rename: async (id, name) => personDocument(first(await rename(name, id))),
    replaceComputers: async (id, computers) => {
      await untilNoDeadlock(() => replace(id, `{${computers.join(',')}}`))
      return updated
    },
  }
}

/** Two that write to the same rows may wait for each other; the server ends one of them, which goes again. */
async function untilNoDeadlock(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '40P01') throw error
    }
  }
}

/** A person with her computers and a count; a person with a count; a computer with a count. */
type Owner = readonly [...Five, computers: readonly Computer[] | null, count: string]
type CountedPerson = readonly [...Five, count: string]
type CountedComputer = readonly [id: string, serial: string, owner: string, count: string]
type Five = readonly [
  id: string,
  name: string,
  birthDate: string | null,
  gender: string | null,
  email: string | null,
]

let named = 0

/** Names a statement, which each connection prepares once; it gives all of its rows. */
function rowsOf<Row>(pool: Pool, text: string): (...values: unknown[]) => Promise<Row[]> {
  named += 1
  const name = `floor_${named}`
  return async (...values) => {
    const { rows } = await pool.query({ name, text, values, rowMode: 'array' })
    // The rows are of the columns that the statement selects.
    return rows as Row[]
  }
}

function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The floor is asked only for what is there.')
  return row
}
