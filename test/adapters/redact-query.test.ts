import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createHandler, defineModel } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { redactQuery } from '../../src/http/errors.ts'
import { logOf } from '../log.ts'

describe('A request target in the log', () => {
  for (const [target, logged] of [
    ['/notes', '/notes'],
    [
      '/notes?filter[text]=a&sort=-text&page%5Bsize%5D=5',
      '/notes?filter[text]=a&sort=-text&page%5Bsize%5D=5',
    ],
    [
      '/notes?fields[note]=text&include=author&withCount=tags&filter=[]',
      '/notes?fields[note]=text&include=author&withCount=tags&filter=[]',
    ],
    [
      '/notes?includePage[author][size]=1&includeSort[author]=name&includeFilter[author]=[]',
      '/notes?includePage[author][size]=1&includeSort[author]=name&includeFilter[author]=[]',
    ],
    ['/notes?access_token=secret&sort=text', '/notes?access_token=[redacted]&sort=text'],
    ['/notes?sorted=secret&include-key=secret', '/notes?sorted=[redacted]&include-key=[redacted]'],
    ['/notes?secret', '/notes?secret=[redacted]'],
    ['/notes?&token=a=b', '/notes?&token=[redacted]'],
  ])
    it(`shows ${target} as ${logged}`, () => assert.equal(redactQuery(String(target)), logged))

  const model = defineModel([])
  const store = openSqlite(model, ':memory:')
  after(() => store.close())
  const authenticate = () => {
    throw new Error('the identity provider is down')
  }
  const target = '/?access_token=secret&include=x'

  it('has no credentials in the line of an internal error', async (test) => {
    const lines = await logOf(async () => {
      const app = createServer({ model, store, accessLog: false, authenticate })
      test.after(() => app.close())
      assert.equal((await app.inject(target)).statusCode, 500)
      const handle = createHandler({ model, store, authenticate })
      assert.equal((await handle(new Request(`http://localhost${target}`))).status, 500)
    })
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).url),
      Array(lines.length).fill('/?access_token=[redacted]&include=x'),
    )
    assert.equal(lines.length, 2)
  })
})
