import type { Variant } from './variants.ts'

/** A mutant of the engine that does not enforce an access rule: a text in a source file, and its replacement. */
export interface Mutant {
  readonly title: string
  /** The first scenario to run. It fails, or one of the next does. */
  readonly seed: number
  readonly file: string
  readonly from: string
  readonly to: string
  /** Where scenarios fail. Default: SQLite, with few rows. */
  readonly variant?: Variant
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
/** The mutants that the property must detect, each by itself. */
export const mutants: readonly Mutant[] = [
  {
    title: 'the count ignores the rule',
    seed: 303,
    file: 'src/sql/read/primary-rows.ts',
    from: 'const rows = sql`from ${from}${compilePrimaryWhere(shape, target)}`',
    to: 'const rows = sql`from ${from}${compilePrimaryWhere(shape, target.access?.unrestricted ?? target)}`',
  },
  {
    title: 'a repetition shows what another identity got',
    seed: 313,
    file: 'src/endpoints/idempotent-write.ts',
    from: 'const isShown = view === current.view',
    to: 'const isShown = true',
  },
  {
    title: 'a sort uses a hidden field',
    seed: 309,
    file: 'src/plan/access/visible-model.ts',
    from: 'isSortable: field.isSortable && isSortable,',
    to: 'isSortable: field.isSortable,',
  },
  {
    title: 'a forbidden row is included',
    seed: 330,
    file: 'src/sql/read/read-sequence.ts',
    from: 'const where = and([condition, ...inScope(0, resource)])',
    to: 'const where = and([condition, ...(inScope(0, resource).slice(1))])',
  },
  {
    title: 'the linkage of a forbidden row is shown',
    seed: 300,
    file: 'src/sql/read/linkage-lookups.ts',
    from: 'const where = and([isListed, ...inScope(1, other)])',
    to: 'const where = and([isListed, ...inScope(1, other).slice(1)])',
  },
  {
    title: 'the error of a hidden row differs from that of an absent one',
    seed: 302,
    file: 'src/sql/write/preconditions.ts',
    from: 'const locking = connection.all(lock(findLock(plan, statements)), values)',
    to: 'const locking = connection.all(statements.ofType(notFound.type).inScope, values)',
  },
  {
    title: 'plans are cached without the identity',
    seed: 302,
    file: 'src/plan/access/access-shapes.ts',
    from: "results === undefined ? 'anonymous' : results.map(Number).join('')",
    to: "results === undefined ? 'anonymous' : 'known'",
  },
  {
    title: 'a field is compared with a hidden one',
    seed: 435,
    file: 'src/plan/filter/filter.ts',
    from: "const other = findAttribute(predicate, name, resource, '.field')",
    to: "const other = findAttribute(predicate, name, resource.unrestricted ?? resource, '.field')",
  },
  {
    title: 'a computed field shows a hidden input',
    seed: 307,
    file: 'src/plan/access/visible-model.ts',
    from: 'return field.columns.map(([column]) => toPlace(type, column))',
    to: 'return []',
  },
  {
    title: 'a field that may not be read may be written',
    seed: 302,
    file: 'src/plan/access/visible-model.ts',
    from: '(access.writable ?? access.readable)',
    to: 'access.writable',
  },
  {
    title: 'the response to a write ignores the rule',
    seed: 306,
    file: 'src/sql/transaction.ts',
    from: 'addIdentity(connect(statements), identity)',
    to: 'addIdentity({ ...connect(statements), read: connect(statementsOf(undefined)).read }, identity)',
  },
  {
    title: 'a create is not checked',
    seed: 304,
    file: 'src/sql/access/write-checks.ts',
    from: "after: operation === 'delete' ? [] : [...ofRow([]), ...links.after],",
    to: "after: operation !== 'update' ? [] : [...ofRow([]), ...links.after],",
  },
  {
    title: 'the number of related resources ignores the rule',
    seed: 333,
    file: 'src/sql/read/related-rows.ts',
    from: 'const where = and([isLinkedFrom(1, link, ownKey), ...inScope(1, other)])',
    to: 'const where = and([isLinkedFrom(1, link, ownKey)])',
  },
  {
    title: 'a count is cached without the values of the identity',
    seed: 312,
    file: 'src/sqlite/read/counts.ts',
    from: 'const key = countKey(statement, values)',
    to: 'const key = countKey(statement, [])',
  },
  {
    title: 'a filter uses a write-only value inside JSON',
    seed: 306,
    file: 'src/plan/filter/filter.ts',
    from: 'if (paths.size === 0 || !isFilterable)',
    to: 'if (paths.size === 0)',
  },
  {
    title: 'a filter uses a write-only array',
    seed: 314,
    file: 'src/plan/access/visible-model.ts',
    from: 'isFilterable: field.isFilterable && isFilterable,',
    to: "isFilterable: field.isFilterable && (isFilterable || field.kind.operators === 'array'),",
  },
  {
    title: 'the linkage to a forbidden row with a composite id is shown',
    seed: 300,
    file: 'src/sql/tables.ts',
    from: 'export function inScope(table: number | ((column: string) => Sql), { scope }: ResourceType): Sql[] {',
    to: `export function inScope(table: number | ((column: string) => Sql), { scope: all, id, unrestricted }: ResourceType): Sql[] {
  const scope = id.columns.length > 1 && unrestricted ? unrestricted.scope : all`,
  },
  {
    title: 'the description names a hidden field',
    seed: 301,
    file: 'src/plan/access/rights.ts',
    from: 'model: visible,',
    to: 'model,',
  },
  {
    title: 'the description has an operation that a rule refuses on every row',
    seed: 310,
    file: 'src/describe/describe-model.ts',
    from: 'rights.findRule(type, operation) !== false',
    to: "(rights.findRule(type, operation) !== false || operation === 'delete')",
  },
  {
    title: 'a page has forms that the rule on its row refuses',
    seed: 303,
    file: 'src/endpoints/address-rights.ts',
    from: 'return !isOfPath ||',
    to: 'return true || !isOfPath ||',
  },
  {
    title: 'the description has an action that the identity may not call',
    seed: 301,
    file: 'src/describe/needed-rules.ts',
    from: 'if (!rights.isCallable(resource, action)) return undefined',
    to: '',
  },
  {
    title: 'the root document names a hidden relationship',
    seed: 300,
    file: 'src/endpoints/get-root.ts',
    from: `{ findRights, prefix, rootMeta, serializer }) => {
    checkNoParameters(parseQuery(search))
    const types = listUsableTypes(describeModel(findRights(auth)))`,
    to: `{ findRights, planner, prefix, rootMeta, serializer }) => {
    checkNoParameters(parseQuery(search))
    const types = listUsableTypes(describeModel({ ...findRights(auth), model: planner.model }))`,
  },
  {
    title: 'the description for pages names a hidden field',
    seed: 300,
    file: 'src/html/script-model.ts',
    from: `{ findRights, prefix }) => {
  const types = listUsableTypes(describeModel(findRights(auth)))`,
    to: `{ findRights, planner, prefix }) => {
  const types = listUsableTypes(describeModel({ ...findRights(auth), model: planner.model }))`,
  },
  {
    title: 'a call in process ignores the rule',
    seed: 300,
    file: 'src/in-process/create-api-client.ts',
    from: 'documents: bindIdentity(context.documents, view, auth),',
    to: 'documents: context.documents,',
  },
  {
    title: 'a stream ignores the rule',
    seed: 300,
    variant: 'large-sqlite',
    file: 'src/sqlite/read/read.ts',
    from: 'compiled: statements.streamedRead(plan.shape),',
    to: 'compiled: this.#statementsOf(undefined).streamedRead(plan.shape),',
  },
  {
    title: 'a read in a reader process ignores the rule',
    seed: 302,
    variant: 'large-sqlite',
    file: 'src/sqlite/read/read.ts',
    from: 'this.#readInTransaction(read, options, false)',
    to: `this.#readInTransaction({ plan, id, statements: this.#statementsOf(undefined),
        readSequence: this.#statementsOf(undefined).readSequence(plan.shape) }, options, false)`,
  },
  {
    title: 'a stream on PostgreSQL ignores the rule',
    seed: 300,
    variant: 'large-postgres',
    file: 'src/postgres/read/read.ts',
    from: 'compiled: readSequence?.read ?? statements.streamedRead(shape),',
    to: 'compiled: createPostgresStatements(statements.target.access?.unrestricted ?? statements.target).streamedRead(shape),',
  },
  {
    title: 'a read of a standby ignores the rule',
    seed: 300,
    variant: 'replica',
    file: 'src/postgres/store.ts',
    from: 'readFrom({ pool: replica, plan, id, hooks, signal, setup, statements }, context)',
    to: 'readFrom({ pool: replica, plan, id, hooks, signal, setup, statements: replica === context.pool ? statements : statementsOf(undefined) }, context)',
  },
  {
    title: 'the keys of a stream are looked up without the identity',
    seed: 329,
    variant: 'large-postgres',
    file: 'src/sql/read/streamed-keys.ts',
    from: 'run(statements.ofType(type).lookup, addAuth({ planValues: [], ids }, identity))',
    to: 'run(statements.ofType(type).lookup, { planValues: [], ids })',
  },
  {
    title: 'the calls of an action ignore the rule',
    seed: 302,
    file: 'src/lifecycle/action.ts',
    from: 'const { tx, close } = openCalls(unit, request)',
    to: 'const { tx, close } = openCalls({ ...unit, transaction: transaction.as(undefined) }, request)',
  },
  {
    title: 'a rule in SQL has no parentheses',
    seed: 379,
    file: 'src/sql/access/restrict.ts',
    from: 'return sql`(${condition.write(rows.column)})`',
    to: 'return condition.write(rows.column)',
  },
  {
    title: 'a filter uses an attribute that filters must not use',
    seed: 301,
    file: 'src/plan/access/visible-model.ts',
    from: 'const isFilterable = isReadable && context.holds(filterable)',
    to: 'const isFilterable = isReadable && (context.holds(filterable) || true)',
  },
  {
    title: 'rows of another tenant are found',
    seed: 302,
    file: 'src/model/declare/resolve.ts',
    from: 'sql`${column(tenant.column)} = ${tenant.value}`',
    to: 'sql`${column(tenant.column)} >= ${tenant.value}`',
  },
  {
    title: 'soft-deleted rows are found',
    seed: 302,
    file: 'src/model/declare/resolve.ts',
    from: 'sql`${column(softDelete)} is null`',
    to: "sql`coalesce(${column(softDelete)}, '') < '2030'`",
  },
  {
    title: 'the examples of the description are cached without the identity',
    seed: 300,
    file: 'src/openapi/add-descriptions.ts',
    from: 'if (!isCacheable || request.auth !== undefined)',
    to: 'if (!isCacheable)',
  },
  {
    title: 'a key is taken for a link to a row that a policy hides',
    seed: 301,
    variant: 'postgres',
    file: 'src/postgres/catalog/role-facts.ts',
    from: 'mayHide: (table) => includes(hidden, table),',
    to: 'mayHide: () => false,',
  },
  {
    title: 'the rows at the other ends of links, and the row of a deletion, are not locked',
    seed: 386,
    variant: 'postgres',
    file: 'src/sql/access/write-locks.ts',
    from: "const context = { target, resource, isNew: shape.row !== 'existing' }",
    to: "const context = { target, resource, isNew: shape.row !== 'existing' }; return []",
  },
  {
    title: 'the lock of the resource in the path lets other transactions change it',
    seed: 325,
    variant: 'postgres',
    file: 'src/postgres/dialect.ts',
    from: "'no key update': sql` for no key update`,",
    to: "'no key update': sql` for key share`,",
  },
  {
    title: 'the rules are checked before the rows are locked',
    seed: 330,
    variant: 'postgres',
    file: 'src/sql/access/run-checks.ts',
    from: `const locking = locks.map(({ statement, ids }) =>
    connection.all(statement, { ...values, ids: ids(plan) }),
  )
  const checking = runAccessChecks(connection, before, plan, plan)`,
    to: `const checking = runAccessChecks(connection, before, plan, plan)
  const locking = locks.map(({ statement, ids }) =>
    connection.all(statement, { ...values, ids: ids(plan) }),
  )`,
  },
  {
    title: 'an expression shows a hidden input',
    seed: 305,
    file: 'src/plan/access/visible-model.ts',
    from: 'return listAttributeColumns(field).map((column) => toPlace(type, column))',
    to: 'return listStoredColumns(field).map((column) => toPlace(type, column))',
  },
  {
    title: 'a relationship shows what the other side hides',
    seed: 300,
    file: 'src/plan/access/visible-model.ts',
    from: 'return key.map((column) => toPlace(owner, column))',
    to: 'return []',
  },
  {
    title: 'an attribute over a key shows a hidden column that the key references',
    seed: 305,
    file: 'src/plan/access/visible-model.ts',
    from: "field.is === 'relationship' ? [] : places.flatMap(",
    to: "field.is !== 'computed' ? [] : places.flatMap(",
  },
  {
    title: 'an immutable relationship is compared with what is stored',
    seed: 303,
    file: 'src/lifecycle/change-steps.ts',
    from: 'if (!field.many && transaction.identity === undefined)',
    to: 'if (!field.many)',
  },
  {
    title: 'an immutable attribute that may not be read is compared',
    seed: 332,
    file: 'src/plan/write-rights.ts',
    from: 'field.set !== undefined : field.isImmutable',
    to: 'field.set !== undefined : false',
  },
  {
    title: 'the values of a write are refused after constraints',
    seed: 305,
    file: 'src/sql/write/compile-write.ts',
    from: 'denied: mayBeKnown(shape, resource, target)',
    to: 'denied: false && mayBeKnown(shape, resource, target)',
  },
  {
    title: 'a current document is known without the identity',
    seed: 300,
    file: 'src/endpoints/revalidate.ts',
    from: 'JSON.stringify([representation, view])',
    to: 'JSON.stringify([representation])',
  },
  {
    title: 'a version has the key of a row that is hidden',
    seed: 300,
    file: 'src/plan/version.ts',
    from: 'if (mayBeHidden(field, model)) relationships.push(field.name)',
    to: 'if (false && mayBeHidden(field, model)) relationships.push(field.name)',
  },
  {
    title: 'a version has a column that a rule hides',
    seed: 300,
    file: 'src/plan/version.ts',
    from: 'const matters = field.isReadable || isWriteOnly',
    to: 'const matters = true',
  },
  {
    title: 'pages of members have rows that may not be read',
    seed: 303,
    file: 'src/sql/read/include-page.ts',
    from: 'const where = [...inScope(1, related), ...filter]',
    to: 'const where = filter',
  },
  {
    title: 'pages between cursors have rows that may not be read',
    seed: 300,
    file: 'src/sql/read/page.ts',
    from: 'const where = and([...primaryConditions(shape, 0, target), ...conditions])',
    to: "const where = and(shape.addressed.is === 'all' && !shape.where && conditions.length > 0 ? conditions : [...primaryConditions(shape, 0, target), ...conditions])",
  },
  {
    title: 'a batch ignores the rules on rows',
    seed: 300,
    file: 'src/endpoints/plan-operations.ts',
    from: 'const bound = view ? bindIdentity(context, view, auth) : context',
    to: 'const bound = context',
  },
  {
    title: 'a batch writes fields that may not be written',
    seed: 301,
    file: 'src/endpoints/plan-operations.ts',
    from: 'const endpoint = getEndpoint(view?.planner ?? context.planner)',
    to: 'const endpoint = getEndpoint(context.planner)',
  },
  {
    title: 'a batch changes rows of another tenant',
    seed: 305,
    file: 'src/endpoints/plan-operations.ts',
    from: 'const { auth } = request',
    to: 'const auth = request.auth && { ...request.auth, org: 2 }',
  },
  {
    title: 'the denied operations of a batch are not reported',
    seed: 301,
    file: 'src/endpoints/plan-operations.ts',
    from: 'return reportDeniedAccess(request, () => handleRequest(endpoint, request, bound))',
    to: 'return handleRequest(endpoint, request, bound)',
  },
  {
    title: 'an operation ignores its condition',
    seed: 319,
    file: 'src/endpoints/plan-operations.ts',
    from: '...(ifMatch !== undefined && { conditions: { ifMatch: formatIfMatch(ifMatch) } }),',
    to: '',
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text
