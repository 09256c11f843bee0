/** The queries of a type, by the description of the API. */
export interface DescribedType {
  /** The operators that compare a value with an attribute or the id, by its name. */
  readonly filters: ReadonlyMap<string, ReadonlySet<string>>
  /** The names that sort, without those of other types and without signs. */
  readonly sorts: readonly string[]
  /** The largest size of a page; `undefined` if any is allowed. */
  readonly maxPageSize: number | undefined
}

/** Finds what the OpenAPI document of an API says about the type of a path; `undefined` for a path that it does not have. */
export type FindDescribedType = (path: string) => DescribedType | undefined

/**
 * Reads the OpenAPI document of an API, at `openapi.json`.
 *
 * @param prefix - the beginning of every path, without a final slash
 * @returns `undefined` if the API has none
 */
export async function readDescription(
  get: (url: string) => Promise<Readonly<{ status: number; document: object }>>,
  prefix: string,
): Promise<FindDescribedType | undefined> {
  const { status, document } = await get(`${prefix}/openapi.json`)
  const root = new Node(document, document)
  if (status !== 200 || root.at('openapi').value === undefined) return undefined
  return (path) => {
    const key = path.slice(prefix.length).split('/').map(encodeURIComponent).join('/')
    const list = root.at('paths', key, 'get')
    return list.value === undefined ? undefined : describeType(list)
  }
}

function describeType(list: Node): DescribedType {
  const parameters = list.at('parameters').items()
  const find = (name: string) => parameters.find((each) => each.at('name').value === name)
  const term = find('filter')?.at('content', 'application/json', 'schema', 'items')
  const sorts = find('sort')?.at('schema', 'items')
  const { value: maximum } = find('page')?.at('schema', 'properties', 'size', 'maximum') ?? {}
  const names = [sorts, ...(sorts?.at('anyOf').items() ?? [])].flatMap(
    (each) => each?.at('enum').texts() ?? [],
  )
  return {
    filters: new Map(term?.at('anyOf').items().flatMap(listComparisons) ?? []),
    sorts: names.filter((name) => !name.startsWith('-')),
    maxPageSize: typeof maximum === 'number' ? maximum : undefined,
  }
}

/** Lists the operators of the attributes that a filter object can name. */
function listComparisons(term: Node): (readonly [string, ReadonlySet<string>])[] {
  const [names, comparison] = term.at('allOf').items()
  const operators = comparison
    ?.at('anyOf')
    .items()
    .filter(takesValue)
    .flatMap((each) => each.at('properties', 'op', 'enum').texts())
  const listed = names?.at('properties', 'name', 'enum').texts() ?? []
  return listed.map((name) => [name, new Set(operators)])
}

/** False for a comparison with another field, and for one with null alone. */
function takesValue(comparison: Node): boolean {
  const operand = comparison.at('properties', 'val')
  return operand.value !== undefined && operand.at('type').value !== 'null'
}

/** A value of a JSON document, in which references (`$ref`) are followed. A member that does not exist is `undefined`. */
class Node {
  readonly value: unknown
  readonly #root: unknown

  constructor(value: unknown, root: unknown) {
    this.value = value
    this.#root = root
  }

  at(...names: readonly string[]): Node {
    let value: unknown = this.value
    for (const name of names) value = this.#follow(readMember(value, name))
    return new Node(value, this.#root)
  }

  items(): readonly Node[] {
    return Array.isArray(this.value)
      ? this.value.map((item) => new Node(this.#follow(item), this.#root))
      : []
  }

  texts(): readonly string[] {
    return this.items().flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
  }

  /** Follows a reference within the document (RFC 6901, §6). */
  #follow(value: unknown): unknown {
    const reference = readMember(value, '$ref')
    if (typeof reference !== 'string') return value
    const tokens = reference.split('/').slice(1)
    return tokens.reduce(
      (found, token) =>
        readMember(found, decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')),
      this.#root,
    )
  }
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
