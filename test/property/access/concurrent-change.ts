import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { isOnCitus } from '../../databases.ts'
import type { Random } from './random.ts'
import { type Reference, summarize } from './reference.ts'
import { idColumns, type Type, types, words } from './schema.ts'
import type { Data, Thing } from './things.ts'

// Another connection to PostgreSQL changes a row while a write is sent: it holds the lock of the row until the write waits for it, or
// has ended. A write that has waited must be answered as one that follows the change, any other as one that precedes it.

/** A change of one row, which gives rights to it or takes them. */
interface Change {
  readonly type: Type
  readonly id: string
  readonly set: Pick<Thing, 'name' | 'rank'>
}

/**
 * Draws a change that changes the rights of an identity to a row that it may read, and to no other row.
 * @param both - the rows of the two databases, between which the identity sees no difference, neither before the change nor afterwards
 * @param path - that of the write: most changes are of its row
 * @returns `undefined` if none was found
 */
export function drawChange(
  both: readonly [Data, Data],
  reference: Reference,
  path: string,
  random: Random,
): Change | undefined {
  const [, named, namedId = ''] = path.split('?')[0]?.split('/') ?? []
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const isNamed = random.chance(0.7)
    const type = (isNamed && types.find((each) => each === named)) || random.pick(types)
    const ids = [...both[0].things[type].keys()].filter((id) => both[1].things[type].has(id))
    if (ids.length === 0) continue
    const id = isNamed && ids.includes(namedId) ? namedId : random.pick(ids)
    const change = { type, id, set: { name: random.pick(words), rank: random.int(5) } }
    if (both.every((data) => isOfRow(change, data, reference)) && areAlike(change, both, reference))
      return change
  }
  return undefined
}

/** Whether the identity may read the row, and a change changes its rights to the row and to no other. */
function isOfRow(change: Change, data: Data, reference: Reference): boolean {
  const row = data.things[change.type].get(change.id)
  if (row === undefined || !reference.canRead(change.type, row, data)) return false
  const changed = applyChange(change, data)
  return types.every((type) =>
    [...data.things[type]].every(([id, thing]) => {
      const resultsIn = (of: Data) =>
        JSON.stringify(reference.results(type, of.things[type].get(id) ?? thing, of))
      const isSame = resultsIn(data) === resultsIn(changed)
      return isSame !== (type === change.type && id === change.id)
    }),
  )
}

/** Whether the identity sees no difference between two databases, before a change and afterwards. */
function areAlike(change: Change, both: readonly [Data, Data], reference: Reference): boolean {
  const [one, other] = both.map((data) =>
    [data, applyChange(change, data)].map((of) => summarize(reference, of)).join(),
  )
  return one === other
}

/** Returns data after a change. */
export function applyChange({ type, id, set }: Change, { things, fans }: Data): Data {
  const rows = new Map(things[type])
  const row = rows.get(id)
  if (row !== undefined) rows.set(id, { ...row, ...set })
  return { things: { ...things, [type]: rows }, fans }
}

/** Returns data without a change. @param before - the data before it */
export function undoChange(change: Change, before: Data, data: Data): Data {
  const row = before.things[change.type].get(change.id)
  return row === undefined
    ? data
    : applyChange({ ...change, set: { name: row.name, rank: row.rank } }, data)
}

/** Another connection to each of the two databases. */
type OtherWriters = readonly [OtherWriter, OtherWriter]

/**
 * Sends a write to two databases, and makes the same change in both: in the first one while the write runs, in the other before or after
 * it, as the first write has waited or not.
 * @param sends - send the write to each of them
 */
export async function sendDuring(
  change: Change,
  [writer, otherWriter]: OtherWriters,
  [send, sendOther]: readonly [() => Promise<string>, () => Promise<string>],
): Promise<Readonly<{ responses: readonly string[]; hasWaited: boolean }>> {
  await writer.hold(change)
  const sent = send()
  const hasWaited = await writer.isWaitedFor(sent)
  const makeOther = async () => {
    await otherWriter.hold(change)
    await otherWriter.commit()
  }
  await writer.commit()
  if (hasWaited) await makeOther()
  const responses = [await sent, await sendOther()]
  if (!hasWaited) await makeOther()
  return { responses, hasWaited }
}

/** A connection that makes changes. */
export class OtherWriter {
  readonly #client: Client
  #isConnected = false
  /** How many requests have waited for its locks. */
  waits = 0

  constructor(url: string) {
    this.#client = new Client(url)
  }

  /** Makes a change and holds its lock. */
  async hold({ type, id, set }: Change): Promise<void> {
    if (!this.#isConnected) await this.#client.connect()
    this.#isConnected = true
    const isRow = idColumns(type).map((column, index) => `${column} = $${index + 3}`)
    const update = `update ${type} set name = $1, rank = $2 where ${isRow.join(' and ')}`
    await this.#client.query('begin')
    await this.#client.query(update, [set.name, set.rank, ...id.split(',')])
  }

  /** Whether a request waits for the lock, before it ends. */
  async isWaitedFor(request: Promise<unknown>): Promise<boolean> {
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    request.then(end, end)
    for (;;) {
      const { rowCount } = await this.#client.query(
        isOnCitus
          ? 'select 1 from citus_lock_waits where blocking_gpid = citus_backend_gpid()'
          : 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
      )
      if (rowCount !== 0) {
        this.waits += 1
        return true
      }
      if (hasEnded) return false
      await setTimeout(1)
    }
  }

  async commit(): Promise<void> {
    await this.#client.query('commit')
  }

  async close(): Promise<void> {
    if (this.#isConnected) await this.#client.end()
  }
}
