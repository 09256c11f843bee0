import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorCodes } from '../../src/errors/codes.ts'
import { absolutePath, readPage, section, tableRows } from './pages.ts'

const limits = readPage('docs/limits.md')
const rows = ['Requests', 'Queries', 'Reads', 'Connections'].flatMap((heading) =>
  tableRows(section(limits, `## ${heading}`)),
)

describe('docs/limits.md', () => {
  it('lists a default and an existing test for each limit', () => {
    assert.ok(rows.length > 30)
    for (const row of rows) {
      const [what = '', initial, , test = ''] = row
      assert.equal(row.length, 4, what)
      assert.ok(initial, what)
      assert.ok(existsSync(absolutePath(test.replaceAll('`', ''))), `${what}: ${test}`)
    }
  })

  it('names existing settings and error codes, with the right defaults and statuses', () => {
    const settings = new Map(
      tableRows(readPage('docs/settings.md')).map(([, variable = '', initial = '']) => [
        variable,
        initial,
      ]),
    )
    for (const [what, setting = '', error = ''] of rows) {
      for (const [name] of setting.matchAll(/`[A-Z_]+`/g))
        assert.ok(settings.has(name), `${what}: ${name}`)
      for (const [, status, code = ''] of error.matchAll(/(\d{3}) `(\w+)`/g))
        assert.equal(
          String(new Map(Object.entries(errorCodes)).get(code)?.status),
          status,
          `${what}: ${code}`,
        )
    }
    for (const [name, initial] of [
      ['`DATABASE_TIMEOUT`', '10000'],
      ['`MAX_CONNECTIONS`', '4096'],
      ['`SEND_TIMEOUT`', '60000'],
      ['`QUEUE_TIMEOUT`', '1000'],
      ['`NOT_FOUND_INTERVAL`', '0'],
      ['`STATEMENT_CACHE`', String(64 * 2 ** 20)],
      ['`DATABASE_QUEUE`', '1000'],
      ['`DATABASE_READERS`', '2'],
      ['`MAX_BODY`', String(2 ** 20)],
    ] as const)
      assert.equal(settings.get(name), `\`${initial}\``, name)
  })
})
