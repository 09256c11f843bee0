import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatLogLine } from '../../src/http/adapters/fastify/log.ts'

const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const base = { time, pid: 1, hostname: 'h' }
const cases: readonly (readonly [title: string, entry: object, text: string])[] = [
  [
    'a request',
    {
      level: 30,
      ...base,
      reqId: 'req-1',
      method: 'GET',
      route: '/notes/:id',
      status: 200,
      ms: 1.5,
      bytes: 42,
      msg: 'request',
    },
    '03:04:05.006 INFO  GET /notes/:id 200 1.5 ms 42 B req-1\n',
  ],
  [
    'a streamed request without a route',
    {
      level: 30,
      ...base,
      reqId: 'req-2',
      method: 'GET',
      route: null,
      status: 404,
      ms: 1,
      msg: 'request',
    },
    '03:04:05.006 INFO  GET (no route) 404 1 ms req-2\n',
  ],
  [
    'fields',
    { level: 40, ...base, code: 'x', list: [1], msg: 'Careful.' },
    '03:04:05.006 WARN  Careful. code="x" list=[1]\n',
  ],
  [
    'an error',
    { level: 50, ...base, err: { message: 'no', stack: 'Error: no\n    at a' }, msg: 'failed' },
    '03:04:05.006 ERROR failed\nError: no\n    at a\n',
  ],
  [
    'control characters',
    { level: 20, ...base, msg: 'a\u001b[31mb\u009b' },
    '03:04:05.006 DEBUG a\\x1b[31mb\\x9b\n',
  ],
]

describe('A line of the log in a terminal', () => {
  for (const [title, entry, text] of cases)
    it(`shows ${title}`, () => assert.equal(formatLogLine(`${JSON.stringify(entry)}\n`), text))

  for (const line of ['plain\n', '{"a":1}\n', '[]\n'])
    it(`is the line itself when it is not a JSON object: ${line.trim()}`, () => {
      assert.equal(formatLogLine(line), line)
    })
})
