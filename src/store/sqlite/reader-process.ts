import { LRUCache } from 'lru-cache'
import { HeaderError } from '../../errors/errors.ts'
import type { Statement } from '../statement.ts'
import { SqliteConnection } from './connection.ts'
import { SqliteCountCache } from './counts.ts'
import type { ReaderCommand, ReaderReply, ReaderRequest } from './reader-messages.ts'
import { type StatementWork, workChannel } from './statement-work.ts'

// The entry point of a reader process, which runs expensive reads. `node:sqlite` cannot interrupt a statement, so the server
// kills the process of a read that exceeds its deadline (docs/decisions/0041).

/** The page cache, in KiB. */
const pageCache = 16 * 1024

const [, , path = '', role] = process.argv
const connection = new SqliteConnection(path, role === 'introspector' ? role : 'reader', {
  pageCache,
})
const counts = new SqliteCountCache(connection)
const statements = new LRUCache<string, Statement>({ max: 500 })

/** Returns the same object for the same SQL; the connection caches prepared statements by the object. */
function internStatement(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const statement = { sql, placeholders: [] }
  statements.set(sql, statement)
  return statement
}

/** The statement that is being read in batches. */
let batches: Generator<unknown[][]> | undefined

function execute(command: ReaderCommand): ReaderReply | undefined {
  switch (command.do) {
    case 'begin':
      connection.begin('deferred')
      return undefined
    case 'all':
      return { is: 'rows', rows: connection.rawRows(internStatement(command.sql), command.values) }
    case 'count':
      return { is: 'rows', rows: [[counts.count(internStatement(command.sql), command.values)]] }
    case 'records':
      return {
        is: 'records',
        records: connection.records(internStatement(command.sql), command.values),
      }
    case 'open':
      batches?.return(undefined)
      batches = connection.rawBatches(internStatement(command.sql), command.values, command.size)
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

function toErrorReply(error: unknown): ReaderReply {
  if (error instanceof HeaderError) {
    const { message: detail, headers } = error
    // A read has no other codes.
    const code = error.code === 'query_too_complex' ? 'query_too_complex' : 'unavailable'
    return { is: 'request-error', code, detail, headers }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { is: 'error', message, stack }
}

/** The error of a command without a reply. It is the reply to every later command of the transaction. */
let pendingError: ReaderReply | undefined

/** The work of the last statement. */
let lastWork: StatementWork | undefined

process.on('message', (request: ReaderRequest) => {
  if (request.measuresWork && !workChannel.hasSubscribers)
    workChannel.subscribe((work) => {
      // Only `publishWork` publishes on this channel.
      lastWork = work as StatementWork
    })
  if (request.do === 'begin') pendingError = undefined
  let reply: ReaderReply | undefined
  try {
    reply = pendingError ?? execute(request)
  } catch (error) {
    reply = toErrorReply(error)
  }
  const work = lastWork
  lastWork = undefined
  const hasReply = request.do !== 'begin' && request.do !== 'open' && request.do !== 'end'
  if (hasReply) process.send?.({ ...reply, work })
  else if (request.do !== 'end') pendingError = reply
  else if (pendingError) execute(request)
})
// The server decides when the process ends. A terminal sends its signals to all processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
