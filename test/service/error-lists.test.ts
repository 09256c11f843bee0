import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ApiError } from '../../src/errors/errors.ts'
import { describeService, type TestResponse, type TestService } from '../service-suite.ts'

/** The maximum number of errors in a response. */
const most = 100

/** The maximum number of errors that are created for a response: the parts of a request collect them separately. */
const mostMade = 3 * most

/** The number of errors that a function creates, counted when they get their names. */
async function errorsMadeBy(
  run: () => Promise<TestResponse>,
): Promise<[made: number, answer: TestResponse]> {
  let made = 0
  Object.defineProperty(ApiError.prototype, 'name', {
    configurable: true,
    set: () => {
      made += 1
    },
  })
  try {
    const answer = await run()
    return [made, answer]
  } finally {
    Reflect.deleteProperty(ApiError.prototype, 'name')
  }
}

/** Asserts that a request is rejected with so many errors, and that the server creates few of them and counts the others. */
async function assertCounted(
  run: () => Promise<TestResponse>,
  expected: Readonly<{ status: number; code: string; all: number; first?: string }>,
): Promise<void> {
  const [made, answer] = await errorsMadeBy(run)
  const { errors = [], meta } = answer.body
  assert.equal(answer.status, expected.status, answer.text.slice(0, 2000))
  assert.equal(errors.length, most)
  assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set([expected.code]))
  if (expected.first !== undefined) assert.equal(errors[0]?.source?.pointer, expected.first)
  assert.deepEqual(meta, { moreErrors: expected.all - most })
  assert.ok(answer.text.length < 100_000, `the response has ${answer.text.length} characters`)
  assert.ok(made <= mostMade, `${made} errors were made`)
}

const related = (app: TestService, id: string, data: unknown) => () =>
  app.call('PATCH', `/persons/${id}/relationships/computers`, { body: { data } })

describeService(
  'A request with more errors than a response reports',
  (app) => {
    it('reports 100 of 500,000 entries that are not resource identifiers, and counts the others', async () => {
      const { id } = await app.person()
      const all = 500_000
      const run = related(app, id, Array(all).fill(1))
      await assertCounted(run, { status: 400, code: 'invalid_document', all, first: '/data/0' })
    })

    it('reports 100 of 50,000 unknown attributes', async () => {
      const all = 50_000
      const names = Array.from({ length: all }, (_, index) => [`nmae${index}`, 1])
      const attributes = Object.fromEntries([['name', 'Ada'], ...names])
      const data = { type: 'person', attributes }
      const first = '/data/attributes/nmae0'
      const run = () => app.post('/persons', { data })
      await assertCounted(run, { status: 422, code: 'unknown_field', all, first })
    })

    for (const [relationship, status, code] of [
      [{ data: null }, 422, 'unknown_field'],
      [{}, 400, 'invalid_document'],
    ] as const)
      it(`reports 100 of 20,000 unknown relationships: ${code}`, async () => {
        const all = 20_000
        const names = Array.from({ length: all }, (_, index) => [`x${index}`, relationship])
        const data = {
          ...{ type: 'person', attributes: { name: 'Ada' } },
          relationships: Object.fromEntries(names),
        }
        await assertCounted(() => app.post('/persons', { data }), { status, code, all })
      })

    for (const [what, identifier, status, code] of [
      ['of a wrong type', { type: 'person', id: '1' }, 409, 'type_conflict'],
      ['with ids that cannot be read', { type: 'computer', id: 'x' }, 404, 'related_not_found'],
      ['with ids that do not exist', { type: 'computer', id: '77' }, 404, 'related_not_found'],
    ] as const) {
      it(`reports 100 of 25,000 identifiers ${what}`, async () => {
        const { id } = await app.person()
        const all = 25_000
        const data = Array.from({ length: all }, (_, index) => ({
          ...identifier,
          id: identifier.id === 'x' ? `x${index}` : `${index + 1}`,
        }))
        await assertCounted(related(app, id, data), { status, code, all })
        const body = { data: { type: 'person', id, relationships: { computers: { data } } } }
        const first = `/data/relationships/computers/data/0${status === 409 ? '/type' : ''}`
        const run = () => app.patch(`/persons/${id}`, body)
        await assertCounted(run, { status, code, all, first })
      })
    }

    it('adds up what several parts of a body only count', async () => {
      const wrong = Array.from({ length: 3000 }, () => ({ type: 'person', id: '1' }))
      const absent = Array.from({ length: 2000 }, (_, index) => ({
        ...{ type: 'computer', id: String(index + 1) },
      }))
      const unknown = Array.from({ length: 40 }, (_, index) => [`x${index}`, 1])
      const data = {
        ...{ type: 'person', attributes: { name: 'Ada', ...Object.fromEntries(unknown) } },
        relationships: { computers: { data: [...wrong, ...absent] } },
      }
      const [made, answer] = await errorsMadeBy(() => app.post('/persons', { data }))
      const { errors = [], meta } = answer.body
      // Of those that are reported, 40 have the status 422 and 60 the status 409.
      assert.equal(answer.status, 400)
      assert.equal(errors.length, most)
      assert.deepEqual(meta, { moreErrors: 40 + 3000 + 2000 - most })
      assert.ok(made <= mostMade, `${made} errors were made`)
    })

    const names = (start: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${start}${index.toString(36)}`)

    for (const [query, code, all] of [
      [names('', 6000).join('&'), 'unknown_parameter', 6000],
      [`sort=${names('x', 6000).join(',')}`, 'invalid_sort', 6000],
      [`include=${names('x', 6000).join(',')}`, 'invalid_include', 6000],
      [`fields[person]=${names('x', 5000).join(',')}`, 'invalid_fields', 5000],
      [
        names('', 1500)
          .map((name) => `fields[${name}]=a`)
          .join('&'),
        'invalid_fields',
        1500,
      ],
      [
        names('', 1500)
          .map((name) => `fields[${name}]=,`)
          .join('&'),
        'invalid_fields',
        1500,
      ],
      [`sort=id${'&sort=id'.repeat(3000)}`, 'repeated_parameter', 1],
    ] as const)
      it(`reports 100 of the names in a query: ${query.slice(0, 20)}…`, async () => {
        const run = () => app.call('GET', '/persons', { query })
        if (all > most) await assertCounted(run, { status: 400, code, all })
        else {
          const [made, answer] = await errorsMadeBy(run)
          assert.ok(made <= mostMade, `${made} errors were made`)
          assert.equal(answer.body.errors?.[0]?.code, code)
        }
      })

    it('reports parameters of a path that takes none', async () => {
      const query = Array.from({ length: 6000 }, (_, index) => index.toString(36)).join('&')
      const run = () => app.call('GET', '/', { query })
      await assertCounted(run, { status: 400, code: 'unknown_parameter', all: 6000 })
    })

    it('repeats a long pointer no more often than fits a response', async () => {
      const name = 'x'.repeat(400_000)
      const data = {
        ...{ type: 'person', attributes: { name: 'Ada' } },
        relationships: { [name]: { data: Array(1000).fill(1) } },
      }
      const answer = await app.post('/persons', { data })
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body.meta, { moreErrors: 999 })
      assert.ok(answer.text.length < 500_000, `the response has ${answer.text.length} characters`)
    })

    it('cuts a pointer in a detail after 200 characters', async () => {
      const relationships = { ['x'.repeat(1000)]: 1 }
      const answer = await app.post('/persons', { data: { type: 'person', relationships } })
      assert.deepEqual(
        answer.body.errors?.map(
          ({ detail }) => /^(\/data\/relationships\/x+)… /.exec(detail)?.[1]?.length,
        ),
        [200],
      )
    })

    it('has no meta when every error is reported', async () => {
      const names = Array.from({ length: most }, (_, index) => [`x${index}`, 1])
      const attributes = Object.fromEntries([['name', 'Ada'], ...names])
      const answer = await app.post('/persons', { data: { type: 'person', attributes } })
      assert.equal(answer.body.errors?.length, most)
      assert.equal(answer.body.meta, undefined)
    })
  },
  { isLongOnOthers: true },
)
