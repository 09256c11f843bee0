import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startService } from '../../service/start.ts'
import { type Answer, readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { type Client, connect } from '../client.ts'
import type { NamingRequest } from './hidden-requests.ts'

/** A service on a database of its own, into which a test can write behind the service's back. */
export interface Twin {
  /** The origin of the service. */
  readonly url: string
  /** Sends a request; the answer is checked as every other. */
  send(request: NamingRequest): Promise<Answer>
  /** Runs a statement on the database itself. */
  execute(statement: string): void
}

/** Runs a test on two services that know nothing of each other. */
export async function onTwins(test: (left: Twin, right: Twin) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
  try {
    await withTwin(join(folder, 'left.db'), (left) =>
      withTwin(join(folder, 'right.db'), (right) => test(left, right)),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withTwin(file: string, use: (twin: Twin) => Promise<void>): Promise<void> {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: `sqlite:${file}`,
    logLevel: 'silent',
  })
  const url = new URL(service.url).origin
  const client = connect(url)
  try {
    await use(twin(file, url, client))
  } finally {
    client.close()
    await service.close()
  }
}

function twin(file: string, url: string, client: Client): Twin {
  return {
    url,
    send: async ({ method, path, query, body }) => {
      const exchange = await client.send(method, path, { query, body })
      check(exchange)
      return readAnswer(exchange)
    },
    execute: (statement) => {
      const database = new DatabaseSync(file, { timeout: 5000 })
      try {
        database.exec(statement)
      } finally {
        database.close()
      }
    },
  }
}
