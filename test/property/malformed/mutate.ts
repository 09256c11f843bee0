import * as fc from 'fast-check'
import { unknownName, unusualJson } from '../unusual-values.ts'

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

/** An unknown name and an unusual value, which a change may insert. */
interface Replacement {
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
} satisfies Record<string, (branch: Branch, entry: Entry, by: Replacement) => void>

/**
 * Texts in which one to three values or names of a valid document, at any level, were replaced. They are mostly JSON, and mostly
 * not a document.
 */
export function mutationsOf(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const all = Object.values<(branch: Branch, entry: Entry, by: Replacement) => void>(changes)
  const some = fc.array(
    fc.record({
      position: fc.nat(),
      change: fc.constantFrom(...all),
      by: fc.record({ name: unknownName, text: unusualJson }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  return fc.tuple(valid, some).map(([document, mutations]) => {
    const root: Branch = { is: 'array', entries: [{ name: '', value: nodeOf(document) }] }
    for (const { position, change, by } of mutations) {
      const entries = listEntries(root)
      const located = entries[position % entries.length]
      if (located !== undefined) change(located.branch, located.entry, by)
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

/** Every entry at any depth, with its array or object. */
function listEntries(branch: Branch): { branch: Branch; entry: Entry }[] {
  return branch.entries.flatMap((entry) => [
    { branch, entry },
    ...(typeof entry.value === 'string' ? [] : listEntries(entry.value)),
  ])
}
