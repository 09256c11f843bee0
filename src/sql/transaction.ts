import type { Identity } from '../plan/access/identity.ts'
import { checkIds } from './read/repeated-ids.ts'
import { addAuth } from './read/run-values.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './store.ts'
import { compileActionSql } from './write/action.ts'
import { commitConstraintError, reportConstraintErrors } from './write/constraints.ts'
import { createIdempotencyOperations } from './write/idempotency.ts'
import { checkMemberLimit, maxChangedMembers } from './write/members.ts'
import { checkPreconditions } from './write/preconditions.ts'
import { removeResource } from './write/remove.ts'
import type { WriteConnection } from './write/write-connection.ts'
import { createWriteOperations } from './write/write-steps.ts'

/**
 * Returns the operations of an open transaction, without access rules.
 * @param statementsOf - finds the statements of an identity
 * @param connect - creates the connection that reads by these statements
 */
export function openTransaction<S extends Statements>(
  statementsOf: (identity: Identity | undefined) => S,
  connect: (statements: S) => WriteConnection,
): Transaction {
  const open = (identity: Identity, as: Transaction['as']): Transaction => {
    const statements = statementsOf(identity)
    return transactionOn(addIdentity(connect(statements), identity), statements, as)
  }
  const as = (identity: Identity | undefined): Transaction => {
    if (identity === undefined) return unrestricted
    // The scope of a tenant has a value of the auth context, so what has no rules keeps it.
    const asWithin: Transaction['as'] = (other) =>
      other === undefined ? open({ rules: noRules, auth: identity.auth }, asWithin) : as(other)
    return { ...open(identity, asWithin), identity }
  }
  const statements = statementsOf(undefined)
  const unrestricted = transactionOn(connect(statements), statements, as)
  return unrestricted
}

const noRules: Identity['rules'] = { types: new Map(), hiddenFields: new Map() }

/** Adds the auth context to the values of every statement, and the identity to every read. */
function addIdentity(connection: WriteConnection, identity: Identity): WriteConnection {
  const { readInserted } = connection
  return {
    ...connection,
    all: (statement, values) => connection.all(statement, addAuth(values, identity)),
    run: (statement, values) => connection.run(statement, addAuth(values, identity)),
    read: (plan, id) => connection.read({ ...plan, identity }, id),
    ...(readInserted && { readInserted: (plan) => readInserted({ ...plan, identity }) }),
  }
}

function transactionOn(
  connection: WriteConnection,
  statements: Statements,
  as: Transaction['as'],
): Transaction {
  return {
    as,
    identity: undefined,
    query: connection.query,
    keys: createIdempotencyOperations(connection, statements.target.dialect),
    callAction: async (action, resource, values) => {
      const call = compileActionSql(action, resource, values, statements.target.dialect)
      return call && connection.query(call)
    },
    run: (steps, done) => connection.runSteps(steps, undefined, done),
    savepoint: (work) => connection.savepoint(work),
    read: async (plan, id) =>
      checkIds(await connection.read(plan, id), plan.shape, statements.target),
    checkPreconditions: (plan) => checkPreconditions({ connection, plan, statements }),
    ...createWriteOperations(connection, statements),
    ...createListReads(connection, statements),
    checkDeferred: async () =>
      reportConstraintErrors(() => connection.checkDeferred(), commitConstraintError),
    remove: (plan, mayCommit) => removeResource({ connection, plan, statements }, mayCommit),
  }
}

/** The reads of several resources by a list of ids. */
function createListReads(
  connection: WriteConnection,
  statements: Statements,
): Pick<Transaction, 'readMembers' | 'readReferencing'> {
  return {
    readMembers: async (shape, { id, ids }) => {
      const values = { planValues: [], id, ids, maxRows: maxChangedMembers + 1 }
      const rows = await connection.all(statements.members(shape), values)
      checkMemberLimit(rows, shape)
      return rows
    },
    readReferencing: async (shape, ids, maxRows) => {
      const values = { planValues: [], ids, maxRows }
      const rows = await connection.all(statements.referencing(shape), values)
      return rows.map(([id]) => String(id))
    },
  }
}
