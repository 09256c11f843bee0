import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// A writer beside the service, in a thread and on a connection of its own. Each of its transactions leaves the
// tables in a state that the snapshot tests know: one person owns every computer, and her gender says how many.

/** The file of the database, as the test that starts this thread hands it over. */
const file = String(workerData)

const database = new DatabaseSync(file, { timeout: 10_000 })
let stopped = false
parentPort?.once('message', () => {
  stopped = true
})

const persons = database
  .prepare('select id from person order by id')
  .all()
  .map(({ id }) => Number(id))
const give = database.prepare('update computer set person_id = ?')
const add = database.prepare('insert into computer (serial, person_id) values (?, ?)')
const takeAway = database.prepare('delete from computer where id = (select max(id) from computer)')
const forget = database.prepare('update person set gender = null')
const remember = database.prepare(
  'update person set gender = (select count(*) from computer where person_id = person.id) where id = ?',
)

for (let round = 0; !stopped; round++) {
  const owner = persons[round % persons.length] ?? 1
  database.exec('begin immediate')
  if (round % 2 === 0) add.run(`round ${round}`, owner)
  else takeAway.run()
  give.run(owner)
  forget.run()
  remember.run(owner)
  database.exec('commit')
  await pause(round % 7 === 0 ? 1 : 0)
  parentPort?.postMessage(round)
}
database.close()
parentPort?.close()
