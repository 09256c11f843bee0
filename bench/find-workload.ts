import { accessWorkloads } from './access/access-workloads.ts'
import { adaptWorkload, peers } from './peers.ts'
import { serviceWorkloads, shapeWorkloads, type Workload, workloads } from './workloads.ts'

const peerWorkloads = peers.flatMap((peer) =>
  workloads.flatMap((workload) => adaptWorkload(peer, workload) ?? []),
)
const workloadsByName: ReadonlyMap<string, Workload> = new Map(
  [
    ...[...workloads, ...serviceWorkloads, ...shapeWorkloads, ...peerWorkloads],
    ...accessWorkloads.flatMap(({ ruled, filtered }) => [ruled, ...(filtered ? [filtered] : [])]),
  ].map((workload) => [workload.name, workload]),
)

/**
 * Finds a workload by its name.
 * @param name - `<workload>`, or `<peer>:<workload>` for the requests that a peer gets
 */
export function findWorkload(name: string): Workload {
  const workload = workloadsByName.get(name)
  if (workload === undefined) throw new Error(`There is no workload "${name}".`)
  return workload
}
