/** A fenced code block of a page. */
interface Block {
  readonly language: string
  readonly text: string
  /** The text between this block and the previous one. */
  readonly lead: string
}

/** Returns the fenced code blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const found = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return found.map(({ index, 1: language = '', 2: text = '' }, at) => {
    const before = found[at - 1]
    const start = before === undefined ? 0 : before.index + before[0].length
    return { language, text, lead: page.slice(start, index).trim() }
  })
}

/** A request on a page, with the response that the page describes. */
interface ShownRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string | undefined
  readonly status: number
  /** The path of the shown part of the body; `undefined` if the page shows no body. */
  readonly part: readonly string[] | undefined
  /** The parsed JSON of this part. */
  readonly body: unknown
}

/**
 * Returns the requests of a page, in order. Each is followed by ``The answer is `200`.``, or by the same sentence with a
 * colon and a JSON block. The block is the complete body or, after ``, and its `data.attributes` are``, a part of it.
 */
export function requestsIn(page: string): ShownRequest[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== 'http') return []
    const next = blocks[at + 1]
    const after = next?.lead ?? ''
    const said = /^The answer is `(\d+)`(?:, and its `([\w.]+)` (?:is|are))?([.:])/.exec(after)
    if (said === null) throw new Error(`The page does not describe the response to\n${text}`)
    const [sentence, status, part, end] = said
    const isShown = end === ':' && next?.language === 'json' && sentence === after
    if (end === ':' && !isShown) throw new Error(`The page does not show the response to\n${text}`)
    return [
      {
        ...parseRequest(text),
        status: Number(status),
        part: isShown ? (part?.split('.') ?? []) : undefined,
        body: isShown ? JSON.parse(next.text) : undefined,
      },
    ]
  })
}

function parseRequest(text: string): Pick<ShownRequest, 'method' | 'path' | 'headers' | 'raw'> {
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

/** Returns the member of a body at a path. */
export function memberAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, name) => Reflect.get(Object(at), name), body)
}

/** Returns the rows of the table that has a column with the heading, as cells. Code spans lose their backticks. */
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
