import { isObject } from '../model/kinds/json.ts'

/**
 * Work that is done in steps: it yields wherever other requests may be served in between, and returns its result. The description of
 * hundreds of types takes more than a second.
 */
export type Steps<Result> = Generator<undefined, Result>

/** The longest time of steps until other requests are served, in milliseconds. */
const maxTime = 10

/** Does all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does steps in several iterations of the event loop, so that other requests are served in between. */
export async function runStepsInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let start = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - start < maxTime) continue
    await new Promise((resolve) => setImmediate(resolve))
    start = performance.now()
  }
}

/** Merges what a function returns for each item, an item a step. */
export function* mergeEach<Item, Value>(
  items: Iterable<Item>,
  describe: (item: Item) => Readonly<Record<string, Value>>,
): Steps<Readonly<Record<string, Value>>> {
  const merged: Record<string, Value> = {}
  for (const item of items) {
    Object.assign(merged, describe(item))
    yield
  }
  return merged
}

/** Formats an object as JSON, a member a step. @param depth - the levels of objects whose members are steps of their own */
export function* formatJson(value: object, depth: number): Steps<string> {
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const isDivided = depth > 1 && isObject(member)
    const text = isDivided ? yield* formatJson(member, depth - 1) : JSON.stringify(member)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
    yield
  }
  return `{${members.join(',')}}`
}

/** The longest text that is sent at once, in UTF-16 code units: ten megabytes take 0.3 seconds to encode. */
const maxTextLength = 1024 * 1024
/** The length of the parts of a longer one. */
const partLength = 128 * 1024

/** Returns a text as it is, or in parts that a client receives one after the other. A surrogate pair stays in one part. */
export function divideText(text: string): string | AsyncIterable<string> {
  return text.length > maxTextLength ? listParts(text) : text
}

async function* listParts(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + partLength
    const isHighSurrogate = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const next = isHighSurrogate ? end + 1 : end
    yield text.slice(start, next)
    start = next
    await new Promise((resolve) => setImmediate(resolve))
  }
}
