import assert from 'node:assert/strict'
import type { CollectionRequest } from './reference.ts'
import type { Clause, Filter } from './reference-filter.ts'
import { isSingle, operatorsOf } from './reference-operators.ts'
import { type Kind, kindOf, relationships, type TypeName } from './rows.ts'

/** Where in a filter a comparison stands: the innermost of what is around it. */
type Position = 'plain' | 'negated' | 'nested' | 'shortcut'

const positions: readonly Position[] = ['plain', 'negated', 'nested', 'shortcut']

/** Counts what random filters have met, so that a test can prove that it was no empty one. */
export class Coverage {
  readonly #seen = new Set<string>()
  #trees = 0
  #requests = 0
  #telling = 0

  /** Takes note of a request, and of how many of the rows it found. */
  add(request: CollectionRequest, found: number, rows: number): void {
    this.#trees += request.filters.length
    this.#requests += 1
    if (found > 0 && found < rows) this.#telling += 1
    for (const filter of request.filters) this.#walk(request.type, filter, 'plain')
    for (const [name] of request.simple) {
      const [type, field] = leaf(request.type, name)
      this.#seen.add(`simple ${kindOf(type, field)} ${field === name ? 'plain' : 'shortcut'}`)
    }
  }

  /**
   * Fails unless there were enough trees, enough of the answers held some rows but not all,
   * and every operator met every kind it applies to in every position.
   */
  assertEnough(trees: number, telling: number): void {
    assert.ok(this.#trees >= trees, `only ${this.#trees} trees, fewer than ${trees}`)
    const share = this.#telling / this.#requests
    assert.ok(share >= telling, `only ${share} of the answers held some rows but not all`)
    assert.deepEqual(new Set(expected()).difference(this.#seen), new Set())
  }

  #walk(type: TypeName, filter: Filter, position: Position): void {
    if ('and' in filter) for (const part of filter.and) this.#walk(type, part, position)
    else if ('or' in filter) for (const part of filter.or) this.#walk(type, part, position)
    else if ('not' in filter) this.#walk(type, filter.not, 'negated')
    else this.#clause(type, filter, position)
  }

  #clause(root: TypeName, clause: Clause, position: Position): void {
    const [type, name] = leaf(root, clause.name)
    const kind = kindOf(type, name)
    const where = name === clause.name ? position : 'shortcut'
    this.#seen.add(`${kind} ${clause.op} ${where}`)
    this.#seen.add(`${kind} ${clause.op} ${against(clause)}`)
    if (clause.op !== 'any' && clause.op !== 'has') return
    for (const inner of [clause.val ?? []].flat()) {
      if (inner !== null && typeof inner === 'object') {
        this.#walk(relationships[type].type, inner, 'nested')
      }
    }
  }
}

/** What a comparison compares with. */
function against({ val, field }: Clause): string {
  if (field !== undefined) return 'field'
  if (Array.isArray(val)) return val.length === 0 ? 'empty list' : 'list'
  return val === null ? 'null' : 'value'
}

/** The type and field that a dotted-by-`__` name ends at. */
function leaf(type: TypeName, name: string): [TypeName, string] {
  const hop = name.indexOf('__')
  return hop < 0 ? [type, name] : leaf(relationships[type].type, name.slice(hop + 2))
}

function expected(): string[] {
  const kinds: readonly Kind[] = ['text', 'email', 'date', 'id', 'relationship']
  const comparisons = kinds.flatMap((kind) =>
    operatorsOf[kind].flatMap((op) =>
      [...positions, ...sides(kind, op)].map((each) => `${kind} ${op} ${each}`),
    ),
  )
  const simple = kinds
    .filter((kind) => kind !== 'relationship')
    .flatMap((kind) => [`simple ${kind} plain`, `simple ${kind} shortcut`])
  return [...comparisons, ...simple]
}

function sides(kind: Kind, op: string): string[] {
  if (op === 'any' || op === 'has') return ['null', 'value', 'list']
  if (kind === 'relationship') return ['null']
  if (isSingle(op)) return ['null', 'value', 'field']
  return op === 'between' ? ['list'] : ['list', 'empty list']
}
