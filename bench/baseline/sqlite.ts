import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Baseline, PersonList, ReadMethod, WriteMethod } from './baseline.ts'
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

const columns = 'id, name, birth_date, gender, email'

/** The conditions of searches. SQLite folds ASCII texts without a call of the function `fold`. */
const conditions = {
  contains: 'instr(name, ?1) > 0',
  anyCase:
    'iif(octet_length(name) = length(name), instr(upper(name), ?1), instr(fold(name), ?1)) > 0',
  owning:
    'exists (select 1 from computer where person_id = person.id and substr(serial, 1, length(?1)) = ?1)',
} as const

/** Opens the baseline on SQLite. It prepares all statements at the start and runs only those that a document needs. */
export function openSqliteBaseline(path: string): Baseline {
  const database = new DatabaseSync(path)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000; pragma foreign_keys = on',
  )
  database.function('fold', { deterministic: true }, (text) => fold(String(text)))
  const reads = prepareReads(database)
  return { ...reads, ...prepareWrites(database), close: () => database.close() }
}

function prepareReads(database: DatabaseSync): Pick<Baseline, ReadMethod> {
  const prepare = <Row>(sql: string) => prepareStatement<Row>(database, sql)
  const page = (where: string, order: string) =>
    prepare<PersonRow>(`select ${columns} from person ${where} order by ${order} limit 30 offset ?`)
  const unfiltered = page('', 'id')
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
  const person = prepare<PersonRow>(`select ${columns} from person where id = ?`)
  const computersOfPerson = prepare<ComputerRow>(
    'select id, serial from computer where person_id = ? order by id',
  )
  const computersOfPersons = prepare<ComputerRow>(
    'select id, serial, person_id from computer where person_id in (select value from json_each(?)) order by id',
  )
  const computers = prepare<ComputerRow>(
    'select id, serial from computer where person_id = ? order by id limit 30 offset ?',
  )
  const computerCount = prepare<Count>('select count(*) from computer where person_id = ?')

  const select = (list: PersonList, offset: number): readonly [PersonRow[], Count[]] => {
    if (!('value' in list)) return [(list.is === 'sorted' ? sorted : unfiltered)(offset), count()]
    const { rows, count: matches } = searches[list.is]
    const value = list.is === 'anyCase' ? fold(list.value) : list.value
    return [rows(value, offset), matches(value)]
  }
  return {
    getPerson: (id) => serializePerson(first(person(id))),
    getPersonWithComputers: (id) =>
      serializePersonWithComputers(first(person(id)), computersOfPerson(id)),
    listPersons: (list, page) => {
      const [rows, counts] = select(list, (page.number - 1) * 30)
      const [total] = first(counts)
      if (list.is === 'sparse') return serializeSparsePersons(rows, total, page)
      if (list.is !== 'included') return serializePersons(rows, undefined, total, page)
      return serializePersons(
        rows,
        computersOfPersons(`[${rows.map(([id]) => id).join(',')}]`),
        total,
        page,
      )
    },
    listComputers: (owner, page) => {
      const rows = computers(owner, (page.number - 1) * 30)
      return serializeComputers(rows, first(computerCount(owner))[0], page)
    },
  }
}

function prepareWrites(database: DatabaseSync): Pick<Baseline, WriteMethod> {
  const insert = prepareStatement<readonly [id: number]>(
    database,
    'insert into person (name, email, birth_date, gender) values (?, ?, ?, ?) returning id',
  )
  const insertMany = prepareStatement<PersonRow>(
    database,
    `insert into person (name, email, birth_date, gender)
     values ${Array.from({ length: 100 }, () => '(?, ?, ?, ?)').join()} returning ${columns}`,
  )
  const update = prepareStatement<PersonRow>(
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
    createPerson: ({ name, email, birth_date, gender }) => {
      const [id] = first(insert(name, email, birth_date, gender))
      return [serializePerson([id, name, birth_date, gender, email]), String(id)]
    },
    // Every batch of the benchmark has a hundred.
    createPersons: (persons) =>
      serializeResults(
        insertMany(
          ...persons.flatMap(({ name, email, birth_date, gender }) => [
            ...[name, email, birth_date, gender],
          ]),
        ),
      ),
    renamePerson: (id, name) => serializePerson(first(update(name, id))),
    replaceComputers: (id, computers) => {
      const ids = `[${computers.join(',')}]`
      begin.run()
      release.run(id, ids)
      link.run(id, ids)
      commit.run()
      return relationshipUpdated
    },
  }
}

type Count = readonly [count: number]

/** Prepares a statement that returns its rows as arrays. */
function prepareStatement<Row>(
  database: DatabaseSync,
  sql: string,
): (...values: SQLInputValue[]) => Row[] {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  // After `setReturnArrays` the rows are arrays of the selected columns; Node's types have only objects.
  return (...values) => statement.all(...values) as unknown as Row[]
}

function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The baseline supports only requests for existing rows.')
  return row
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}
