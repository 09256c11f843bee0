import { LRUCache } from 'lru-cache'
import { HeaderError } from '../../errors/errors.ts'
import type { Statement } from '../statement.ts'
import { SqliteConnection } from './connection.ts'
import { rememberedRaw } from './counts.ts'
import type { ReaderReply, ReaderRequest, SentRequest } from './reader-messages.ts'
import { type StatementWork, work } from './statement-events.ts'

// The entry point of a reader process: it runs the expensive reads of a SQLite database, so that it can be killed when one
// takes too long. `node:sqlite` cannot interrupt a statement.

/** What a reader keeps of the file's pages in memory, in KiB. */
const pageCache = 16 * 1024

const [, , path = ''] = process.argv
const connection = new SqliteConnection(path, 'reader', { pageCache })
const statements = new LRUCache<string, Statement>({ max: 500 })
const count = rememberedRaw(connection)
let batches: Generator<unknown[][]> | undefined

/** One object for each text, by which the connection knows the statement. */
function statementOf(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const statement = { sql, placeholders: [] }
  statements.set(sql, statement)
  return statement
}

function run(request: ReaderRequest): ReaderReply | undefined {
  switch (request.do) {
    case 'begin':
      connection.begin('deferred')
      return undefined
    case 'all':
      return { is: 'rows', rows: connection.query(statementOf(request.sql), request.values) }
    case 'count':
      return { is: 'rows', rows: [[count(statementOf(request.sql), request.values)]] }
    case 'records':
      return {
        is: 'records',
        records: connection.records(statementOf(request.sql), request.values),
      }
    case 'open':
      batches?.return(undefined)
      batches = connection.rawBatches(statementOf(request.sql), request.values, request.size)
      return undefined
    case 'next':
      return { is: 'batch', rows: batches?.next().value ?? [] }
    case 'end':
      batches?.return(undefined)
      batches = undefined
      connection.rollback()
      return undefined
  }
}

function failureOf(error: unknown): ReaderReply {
  if (error instanceof HeaderError) {
    const { message: detail, headers } = error
    // A read is refused for nothing else.
    const code = error.code === 'query_too_complex' ? 'query_too_complex' : 'unavailable'
    return { is: 'refusal', code, detail, headers }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { is: 'failure', message, stack }
}

/** A request that has no reply leaves its failure to the next one that has. */
let failed: ReaderReply | undefined

/** What the last statement cost, where somebody wants to know. */
let measured: StatementWork | undefined

process.on('message', (request: SentRequest) => {
  if (request.isMeasured && !work.hasSubscribers)
    // The connection publishes nothing else.
    work.subscribe((cost) => {
      measured = cost as StatementWork
    })
  if (request.do === 'begin') failed = undefined
  let reply: ReaderReply | undefined
  try {
    reply = failed ?? run(request)
  } catch (error) {
    reply = failureOf(error)
  }
  const cost = measured
  measured = undefined
  const isAwaited = request.do !== 'begin' && request.do !== 'open' && request.do !== 'end'
  if (isAwaited) process.send?.({ ...reply, work: cost })
  else if (request.do !== 'end') failed = reply
  else if (failed) run(request)
})
// The server decides when a reader ends, whatever the terminal sends to all processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
