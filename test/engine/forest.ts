/** A node of a tree, as the tests know it. */
export interface TreeNode {
  readonly id: number
  readonly name: string
  readonly parent: number | null
}

/** Rows of nodes, and what they contain, computed without the engine. */
export class Forest {
  readonly nodes: readonly TreeNode[]
  readonly #byId: ReadonlyMap<number, TreeNode>
  readonly #children: ReadonlyMap<number | null, readonly TreeNode[]>

  constructor(nodes: readonly TreeNode[]) {
    this.nodes = nodes
    this.#byId = new Map(nodes.map((node) => [node.id, node]))
    this.#children = Map.groupBy(nodes, ({ parent }) => parent)
  }

  /** SQL that stores the nodes, parents first or not. */
  get sql(): string {
    const rows = this.nodes.map(({ id, name, parent }) => `(${id}, '${name}', ${parent})`)
    return `insert into node (id, name, parent_id) values ${rows.join(', ')}`
  }

  /** The nodes a relationship leads to. */
  follow(node: TreeNode, relationship: string): readonly TreeNode[] {
    if (relationship === 'children') return this.#children.get(node.id) ?? []
    const parent = this.parentOf(node)
    return parent === undefined ? [] : [parent]
  }

  /** The parent of a node. */
  parentOf(node: TreeNode | undefined): TreeNode | undefined {
    return this.#byId.get(node?.parent ?? Number.NaN)
  }

  /** The node of that id. */
  at(id: number): TreeNode {
    const node = this.#byId.get(id)
    if (node === undefined) throw new Error(`there is no node ${id}`)
    return node
  }

  /** The ids that paths reach from nodes, one relationship after the other, ascending; where they start is not reached. */
  reached(from: readonly TreeNode[], paths: string): number[] {
    const found = new Set<TreeNode>()
    for (const path of paths.split(',')) {
      let here = new Set(from)
      for (const relationship of path.split('.')) {
        here = new Set([...here].flatMap((node) => this.follow(node, relationship)))
        for (const node of here) found.add(node)
      }
    }
    return [...found].map(({ id }) => id).sort((one, other) => one - other)
  }
}

/** A small tree of four generations, and a node without parent and children. */
export const family = new Forest([
  { id: 1, name: 'm', parent: null },
  { id: 2, name: 'z', parent: 1 },
  { id: 3, name: 'a', parent: 1 },
  { id: 4, name: 'k', parent: 2 },
  { id: 5, name: 'b', parent: 2 },
  { id: 6, name: 'c', parent: 3 },
  { id: 7, name: 'x', parent: 4 },
  { id: 8, name: 'y', parent: null },
])
