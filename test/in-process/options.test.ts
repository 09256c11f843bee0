import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApi, DeclarationError, defineModel } from 'lapidary'
import { inProcess, shopModel, withApi } from './shop.ts'

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

  it('give documents the links of the service', () =>
    withApi(engine, async ({ store }) => {
      const options = { prefix: '/api', publicUrl: 'https://example.org' }
      const { documents } = createApi({ model: shopModel, store, ...options }).with()
      const { data, links } = await documents.list('item', { page: { size: 1 } })
      assert.equal(links.next, 'https://example.org/api/items?page%5Bsize%5D=1&page%5Bnumber%5D=2')
      assert.equal(data[0]?.links.self, '/api/items/1')
    }))
})
