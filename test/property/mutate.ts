import * as fc from 'fast-check'
import { oddJson, unknownName } from './odd-words.ts'

/** JSON as a tree that, unlike parsed JSON, can repeat members and hold any text as a value. */
type Node = string | Branch

interface Branch {
  readonly is: 'array' | 'object'
  /** In order; the names count in objects only. */
  readonly entries: Entry[]
}

interface Entry {
  name: string
  value: Node
}

/** An unknown name and an odd value that a change may put in. */
interface Odd {
  readonly name: string
  readonly text: string
}

/** The mutations of one entry of an array or object, in place. */
const changes = {
  replace: (_, entry, { text }) => {
    entry.value = text
  },
  remove: (branch, entry) => {
    branch.entries.splice(branch.entries.indexOf(entry), 1)
  },
  rename: (branch, entry, { name, text }) => {
    if (branch.is === 'object') entry.name = name
    else entry.value = text
  },
  repeat: (branch, { name }, { text }) => {
    branch.entries.push({ name, value: text })
  },
  double: (branch, entry) => {
    branch.entries.push({ ...entry })
  },
  add: (_, { value }, { name, text }) => {
    if (typeof value !== 'string') value.entries.push({ name, value: text })
  },
  wrap: (_, entry) => {
    entry.value = { is: 'array', entries: [{ ...entry }] }
  },
  unwrap: (_, entry) => {
    const [first] = typeof entry.value === 'string' ? [] : entry.value.entries
    if (first !== undefined) entry.value = first.value
  },
} satisfies Record<string, (branch: Branch, entry: Entry, odd: Odd) => void>

/**
 * Texts that are JSON, but hardly the document any more: one to three values or names of a valid document,
 * at any level, are spoilt.
 */
export function mutationsOf(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const hows = Object.values<(branch: Branch, entry: Entry, odd: Odd) => void>(changes)
  const some = fc.array(
    fc.record({
      place: fc.nat(),
      change: fc.constantFrom(...hows),
      odd: fc.record({ name: unknownName, text: oddJson }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  return fc.tuple(valid, some).map(([document, all]) => {
    const root: Branch = { is: 'array', entries: [{ name: '', value: nodeOf(document) }] }
    for (const { place, change, odd } of all) {
      const entries = listEntries(root)
      const located = entries[place % entries.length]
      if (located !== undefined) change(located.branch, located.entry, odd)
    }
    return root.entries.map(({ value }) => write(value)).join(' ')
  })
}

/** The text of valid JSON with its end missing, anywhere after the first character. */
export function truncationsOf(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  return fc.tuple(valid, share).map(([document, part]) => {
    const text = JSON.stringify(document)
    return text.slice(0, 1 + Math.floor(part * (text.length - 1)))
  })
}

function nodeOf(json: unknown): Node {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  const entries = Object.entries(json).map(([name, value]) => ({ name, value: nodeOf(value) }))
  return { is: Array.isArray(json) ? 'array' : 'object', entries }
}

function write(node: Node): string {
  if (typeof node === 'string') return node
  const values = node.entries.map(({ name, value }) =>
    node.is === 'array' ? write(value) : `${JSON.stringify(name)}:${write(value)}`,
  )
  return node.is === 'array' ? `[${values}]` : `{${values}}`
}

/** Every entry at any depth, with the branch it hangs on. */
function listEntries(branch: Branch): { branch: Branch; entry: Entry }[] {
  return branch.entries.flatMap((entry) => [
    { branch, entry },
    ...(typeof entry.value === 'string' ? [] : listEntries(entry.value)),
  ])
}
