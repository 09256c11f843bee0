import type { TestContext } from 'node:test'
import { SignJWT } from 'jose'
import type { User } from '../../examples/tracker/model.ts'
import { openTracker, type UserClient } from '../../examples/tracker/tracker.ts'

/** The key of the tokens' signatures. */
export const secret = 'a secret of at least thirty-two characters'

/** The users of the tests by name; `addUsers` stores them in this order. */
export const users = {
  ada: { id: '1', role: 'admin' },
  ben: { id: '2', role: 'member' },
  cyd: { id: '3', role: 'member' },
} as const satisfies Readonly<Record<string, User>>

/** The name of a user of the tests. */
export type UserName = keyof typeof users

/** Signs a token as the identity provider does. */
export function signToken({ id, role }: User, key: string = secret): Promise<string> {
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(id)
    .setExpirationTime('1 hour')
    .sign(new TextEncoder().encode(key))
}

/** Stores the users, and a project of Ben with an issue, a comment of Ben and a label. */
async function addSampleData(as: (user: UserName) => UserClient): Promise<void> {
  for (const [name, { role }] of Object.entries(users))
    await as('ada').create('users', { name, email: `${name}@example.org`, role })
  await as('ada').create('labels', { name: 'bug', color: '#cc0000' })
  await as('ben').create('projects', { name: 'Engine' })
  await as('ben').create('issues', { title: 'It stops', project: '1', labels: ['1'] })
  await as('ben').create('comments', { body: 'Every day.', issue: '1' })
}

/** Opens a tracker in memory with the sample data, for one test. */
export async function openSample(test: TestContext) {
  const tracker = await openTracker(':memory:', secret)
  test.after(() => tracker.store.close())
  const as = (user: UserName): UserClient => tracker.api.with({ auth: users[user] })
  await addSampleData(as)
  /** Runs SQL on the database of the tracker. */
  const query = (
    sql: Parameters<Parameters<Parameters<UserClient['transaction']>[0]>[0]['sql']>[0],
  ) => as('ada').transaction((tx) => tx.sql(sql))
  return { ...tracker, as, query }
}
