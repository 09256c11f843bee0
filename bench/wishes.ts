import { peers, workloadOf } from './peers.ts'
import { shapeWorkloads, type Workload, workloads } from './workloads.ts'

const ours = [...workloads, ...shapeWorkloads]
const theirs = peers.flatMap((peer) => workloads.flatMap((each) => workloadOf(peer, each) ?? []))
const all = new Map([...ours, ...theirs].map((each) => [each.name, each]))

/** The workload with a name; a peer's has the peer's name and a colon in front. */
export function workloadNamed(name: string): Workload {
  const found = all.get(name)
  if (found === undefined) throw new Error(`There is no workload "${name}".`)
  return found
}
