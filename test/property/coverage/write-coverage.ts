import assert from 'node:assert/strict'
import { shapeOf } from '../everything/shapes.ts'
import type { Write } from '../everything/write.ts'
import { known, type Schema } from '../schema.ts'

/** The statuses that each kind of write must have had. */
const statuses: Readonly<Record<Write['is'], readonly number[]>> = {
  create: [201, 400, 403, 404, 409, 422],
  update: [200, 400, 404, 409, 422],
  relate: [200, 400, 403, 404, 409],
  delete: [200, 404],
}

/** Counts the statuses and changes of random writes, so that a test can assert that all occurred. */
export class WriteCoverage {
  readonly #schema: Schema
  readonly #seen = new Set<string>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** Counts a write and its status. */
  add(write: Write, status: number): void {
    this.#seen.add(`${write.is} ${status}`)
    if (status >= 300) return
    if (write.is === 'relate') {
      const { type, relationship } = write.target
      this.#seen.add(`${shapeOf(this.#schema, type, relationship)}: ${write.change}`)
    } else if (write.is === 'delete') {
      this.#seen.add(`${write.type}: deleted`)
    } else {
      for (const name of Object.keys(write.relationships))
        this.#seen.add(`${shapeOf(this.#schema, write.type, name)}: ${write.is}`)
      if (write.is === 'create' && write.parent) {
        const { type, relationship } = write.parent
        this.#seen.add(`${shapeOf(this.#schema, type, relationship)}: parent`)
      }
    }
  }

  /**
   * Asserts that every status occurred, that resources of every type were deleted, and that every shape of relationship was
   * changed by every kind of write.
   */
  assertEnough(): void {
    assert.deepEqual(new Set(this.#expected()).difference(this.#seen), new Set())
  }

  #expected(): string[] {
    const met = Object.entries(statuses).flatMap(([is, all]) => all.map((each) => `${is} ${each}`))
    const types = Object.entries(this.#schema.types)
    const changes = types.flatMap(([type, { relationships }]) =>
      Object.keys(relationships)
        .filter((name) => known(relationships[name], name).access !== 'read-only')
        .flatMap((name) => {
          const own = relationships[name]?.many ? ['parent'] : []
          return ['add', 'remove', 'replace', 'create', 'update', ...own].map(
            (change) => `${shapeOf(this.#schema, type, name)}: ${change}`,
          )
        }),
    )
    return [...met, ...changes, ...types.map(([type]) => `${type}: deleted`)]
  }
}
