/** Something that waits in a queue. */
export interface Startable {
  /** The time by which it should start, on the clock of `performance.now`. */
  readonly startBy: number
}

/** Inserts an item into a queue in the order of `startBy`, after the items of the same time. */
export function insertByStart<Item extends Startable>(queue: Item[], item: Item): void {
  const isBefore = (other: Item) => other.startBy <= item.startBy
  const last = queue.at(-1)
  if (last === undefined || isBefore(last)) queue.push(item)
  else queue.splice(queue.findLastIndex(isBefore) + 1, 0, item)
}
