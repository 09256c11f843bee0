import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'

/**
 * Prints the functions of `src/` and `service/` that a request enters when its query shape is already cached, in the order
 * of their first call.
 *
 *     node tools/trace-request.ts [--summary] [--root <folder>] [--service <path>] [--database-url <url>]
 *
 * The counts come from V8's precise coverage. Coverage has no order, so the request is sent again with conditional
 * breakpoints in these functions. The conditions record the calls and never pause.
 */
const { values } = parseArgs({
  options: {
    /** Prints only the numbers of functions and files. */
    summary: { type: 'boolean', default: false },
    /** The folder of the version to trace. */
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    /** The module of that version that exports `startService`. */
    service: { type: 'string', default: 'service/start-service.ts' },
    /** A database with the demo data; the default is a new SQLite file. */
    'database-url': { type: 'string' },
  },
})

/** A kind of request. The attempt is a number that differs each time. */
interface TracedRequest {
  readonly title: string
  readonly method: 'GET' | 'PATCH'
  readonly path: (attempt: number) => string
  readonly body?: (attempt: number) => string
}

/** A function that a request entered. Offsets are in characters of its script. */
interface EnteredFunction {
  readonly scriptId: string
  readonly file: string
  readonly name: string
  readonly startOffset: number
  readonly endOffset: number
  readonly calls: number
}

const filterAfter = (name: string) =>
  encodeURIComponent(JSON.stringify([{ name: 'name', op: 'gt', val: name }]))
const requests: readonly TracedRequest[] = [
  {
    title: 'GET with filter and include, repeated',
    method: 'GET',
    path: () => `/persons?filter=${filterAfter('A')}&include=computers`,
  },
  {
    title: 'GET with filter and include, a new value',
    method: 'GET',
    path: (attempt) => `/persons?filter=${filterAfter(`A${attempt}`)}&include=computers`,
  },
  {
    title: 'GET with filter, include and sort',
    method: 'GET',
    path: () => `/persons?filter=${filterAfter('A')}&include=computers&sort=-birth_date`,
  },
  {
    title: 'PATCH of one attribute',
    method: 'PATCH',
    path: () => '/persons/1',
    body: (attempt) => {
      const attributes = { name: `Ada ${attempt}` }
      return JSON.stringify({ data: { type: 'person', id: '1', attributes } })
    },
  },
  {
    title: 'PATCH that replaces related resources',
    method: 'PATCH',
    path: () => '/persons/1',
    body: (attempt) => {
      const data = [{ type: 'computer', id: String(1 + (attempt % 2)) }]
      return JSON.stringify({
        data: { type: 'person', id: '1', relationships: { computers: { data } } },
      })
    },
  },
]

/** How often a request is sent before it is traced. */
const warmUpRequests = 6
/** Only functions that each of so many requests enters are counted, so that timers are not. */
const countedRequests = 3

// V8 does not always stop at breakpoints in optimized code.
for (const flag of ['--no-sparkplug', '--no-maglev', '--no-opt']) setFlagsFromString(flag)

const root = pathToFileURL(join(values.root, '/')).href
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const folder = mkdtempSync(join(tmpdir(), 'trace-'))
const databaseUrl = values['database-url'] ?? `sqlite:${join(folder, 'trace.db')}`
const { startService } = await import(root + values.service)
const service = await startService({ databaseUrl, port: 0, logLevel: 'error' }, true)
try {
  for (const request of requests) await printTrace(request)
} finally {
  await service.close()
  rmSync(folder, { recursive: true })
}

async function printTrace(request: TracedRequest): Promise<void> {
  let attempts = 0
  const send = () => {
    attempts += 1
    return sendRequest(request, attempts)
  }
  for (let count = 0; count < warmUpRequests; count += 1) await send()
  const entered = await findEnteredFunctions(send)
  const files = new Set(entered.map(({ file }) => file))
  console.log(`${request.title}: ${entered.length} functions in ${files.size} files`)
  if (values.summary) return
  for (const { file, startOffset, name, calls } of await sortByFirstCall(entered, send)) {
    const source = readFileSync(join(values.root, file), 'utf8')
    const line = findPosition(source, startOffset).lineNumber + 1
    console.log(`  ${file}:${line}  ${name}${calls > 1 ? `  × ${calls}` : ''}`)
  }
}

async function sendRequest(request: TracedRequest, attempt: number): Promise<void> {
  const { method, path, body } = request
  const type = 'application/vnd.api+json'
  const content = body && { body: body(attempt) }
  const headers = { accept: type, ...(body && { 'content-type': type }) }
  const response = await fetch(service.url + path(attempt), { method, headers, ...content })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} failed with status ${response.status}: ${text}`)
}

/** Finds the functions that each of several requests enters. */
async function findEnteredFunctions(send: () => Promise<void>): Promise<EnteredFunction[]> {
  let common: ReadonlyMap<string, EnteredFunction> | undefined
  for (let count = 0; count < countedRequests; count += 1) {
    await session.post('Profiler.takePreciseCoverage')
    await send()
    const entered = await readCoverage()
    const previous = common ?? entered
    common = new Map([...entered].filter(([key]) => previous.has(key)))
  }
  return [...(common?.values() ?? [])]
}

/** Reads which functions were entered since the last time, by script and position. */
async function readCoverage(): Promise<ReadonlyMap<string, EnteredFunction>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const entered = new Map<string, EnteredFunction>()
  for (const { scriptId, url, functions } of result) {
    if (!url.startsWith(`${root}src/`) && !url.startsWith(`${root}service/`)) continue
    const file = relative(values.root, fileURLToPath(url))
    for (const { functionName, ranges } of functions)
      for (const { startOffset, endOffset, count: calls } of ranges.slice(0, 1)) {
        if (calls === 0) continue
        const name = functionName || '(anonymous)'
        const key = `${scriptId}:${startOffset}:${endOffset}`
        entered.set(key, { scriptId, file, name, startOffset, endOffset, calls })
      }
  }
  return entered
}

/** Sends the request again, and sorts functions by their first call. */
async function sortByFirstCall(
  functions: readonly EnteredFunction[],
  send: () => Promise<void>,
): Promise<EnteredFunction[]> {
  const called = new Set<EnteredFunction>()
  const recordCalls = (indexes: readonly number[]) => {
    for (const index of indexes)
      for (const each of functions.slice(index, index + 1)) called.add(each)
    return false
  }
  Object.assign(globalThis, { recordCalls })
  await session.post('Debugger.enable')
  await setBreakpoints(functions)
  await send()
  await session.post('Debugger.disable')
  const uncalled = functions.filter((entered) => !called.has(entered))
  if (uncalled.length > 0) console.log(`  (the order of the last ${uncalled.length} is unknown)`)
  return [...called, ...uncalled]
}

/** Sets breakpoints at the first locations of functions. */
async function setBreakpoints(functions: readonly EnteredFunction[]): Promise<void> {
  const indexesByLocation = new Map<string, number[]>()
  for (const [index, entered] of functions.entries())
    for (const location of await findFirstLocations(entered)) {
      const key = JSON.stringify(location)
      indexesByLocation.set(key, [...(indexesByLocation.get(key) ?? []), index])
    }
  for (const [location, indexes] of indexesByLocation)
    await session.post('Debugger.setBreakpoint', {
      location: JSON.parse(location),
      condition: `recordCalls(${JSON.stringify(indexes)})`,
    })
}

/**
 * Finds the first location of a function, and the second if it is inside. V8 ignores a breakpoint in the default value of a
 * parameter, so the first is not enough. If the second is in a nested function, its enclosing function was called before.
 */
async function findFirstLocations(entered: EnteredFunction): Promise<Debugger.Location[]> {
  const { scriptId, startOffset, endOffset } = entered
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
  // The start of an arrow function is also a location of the enclosing function.
  const start = { scriptId, ...findPosition(scriptSource, startOffset + 1) }
  const end = findPosition(scriptSource, endOffset)
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', { start })
  const isInside = ({ lineNumber, columnNumber = 0 }: Debugger.Location) =>
    lineNumber < end.lineNumber ||
    (lineNumber === end.lineNumber && columnNumber < end.columnNumber)
  return locations
    .slice(0, 2)
    .filter((location, index) => index === 0 || isInside(location))
    .map(({ lineNumber, columnNumber = 0 }) => ({ scriptId, lineNumber, columnNumber }))
}

/** Converts an offset in a script to a line and a column, counted from 0. */
function findPosition(
  source: string,
  offset: number,
): Readonly<{ lineNumber: number; columnNumber: number }> {
  const lines = source.slice(0, offset).split('\n')
  return { lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 }
}
