import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that `--cpu-prof` writes, as far as it is read here. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  /** Between samples, in microseconds. */
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>
  readonly children?: readonly number[]
}

/** What a function did by itself, over all samples. */
interface Part {
  /** Its file, from the root of the repository; that of its nearest caller where it has none. */
  readonly file: string
  readonly name: string
  own: number
}

/** What is nobody's work, and the profiler's own. */
const idle = /^\((idle|root)\)$|^node:inspector/

/** Whose work a function is: the first that its file or name fits. */
// biome-ignore format: a table
const owners: readonly (readonly [owner: string, fits: RegExp])[] = [
  ['sockets', / (writeUtf8String|writeLatin1String|writev|writeBuffer|readStart|shutdown|writeQueueSize)$/],
  ['garbage', / \(garbage collector\)$/],
  ['database', /^(src\/store\/sqlite\/(connection|rows|functions)|src\/store\/postgres\/(pipeline|connection|pool|prepared)|pg|pg-\w+)\b|^bench\/floor\/(sqlite|postgres)/],
  ['telling', /^(src\/document\/|service\/resources\/|src\/model\/|bench\/floor\/documents)/],
  ['planning', /^src\/(request|plan)\//],
  ['the rest of ours', /^(src|service|bench)\//],
  ['Fastify', /^(fastify|find-my-way|pino|sonic-boom|@fastify|avvio|toad-cache|lru-cache)\b/],
  ['Node', /^(node:|\(native\))/],
]

/** Reads a profile: every function's own time in microseconds. */
function partsOf(path: string): Part[] {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(path, 'utf8'))
  const parents = new Map(nodes.flatMap((node) => node.children?.map((id) => [id, node]) ?? []))
  const known = new Map(nodes.map((node) => [node.id, node]))
  const parts = new Map<string, Part>()
  for (const [index, id] of samples.entries()) {
    const node = known.get(id)
    if (node === undefined) continue
    const file = fileOf(node, parents)
    const { functionName, lineNumber } = node.callFrame
    const name = functionName || '(anonymous)'
    if (idle.test(name) || idle.test(file)) continue
    const key = `${file} ${name} ${lineNumber}`
    const part = parts.get(key) ?? { file, name, own: 0 }
    part.own += timeDeltas[index] ?? 0
    parts.set(key, part)
  }
  return [...parts.values()].sort((one, other) => other.own - one.own)
}

function fileOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
    const { url } = at.callFrame
    if (url.startsWith('file:'))
      return relative(process.cwd(), fileURLToPath(url)).replace(/^.*node_modules\//, '')
    if (url !== '') return url
  }
  return '(native)'
}

/** The functions that take most of the time. */
function printFunctions(path: string): void {
  const parts = partsOf(path)
  const total = sum(parts)
  for (const { file, name, own } of parts.slice(0, 40))
    console.log(`${share(own, total)} %  ${name} ${file}`)
}

/** For each profile, how its time is shared out, as a table of Markdown. */
function printShares(paths: readonly string[]): void {
  const names = owners.map(([owner]) => owner)
  console.log(`| | ${names.join(' | ')} |\n|---|${names.map(() => '---:|').join('')}`)
  for (const path of paths) {
    const parts = partsOf(path)
    const total = sum(parts)
    const shares = names.map((name) => {
      const own = sum(parts.filter((part) => ownerOf(part) === name))
      return ((own / total) * 100).toFixed(0)
    })
    console.log(`| ${basename(path, '.cpuprofile')} | ${shares.join(' | ')} |`)
  }
}

function ownerOf({ file, name }: Part): string | undefined {
  return owners.find(([, fits]) => fits.test(`${file} ${name}`))?.[0]
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { own }) => total + own, 0)
}

function share(own: number, total: number): string {
  return ((own / total) * 100).toFixed(1).padStart(5)
}

const [path, ...more] = process.argv.slice(2)
if (path === undefined) {
  console.error(
    'Usage: node bench/profile.ts <profile>: its functions; <profile> <profile> …: how each shares out its time, in %',
  )
} else if (more.length === 0) printFunctions(path)
else printShares([path, ...more])
