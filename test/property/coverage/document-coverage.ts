import assert from 'node:assert/strict'
import { shapeOf } from '../everything/shapes.ts'
import { type DocumentRequest, sortable } from '../random/random-requests.ts'
import { evaluateRequest } from '../reference/reference.ts'
import { type Data, getAttribute, getRelationship, getType, type Schema } from '../schema.ts'

/** Counts what random requests for complete documents contain, so that a test can prove that they contain everything. */
export class DocumentCoverage {
  readonly #schema: Schema
  readonly #seen = new Set<string>()
  #documents = 0

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** Counts a request. */
  add(data: Data, { request, selection }: DocumentRequest): void {
    this.#documents += 1
    const { rows, count } = evaluateRequest(data, request)
    if (rows.length > 0 && count > rows.length) this.#seen.add('a page of several')
    if (request.of) {
      this.#seen.add(`${shapeOf(this.#schema, request.of.type, request.of.relationship)} in a path`)
    }
    for (const name of selection.withCount ?? [])
      if (rows.length > 0) this.#seen.add(`${shapeOf(this.#schema, request.type, name)} with count`)
    for (const path of selection.include) this.#include(request.type, path.split('.'))
    for (const [type, names] of Object.entries(selection.fields)) {
      if (type !== request.type || rows.length === 0) continue
      for (const name of names) this.#field(type, name)
    }
    for (const term of request.sort) {
      if (rows.length > 1)
        this.#sort(request.type, term.replace(/^-/, '').split('.'), term[0] === '-')
    }
  }

  /**
   * Asserts that every shape of relationship was included at three depths, returned as linkage and used in a path, and that
   * every kind was sorted by.
   */
  assertEnough(documents: number): void {
    assert.ok(this.#documents >= documents, `only ${this.#documents} documents`)
    assert.deepEqual(new Set(this.#expected()).difference(this.#seen), new Set())
  }

  #include(root: string, path: readonly string[]): void {
    let at = root
    for (const [index, relationship] of path.entries()) {
      this.#seen.add(`${shapeOf(this.#schema, at, relationship)} included at position ${index + 1}`)
      at = getRelationship(this.#schema, at, relationship).to
    }
  }

  #field(type: string, name: string): void {
    const { attributes, relationships } = getType(this.#schema, type)
    if (relationships[name]) this.#seen.add(`${shapeOf(this.#schema, type, name)} as linkage`)
    const kind = attributes[name]?.kind
    if (kind !== undefined) this.#seen.add(`${kind} listed`)
  }

  #sort(root: string, path: readonly string[], descending: boolean): void {
    let at = root
    const order = descending ? 'descending' : 'ascending'
    for (const relationship of path.slice(0, -1)) {
      if (getRelationship(this.#schema, at, relationship).many) {
        this.#seen.add(`${shapeOf(this.#schema, at, relationship)} counted ${order}`)
        return
      }
      this.#seen.add(`${shapeOf(this.#schema, at, relationship)} in the path of a sort`)
      at = getRelationship(this.#schema, at, relationship).to
    }
    const { kind } = getAttribute(this.#schema, at, path.at(-1) ?? '')
    this.#seen.add(`sorted by ${kind} ${order}`)
  }

  #expected(): string[] {
    return Object.entries(this.#schema.types).flatMap(([type, { attributes, relationships }]) => [
      ...Object.entries(relationships).flatMap(([name, { many }]) => {
        const uses = [
          'included at position 1',
          'included at position 2',
          'included at position 3',
          'as linkage',
        ]
        const own = many ? ['in a path', 'with count'] : ['in the path of a sort']
        return [...uses, ...own].map((use) => `${shapeOf(this.#schema, type, name)} ${use}`)
      }),
      ...Object.values(attributes).map(({ kind }) => `${kind} listed`),
      ...sortable(this.#schema, type, 0).flatMap((name) => {
        const [relationship, count] = name.split('.')
        if (relationship !== undefined && count !== undefined)
          return ['descending', 'ascending'].map(
            (order) => `${shapeOf(this.#schema, type, relationship)} counted ${order}`,
          )
        const { kind } = getAttribute(this.#schema, type, name)
        return ['descending', 'ascending'].map((order) => `sorted by ${kind} ${order}`)
      }),
      'a page of several',
    ])
  }
}
