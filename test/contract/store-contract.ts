import { describe } from 'node:test'
import { describeConcurrency } from './concurrency-contract.ts'
import type { ContractDatabase } from './contract-databases.ts'
import { describeLimits, describeSchema } from './lifetime-contract.ts'
import { describeReads } from './read-contract.ts'
import { describeSnapshots } from './stream-contract.ts'
import { describeWrites } from './write-contract.ts'

/** Declares the contract of `Store` for a database: the behaviour that the rest of the engine relies on. */
export function describeStore(contract: ContractDatabase): void {
  describe(`Store contract · ${contract.name}`, () => {
    describe('Reads', () => describeReads(contract))
    describe('Snapshots and streams', () => describeSnapshots(contract))
    describe('Writes', () => describeWrites(contract))
    describe('Concurrent writes', () => describeConcurrency(contract))
    describe('Schema', () => describeSchema(contract))
    describe('Limits and end', () => describeLimits(contract))
  })
}
