import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The part of a V8 CPU profile that is read here. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  /** The time between samples, in microseconds. */
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>
  readonly children?: readonly number[]
}

/** The own time of a function over all samples. */
interface FunctionTime {
  /** The path from the root of the repository; for native functions that of the nearest caller. */
  readonly file: string
  readonly name: string
  /** In microseconds. */
  ownTime: number
}

/** Functions that are not counted: idle time, and the profiler. */
const ignored = /^\((idle|root)\)$|^node:inspector/

/** The categories of functions. The first whose pattern matches `<file> <name>` counts. */
// biome-ignore format: a table
const categories: readonly (readonly [category: string, pattern: RegExp])[] = [
  ['sockets', / (writeUtf8String|writeLatin1String|writev|writeBuffer|readStart|shutdown|writeQueueSize)$/],
  ['garbage collection', / \(garbage collector\)$/],
  ['database', /^(src\/(sqlite|postgres)\/connection\/|pg|pg-\w+)\b|^bench\/baseline\/(sqlite|postgres)/],
  ['serialization', /^(src\/serialize\/|service\/resources\/|src\/model\/|bench\/baseline\/documents)/],
  ['planning', /^src\/(parse|plan)\//],
  ['other own code', /^(src|service|bench)\//],
  ['Fastify', /^(fastify|find-my-way|pino|sonic-boom|@fastify|avvio|toad-cache|lru-cache)\b/],
  ['Node.js', /^(node:|\(native\))/],
]

/** Reads a profile, and sums the own time of each function. */
function readFunctionTimes(path: string): FunctionTime[] {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(path, 'utf8'))
  const parents = new Map(nodes.flatMap((node) => node.children?.map((id) => [id, node]) ?? []))
  const nodesById = new Map(nodes.map((node) => [node.id, node]))
  const times = new Map<string, FunctionTime>()
  for (const [index, id] of samples.entries()) {
    const node = nodesById.get(id)
    if (node === undefined) continue
    const file = findFile(node, parents)
    const { functionName, lineNumber } = node.callFrame
    const name = functionName || '(anonymous)'
    if (ignored.test(name) || ignored.test(file)) continue
    const key = `${file} ${name} ${lineNumber}`
    const time = times.get(key) ?? { file, name, ownTime: 0 }
    time.ownTime += timeDeltas[index] ?? 0
    times.set(key, time)
  }
  return [...times.values()].sort((left, right) => right.ownTime - left.ownTime)
}

function findFile(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  for (let current: ProfileNode | undefined = node; current; current = parents.get(current.id)) {
    const { url } = current.callFrame
    if (url.startsWith('file:'))
      return relative(process.cwd(), fileURLToPath(url)).replace(/^.*node_modules\//, '')
    if (url !== '') return url
  }
  return '(native)'
}

/** Prints the functions with the most own time. */
function printFunctions(path: string): void {
  const times = readFunctionTimes(path)
  const total = sumTimes(times)
  for (const { file, name, ownTime } of times.slice(0, 40))
    console.log(`${formatShare(ownTime, total)} %  ${name} ${file}`)
}

/** Prints the share of each category in each profile, as a Markdown table. */
function printShares(paths: readonly string[]): void {
  const names = categories.map(([category]) => category)
  console.log(`| | ${names.join(' | ')} |\n|---|${names.map(() => '---:|').join('')}`)
  for (const path of paths) {
    const times = readFunctionTimes(path)
    const total = sumTimes(times)
    const shares = names.map((name) => {
      const ownTime = sumTimes(times.filter((time) => findCategory(time) === name))
      return ((ownTime / total) * 100).toFixed(0)
    })
    console.log(`| ${basename(path, '.cpuprofile')} | ${shares.join(' | ')} |`)
  }
}

function findCategory({ file, name }: FunctionTime): string | undefined {
  return categories.find(([, pattern]) => pattern.test(`${file} ${name}`))?.[0]
}

function sumTimes(times: readonly FunctionTime[]): number {
  return times.reduce((total, { ownTime }) => total + ownTime, 0)
}

function formatShare(ownTime: number, total: number): string {
  return ((ownTime / total) * 100).toFixed(1).padStart(5)
}

const [path, ...more] = process.argv.slice(2)
if (path === undefined) {
  console.error(
    'Usage: node bench/profile.ts <profile> prints its functions; with several profiles, the share of each category in %',
  )
} else if (more.length === 0) printFunctions(path)
else printShares([path, ...more])
