import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../../cleanup.ts'
import type { Database } from '../../databases.ts'
import { openStore } from '../../engine/engine.ts'
import { type Child, folder, startProgram } from '../../service/child.ts'
import { connectToDatabase } from '../../service/direct-database.ts'
import { childrenOf, isRunning, until } from '../../service/processes.ts'
import { boardTables, createBoardModel, journalTables, type VersionSource } from './boards.ts'
import { checkCreated, checkHistory, type Entry, type Write } from './check-history.ts'
import { HistoryRecorder } from './record-history.ts'

const program = fileURLToPath(new URL('serve-boards.ts', import.meta.url))
const mutation = fileURLToPath(new URL('apply-history-mutant.ts', import.meta.url))

/** How many histories run at the same time. */
const parallel = 4

/** What is run, and on what. */
export interface HistoryRun {
  readonly database: Database
  readonly workers: number
  readonly version: VersionSource
  /** Whether tables have the triggers that write the journal. */
  readonly hasJournal: boolean
  readonly histories: number
  /** How often the server is killed while histories run. */
  readonly kills: number
  readonly seed: number
  /** The title of a mutant of the engine. */
  readonly mutant?: string
  /** Ends with the first history that is wrong. */
  readonly endsEarly?: boolean
}

/** Runs histories against servers that are killed meanwhile. @returns what is wrong with them, a line for each */
export async function runHistories(test: Scope, run: HistoryRun): Promise<readonly string[]> {
  const { database } = run
  const { url, remove } = await database.create()
  const store = await openStore(createBoardModel(run.version), url)
  const tables = boardTables(database.columnTypes)
  await store.migrate([
    { version: 1, sql: run.hasJournal ? tables + journalTables[database.dialect] : tables },
  ])
  await store.close()
  const connection = await connectToDatabase(url)
  try {
    const server = await startBoards(test, run, url)
    const problems = await runRounds(run, connection, server)
    await server.end()
    return problems
  } finally {
    await connection.close()
    await remove()
  }
}

/** Runs several histories at a time, until enough have run. */
async function runRounds(
  { histories, kills, seed, hasJournal, endsEarly }: HistoryRun,
  connection: Awaited<ReturnType<typeof connectToDatabase>>,
  server: Awaited<ReturnType<typeof startBoards>>,
): Promise<readonly string[]> {
  const random = createRandom(seed)
  const problems: string[] = []
  const writes: Write[] = []
  const rounds = Math.ceil(histories / parallel)
  let killed = 0
  for (let round = 0; round < rounds; round += 1) {
    const recorders = Array.from(
      { length: parallel },
      () => new HistoryRecorder({ current: server.url }, random),
    )
    const running = Promise.all(recorders.map((each) => each.run()))
    if (killed * rounds < kills * (round + 1)) {
      killed += 1
      await pause(30 + random() * 300)
      await server.kill(killed)
    }
    await running
    const entries = hasJournal ? await readJournal(connection) : undefined
    for (const recorder of recorders) {
      const boards = new Set(recorder.boards)
      const own = entries?.filter(({ board }) => boards.has(board))
      problems.push(...checkHistory({ ...recorder, ...(own && { entries: own }) }))
      writes.push(...recorder.writes)
    }
    if (!hasJournal) {
      const stored = await connection.run('select id from board')
      const ids = stored.map(({ id }) => String(id))
      problems.push(...checkCreated(ids, writes))
    }
    if (endsEarly && problems.length > 0) break
  }
  return problems
}

/** Reads what was changed since the last call. */
async function readJournal(
  connection: Awaited<ReturnType<typeof connectToDatabase>>,
): Promise<readonly Entry[]> {
  const rows = await connection.run(
    'select seq, tx, board, card, before, after from journal order by seq',
  )
  await connection.run('delete from journal')
  const toText = (value: unknown) => (value === null ? undefined : String(value))
  return rows.map(({ seq, tx, board, card, before, after }) => ({
    ...{ seq: Number(seq), tx: toText(tx), board: String(board), card: toText(card) },
    ...{ before: toJson(before), after: toJson(after) },
  }))
}

/** The same spelling on both databases. */
function toJson(text: unknown): string | undefined {
  return text === null ? undefined : JSON.stringify(JSON.parse(String(text)))
}

/** Starts the server, and again after each kill. */
async function startBoards(test: Scope, run: HistoryRun, databaseUrl: string) {
  const cwd = await folder(test)
  const environment = {
    ...{ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent', WORKERS: String(run.workers) },
    ...{ BOARD_VERSION: run.version, MAX_CONNECTIONS: '2000' },
    ...(run.mutant !== undefined && {
      HISTORY_MUTANT: run.mutant,
      NODE_OPTIONS: `--import ${mutation}`,
    }),
  }
  const start = () => startProgram(test, program, { cwd, environment })
  let child: Child = await start()
  return {
    url: () => child.url,
    /** Kills the server and starts it again; with several workers every second time one of them, which is replaced. */
    kill: async (count: number) => {
      const workers = await childrenOf(child.process.pid)
      const [worker] = workers
      if (worker !== undefined && count % 2 === 0) {
        process.kill(worker, 'SIGKILL')
        return
      }
      await child.end('SIGKILL')
      await until(() => !workers.some(isRunning), `${workers} are left`)
      child = await start()
    },
    end: async () => {
      await child.end('SIGTERM')
    },
  }
}

/** The values of the next random numbers: the same choices for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
