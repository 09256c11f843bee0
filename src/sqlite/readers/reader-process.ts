import { SqliteConnection } from '../connection/connection.ts'
import { identityOf } from '../connection/database-file.ts'
import { lockTimeout } from '../connection/retry-while-locked.ts'
import { CommandExecutor } from './command-executor.ts'
import type { ReaderMessage, ReaderRequest } from './reader-messages.ts'

// The entry point of a reader process, which runs expensive reads. `node:sqlite` cannot interrupt a statement, so the server
// kills the process of a read that exceeds its deadline (docs/decisions/0041).

/** The page cache, in KiB. */
const pageCache = 16 * 1024

const [, , path = '', role, statementCache, identity] = process.argv
const connection = new SqliteConnection(path, role === 'introspector' ? role : 'reader', {
  pageCache,
  lockTimeout,
  ...(statementCache && { statementCache: Number(statementCache) }),
})
// The file was replaced: the server has another one open, whose log SQLite would take for that of this one.
if (identity && identity !== identityOf(path)) process.exit(1)
const executor = new CommandExecutor(connection)

const send = (message: ReaderMessage) => process.send?.(message)

process.on('message', (request: ReaderRequest) => {
  const reply = executor.handle(request)
  if (reply) send(reply)
})
// The server decides when the process ends. A terminal sends its signals to all processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
send({ is: 'started' })
