import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { connectToDatabase } from './direct-database.ts'

// A thread that writes on a connection of its own. Each of its transactions leaves the
// tables in a state that the snapshot tests check: one person owns all computers, and has their number as gender.

/** The address of the database comes from the test that starts this thread. */
const database = await connectToDatabase(String(workerData))
let stopped = false
parentPort?.once('message', () => {
  stopped = true
})

const persons = (await database.run('select id from person order by id')).map(({ id }) =>
  Number(id),
)

for (let round = 0; !stopped; round++) {
  const owner = persons[round % persons.length] ?? 1
  await database.run('begin')
  if (round % 2 === 0)
    await database.run(
      `insert into computer (serial, person_id) values ('round ${round}', ${owner})`,
    )
  else await database.run('delete from computer where id = (select max(id) from computer)')
  await database.run(`update computer set person_id = ${owner}`)
  await database.run('update person set gender = null')
  const [row] = await database.run(
    `select count(*) as machines from computer where person_id = ${owner}`,
  )
  await database.run(`update person set gender = '${row?.machines}' where id = ${owner}`)
  await database.run('commit')
  await pause(round % 7 === 0 ? 1 : 0)
  parentPort?.postMessage(round)
}
await database.close()
parentPort?.close()
