import type { ResourceType } from '../model/model.ts'
import type { Planner } from './planner.ts'
import type { RowLayout } from './row-layout.ts'
import { createStoredLayout } from './stored-columns.ts'
import type { LinkChange } from './write-builder.ts'

/** The query shape of a read of several stored resources of one type, in the order of their ids. Equal shapes are one object. */
export interface MembersShape {
  readonly layout: RowLayout
  /**
   * The change of a relationship of another type: the read returns the members whose foreign key it changes, and locks them.
   * `undefined`: the read returns the resources with the given ids.
   */
  readonly changedBy: (LinkChange & Readonly<{ type: string }>) | undefined
}

/** Plans the read of several stored resources of a type, as hooks receive them. */
export function planMembers(
  { shapes }: Planner,
  resource: ResourceType,
  changedBy?: MembersShape['changedBy'],
): MembersShape {
  return shapes.intern({ layout: createStoredLayout(resource), changedBy })
}
