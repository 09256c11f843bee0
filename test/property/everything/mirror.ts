import assert from 'node:assert/strict'
import type { Resource, TestResponse } from '../../test-response.ts'
import { expectedResources, keyOf } from '../reference/reference-document.ts'
import { applyWrite } from '../reference/reference-writes.ts'
import { type Data, known, type Schema } from '../schema.ts'
import { assertDocument, compareResource, type ServerUnderTest } from './comparison.ts'
import { jsonOf, parseExactly } from './exact-json.ts'
import { rowWithId } from './rows.ts'
import { requestOf, type Write } from './write.ts'

/**
 * A server and the rows of the reference. Each write is sent to the server and applied to the rows, and the results must be
 * equal.
 */
export class Mirror {
  readonly #server: ServerUnderTest
  readonly #sent: string[] = []
  #data: Data

  /** The tables of the server must be empty. */
  constructor(server: ServerUnderTest, schema: Schema) {
    this.#server = server
    const tables = Object.keys(schema.tables).map((table) => [table, []])
    this.#data = { schema, tables: Object.fromEntries(tables) }
  }

  /** The rows of the reference. */
  get data(): Data {
    return this.#data
  }

  /** All requests so far, for the message of a failure. */
  get sent(): string {
    return this.#sent.join('\n')
  }

  /** Sends and applies a write. Asserts that the server responds with the status of the reference. */
  async write(write: Write): Promise<TestResponse> {
    const { method, path, raw } = requestOf(this.#data.schema, write)
    this.#sent.push(`${method} ${path} ${raw ?? ''}`)
    const received = await this.#server.call(method, path, raw === undefined ? {} : { raw })
    const given = received.status === 201 ? received.one.id : undefined
    const { status, data, id } = applyWrite(this.#data, write, given)
    const message = `${received.status}, not ${status}, to ${method} ${path}\n${received.text.slice(0, 2000)}`
    assert.equal(received.status, status, message)
    if (status === 201) assert.equal(given, id, `the id of what ${method} ${path} made`)
    this.#data = data
    if (status < 300) this.#assertReturned(write, received.text)
    return received
  }

  /** Asserts that the response has the resource as it is after the write. */
  #assertReturned(write: Write, text: string): void {
    if (write.is === 'relate' || write.is === 'delete') return
    const { data } = parseExactly<{ data: Resource }>(text)
    const row = known(rowWithId(this.#data, write.type, data.id), `${write.type} ${data.id}`)
    const selection = { fields: {}, include: [] }
    const expected = expectedResources(this.#data, write.type, [row], selection)
    compareResource(data, expected.get(keyOf(data)))
  }

  /** Creates a resource, which the server must accept. @returns its id */
  async create(write: Extract<Write, { is: 'create' }>): Promise<string> {
    const received = await this.write(write)
    assert.equal(received.status, 201, jsonOf(write))
    return received.one.id
  }

  /** Asserts that the server returns all rows of the reference: every attribute and all linkage, in order. */
  async assertEqual(): Promise<void> {
    const { types } = this.#data.schema
    const names = (type: string) => {
      const { attributes, relationships } = known(types[type], type)
      return [...Object.keys(attributes), ...Object.keys(relationships)]
    }
    for (const type of Object.keys(types)) {
      const page = { number: 1, size: 0 }
      const request = { type, filters: [], simple: [], sort: [], page }
      const selection = { fields: { [type]: names(type) }, include: [] }
      await assertDocument(this.#server, this.#data, { request, selection })
    }
  }
}
