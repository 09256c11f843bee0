import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that `--cpu-prof` writes, as far as it is read here. */
interface Profile {
  readonly nodes: readonly Readonly<{
    id: number
    callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>
    children?: readonly number[]
  }>[]
  readonly samples: readonly number[]
  /** Between samples, in microseconds. */
  readonly timeDeltas: readonly number[]
}

/** A function's part of the time. */
interface Part {
  readonly where: string
  own: number
}

/** What is nobody's work. */
const idle = ['(idle)', '(root)']

/**
 * Prints where the time of a profile goes: the share of each file and of each function, by what they do themselves.
 * Usage: node bench/profile.ts <file> [how many lines]
 */
function print(path: string, lines: number): void {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(path, 'utf8'))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const functions = new Map<string, Part>()
  const files = new Map<string, Part>()
  let total = 0
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id)
    if (frame === undefined || idle.includes(frame.functionName)) continue
    const time = timeDeltas[index] ?? 0
    total += time
    const file = placeOf(frame.url)
    add(files, file, time)
    add(functions, `${frame.functionName || '(anonymous)'} ${file}:${frame.lineNumber + 1}`, time)
  }
  for (const parts of [files, functions]) {
    const sorted = [...parts.values()].sort((one, other) => other.own - one.own)
    for (const { where, own } of sorted.slice(0, lines))
      console.log(`${((own / total) * 100).toFixed(1).padStart(5)} %  ${where}`)
    console.log()
  }
}

function add(parts: Map<string, Part>, where: string, time: number): void {
  const part = parts.get(where) ?? { where, own: 0 }
  part.own += time
  parts.set(where, part)
}

function placeOf(url: string): string {
  if (!url.startsWith('file:')) return url === '' ? '(native)' : url
  return relative(process.cwd(), fileURLToPath(url)).replace(/^.*node_modules\//, '')
}

const [path, lines = '25'] = process.argv.slice(2)
if (path === undefined) console.error('Usage: node bench/profile.ts <file> [how many lines]')
else print(path, Number(lines))
