import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService, type TestResponse, type TestService } from '../../service-suite.ts'
import { assertErrors } from '../assert-errors.ts'
import { enter, found } from '../people.ts'

const named = (val: unknown, op = 'eq') => ({ name: 'name', op, val })
const many = <Each>(count: number, each: (index: number) => Each) =>
  Array.from({ length: count }, (_, index) => each(index))

function assertTooManyTerms(response: TestResponse, at = 'filter'): void {
  assertErrors(response, 400, { status: 400, at, says: [`${at}: more than 200`, 'in_'] })
  assert.equal(response.error.code, 'invalid_filter')
}

/** Filters of so many terms, in every form, that only Ada matches. */
const forms: Readonly<Record<string, (terms: number) => unknown>> = {
  'beside each other': (terms) => many(terms, () => named('Ada Lovelace')),
  'joined by or': (terms) => [{ or: many(terms, () => named('Ada Lovelace')) }],
  'in groups': (terms) => [
    { and: [{ or: many(100, () => named('Ada Lovelace')) }] },
    { not: { or: many(terms - 100, (index) => named(`Nobody ${index}`)) } },
  ],
  'of related resources': (terms) => [
    named('Ada Lovelace'),
    {
      ...{ name: 'computers', op: 'any' },
      val: many(terms - 2, () => ({ name: 'serial', op: 'ne', val: 'x' })),
    },
  ],
  'of related resources, beside each other': (terms) => [
    ...many(terms - 198, () => named('Ada Lovelace')),
    ...many(99, () => ({
      ...{ name: 'computers', op: 'any' },
      val: { name: 'owner', op: 'ne', val: null },
    })),
  ],
  'of related resources, joined by or': (terms) => [
    ...many(terms - 198, () => named('Ada Lovelace')),
    {
      or: many(99, () => ({
        ...{ name: 'computers', op: 'any' },
        val: { name: 'owner', op: 'ne', val: null },
      })),
    },
  ],
}

describeService(
  'The number of filter terms in a request',
  (app) => {
    for (const [form, filterOf] of Object.entries(forms)) {
      it(`is at most 200: terms ${form}`, async () => {
        await enter(app)
        assert.deepEqual(await found(app, '/persons', { filter: filterOf(200) }), ['Ada'])
        assertTooManyTerms(await app.get('/persons', { filter: filterOf(201) }))
      })
    }

    it('includes the terms of all filter parameters', async () => {
      await enter(app)
      const simple = (count: number) => `&filter[name]=Ada+Lovelace`.repeat(count)
      const json = (terms: number) =>
        `filter=${encodeURIComponent(JSON.stringify(many(terms, () => named('Ada Lovelace'))))}`
      const get = (query: string) => app.call('GET', '/persons', { query })
      assert.deepEqual((await get(json(100) + simple(100))).many.length, 1)
      assertTooManyTerms(await get(json(100) + simple(101)), 'filter[name]')
      assertTooManyTerms(await get(`${simple(101)}&${json(100)}`))
      assert.deepEqual((await get(simple(200))).many.length, 1)
      assertTooManyTerms(await get(simple(201)), 'filter[name]')
      assertTooManyTerms(await get(simple(1100)), 'filter[name]')
    })

    it('includes values that are not filter objects, with one error for all', async () => {
      for (const filter of [
        many(10_000, () => ({})),
        many(15_000, () => 1),
        [{ or: many(10_000, () => []) }],
      ])
        assertTooManyTerms(
          await app.call('GET', '/persons', { query: `filter=${JSON.stringify(filter)}` }),
        )
      const response = await app.get('/persons', { filter: many(200, () => ({})) })
      assert.equal(response.body.errors?.length, 100)
      assert.deepEqual(response.body.meta, { moreErrors: 500 })
    })

    it('given filters, then they follow at most 200 relationships together', async () => {
      await enter(app)
      const path = (length: number) => {
        const names = many(length, (index) => (index % 2 === 0 ? 'computers' : 'owner'))
        return { name: [...names, 'id'].join('__'), op: 'ne', val: null }
      }
      const filterOf = (spare: number) => [{ or: [...many(18, () => path(11)), path(2 + spare)] }]
      assert.deepEqual(await found(app, '/persons', { filter: filterOf(0) }), ['Ada', 'Grace'])
      const expectedError = { status: 400, at: 'filter', says: ['201', 'at most 200', '"any"'] }
      assertErrors(await app.get('/persons', { filter: filterOf(1) }), 400, expectedError)
    })

    it('does not include the values of a list', async () => {
      await enter(app)
      const filter = [{ name: 'id', op: 'in_', val: many(4000, (index) => index + 1) }]
      assert.equal((await found(app, '/persons', { filter })).length, 4)
    })
  },
  { isLongOnOthers: true },
)

/** Asserts that the value of an operator is rejected, with its position and the remedy. */
async function rejects(
  app: TestService,
  op: string,
  val: string,
  ...says: string[]
): Promise<void> {
  const filter = [named('Ada'), { not: named(val, op) }]
  const expectedError = {
    status: 400,
    at: 'filter',
    says: ['filter[1].not.val', `"${op}"`, ...says],
  }
  assertErrors(await app.get('/persons', { filter }), 400, expectedError)
}

/** Asserts that so many persons match a term. */
async function finds(app: TestService, term: unknown, expected: number): Promise<void> {
  assert.equal((await app.get('/persons', { filter: [term] })).many.length, expected)
}

describeService('The value of an operator that searches in texts', (app) => {
  for (const op of ['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith', 'match']) {
    it(`has at most 1000 characters: ${op}`, async () => {
      const name = '\u{1f600}'.repeat(1000)
      await app.person({ name })
      const isNot = op.startsWith('not')
      await finds(app, named(name, op), isNot ? 0 : 1)
      await rejects(app, op, 'x'.repeat(1001), '1000 characters', '1001', 'shorter')
      await rejects(app, op, 'x'.repeat(30_000), '1000 characters', '30000')
    })
  }

  for (const op of ['like', 'notlike', 'ilike', 'notilike']) {
    it(`has at most 30 wildcards: ${op}`, async () => {
      await app.person({ name: 'a'.repeat(40) })
      const expected = op.startsWith('not') ? 0 : 1
      const pattern = 'a%'.repeat(30)
      await finds(app, named(pattern, op), expected)
      const neighbours = `a${'%'.repeat(29)}a%`
      await finds(app, named(neighbours, op), expected)
      await rejects(app, op, 'a%'.repeat(31), '30 "%"', '31', 'adjacent')
      await rejects(app, op, '%'.repeat(1000), '30 "%"')
    })
  }

  it('has any number of percent signs that are not wildcards', async () => {
    const name = '%'.repeat(400)
    await app.person({ name })
    for (const op of ['eq', 'startswith', 'endswith']) await finds(app, named(name, op), 1)
    assert.equal((await app.get('/persons', { filter: [named(name, 'match')] })).status, 200)
  })

  it('has at most 30 words: match', async () => {
    const words = (number: number) => many(number, (index) => `w${index}`).join(' ')
    await app.person({ name: words(40) })
    await finds(app, named(words(30), 'match'), 1)
    await rejects(app, 'match', words(31), '30 words', '31', 'and')
    for (const separator of ['-', '\u00a0', '\u2014', '\u3001', '. ', '\t'])
      await rejects(app, 'match', many(31, () => 'a').join(separator), '30 words', '31')
    assert.equal(
      (await app.get('/persons', { filter: [named('a'.repeat(1000), 'match')] })).status,
      200,
    )
  })

  it('has no limit for operators that compare the complete text', async () => {
    const name = 'x%'.repeat(5000)
    await app.person({ name })
    for (const op of ['eq', 'ge', 'le']) await finds(app, named(name, op), 1)
    const query = `filter[name]=${encodeURIComponent(name)}`
    assert.equal((await app.call('GET', '/persons', { query })).many.length, 1)
  })
})
