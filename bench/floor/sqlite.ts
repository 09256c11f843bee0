import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
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

const columns = 'id, name, birth_date, gender, email'

/** How persons are searched for; texts of ASCII alone are folded by SQLite itself. */
const conditions = {
  contains: 'instr(name, ?1) > 0',
  anyCase:
    'iif(octet_length(name) = length(name), instr(upper(name), ?1), instr(fold(name), ?1)) > 0',
  owning:
    'exists (select 1 from computer where person_id = person.id and substr(serial, 1, length(?1)) = ?1)',
} as const

/** The floor on SQLite: every statement prepared at the start, and no more statements than a document needs. */
export function sqliteFloor(path: string): Floor {
  const database = new DatabaseSync(path)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000; pragma foreign_keys = on',
  )
  database.function('fold', { deterministic: true }, (text) => fold(String(text)))
  const reads = preparedReads(database)
  return { ...reads, ...preparedWrites(database), close: () => database.close() }
}

type Reads = 'person' | 'personWithComputers' | 'persons' | 'computers'

function preparedReads(database: DatabaseSync): Pick<Floor, Reads> {
  const prepare = <Row>(sql: string) => rowsOf<Row>(database, sql)
  const page = (where: string, order: string) =>
    prepare<Person>(`select ${columns} from person ${where} order by ${order} limit 30 offset ?`)
  const all = page('', 'id')
  const sorted = page('', 'birth_date desc nulls first, name, id')
  const count = prepare<Count>('select count(*) from person')
  const search = (is: keyof typeof conditions) => ({
    rows: page(`where ${conditions[is]}`, 'id'),
    count: prepare<Count>(`select count(*) from person where ${conditions[is]}`),
  })
  const searches = {
    contains: search('contains'),
    anyCase: search('anyCase'),
    owning: search('owning'),
  }
  const one = prepare<Person>(`select ${columns} from person where id = ?`)
  const ofOne = prepare<Computer>('select id, serial from computer where person_id = ? order by id')
  const ofMany = prepare<Computer>(
    'select id, serial, person_id from computer where person_id in (select value from json_each(?)) order by id',
  )
  const computers = prepare<Computer>(
    'select id, serial from computer where person_id = ? order by id limit 30 offset ?',
  )
  const computerCount = prepare<Count>('select count(*) from computer where person_id = ?')

  const select = (list: PersonList, offset: number): readonly [Person[], Count[]] => {
    if (!('value' in list)) return [(list.is === 'sorted' ? sorted : all)(offset), count()]
    const { rows, count: matches } = searches[list.is]
    const value = list.is === 'anyCase' ? fold(list.value) : list.value
    return [rows(value, offset), matches(value)]
  }
  return {
    person: (id) => personDocument(first(one(id))),
    personWithComputers: (id) => personWithComputers(first(one(id)), ofOne(id)),
    persons: (list, page) => {
      const [rows, counted] = select(list, (page.number - 1) * 30)
      const [total] = first(counted)
      if (list.is === 'sparse') return sparseDocument(rows, total, page)
      if (list.is !== 'included') return personsDocument(rows, undefined, total, page)
      return personsDocument(rows, ofMany(`[${rows.map(([id]) => id).join(',')}]`), total, page)
    },
    computers: (owner, page) => {
      const rows = computers(owner, (page.number - 1) * 30)
      return computersDocument(rows, first(computerCount(owner))[0], page)
    },
  }
}

type Writes = 'create' | 'rename' | 'replaceComputers'

function preparedWrites(database: DatabaseSync): Pick<Floor, Writes> {
  const insert = rowsOf<readonly [id: number]>(
    database,
    'insert into person (name, email, birth_date, gender) values (?, ?, ?, ?) returning id',
  )
  const rename = rowsOf<Person>(
    database,
    `update person set name = ? where id = ? returning ${columns}`,
  )
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const release = database.prepare(
    'update computer set person_id = null where person_id = ? and id not in (select value from json_each(?))',
  )
  const link = database.prepare(
    'update computer set person_id = ? where id in (select value from json_each(?))',
  )
  return {
    create: ({ name, email, birth_date, gender }) => {
      const [id] = first(insert(name, email, birth_date, gender))
      return [personDocument([id, name, birth_date, gender, email]), String(id)]
    },
    rename: (id, name) => personDocument(first(rename(name, id))),
    replaceComputers: (id, computers) => {
      const ids = `[${computers.join(',')}]`
      begin.run()
      release.run(id, ids)
      link.run(id, ids)
      commit.run()
      return updated
    },
  }
}

type Count = readonly [count: number]

/** Prepares a statement; it gives all of its rows. */
function rowsOf<Row>(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  // With `setReturnArrays`, rows are arrays, of the columns that the statement selects; Node's types know only of objects.
  return (...values) => statement.all(...values) as unknown as Row[]
}

function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The floor is asked only for what is there.')
  return row
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}
