import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../../service-suite.ts'
import { assertStatus } from '../assert-errors.ts'
import { enter } from '../people.ts'

/** Queries of other servers, and what the error says to send. */
const remedies: readonly (readonly [query: string, form: string])[] = [
  ['page[offset]=20&page[limit]=10', 'page[number]=3&page[size]=10'],
  ['page[limit]=10', 'page[size]=10'],
  ['offset=0&limit=5', 'page[number]=1&page[size]=5'],
  ['page=2', 'page[number]=2'],
  ['page[page]=2', 'page[number]=2'],
  ['per_page=5', 'page[size]=5'],
  ['order=name', 'sort=name'],
  ['sort[name]=desc', 'sort=-name'],
  ['sort=-name,', 'sort=-name'],
  ['sort=,name,-id', 'sort=name,-id'],
  ['include=computers,', 'include=computers'],
  ['name__startswith=A', 'filter[name][startswith]=A'],
  ['where[name]=Ada', 'filter[name]=Ada'],
  ['filter[name][contains]=d', 'filter[name][like]=%25d%25'],
  ['filter[computers]=null', 'filter[computers][is_]=null'],
  ['filter[computers][eq]=null', 'filter[computers][is_]=null'],
  ['filter[computers][ne]=null', 'filter[computers][isnot]=null'],
  ['filter[id]=null', 'filter[id][is_]=null'],
  ['filter[id][eq]=null', 'filter[id][is_]=null'],
  ['filter[id][ne]=null', 'filter[id][isnot]=null'],
  ['filter[id][ne]=1,2', 'filter[id][notin_][]=1&filter[id][notin_][]=2'],
  ['filter[id][]=1,2', 'filter[id][]=1&filter[id][]=2'],
  ['filter[id][]=1,2&filter[id][]=3', 'filter[id][]=1&filter[id][]=2&filter[id][]=3'],
  ['filter[id]=1,%202', 'filter[id][]=1&filter[id][]=2'],
  ['filter=name=Ada', 'filter[name]=Ada'],
  ['filter=id%3E1', 'filter[id][gt]=1'],
  ['filter=id%20ge%201', 'filter[id][ge]=1'],
  ['filter=name=null', 'filter[name][is_]=null'],
  ['filter[name][$ne]=Ada', 'filter[name][ne]=Ada'],
  ['filter[computers][serial]=x', 'filter[computers.serial]=x'],
  ['filter[or][0][name]=Ada', 'filter=[{"or":[{"name":"name","op":"eq","val":"Ada"}]}]'],
  ['filter[not][name][like]=A', 'filter=[{"not":{"name":"name","op":"like","val":"A"}}]'],
]

/** Terms of a sort of other servers, and the term that the error says to send. */
const terms: readonly (readonly [sent: string, meant: string])[] = [
  ['owner__name', 'owner.name'],
  ['-owner__name', '-owner.name'],
  ['serial:desc', '-serial'],
  ['serial%20desc', '-serial'],
  ['serial%20ASC', 'serial'],
  ['%2Bserial', 'serial'],
]

describeService('Queries in the forms of other servers', (app) => {
  for (const [query, form] of remedies)
    it(`are rejected with the form that works: ${query}`, async () => {
      await enter(app)
      const { status, body } = await app.call('GET', `/persons?${query}`)
      assert.equal(status, 400)
      const [error] = body.errors ?? []
      const detail = String(error?.detail)
      assert.ok(detail.includes(`send ${form} instead`), detail)
      assertStatus(await app.call('GET', `/persons?${form}`), 200)
    })

  it('are rejected with a form that works, for any field, operator and value', async () => {
    await enter(app)
    const operators = [
      '',
      '[eq]',
      '[ne]',
      '[!=]',
      '[is]',
      '[gt]',
      '[in]',
      '[in_]',
      '[notin_]',
      '[]',
    ]
    operators.push('[0]', '[contains]', '[between]', '[like]', '[any]', '[equals]')
    const values = [
      'null',
      '1',
      '1,2',
      '1, 2',
      ' 1',
      'x',
      'gt:1',
      '>1',
      'is:null',
      'in:1,2',
      '50%',
      'eq:x',
      '',
    ]
    let forms = 0
    for (const [path, names] of [
      ['/persons', ['id', 'name', 'computers', 'computers.id', 'computers.owner']],
      ['/computers', ['id', 'serial', 'owner', 'owner.id', 'owner.name']],
    ] as const)
      for (const name of names)
        for (const operator of operators)
          for (const value of values) {
            let query = `filter[${name}]${operator}=${encodeURIComponent(value)}`
            for (let step = 0; step < 3; step += 1) {
              const { status, body } = await app.call('GET', `${path}?${query}`)
              const detail = String(body.errors?.[0]?.detail)
              const [, form] = / send (filter\S+) instead/.exec(detail) ?? []
              // A form with the right operator may have a value that is none of the field.
              const isRight =
                status === 200 ||
                form !== undefined ||
                /must (?:be compared|have two values)/.test(detail)
              assert.ok(step === 0 || isRight, `${query}: ${detail}`)
              assert.notEqual(form, query)
              if (form === undefined) break
              query = form
              forms += 1
            }
          }
    assert.ok(forms > 200, String(forms))
  })

  for (const [sent, meant] of terms)
    it(`are rejected with the term that works: sort=${sent}`, async () => {
      const { status, body } = await app.call('GET', `/computers?sort=id,${sent}`)
      assert.equal(status, 400)
      const [error] = body.errors ?? []
      const detail = String(error?.detail)
      assert.ok(detail.endsWith(`send "${meant}" in its place.`), detail)
      assertStatus(await app.call('GET', `/computers?sort=id,${meant}`), 200)
    })

  it('name no form that is wrong, too', async () => {
    for (const query of ['filter[name][like][ne]=a', 'page[offset]=5', 'filter[]=1']) {
      const { status, body } = await app.call('GET', `/persons?${query}`)
      assert.equal(status, 400)
      assert.doesNotMatch(String(body.errors?.[0]?.detail), /send filter|send page\[number\]=/)
    }
  })
})
