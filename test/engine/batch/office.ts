import { action, attribute, defineModel, resource, text, toMany, toOne, uuid } from 'lapidary'
import type { BatchSuite } from './send-batch.ts'

/** What the hooks of persons have recorded. */
export const events: string[] = []

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    note: attribute(text),
    boss: toOne('person', { column: 'boss_id' }),
    staff: toMany('person', { column: 'boss_id' }),
    computers: toMany('computer', { column: 'person_id' }),
    groups: toMany('team', { through: { table: 'membership', from: 'person_id', to: 'team_id' } }),
  },
  hooks: {
    afterCreate: ({ attributes }) => {
      events.push(`created ${attributes.name}`)
    },
    afterCommit: ({ operation }) => {
      events.push(`committed ${operation}`)
    },
  },
  actions: {
    rename: action({
      on: 'resource',
      parameters: { to: text },
      returns: { resource: 'person' },
      run: async ({ id, parameters, tx }) => {
        await tx.update('person', String(id), { name: parameters.to })
        return String(id)
      },
    }),
    count: action({
      on: 'collection',
      returns: { meta: { persons: text } },
      run: async ({ tx }) => ({ persons: String((await tx.list('person')).meta.count) }),
    }),
  },
})
const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  fields: {
    serial: attribute(text, { required: true }),
    owner: toOne('person', { column: 'person_id' }),
  },
})
const team = resource('team', {
  path: '/teams',
  table: 'team',
  fields: {
    name: attribute(text),
    people: toMany('person', {
      through: { table: 'membership', from: 'team_id', to: 'person_id' },
    }),
  },
})
/** Clients may choose its ids. */
const ticket = resource('ticket', {
  path: '/tickets',
  table: 'ticket',
  id: { kind: uuid, client: 'optional' },
  fields: {
    title: attribute(text),
    author: toOne('person', { column: 'person_id', required: true }),
  },
})
const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  version: 'row_version',
  conditions: 'required',
  versions: 'always',
  fields: { status: attribute(text) },
})
const rate = resource('rate', {
  path: '/rates',
  table: 'rate',
  access: 'read-only',
  fields: { percent: attribute(text) },
})

/** It belongs to a folder, which may be itself. */
const folder = resource('folder', {
  path: '/folders',
  table: 'folder',
  fields: { parent: toOne('folder', { column: 'parent_id', required: true }) },
})

const types = [person, computer, team, ticket, order, rate, folder] as const

/** The model of the office. */
export const officeModel = defineModel(types, {
  atomic: { actions: true, maxOperations: 20 },
})

/** An office whose resources may be written together. */
export const office: BatchSuite = {
  model: officeModel,
  tables: ({ newId, id, uuid }) => `
    create table person (id ${newId}, name text not null, note text unique, boss_id ${id} references person (id) on delete set null);
    create table computer (id ${newId}, serial text not null, person_id ${id} references person (id));
    create table team (id ${newId}, name text);
    create table membership (person_id ${id} not null references person (id) on delete cascade,
      team_id ${id} not null references team (id) on delete cascade, primary key (person_id, team_id));
    create table ticket (id ${uuid} primary key, title text, person_id ${id} not null references person (id));
    create table purchase (id ${newId}, status text, row_version integer not null default 1);
    create table folder (id ${newId}, parent_id ${id} not null references folder (id));
    create table rate (id ${newId}, percent text)`,
  fill: `
    insert into person (name) values ('Ada');
    insert into person (name) values ('Bob');
    insert into computer (serial) values ('a');
    insert into computer (serial) values ('b');
    insert into team (name) values ('red');
    insert into purchase (status) values ('open');
    insert into rate (percent) values ('5')`,
}

/** The same office whose routes speak JSON:API 1.1. */
export const modernOffice: BatchSuite = {
  ...office,
  model: defineModel(types, { jsonapi: '1.1' }),
}

/** An `add` of a person. */
export const addPerson = (name: string, lid?: string, more: object = {}) => ({
  op: 'add',
  data: { type: 'person', ...(lid !== undefined && { lid }), attributes: { name }, ...more },
})

/** An `add` of a computer. @param owner - an identifier */
export const addComputer = (serial: string, owner?: object) => ({
  op: 'add',
  data: {
    type: 'computer',
    attributes: { serial },
    ...(owner && { relationships: { owner: { data: owner } } }),
  },
})
