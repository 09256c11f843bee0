import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Store } from 'lapidary'
import type { ContractDatabase } from './contract-databases.ts'
import { planChange, planList, planNew, planOne, read, write, writeIn } from './library-client.ts'
import { openLibrary } from './open-library.ts'

const writers = 40

/** Adds one to the pages of book 1, which the preconditions lock. */
async function addPage(store: Store): Promise<void> {
  await store.transaction(async (transaction) => {
    const change = (pages: number) => planChange('book', '1', { attributes: { pages } })
    await transaction.checkPreconditions(change(1))
    const { primary } = await transaction.read(planOne('book', 'fields[book]=pages').plan, '1')
    await writeIn(transaction, change(Number(primary[0]?.[1]) + 1))
  })
}

/** Declares the cases of concurrent writes. */
export function describeConcurrency(contract: ContractDatabase): void {
  it('keeps the writes of many concurrent transactions', async (test) => {
    const library = await openLibrary(test, contract)
    const stores = [library.store, await library.another()]
    const written = await Promise.all(
      Array.from({ length: writers }, (_, index) =>
        write(
          stores[index % 2] ?? library.store,
          planNew('author', { attributes: { name: `n${index}` } }),
        ),
      ),
    )
    // A database that no two stores can share ends with its only store.
    if (contract.isShared) await library.close()
    const { data } = await read(await library.another(), planList('author', 'page[size]=0'))
    const expected = written.map(({ id }, index) => `author ${id} n${index} `)
    assert.deepEqual(new Set(data?.slice(3)), new Set(expected))
  })

  it('rolls back a transaction that fails, and no concurrent one', async (test) => {
    const { store } = await openLibrary(test, contract)
    const results = await Promise.allSettled(
      Array.from({ length: writers }, (_, index) =>
        store.transaction(async (transaction) => {
          await writeIn(transaction, planNew('author', { attributes: { name: `n${index}` } }))
          // A violated constraint, an error of the work, or none.
          if (index % 4 === 0)
            await writeIn(transaction, planNew('author', { attributes: { email: 'ada@x.org' } }))
          if (index % 4 === 1) throw new Error('thrown by the work')
          return `n${index}`
        }),
      ),
    )
    const kept = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    assert.equal(kept.length, writers / 2)
    const { data } = await read(store, planList('author', 'page[size]=0&fields[author]=name'))
    const names = typeof data === 'string' ? [] : data?.slice(3).map((each) => each.split(' ')[2])
    assert.deepEqual(new Set(names), new Set(kept))
  })

  it('loses no update of several writers of the same row', async (test) => {
    const library = await openLibrary(test, contract)
    const stores = [library.store, await library.another()]
    await Promise.all(
      Array.from({ length: writers }, (_, index) => addPage(stores[index % 2] ?? library.store)),
    )
    const { data } = await read(library.store, planOne('book', 'fields[book]=pages'), '1')
    assert.equal(data, `book 1 ${100 + writers}`)
  })
}
