import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestError } from 'lapidary'

describe('RequestError', () => {
  for (const status of [200, 399, 600, 403.5, Number.NaN])
    it(`given the status ${status}, when it is created, then it throws, because a client would take it for no error`, () => {
      assert.throws(() => new RequestError({ status, detail: 'No.' }), {
        name: 'RangeError',
        message: `RequestError.status: must be from 400 to 599; it is ${status}`,
      })
    })

  it('given no status, when it is created, then it is 403', () => {
    assert.equal(new RequestError({ detail: 'No.' }).status, 403)
    for (const status of [400, 599])
      assert.equal(new RequestError({ status, detail: 'No.' }).status, status)
  })
})
