import assert from 'node:assert/strict'
import type { Answer, Fault } from '../world.ts'

/** What a test expects of one fault. */
export interface Told {
  readonly status: number
  /** Its `source`: a pointer where it is empty or begins with `/`, else the name of a parameter. Not looked at when absent. */
  readonly at?: string | RegExp
  /** Words that `detail` must hold. */
  readonly says?: string | readonly string[]
}

/** Asserts that an answer refuses with this HTTP status and exactly these faults, in any order. */
export function assertRefused(answer: Answer, status: number, ...expected: Told[]): void {
  const faults = answer.body.errors ?? []
  assert.equal(answer.status, status, answer.text)
  assert.equal(faults.length, expected.length, `not ${expected.length} faults: ${answer.text}`)
  const left = [...faults]
  for (const told of expected) {
    const place = left.findIndex((fault) => isTold(fault, told))
    assert.notEqual(place, -1, `no fault ${describe(told)} in ${answer.text}`)
    left.splice(place, 1)
  }
}

function isTold(fault: Fault, { status, at, says }: Told): boolean {
  if (fault.status !== String(status)) return false
  const words = [says ?? []].flat()
  return isAt(fault, at) && words.every((word) => fault.detail.includes(word))
}

function isAt({ source }: Fault, at: string | RegExp | undefined): boolean {
  if (at === undefined) return true
  if (at instanceof RegExp) return at.test(source?.pointer ?? source?.parameter ?? 'nowhere')
  const { pointer, parameter } = source ?? {}
  const isPointer = at === '' || at.startsWith('/')
  return isPointer
    ? pointer === at && parameter === undefined
    : parameter === at && pointer === undefined
}

function describe({ status, at, says }: Told): string {
  return `${status} at ${at ?? 'any place'} that says ${[says ?? []].flat().join(' … ') || 'anything'}`
}

/** Asserts the status of an answer, and shows the whole answer when it is another. */
export function assertStatus(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text)
}
