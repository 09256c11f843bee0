import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApi, DeclarationError, defineModel } from 'lapidary'
import { inProcess, shopModel, withApi } from './shop.ts'

const fields = 'must be an object with the fields to write, or {}'
const change = 'must be an object with add, remove or replace'

inProcess('The options of createApi', (engine) => {
  it('are checked as declarations are', () =>
    withApi(engine, async ({ store }) => {
      const create = (changes: object) => () =>
        Reflect.apply(createApi, undefined, [{ model: shopModel, store, ...changes }])
      const throwsError = (changes: object, line: RegExp) =>
        assert.throws(create(changes), (error) => {
          assert.ok(error instanceof DeclarationError)
          assert.match(error.errors.join('\n'), line)
          return true
        })
      throwsError({ prefx: '/api' }, /prefx.*prefix/)
      throwsError({ store: undefined }, /createApi\.store/)
      throwsError({ prefix: 'api/' }, /createApi\.prefix/)
      throwsError({ publicUrl: 'https://example.org/' }, /createApi\.publicUrl/)
      throwsError({ model: defineModel([]) }, /createApi\.store: was opened for another model/)
    }))

  it('of a client are checked, so that a call does not run without its user by mistake', () =>
    withApi(engine, async ({ store }) => {
      const api = createApi({ model: shopModel, store })
      assert.throws(() => Reflect.apply(api.with, api, [{ ath: 'Ada' }]), {
        name: 'TypeError',
        message: 'with.ath: there is no such option; did you mean "auth"?',
      })
      const { signal } = new AbortController()
      const call = { auth: 'Ada', requestId: 'r1', ip: '192.0.2.1', signal, log: undefined }
      assert.equal((await api.with(call).get('item', '1')).id, '1')
    }))

  it('are checked in programs without types, and so are the arguments of each call', () =>
    withApi(engine, async ({ store }) => {
      const api = createApi({ model: shopModel, store })
      const client = api.with()
      const call = (method: (...args: never[]) => unknown, ...args: readonly unknown[]) =>
        Reflect.apply(method, api, args)
      assert.throws(() => call(api.with, null), {
        message: 'with.context: must be an object; it is null',
      })
      const { list, get, create, update, remove, relate, documents } = client
      const wrong: readonly (readonly [work: () => Promise<unknown>, message: string])[] = [
        [() => call(list), 'list.type: must be a string; it is missing'],
        [() => call(list, 'item', null), 'list.query: must be an object; it is null'],
        [() => call(list, 'item', ['name']), 'list.query: must be an object; it is an array'],
        [
          () => call(client.each, 'item', 'name').next(),
          'each.query: must be an object; it is "name"',
        ],
        [() => call(get, 'item'), 'get.id: must be a string; it is missing'],
        [() => call(get, 'item', 1), 'get.id: must be a string; it is 1'],
        [() => call(documents.get, 'item', '1', 5), 'get.query: must be an object; it is 5'],
        [() => call(create, 'item'), `create.fields: ${fields}; it is missing`],
        [() => call(documents.create, 'item'), `create.fields: ${fields}; it is missing`],
        [() => call(create, 'item', []), `create.fields: ${fields}; it is an array`],
        [() => call(create, 'item', {}, null), 'create.query: must be an object; it is null'],
        [() => call(update, 'item', {}), 'update.id: must be a string; it is an object'],
        [() => call(update, 'item', '1'), `update.fields: ${fields}; it is missing`],
        [() => call(remove, 'item'), 'remove.id: must be a string; it is missing'],
        [() => call(relate, 'item', '1'), 'relate.relationship: must be a string; it is missing'],
        [() => call(relate, 'item', '1', 'tags'), `relate.change: ${change}; it is missing`],
        [
          () => call(relate, 'item', '1', 'tags', ['1']),
          `relate.change: ${change}; it is an array`,
        ],
        [() => call(client.call, 'item'), 'call.action: must be a string; it is missing'],
        [() => call(client.call, 'item', 'x', null), 'call.input: must be an object; it is null'],
        [() => call(client.transaction), 'transaction.work: must be a function; it is missing'],
        [
          () => client.transaction((tx) => call(tx.remove, 'item')),
          'remove.id: must be a string; it is missing',
        ],
      ]
      for (const [work, message] of wrong)
        await assert.rejects(work, { name: 'TypeError', message })
    }))

  it('give documents the links of the service', () =>
    withApi(engine, async ({ store }) => {
      const options = { prefix: '/api', publicUrl: 'https://example.org' }
      const { documents } = createApi({ model: shopModel, store, ...options }).with()
      const { data, links } = await documents.list('item', { page: { size: 1 } })
      assert.equal(links.next, 'https://example.org/api/items?page%5Bsize%5D=1&page%5Bnumber%5D=2')
      assert.equal(data[0]?.links.self, '/api/items/1')
    }))
})
