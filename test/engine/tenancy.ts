import {
  attribute,
  computed,
  declare,
  expression,
  integer,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import type { Engine } from './engine.ts'

/** The identity of a request: the header field `x-user` is `id:role`. */
export interface User {
  readonly id: string
  readonly role: string
}

const { resource, defineModel, auth } = declare<{ auth: User | undefined }>()
const userId = auth((user) => user?.id)
const isAdmin = auth((user) => user?.role === 'admin')

const users = resource('users', {
  path: '/users',
  table: 'users',
  access: {
    read: true,
    create: isAdmin,
    update: { any: [isAdmin, { filter: [{ name: 'id', op: 'eq', val: userId }] }] },
    delete: isAdmin,
    anonymous: ['read'],
  },
  fields: {
    name: attribute(text),
    salary: attribute(integer, { readable: isAdmin, writable: isAdmin }),
    bonus: expression(integer, (column) => sql`${column('salary')} / 10`),
    label: computed(
      text,
      { name: text, salary: integer },
      ({ name, salary }) => `${name} ${salary}`,
    ),
    initial: computed(text, { name: text }, ({ name }) => (name ?? '').slice(0, 1)),
    projects: toMany('projects', {
      through: { table: 'members', from: 'user_id', to: 'project_id' },
    }),
    tasks: toMany('tasks', { column: 'assignee_id' }),
    home: toOne('projects', { column: 'home_id' }),
    mentor: toOne('users', { column: 'mentor_id', writable: isAdmin }),
  },
})

const projects = resource('projects', {
  path: '/projects',
  table: 'projects',
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'members__id', op: 'eq', val: userId }] }] },
    update: { any: [isAdmin, { filter: [{ name: 'owner__id', op: 'eq', val: userId }] }] },
    delete: { sql: (column) => sql`${column('owner_id')} = ${userId}` },
  },
  fields: {
    name: attribute(text),
    owner: toOne('users', { column: 'owner_id', set: userId }),
    members: toMany('users', { through: { table: 'members', from: 'project_id', to: 'user_id' } }),
    tasks: toMany('tasks', { column: 'project_id' }),
  },
})

/** Members of the project of a task read and create it, its assignee and administrators change it. */
const tasks = resource('tasks', {
  path: '/tasks',
  table: 'tasks',
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'project__members__id', op: 'eq', val: userId }] }] },
    create: { filter: [{ name: 'project__members__id', op: 'eq', val: userId }] },
    update: { any: [isAdmin, { filter: [{ name: 'assignee__id', op: 'eq', val: userId }] }] },
    delete: false,
  },
  fields: {
    title: attribute(text),
    project: toOne('projects', { column: 'project_id' }),
    assignee: toOne('users', { column: 'assignee_id' }),
  },
})

/** Users, the projects that they are members of, and the tasks of these projects. */
export const tenancy = {
  model: defineModel([users, projects, tasks], { clientIds: 'forbid' }),
  tables: ({ newId }: ColumnTypes) => `
    create table users (id ${newId}, name text, salary integer, home_id integer, mentor_id integer);
    create table projects (id ${newId}, name text, owner_id integer references users (id));
    create table members (project_id integer not null, user_id integer not null, primary key (project_id, user_id));
    create index members_user on members (user_id);
    create table tasks (id ${newId}, title text, project_id integer, assignee_id integer);
    create index tasks_project on tasks (project_id);
    insert into users (id, name, salary, home_id) values
      (1, 'Ada', 100, 3), (2, 'Ben', 200, 1), (3, 'Cyd', 300, 1), (9, 'Root', 900, 2);
    insert into projects (id, name, owner_id) values (1, 'Apollo', 1), (2, 'Borealis', 2), (3, 'Cobra', 3);
    insert into members (project_id, user_id) values (1, 1), (1, 2), (2, 2), (3, 3);
    insert into tasks (id, title, project_id, assignee_id) values
      (1, 'a', 1, 1), (2, 'b', 1, 2), (3, 'c', 2, 2), (4, 'd', 3, 3), (5, 'e', null, null)`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) => {
      const [id = '', role = ''] = String(headers['x-user'] ?? '').split(':')
      return id === '' ? undefined : { id, role }
    },
  },
} as const

/** The calls of an identity, e.g. `1:member`; no identity for an empty text. */
export function as(engine: Engine, user: string) {
  const headers = { 'x-user': user === '' ? undefined : user }
  return {
    get: (path: string) => engine.call('GET', path, { headers }),
    post: (path: string, body: unknown) => engine.call('POST', path, { headers, body }),
    patch: (path: string, body: unknown) => engine.call('PATCH', path, { headers, body }),
    delete: (path: string, body?: unknown) => engine.call('DELETE', path, { headers, body }),
  }
}
