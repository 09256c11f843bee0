import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { logSlowStatements } from 'lapidary/telemetry'
import { engine } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'

/** A line of the log. */
interface Line {
  readonly route?: string
  readonly statement: string
  readonly ms: number
  readonly rows: number
  readonly indexes?: readonly string[]
}

/** Collects the lines that are logged while work runs, and until they are all there. */
async function linesOf(
  work: (setTime: (now: number) => void) => Promise<unknown>,
  { threshold = 0, isDone = (lines: readonly Line[]) => lines.length > 0 } = {},
): Promise<readonly Line[]> {
  const lines: Line[] = []
  let now = 0
  const log = { warn: (entry: object | string) => void lines.push(Object(entry)) }
  const stop = logSlowStatements({ log, threshold, now: () => now })
  try {
    await work((time) => {
      now = time
    })
    for (let turn = 0; turn < 100_000 && !isDone(lines); turn += 1) await setImmediate()
  } finally {
    stop()
  }
  return lines
}

engine('Slow statements', { model: library, tables: libraryTables }, (api) => {
  it('are logged with their route, their rows, and the index that is missing', async () => {
    const isOfTitle = ({ statement }: Line) => /title/.test(statement)
    const lines = await linesOf(() => api.get('/books', { sort: 'title' }), {
      isDone: (found) => found.some(isOfTitle),
    })
    const [line] = lines.filter(isOfTitle)
    assert.ok(line)
    assert.equal(line.route, '/books')
    assert.match(line.statement, /^(?:select|with)/)
    assert.ok(line.ms >= 0 && line.rows >= 1)
    assert.match(String(line.indexes), /create index .*title/is)
  })

  it('are logged at most once a minute for each statement', async () => {
    const read = () => api.get('/books/1')
    const lines = await linesOf(
      async (setTime) => {
        await read()
        await read()
        setTime(59_999)
        await read()
        setTime(60_000)
        await read()
      },
      { isDone: (found) => found.length > 1 },
    )
    const texts = lines.map(({ statement }) => statement)
    for (const text of new Set(texts))
      assert.ok(texts.filter((each) => each === text).length <= 2, text)
    assert.ok(texts.length >= 2)
  })

  it('have no values', async () => {
    const lines = await linesOf(() =>
      api.get('/books', { filter: [{ name: 'title', op: 'eq', val: 'secret' }] }),
    )
    assert.ok(lines.length > 0)
    assert.doesNotMatch(JSON.stringify(lines), /secret/)
  })

  it('are not logged below the threshold', async () => {
    assert.deepEqual(
      await linesOf(() => api.get('/books'), { threshold: 60_000, isDone: () => true }),
      [],
    )
  })
})
