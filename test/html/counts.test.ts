import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { attribute, createHandler, declare, type Model, resource, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { databases, everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'
import { until } from '../service/processes.ts'

const tables = `
  create table note (id integer primary key, line text, owner text);
  create table visit (id integer primary key, line text);
  insert into note (id, line, owner) values (1, 'a', 'ada'), (2, 'b', 'ada'), (3, 'c', 'ben');
  insert into visit (id, line) values (1, 'x');
`

/** A view whose rows cannot be counted in time. */
const endlessView = `
  create view endless as select n as id, 'x' as line from generate_series(1, 2000000000) as n
    where pg_sleep(0.001) is not null`

const [, postgres] = everyDatabase
assert.ok(postgres)

const fields = { line: attribute(text) }
const { defineModel, auth, resource: restricted } = declare<{ auth: string | null }>()
const own = { filter: [{ name: 'owner', op: 'eq', val: auth((user) => user) }] } as const

/** The deadline of reads, in milliseconds: the page waits for no count that takes so long. */
const readTimeout = 60_000

/**
 * Serves a model; returns how to read the counts of the landing page, by type. On a busy machine even a count of few rows may take
 * longer than the page waits, so the page is opened again until the given types have their numbers.
 */
async function serve(test: TestContext, model: Model, url: string) {
  const store = await openStore(model, url, { timeout: readTimeout })
  test.after(() => store.close())
  const authenticate = ({ headers }: Request) => headers.get('user')
  const handle = createHandler({ model, store, html: createPages(), authenticate })
  const readCounts = async (user: string) => {
    const headers = { accept: 'text/html', user }
    const page = await (await handle(new Request('http://x/', { headers }))).text()
    const cells = page.matchAll(
      /<bdi>(\w+)<\/bdi><\/a><\/th><td>.*?<\/td><td class="count"( data-count-of="[^"]*")?>([^<]*)</g,
    )
    return new Map([...cells].map(([, type, later, count]) => [type, [count, !!later]] as const))
  }
  return async (user: string, counted: readonly string[]) => {
    let counts: Awaited<ReturnType<typeof readCounts>> = new Map()
    const isCounted = async () => {
      counts = await readCounts(user)
      return counted.every((type) => counts.get(type)?.[1] === false)
    }
    await until(isCounted, () => `no number: ${[...counts].join('; ')}`)
    return Object.fromEntries(counts)
  }
}

for (const database of databases)
  describe(`The counts of the landing page · ${database.name}`, () => {
    it('given an identity, when it opens the page, then the page has the numbers that it may read', async (test) => {
      let reads = 0
      const note = restricted('note', {
        path: '/notes',
        table: 'note',
        access: { read: own },
        fields: { ...fields, owner: attribute(text) },
      })
      const hidden = restricted('hidden', {
        path: '/hidden',
        table: 'note',
        access: { read: (user) => user === 'ada' },
        fields,
      })
      const visit = restricted('visit', {
        path: '/visits',
        table: 'visit',
        fields,
        hooks: {
          beforeRead: () => {
            reads += 1
          },
        },
      })
      const count = await serve(
        test,
        defineModel([note, hidden, visit]),
        await filled(test, database, tables),
      )
      // Hooks may record who reads, so the script of the page counts these.
      assert.deepEqual(await count('ada', ['note', 'hidden']), {
        note: ['2', false],
        hidden: ['3', false],
        visit: ['–', true],
      })
      assert.deepEqual(await count('ben', ['note']), {
        note: ['1', false],
        hidden: ['–', true],
        visit: ['–', true],
      })
      assert.equal(reads, 0)
    })
  })

describe('The counts of the landing page', () => {
  it('given a view that takes long to count, when the page is opened, then it does not wait for it', async (test) => {
    const note = resource('note', { path: '/notes', table: 'note', fields })
    const endless = resource('endless', {
      path: '/endless',
      table: 'endless',
      access: 'read-only',
      fields,
    })
    const model = defineModel([endless, note])
    const count = await serve(test, model, await filled(test, postgres, tables + endlessView))
    const start = performance.now()
    const counts = await count('ada', ['note'])
    assert.deepEqual(counts, { endless: ['–', true], note: ['3', false] })
    assert.ok(performance.now() - start < readTimeout, 'the page waited for the count')
  })
})
