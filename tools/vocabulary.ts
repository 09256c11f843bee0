import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * Counts words that this project no longer uses as terms, per 1,000 lines of code and documentation.
 *
 *     node tools/vocabulary.ts [--root <folder>] [--summary] [--find <word>]
 *
 * A word counts wherever it occurs: in prose, in a comment, or as a part of an identifier (`planShown` has `shown`). Some of
 * these words have ordinary uses too, so the number does not have to be 0. Before the terms were replaced (commit a8c83b8), it was
 * 188 per 1,000 lines: 10,940 words in 58,047 lines. Now it is about 26. What remains are forms of HTML, whole numbers, exchanges of
 * HTTP that tests check, the steps of a write, the operation `relate`, ids that are taken, what is counted or shown, JavaScript's
 * settled promises, and names in the data of tests, such as `room`, `people` and `guest`. `--find` lists the lines of one word.
 */
const { values } = parseArgs({
  options: {
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    summary: { type: 'boolean', default: false },
    find: { type: 'string' },
  },
})

/** The folders that are searched, and what is skipped in them: generated files and saved results. */
const folders = ['src', 'service', 'cli', 'test', 'bench', 'docs']
const skipped = /node_modules|^(bench\/(results|peers|\.cache)|test\/schemas)\//

/** Former terms by the term that replaced them; each line has inflections of its words too. */
const formerTerms: Readonly<Record<string, string>> = {
  'serialize, report, readable': 'tell tells told untold telling teller tellers',
  codec: 'form forms',
  parameter: 'slot slots',
  'include edge, relationship path, segment, token': 'step steps way ways',
  'full read, bounded read': 'whole remembering remembered backwards',
  'snapshot, validator, volatile':
    'moment moments witness witnesses trust trusted fleeting lasting',
  'layers, entry point, consumers, baseline':
    'house houses room rooms porch corridor landing floor door doors guest guests',
  'error, violation, warning, fix':
    'fault faults mistake mistakes refusal refusals complaint complaints misfit misfits breach breaches remark remarks mend mends mended',
  'auth context, authenticate': 'caller callers identify identified',
  'execute, check, context': 'carry carried alongside straight scene scenes examine relate',
  pipelined: 'together',
  'executor, acquire, query request': 'lend lends lent asked answered outcome outcomes exchange',
  'mutex, deadline, retry': 'turn turns patience patient patiently',
  'group commit, savepoint': 'apart',
  'aggregated, included rows, reachable': 'gather gathers gathered addition additions reached',
  'scope, source location, page window': 'place places',
  retained: 'kept',
  'canonical query': 'repeated unnumbered',
  'not found, wrong type, existence checks': 'absence absences stranger strangers lookups',
  'resolve, write builder, projection': 'settle settled draft drafts touched shown counted taken',
  'suite, fixture, samples, stats':
    'chapter chapters world worlds picture pictures gallery toll beside',
  'workloads, comparisons, rounds, servers, seed data':
    'wish wishes arena arenas bout bouts subject subjects people',
}

/** Identifiers whose single words are ordinary. */
const formerNames = [
  'basePath',
  'isIt',
  'isStraight',
  'isTogether',
  'lastNew',
  'newRows',
  'noLonger',
  'ofNew',
  'PageWords',
  'perShape',
  'ResourceWords',
  'theId',
  'writeOnce',
]

const terms = new Set([
  ...Object.values(formerTerms).flatMap((words) => words.split(' ')),
  ...formerNames,
])

const nameOrWord = /\p{L}[\p{L}\p{N}]*(?!\p{L})/gu
const wordInName = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu

/** Lists the former terms in a line. JavaScript and SQL have a function `floor`, whose calls do not count. */
function findTerms(line: string): string[] {
  return [...line.replaceAll(/\bfloor\(/g, '(').matchAll(nameOrWord)].flatMap(([name]) => {
    if (formerNames.includes(name)) return [name]
    const words = name.match(wordInName) ?? []
    return words.map((each) => each.toLowerCase()).filter((each) => terms.has(each))
  })
}

/** Lists the source files and pages of a folder. */
function listFiles(folder: string): string[] {
  return readdirSync(join(values.root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(ts|js|md)$/.test(path) && !skipped.test(path))
    .sort()
}

/** The terms in the files of a folder. */
interface FolderCount {
  readonly folder: string
  readonly terms: readonly string[]
  readonly lines: number
}

/** Counts the terms of a folder. With `--find`, prints the lines that contain that term. */
function countTerms(folder: string): FolderCount {
  const located = listFiles(folder).flatMap((path) => {
    const lines = readFileSync(join(values.root, path), 'utf8').split('\n')
    return lines.map((line, index) => ({ line, position: `${path}:${index + 1}` }))
  })
  const terms = located.flatMap(({ line, position }) => {
    const found = findTerms(line)
    if (values.find !== undefined && found.includes(values.find))
      console.log(`${position}: ${line.trim()}`)
    return found
  })
  return { folder, terms, lines: located.length }
}

function formatCount({ folder, terms, lines }: FolderCount): string {
  const rate = ((terms.length / lines) * 1000).toFixed(1)
  return `${folder}: ${terms.length} in ${lines} lines, ${rate} per 1,000`
}

const counts = folders.map(countTerms)
const total = {
  folder: 'total',
  terms: counts.flatMap(({ terms }) => terms),
  lines: counts.reduce((sum, { lines }) => sum + lines, 0),
}
if (values.find === undefined) {
  for (const count of [...counts, total]) console.log(formatCount(count))
  const byTerm = Object.entries(Object.groupBy(total.terms, (term) => term))
  if (!values.summary)
    for (const [term, { length } = []] of byTerm.sort(
      ([, left = []], [, right = []]) => right.length - left.length,
    ))
      console.log(`${String(length).padStart(6)} ${term}`)
}
