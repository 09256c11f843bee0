import { readFileSync } from 'node:fs'
import { jwtVerify } from 'jose'
import { type Client, createApi, RequestError, sql } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { model, type User } from './model.ts'

const headers = { 'www-authenticate': 'Bearer' }

/** An uploaded file. `bytes` is what the host has read: anything, if a client sends no bytes. */
type AttachedFile = Readonly<{ name: string; bytes: unknown }>
/** The calls of one user in process. */
export type UserClient = Client<(typeof model)['declarations']>

/**
 * Opens the database of the tracker, creates its tables if they are missing, and compares them with the model.
 * @param database - the path of a SQLite file
 * @param secret - the key of the tokens' signatures (HS256), at least 32 characters
 */
export async function openTracker(database: string, secret: string) {
  const store = openSqlite(model, database, { create: true })
  const tables = readFileSync(new URL('tables.sql', import.meta.url), 'utf8')
  await store.migrate([{ version: 1, sql: tables }])
  await store.verify()
  const key = new TextEncoder().encode(secret)
  const authenticate = async (token = ''): Promise<User> => {
    const verified = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch(() => undefined)
    if (verified?.payload.sub === undefined)
      throw new RequestError({ status: 401, code: 'unauthenticated', detail: 'Sign in.', headers })
    const { sub: id, role } = verified.payload
    return { id, role: role === 'admin' ? 'admin' : 'member' }
  }
  return { store, api: createApi({ model, store, prefix: '/api' }), authenticate }
}

/** Closes an issue with a comment, and queues the mail about it. @returns the document of the issue */
export function closeIssue(client: UserClient, id: string, comment: string) {
  return client.transaction(async (tx) => {
    await tx.create('comments', { issue: id, body: comment })
    await tx.sql(sql`insert into jobs (task, issue_id) values ('mail_closed', ${id})`)
    await tx.update('issues', id, { status: 'closed' })
    return tx.documents.get('issues', id, { include: ['comments'] })
  })
}

/** Attaches a file to an issue. @returns the document of the attachment, without the file */
export async function attachFile(client: UserClient, issue: string, { name, bytes }: AttachedFile) {
  if (!(bytes instanceof Uint8Array)) throw new RequestError({ status: 415, detail: 'Send bytes.' })
  const attachment = { issue, name, content: Buffer.from(bytes).toString('base64') }
  const query = { fields: { attachments: ['name', 'size'] } } as const
  return client.documents.create('attachments', attachment, query)
}
