import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningService, startService } from '../../service/start-service.ts'
import { errorCodes } from '../../src/errors/codes.ts'
import { type Client, connect } from '../client.ts'
import { parseResponse } from '../test-response.ts'
import { readPage } from './pages.ts'

/** A section of the page. */
interface Section {
  readonly code: string
  readonly title: string
  /** The status in the heading above. */
  readonly status: number
  readonly text: string
}

const sections = readPage('docs/errors.md')
  .split(/^## (?=\d{3}$)/m)
  .slice(1)
  .flatMap((part) => {
    const status = Number(part.slice(0, 3))
    return part
      .split(/^### /m)
      .slice(1)
      .map((text) => parseSection(status, text))
  })

function parseSection(status: number, section: string): Section {
  const [, code = '', title = '', text = ''] = /^`(\w+)` – (.*)\n([\s\S]*)$/.exec(section) ?? []
  return { code, title, status, text }
}

/** A request on the page. */
interface ShownRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly raw: string | undefined
}

function requestIn({ text }: Section): ShownRequest | undefined {
  const [, message] = /```http\n([\s\S]*?)\n```/.exec(text) ?? []
  if (message === undefined) return undefined
  const [head = '', ...rest] = message.split('\n\n')
  const [line = '', ...fields] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = fields.map((field) => field.split(': '))
  const raw = rest.length === 0 ? undefined : rest.join('\n\n')
  return { method, path, headers: Object.fromEntries(headers), raw }
}

/** Returns the quoted line. The page escapes a `<` that does not start a tag. */
function detailIn({ text }: Section): string {
  return /^> (.+)$/m.exec(text)?.[1]?.replaceAll('\\<', '<') ?? ''
}

const examples = sections.flatMap((section) => {
  const request = requestIn(section)
  return request === undefined ? [] : [{ section, request }]
})

describe('docs/errors.md', () => {
  let service: RunningService
  let client: Client
  before(async () => {
    const strict = { clientIds: 'forbid', idMismatch: 'conflict' } as const
    const quiet = { port: 0, databaseUrl: 'sqlite::memory:', logLevel: 'silent' }
    service = await startService({ ...quiet, ...strict }, true)
    client = connect(service.url)
  })
  after(async () => {
    client.close()
    await service.close()
  })

  it('explains every code and no other, in the order of the table', () => {
    const explained = sections.map(({ code, status, title }) => [code, { status, title }])
    assert.deepEqual(explained, Object.entries(errorCodes))
  })

  for (const section of sections) {
    it(`describes the cause, the detail and the remedy of ${section.code}`, () => {
      assert.match(section.text, /^\n[A-Z`][^\n]+\.\n/)
      assert.notEqual(detailIn(section), '')
      assert.match(section.text, /\n\*\*Fix:\*\* [^\n]+\.\n/)
    })
  }

  it('shows a request for at least 20 codes', () => {
    assert.ok(examples.length >= 20)
  })

  for (const { section, request } of examples) {
    it(`shows a request that causes ${section.code} with the shown detail`, async () => {
      const { method, path, headers, raw } = request
      const response = parseResponse(await client.send(method, path, { headers, raw }))
      const found = response.body.errors?.find(({ code }) => code === section.code)
      assert.equal(found?.detail, detailIn(section), response.text)
      assert.equal(found?.status, String(section.status))
    })
  }
})
