import * as api from 'lapidary'
import { attribute, expression, type HookContext, RequestError, sql, toMany, toOne } from 'lapidary'
import { z } from 'zod'

/** The authenticated user of a request. */
export type User = Readonly<{ id: string; role: 'admin' | 'member' }>

const { resource, defineModel } = api.declare<{ auth: User }>()
type Context = HookContext<User>

function refuse(code: string, detail: string): never {
  throw new RequestError({ code, detail })
}

function requireAdmin({ auth }: Context): void {
  if (auth.role !== 'admin') refuse('not_an_admin', 'Only administrators may do this.')
}

/** @param project - an id, or SQL that selects one */
async function requireMember(project: unknown, { auth, query }: Context): Promise<void> {
  const member = sql`select 1 from members where project_id = ${project} and user_id = ${auth.id}`
  if ((await query(member)).length === 0)
    refuse('not_a_member', 'Only members of the project may do this.')
}

const requireMemberOfIssue = (issue: unknown, context: Context) =>
  requireMember(sql`(select project_id from issues where id = ${issue})`, context)

function requireAuthor({ relationships }: api.StoredResource, { auth }: Context): void {
  if (relationships.author !== auth.id) refuse('not_the_author', 'Only its author may do this.')
}

const adminOnly = {
  beforeCreate: (_change: unknown, context: Context) => requireAdmin(context),
  beforeUpdate: (_current: unknown, _change: unknown, context: Context) => requireAdmin(context),
  beforeDelete: (_current: unknown, context: Context) => requireAdmin(context),
}

const now = () => new Date().toISOString()
const line = attribute(api.text, { required: true, validate: z.string().trim().min(1).max(200) })
const createdAt = attribute(api.datetime, { access: 'read-only', default: now })

const users = resource('users', {
  path: '/users',
  table: 'users',
  hooks: {
    ...adminOnly,
    beforeUpdate: ({ id }, { attributes }, context) => {
      if (id !== context.auth.id || attributes.role !== undefined) requireAdmin(context)
    },
  },
  fields: {
    name: line,
    email: attribute(api.email, { required: true }),
    role: attribute(api.enumeration(['admin', 'member']), { required: true, default: 'member' }),
    comments: toMany('comments', { column: 'author_id' }),
  },
})

const projects = resource('projects', {
  path: '/projects',
  table: 'projects',
  hooks: {
    beforeCreate: (_change, { auth }) => ({ members: [auth.id] }),
    beforeUpdate: ({ id }, _change, context) => requireMember(id, context),
    beforeDelete: ({ id }, context) => requireMember(id, context),
  },
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
  hooks: {
    beforeCreate: async ({ relationships }, context) => {
      await requireMember(relationships.project, context)
      return { author: context.auth.id }
    },
    beforeUpdate: async (current, { attributes: { status }, relationships }, context) => {
      await requireMember(current.relationships.project, context)
      if (relationships.project !== undefined) await requireMember(relationships.project, context)
      return status ? { closed_at: status === 'closed' ? now() : null } : {}
    },
    beforeDelete: ({ relationships }, context) => requireMember(relationships.project, context),
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
    project: toOne('projects', { column: 'project_id' }),
    author: toOne('users', { column: 'author_id', access: 'read-only' }),
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
  hooks: {
    beforeCreate: async ({ relationships }, context) => {
      await requireMemberOfIssue(relationships.issue, context)
      return { author: context.auth.id }
    },
    beforeUpdate: (current, { relationships }, context) => {
      requireAuthor(current, context)
      if (Object.keys(relationships).length > 0)
        refuse('not_movable', 'A comment stays with its issue and its author.')
    },
    beforeDelete: requireAuthor,
  },
  fields: {
    body: attribute(api.text, { required: true, validate: z.string().trim().min(1) }),
    created_at: createdAt,
    issue: toOne('issues', { column: 'issue_id' }),
    author: toOne('users', { column: 'author_id', access: 'read-only' }),
  },
})

const labels = resource('labels', {
  path: '/labels',
  table: 'labels',
  hooks: adminOnly,
  fields: {
    name: line,
    color: attribute(api.text, { required: true, validate: z.string().regex(/^#[0-9a-f]{6}$/) }),
  },
})

const attachments = resource('attachments', {
  path: '/attachments',
  table: 'attachments',
  hooks: {
    beforeCreate: ({ relationships }, context) =>
      requireMemberOfIssue(relationships.issue, context),
    beforeUpdate: () => refuse('immutable', 'Attachments cannot be changed.'),
    beforeDelete: ({ relationships }, context) =>
      requireMemberOfIssue(relationships.issue, context),
  },
  fields: {
    name: line,
    content: attribute(api.bytes, { required: true }),
    size: expression(api.integer, (column) => sql`length(${column('content')})`),
    issue: toOne('issues', { column: 'issue_id' }),
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
