import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Running, startService } from '../../service/start.ts'
import { faults } from '../../src/errors/codes.ts'
import { type Fault, readAnswer } from '../answer.ts'
import { type Client, connect } from '../client.ts'
import { page } from './pages.ts'

/** One section of the page. */
interface Explained {
  readonly code: string
  readonly title: string
  /** The status of the chapter it stands in. */
  readonly status: number
  readonly text: string
}

const explained = page('docs/errors.md')
  .split(/^## (?=\d{3}$)/m)
  .slice(1)
  .flatMap((chapter) => chapter.split(/^### /m).slice(1).map(explainedIn(chapter)))

function explainedIn(chapter: string) {
  const status = Number(chapter.slice(0, 3))
  return (part: string): Explained => {
    const [, code = '', title = '', text = ''] = /^`(\w+)` – (.*)\n([\s\S]*)$/.exec(part) ?? []
    return { code, title, status, text }
  }
}

/** A request that brings an error about, as the page shows it. */
interface Shown {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly raw: string | undefined
}

function shownIn({ text }: Explained): Shown | undefined {
  const [, message] = /```http\n([\s\S]*?)\n```/.exec(text) ?? []
  if (message === undefined) return undefined
  const [head = '', ...rest] = message.split('\n\n')
  const [line = '', ...fields] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = fields.map((field) => field.split(': '))
  const raw = rest.length === 0 ? undefined : rest.join('\n\n')
  return { method, path, headers: Object.fromEntries(headers), raw }
}

/** The quoted line; Markdown has `<` escaped where it opens no tag. */
function detailIn({ text }: Explained): string {
  return /^> (.+)$/m.exec(text)?.[1]?.replaceAll('\\<', '<') ?? ''
}

describe('docs/errors.md', () => {
  let service: Running
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

  it('explains every code there is and no other, in the order of the table', () => {
    const told = explained.map(({ code, status, title }) => [code, { status, title }])
    assert.deepEqual(told, Object.entries(faults))
  })

  it('says of each when it happens, how it reads and what to do', () => {
    for (const fault of explained) {
      assert.match(fault.text, /^\n[A-Z`][^\n]+\.\n/, `${fault.code}: when`)
      assert.notEqual(detailIn(fault), '', `${fault.code}: how it reads`)
      assert.match(fault.text, /\n\*\*What to do:\*\* [^\n]+\.\n/, `${fault.code}: what to do`)
    }
  })

  it('shows requests that bring about just that error, in those words', async () => {
    const shown = explained.flatMap((fault) => {
      const request = shownIn(fault)
      return request === undefined ? [] : [{ fault, request }]
    })
    assert.ok(shown.length >= 20)
    for (const { fault, request } of shown) {
      const { method, path, headers, raw } = request
      const answer = readAnswer(await client.send(method, path, { headers, raw }))
      const is = ({ code }: Fault): boolean => code === fault.code
      const found = answer.body.errors?.find(is)
      assert.equal(found?.detail, detailIn(fault), `${fault.code}: ${answer.text}`)
      assert.equal(found?.status, String(fault.status))
    }
  })
})
