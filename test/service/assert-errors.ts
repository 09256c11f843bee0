import assert from 'node:assert/strict'
import type { ErrorObject, TestResponse } from '../service-suite.ts'

/** An expected error. */
interface ExpectedError {
  readonly status: number
  /** Its `source`: a pointer where it is empty or begins with `/`, else the name of a parameter. Not compared when absent. */
  readonly at?: string | RegExp
  /** Texts that `detail` must contain. */
  readonly says?: string | readonly string[]
}

/** Asserts that a response rejects with this HTTP status and exactly these errors, in any order. */
export function assertErrors(
  response: TestResponse,
  status: number,
  ...expected: ExpectedError[]
): void {
  const errors = response.body.errors ?? []
  assert.equal(response.status, status, response.text)
  assert.equal(errors.length, expected.length, `not ${expected.length} errors: ${response.text}`)
  const left = [...errors]
  for (const each of expected) {
    const index = left.findIndex((error) => matches(error, each))
    assert.notEqual(index, -1, `no error ${describe(each)} in ${response.text}`)
    left.splice(index, 1)
  }
}

function matches(error: ErrorObject, { status, at, says }: ExpectedError): boolean {
  if (error.status !== String(status)) return false
  const words = [says ?? []].flat()
  return isAt(error, at) && words.every((word) => error.detail.includes(word))
}

function isAt({ source }: ErrorObject, at: string | RegExp | undefined): boolean {
  if (at === undefined) return true
  if (at instanceof RegExp) return at.test(source?.pointer ?? source?.parameter ?? 'nowhere')
  const { pointer, parameter } = source ?? {}
  const isPointer = at === '' || at.startsWith('/')
  return isPointer
    ? pointer === at && parameter === undefined
    : parameter === at && pointer === undefined
}

function describe({ status, at, says }: ExpectedError): string {
  return `${status} at ${at ?? 'any place'} that says ${[says ?? []].flat().join(' … ') || 'anything'}`
}

/** Asserts the status of a response. The message has the complete response. */
export function assertStatus(response: TestResponse, status: number): void {
  assert.equal(response.status, status, response.text)
}
