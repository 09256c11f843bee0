import assert from 'node:assert/strict'
import { it } from 'node:test'
import createClient from 'openapi-fetch'
import { describeService } from '../service-suite.ts'

/** Serializes a parameter as the guide to the description does. */
function serialize(name: string, value: unknown): [string, string][] {
  if (name === 'filter') return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) return [[name, value.join()]]
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).map(([member, inner]) => [`${name}[${member}]`, String(inner)])
}

describeService('openapi-fetch', (app) => {
  it('sends requests by the paths and parameters of the description', async () => {
    const ada = await app.person({ name: 'Ada' })
    await app.person({ name: 'Alan' })
    await app.computer({ serial: 'A-1' }, ada)
    const client = createClient<Record<string, Record<string, never>>>({
      baseUrl: app.url,
      headers: { 'content-type': 'application/vnd.api+json' },
      querySerializer: (query) =>
        new URLSearchParams(
          Object.entries(query).flatMap(([name, value]) => serialize(name, value)),
        ).toString(),
    })
    const filter = [{ name: 'computers', op: 'any', val: { name: 'serial', op: 'eq', val: 'A-1' } }]
    const query = { filter, fields: { person: 'name' }, page: { size: 10 }, sort: ['-name', 'id'] }
    const found = await Reflect.apply(client.GET, client, ['/persons', { params: { query } }])
    assert.equal(found.response.status, 200)
    assert.deepEqual(
      found.data.data.map(({ attributes }: { attributes: object }) => attributes),
      [{ name: 'Ada' }],
    )
    const body = { data: { type: 'person', attributes: {} } }
    const rejected = await Reflect.apply(client.POST, client, ['/persons', { body }])
    assert.equal(rejected.error.errors[0].code, 'missing_value')
  })
})
