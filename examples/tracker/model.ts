import * as api from 'lapidary'
import { attribute, expression, type HookContext, sql, toMany, toOne } from 'lapidary'
import { z } from 'zod'

/** The authenticated user of a request. */
export type User = Readonly<{ id: string; role: 'admin' | 'member' }>

const { resource, defineModel, auth } = api.declare<{ auth: User }>()
type Context = HookContext<User>

const me = auth(({ id }) => id)
const isAdmin = auth(({ role }) => role === 'admin')
const adminOnly = { create: isAdmin, update: isAdmin, delete: isAdmin }

/**
 * Members of a project write its rows, and administrators read them too. For everybody else they do not exist.
 * @param path - the path of a filter to the project
 */
function membersOnly(path: string) {
  const isMember: api.RowRule = { filter: [{ name: `${path}members__id`, op: 'eq', val: me }] }
  const read: api.RowRule = { any: [isAdmin, isMember] }
  return { read, create: isMember, update: isMember, delete: isMember }
}

const ofIssue = membersOnly('issue__project__')
const isAuthor: api.RowRule = { filter: [{ name: 'author__id', op: 'eq', val: me }] }
const setAuthor = (_change: unknown, { auth: { id } }: Context) => ({ author: id })

const now = () => new Date().toISOString()
const line = attribute(api.text, { required: true, validate: z.string().trim().min(1).max(200) })
const createdAt = attribute(api.datetime, { access: 'read-only', default: now })

const users = resource('users', {
  path: '/users',
  table: 'users',
  access: {
    ...adminOnly,
    update: { any: [isAdmin, { filter: [{ name: 'id', op: 'eq', val: me }] }] },
  },
  fields: {
    name: line,
    email: attribute(api.email, { required: true }),
    role: attribute(api.enumeration(['admin', 'member']), {
      required: true,
      default: 'member',
      writable: isAdmin,
    }),
    comments: toMany('comments', { column: 'author_id' }),
  },
})

const projects = resource('projects', {
  path: '/projects',
  table: 'projects',
  access: { ...membersOnly(''), create: true },
  hooks: { beforeCreate: (_change, { auth: { id } }) => ({ members: [id] }) },
  fields: {
    name: line,
    issues: toMany('issues', { column: 'project_id' }),
    members: toMany('users', { through: { table: 'members', from: 'project_id', to: 'user_id' } }),
  },
})

const issues = resource('issues', {
  path: '/issues',
  table: 'issues',
  softDelete: 'deleted_at',
  access: membersOnly('project__'),
  hooks: {
    beforeCreate: setAuthor,
    beforeUpdate: (_current, { attributes: { status } }) =>
      status ? { closed_at: status === 'closed' ? now() : null } : {},
  },
  fields: {
    title: line,
    body: attribute(api.text),
    status: attribute(api.enumeration(['open', 'closed']), { required: true, default: 'open' }),
    created_at: createdAt,
    closed_at: attribute(api.datetime, { access: 'read-only' }),
    comment_count: expression(
      api.integer,
      (column) => sql`(select count(*) from comments where comments.issue_id = ${column('id')})`,
    ),
    project: toOne('projects', { column: 'project_id', required: true }),
    author: toOne('users', { column: 'author_id', nullable: false, access: 'read-only' }),
    assignee: toOne('users', { column: 'assignee_id' }),
    comments: toMany('comments', { column: 'issue_id' }),
    attachments: toMany('attachments', { column: 'issue_id' }),
    labels: toMany('labels', {
      through: { table: 'issue_label', from: 'issue_id', to: 'label_id' },
    }),
  },
})

const comments = resource('comments', {
  path: '/comments',
  table: 'comments',
  // A comment stays with its issue and its author, who reads it even when the issue is deleted.
  access: {
    ...ofIssue,
    read: { any: [ofIssue.read, isAuthor] },
    ...{ update: isAuthor, delete: isAuthor },
  },
  hooks: { beforeCreate: setAuthor },
  fields: {
    body: attribute(api.text, { required: true, validate: z.string().trim().min(1) }),
    created_at: createdAt,
    issue: toOne('issues', { column: 'issue_id', required: true, nullable: true, unlink: false }),
    author: toOne('users', {
      column: 'author_id',
      nullable: false,
      access: 'read-only',
      unlink: false,
    }),
  },
})

const labels = resource('labels', {
  path: '/labels',
  table: 'labels',
  access: adminOnly,
  fields: {
    name: line,
    color: attribute(api.text, { required: true, validate: z.string().regex(/^#[0-9a-f]{6}$/) }),
  },
})

const attachments = resource('attachments', {
  path: '/attachments',
  table: 'attachments',
  access: { ...ofIssue, update: false },
  fields: {
    name: line,
    content: attribute(api.bytes, { required: true }),
    size: expression(api.integer, (column) => sql`length(${column('content')})`),
    issue: toOne('issues', { column: 'issue_id', required: true, nullable: true }),
  },
})

async function audit(operation: string, id: string, fields: object, context: Context) {
  const entry = sql`${context.auth.id}, ${operation}, ${context.type}, ${id}, ${JSON.stringify(Object.keys(fields))}`
  await context.query(
    sql`insert into audit_log (user_id, operation, type, resource_id, fields) values (${entry})`,
  )
}

/** The resource types of the tracker. Every change is written to the audit log, in its transaction. */
export const model = defineModel([users, projects, issues, comments, labels, attachments], {
  hooks: {
    afterCreate: ({ id, attributes }, context) => audit('create', id, attributes, context),
    beforeUpdate: ({ id }, { attributes, relationships }, context) =>
      audit('update', id, { ...attributes, ...relationships }, context),
    afterDelete: ({ id }, context) => audit('delete', id, {}, context),
  },
})
