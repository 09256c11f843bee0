import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Access, attribute, computed, defineModel, resource, text } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** A combination of the options `access`, `filter` and `sort` of an attribute; `undefined`: the option is absent. */
interface Combination {
  readonly name: string
  readonly access: Access | undefined
  readonly filter: boolean | undefined
  readonly sort: boolean | undefined
  readonly reads: boolean
  readonly writes: boolean
  readonly filters: boolean
  readonly sorts: boolean
}

const optionValues = [undefined, true, false]

const combinations = ([undefined, 'read-write', 'read-only', 'write-only'] as const).flatMap(
  (access) => {
    return optionValues.flatMap((filter) =>
      optionValues.map((sort) => combination(access, filter, sort)),
    )
  },
)

function combination(
  access: Access | undefined,
  filter: boolean | undefined,
  sort: boolean | undefined,
): Combination {
  const word = { undefined: 'absent', true: 'yes', false: 'no' }
  const name = `${access ?? 'absent'}_${word[`${filter}`]}_${word[`${sort}`]}`
  const reads = access !== 'write-only'
  return {
    ...{ name, access, filter, sort, reads },
    writes: access !== 'read-only',
    filters: filter ?? reads,
    sorts: sort ?? reads,
  }
}

const names = combinations.map(({ name }) => name)

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    ...Object.fromEntries(
      combinations.map(({ name, access, filter, sort }) => {
        const options = {
          ...(access !== undefined && { access }),
          ...(filter !== undefined && { filter }),
          ...(sort !== undefined && { sort }),
        }
        return [name, attribute(text, options)]
      }),
    ),
    /** The values of all columns, write-only ones included. */
    stored: computed(text, Object.fromEntries(names.map((name) => [name, text])), JSON.stringify),
  },
})

const served = {
  isLongOnOthers: true,
  model: defineModel([thing], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) =>
    `create table thing (id ${newId}, ${names
      .map((name) => `"${name}" text default 'as it was'`)
      .join(', ')})`,
}

const allFields = (value: string) => Object.fromEntries(names.map((name) => [name, value]))
const pick = (right: 'reads' | 'writes' | 'filters' | 'sorts') =>
  combinations.filter((each) => each[right]).map(({ name }) => name)

function listNames(attributes: Record<string, unknown> | undefined): string[] {
  return Object.keys(attributes ?? {}).filter((name) => name !== 'stored')
}

function storedIn(attributes: Record<string, unknown> | undefined): Record<string, string> {
  return JSON.parse(String(attributes?.stored))
}

engine('Access, filter and sort options of an attribute: every combination', served, (app) => {
  const post = (attributes: object) => app.post('/things', { data: { type: 'thing', attributes } })
  const patch = (attributes: object) =>
    app.patch('/things/1', { data: { type: 'thing', id: '1', attributes } })

  it('given an attribute, when it is read by any route, then it is shown by all of them or by none', async () => {
    const answers = [
      (await post(allFields('sent'))).one,
      (await patch(allFields('sent'))).one,
      (await app.get('/things/1')).one,
      ...(await app.get('/things')).many,
      ...(await app.get('/things', { 'page[size]': '0' })).many,
      ...(await app.get('/things', { 'fields[thing]': [...names, 'stored'].join(',') })).many,
    ]
    assert.equal(answers.length, 6)
    for (const { attributes } of answers) assert.deepEqual(listNames(attributes), pick('reads'))
  })

  it('given an attribute, when it is sent in a body, then it is stored or ignored by its access', async () => {
    const writes = new Set(pick('writes'))
    for (const [sent, response] of [
      ['by post', await post(allFields('by post'))],
      ['by patch', await patch(allFields('by patch'))],
    ] as const) {
      for (const [name, value] of Object.entries(storedIn(response.one.attributes))) {
        assert.equal(value, writes.has(name) ? sent : 'as it was', name)
      }
    }
  })

  it('given a read-only attribute, when a body sends any value for it, then the value is ignored', async () => {
    const before = (await post({})).one
    for (const { name } of combinations.filter(({ writes }) => !writes)) {
      for (const value of [5, null, { deep: [] }, 'text']) {
        const response = await patch({ [name]: value })
        assert.equal(response.status, 200, response.text)
        assert.deepEqual(response.one, before)
      }
    }
  })

  it('given an attribute, when a filter names it in any form, then every form is accepted or every form is rejected', async () => {
    await post(allFields('sent'))
    const [other] = pick('filters')
    for (const { name, filters } of combinations) {
      for (const query of [
        { [`filter[${name}]`]: 'sent' },
        { filter: [{ name, op: 'ne', val: '' }] },
        { filter: [{ name, op: 'isnot', val: null }] },
        { filter: [{ name: other, op: 'isnot', field: name }] },
        { filter: [{ name, op: 'isnot', field: other }] },
        { filter: [{ or: [{ not: { name, op: 'eq', val: '' } }] }] },
      ]) {
        const response = await app.get('/things', query)
        assert.equal(response.status, filters ? 200 : 400, JSON.stringify(query))
      }
    }
  })

  it('given an attribute, when a sort names it at any position, then every one is accepted or every one is rejected', async () => {
    await post(allFields('sent'))
    const [other] = pick('sorts')
    for (const { name, sorts } of combinations) {
      for (const sort of [name, `-${name}`, `${other},${name}`, `id,-${name}`]) {
        const response = await app.get('/things', { sort })
        assert.equal(response.status, sorts ? 200 : 400, sort)
      }
    }
  })

  for (const [query, right] of [
    [{ 'filter[quite unlike]': 'x' }, 'filters'],
    [{ sort: 'quite unlike' }, 'sorts'],
  ] as const)
    it(`given an unknown name, when one of the ${right} uses it, then the error lists exactly the allowed names`, async () => {
      const { error } = await app.get('/things', query)
      const listed = [...error.detail.matchAll(/"([a-z-]+_\w+_\w+)"/g)].map(([, name]) => name)
      assert.deepEqual(listed, pick(right))
    })

  it('given a write-only attribute, when fields names it, then it is accepted and not shown', async () => {
    await post(allFields('sent'))
    for (const { name, reads } of combinations) {
      const { one } = await app.get('/things/1', { 'fields[thing]': name })
      assert.deepEqual(one.attributes, reads ? { [name]: storedValue(name) } : undefined)
    }
  })
})

function storedValue(name: string): string {
  return pick('writes').includes(name) ? 'sent' : 'as it was'
}
