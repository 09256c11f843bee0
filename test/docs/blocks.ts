/** A block of a page that is fenced, and what stands between it and the one before. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The prose right before it. */
  readonly lead: string
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const found = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return found.map(({ index, 1: language = '', 2: text = '' }, at) => {
    const before = found[at - 1]
    const start = before === undefined ? 0 : before.index + before[0].length
    return { language, text, lead: page.slice(start, index).trim() }
  })
}

/** A request that a page shows, and what the page says of the answer. */
export interface Shown {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string | undefined
  readonly status: number
  /** The names on the way to the part of the body that is shown; `undefined` when none is. */
  readonly part: readonly string[] | undefined
  /** The part, as parsed. */
  readonly body: unknown
}

/**
 * The requests of a page, in order. Behind each stands ``The answer is `200`.``, or the same with a colon and a block of JSON,
 * which is all of the body or, after ``, and its `data.attributes` are``, a part of it.
 */
export function requestsIn(page: string): Shown[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== 'http') return []
    const next = blocks[at + 1]
    const after = next?.lead ?? ''
    const said = /^The answer is `(\d+)`(?:, and its `([\w.]+)` (?:is|are))?([.:])/.exec(after)
    if (said === null) throw new Error(`The page does not say what is answered to\n${text}`)
    const [sentence, status, part, end] = said
    const isShown = end === ':' && next?.language === 'json' && sentence === after
    if (end === ':' && !isShown) throw new Error(`The page does not show the answer to\n${text}`)
    return [
      {
        ...requestOf(text),
        status: Number(status),
        part: isShown ? (part?.split('.') ?? []) : undefined,
        body: isShown ? JSON.parse(next.text) : undefined,
      },
    ]
  })
}

function requestOf(text: string): Pick<Shown, 'method' | 'path' | 'headers' | 'raw'> {
  const [head = '', ...rest] = text.trimEnd().split('\n\n')
  const [line = '', ...fields] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  return {
    method,
    path,
    headers: Object.fromEntries(fields.map((field) => field.split(': '))),
    raw: rest.length === 0 ? undefined : rest.join('\n\n'),
  }
}

/** What stands at the end of a way through a body. */
export function partOf(body: unknown, way: readonly string[]): unknown {
  return way.reduce((at: unknown, name) => Reflect.get(Object(at), name), body)
}

/** The cells of every row of the tables in a part of a page that has a column of the heading; code loses its fences. */
export function codeRows(part: string, heading: string): string[][] {
  const lines = part.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(heading))
  const after = lines.slice(start + 2)
  const end = after.findIndex((line) => !line.startsWith('|'))
  return after.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'))
      .map((cell) => /^(`+)(.*)\1$/.exec(cell)?.[2] ?? cell),
  )
}
