import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { databases } from '../databases.ts'
import type { TestResponse } from '../service-suite.ts'
import { anyNaming, anySorting, type NamingRequest } from './hidden-requests.ts'
import { isExhaustive, scale, seed } from './seed.ts'
import { onTwins, type Twin } from './two-services.ts'

/** How many random requests both services get. */
const requests = isExhaustive ? 100 * scale : 60
/** How many of them are served, and how many name a password, at least. On average every fourth and every fifth. */
const minRequests = isExhaustive ? requests / 8 : 1

/** The beginning of every password, which no other value contains. */
const mark = 'kw9x'

/** Names of stored columns that are not fields. */
const hidden = ['password', 'person_id'] as const

/** A hidden name, and an unknown one of the same length and distance from every valid name. */
const disguises: readonly (readonly [secret: string, unknown: string])[] = [
  ['password', 'passwore'],
  ['person_id', 'person_ie'],
]

for (const database of databases)
  describe(`Hidden columns · ${database.name}`, () => {
    it('have no effect on responses: two databases that differ in passwords only respond the same', async () => {
      await onTwins(database, async (left, right) => {
        for (const twin of [left, right]) await fill(twin)
        let sent = 0
        let named = 0
        let served = 0
        const suspects = ['password', 'password', ...hidden, 'passwore', 'nope', 'pass', 'owner_id']
        const naming = anyNaming({ suspects, operands: guesses, written: values })
        const sendToBoth = async (request: NamingRequest) => {
          const answers = await Promise.all([left.send(request), right.send(request)])
          const [one, other] = answers.map(withoutDate)
          assert.deepEqual(one, other, JSON.stringify(request))
          return answers
        }
        /** A read again with the tag of its response, and a write if its version is still that. */
        const repeat = async (request: NamingRequest, { headers, status }: TestResponse) => {
          const { etag } = headers
          if (etag === undefined || status >= 300) return
          const isRead = request.method === 'GET' || request.method === 'HEAD'
          const field = isRead ? 'if-none-match' : 'if-match'
          const again = { ...request, headers: { ...request.headers, [field]: etag } }
          const [answer] = await sendToBoth(again)
          if (isRead) assert.equal(answer.status, 304, JSON.stringify(again))
        }
        const property = fc.asyncProperty(naming, async (request) => {
          if (sent % 100 === 0) await setPasswords(left, right)
          const answers = await sendToBoth(request)
          sent += 1
          if (JSON.stringify(request).includes('password')) named += 1
          if (answers[0].status < 300) served += 1
          for (const answer of answers) assertNoLeak(request, answer)
          await repeat(request, answers[0])
        })
        await fc.assert(property, { seed, numRuns: requests })
        assert.ok(named >= minRequests, `only ${named} requests named a password`)
        assert.ok(served >= minRequests, `only ${served} requests were served`)
      })
    })

    it('are rejected with the error of names that do not exist', async () => {
      await onTwins(database, async (twin) => {
        await fill(twin)
        const naming = anyNaming({ suspects: ['SECRET'], operands: guesses, written: values })
        for (const disguise of disguises) {
          const property = fc.asyncProperty(naming, async (request) => {
            fc.pre(JSON.stringify(request).includes('SECRET'))
            await assertAlike(twin, request, disguise)
          })
          await fc.assert(property, { seed, numRuns: requests / 4 })
        }
        const sorting = fc.asyncProperty(anySorting('SECRET'), (request) =>
          assertAlike(twin, request, ['email', 'emaik']),
        )
        await fc.assert(sorting, { seed, numRuns: 50 })
      })
    })
  })

/** The values that requests write and filter by. */
const values = [null, '', 'Ada', 'A-1', 1, '1', '1815-12-10', 'ada@example.org', true, '%', '%a%']

/** The operands of filters, with guesses of passwords, which no request writes. */
const guesses = [
  ...values,
  ...['k', 'k%', mark, `${mark}%`, `${mark}-left-1`, `${mark}-right-1`, `%left%`],
]

async function fill(twin: Twin): Promise<void> {
  const person = { name: 'Ada', email: 'ada@example.org', birth_date: '1815-12-10', gender: 'f' }
  const persons = [
    person,
    { ...person, name: 'Alan' },
    { name: 'Grace' },
    { name: mark.slice(0, 1) },
  ]
  for (const attributes of persons) {
    await create(twin, '/persons', { type: 'person', attributes })
  }
  for (const [index, id] of ['1', '1', '2'].entries()) {
    const relationships = { owner: { data: { type: 'person', id } } }
    const attributes = { serial: `A-${index}` }
    await create(twin, '/computers', { type: 'computer', attributes, relationships })
  }
}

async function create(twin: Twin, path: string, data: unknown): Promise<void> {
  const response = await twin.send({ method: 'POST', path, query: {}, body: { data } })
  assert.equal(response.status, 201, response.text)
}

/** Gives the persons of the two databases different passwords, in another order, some of them null. */
async function setPasswords(left: Twin, right: Twin): Promise<void> {
  await left.execute(`update person set password = '${mark}-left-' || cast(id as text)`)
  await right.execute(
    `update person set password = case when id % 2 = 1 then '${mark}-right-' || cast(100 - id as text) end`,
  )
}

/** The response without the time, which differs. */
function withoutDate({ status, headers, text }: TestResponse): unknown {
  const { date: _, ...others } = headers
  return { status, headers: others, text }
}

/** Asserts that the response contains no hidden name or value that was not in the request. */
function assertNoLeak(request: NamingRequest, { text }: TestResponse): void {
  const sent = JSON.stringify(request)
  for (const secret of [mark, ...hidden]) {
    if (!sent.includes(secret)) assert.ok(!text.includes(secret), `${sent}\n${text}`)
  }
}

/** Asserts that the error of a hidden name is that of an unknown name, except for the name. */
async function assertAlike(
  twin: Twin,
  request: NamingRequest,
  disguise: readonly [secret: string, unknown: string],
): Promise<void> {
  const [one, other] = await Promise.all(
    disguise.map(async (name) => {
      const named = JSON.parse(JSON.stringify(request).replaceAll('SECRET', name))
      const { status, text } = await twin.send(named)
      return { status, text: text.replaceAll(name, 'SECRET') }
    }),
  )
  assert.ok(one && one.status >= 400, `${JSON.stringify(request)} was served`)
  assert.deepEqual(one, other, JSON.stringify(request))
}
