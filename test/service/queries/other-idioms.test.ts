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
