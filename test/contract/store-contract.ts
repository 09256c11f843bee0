import { describe } from 'node:test'
import { inMemory } from '../databases.ts'
import { long } from '../long-tests.ts'
import { describeConcurrency } from './concurrency-contract.ts'
import type { ContractDatabase } from './contract-databases.ts'
import { describeEnd, describeLimits, describeSchema } from './lifetime-contract.ts'
import { describeReads } from './read-contract.ts'
import { describeSnapshots } from './stream-contract.ts'
import { describeWrites } from './write-contract.ts'

/** Declares the contract of `Store` for a database: the behaviour that the rest of the engine relies on. */
export function describeStore(contract: ContractDatabase): void {
  // Between its start and its end, a database in memory is a file like others.
  const options = contract.name === inMemory.name ? long : {}
  describe(`Store contract · ${contract.name}`, () => {
    describe('Reads', options, () => describeReads(contract))
    describe('Snapshots and streams', options, () => describeSnapshots(contract))
    describe('Writes', options, () => describeWrites(contract))
    describe('Concurrent writes', options, () => describeConcurrency(contract))
    describe('Schema', () => describeSchema(contract))
    describe('Limits', options, () => describeLimits(contract))
    describe('End', () => describeEnd(contract))
  })
}
