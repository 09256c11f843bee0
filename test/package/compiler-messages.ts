import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { absolutePath } from '../docs/pages.ts'
import { long } from '../long-tests.ts'
import { createPackageFolder } from '../package-folder.ts'

/** An invalid program, with the first or the last line of the compiler's message, which names the field and the remedy. */
interface InvalidProgram {
  /** The invalid part. */
  readonly title: string
  readonly code: string
  /** The wrong or missing name. */
  readonly field: string
  /** The correct text, or the valid names. */
  readonly remedy: string
  readonly line: string
}

/** The beginning of every program. */
const prelude = `
import { attribute, computed, defineModel, enumeration, integer, type Model, notNull } from 'lapidary'
import { createApi, createHandler, date, declare, resource, type Store, sql, tableFunction, text, toMany, toOne } from 'lapidary'
import { createClient } from 'lapidary/client'
import { createServer } from 'lapidary/fastify'
import { z } from 'zod'
declare const model: Model
declare const store: Store
const fields = { title: attribute(text) }
const article = { path: '/articles', table: 'article', fields }
const person = resource('person', { path: '/people', table: 'person', fields: { name: attribute(text) } })
const api = createApi({ model: defineModel([person]), store }).with({})
const sales = resource('sales', {
  path: '/sales', table: tableFunction({ since: date }, ({ since }) => sql\`select * from sales(\${since})\`),
  access: 'read-only', fields: {},
})
const salesModel = defineModel([sales, person])
const salesApi = createApi({ model: salesModel, store }).with({})
const salesClient = createClient<typeof salesModel>({ url: 'http://localhost' })
const users = declare<{ auth: { id: string } }>()
const userModel = users.defineModel([users.resource('note', { path: '/notes', table: 'note', fields: {} })])
export { salesApi, salesClient, userModel }
export { api, attribute, computed, createHandler, createServer, defineModel, enumeration, integer, notNull, text, toMany, toOne, z }
export { article, model, person, store }
`

const invalidPrograms: readonly InvalidProgram[] = [
  {
    title: 'a relationship to a misspelled type',
    code: `const loan = resource('loan', { ...article, fields: { by: toOne('persn', { column: 'person_id' }) } })
      defineModel([loan, person])`,
    field: 'loan.fields.by.to',
    remedy: String.raw`the types are \"loan\", \"person\"`,
    line: String.raw`Type 'ResourceDeclaration<"loan", { readonly by: ToOne<"persn", "read-write">; }, "read-write", undefined, NoQueries, NoActions, NoParameters>' is not assignable to type '"loan.fields.by.to: there is no resource type \"persn\"; the types are \"loan\", \"person\""'.`,
  },
  {
    title: 'two types of one name',
    code: `const author = resource('person', { ...article, fields: {} })
      defineModel([person, author])`,
    field: 'person',
    remedy: 'rename one of them',
    line: `Type 'ResourceDeclaration<"person", {}, "read-write", undefined, NoQueries, NoActions, NoParameters>' is not assignable to type '"person: there are two resource types of this name; rename one of them"'.`,
  },
  {
    title: 'a type without a path',
    code: `resource('loan', { table: 'loan', fields: {} })`,
    field: 'path',
    remedy: 'required',
    line: `Property 'path' is missing in type '{ table: string; fields: {}; }' but required in type 'ResourceOptions<{}, "read-write", undefined, "loan", unknown, NoQueries, NoActions, NoParameters>'.`,
  },
  {
    title: 'a misspelled option of a type',
    code: `resource('article', { ...article, tabel: 'articles' })`,
    field: 'tabel',
    remedy: 'table',
    line: `Object literal may only specify known properties, but 'tabel' does not exist in type 'ResourceOptions<{ title: Attribute<string, false, "read-write", false, "textual">; }, "read-write", undefined, "article", unknown, NoQueries, NoActions, NoParameters>'. Did you mean to write 'table'?`,
  },
  {
    title: 'a misspelled option of an attribute',
    code: `attribute(text, { requird: true })`,
    field: 'requird',
    remedy: `'required'`,
    line: `Object literal may only specify known properties, but 'requird' does not exist in type 'AttributeOptions<string, false, "read-write", undefined, Record<never, never>> & Readonly<{ nullable?: undefined; }>'. Did you mean to write 'required'?`,
  },
  {
    title: 'a misspelled access',
    code: `attribute(text, { access: 'readonly' })`,
    field: 'Access',
    remedy: 'read-only',
    line: `Type '"readonly"' is not assignable to type 'Access | undefined'. Did you mean '"read-only"'?`,
  },
  {
    title: 'a default of another kind',
    code: `attribute(integer, { default: 'none' })`,
    field: 'DefaultValue',
    remedy: 'number',
    line: `Type 'string' is not assignable to type 'DefaultValue<number> | undefined'.`,
  },
  {
    title: 'a default that is not among the values',
    code: `attribute(enumeration(['draft', 'public']), { default: 'drft' })`,
    field: 'DefaultValue',
    remedy: `Did you mean '"draft"'?`,
    line: `Type '"drft"' is not assignable to type 'DefaultValue<"draft" | "public"> | undefined'. Did you mean '"draft"'?`,
  },
  {
    title: 'a validator of another kind',
    code: `attribute(text, { validate: z.number() })`,
    field: 'Validator',
    remedy: 'Validator<string>',
    line: `Type 'ZodNumber' is not assignable to type 'Validator<string>'.`,
  },
  {
    title: 'a computed attribute of an undeclared column',
    code: `computed(text, { name: text }, ({ nmae }) => nmae)`,
    field: 'nmae',
    remedy: 'DeclaredColumns<{ readonly name: Kind<string, "textual">; }>',
    line: `Property 'nmae' does not exist on type 'DeclaredColumns<{ readonly name: Kind<string, "textual">; }>'.`,
  },
  {
    title: 'a computed attribute with a result of another kind',
    code: `computed(text, { year: notNull(integer) }, ({ year }) => year)`,
    field: 'ComputedValue',
    remedy: 'string',
    line: `Type 'number' is not assignable to type 'ComputedValue<string>'.`,
  },
  {
    title: 'a to-many relationship without a column or a join table',
    code: `toMany('loan', {})`,
    field: 'ColumnOrThrough',
    remedy: 'ColumnOrThrough',
    line: `Argument of type '{}' is not assignable to parameter of type 'ColumnOrThrough<"read-write", false>'.`,
  },
  {
    title: 'a join table without a column',
    code: `toMany('tag', { through: { table: 'article_tag', from: 'article_id' } })`,
    field: 'to',
    remedy: 'required',
    line: `Property 'to' is missing in type '{ table: string; from: string; }' but required in type 'JoinTable'.`,
  },
  {
    title: 'a misspelled hook',
    code: `resource('article', { ...article, hooks: { beforeCreat: () => {} } })`,
    field: 'beforeCreat',
    remedy: `'beforeCreate'`,
    line: `Object literal may only specify known properties, but 'beforeCreat' does not exist in type 'Hooks<NoInfer<{ title: Attribute<string, false, "read-write", false, "textual">; }>, unknown, "article">'. Did you mean to write 'beforeCreate'?`,
  },
  {
    title: 'a hook that returns an unknown attribute',
    code: `resource('article', { ...article, hooks: { beforeCreate: () => ({ titel: 'x' }) } })`,
    field: 'titel',
    remedy: 'title',
    line: `Type '{ titel: "x"; }' is not assignable to type 'Changes<NoInfer<{ title: Attribute<string, false, "read-write", false, "textual">; }>>'.`,
  },
  {
    title: 'a hook that returns a value of another kind',
    code: `resource('article', { ...article, hooks: { beforeCreate: () => ({ title: 5 }) } })`,
    field: 'title',
    remedy: 'title: Attribute<string,',
    line: `Type '() => { title: number; }' is not assignable to type '(change: ResourceChange<NoInfer<{ title: Attribute<string, false, "read-write", false, "textual">; }>>, context: HookContext<unknown, "article">) => Changes<...>'.`,
  },
  {
    title: 'a hook that reads an unknown attribute',
    code: `resource('article', { ...article, hooks: { afterCreate: ({ attributes }) => console.log(attributes.titel) } })`,
    field: 'titel',
    remedy: `Did you mean 'title'?`,
    line: `Property 'titel' does not exist on type '{ readonly title: string | null; }'. Did you mean 'title'?`,
  },
  {
    title: 'a validator of a type with an unknown attribute',
    code: `resource('article', { ...article, validate: z.object({ titel: z.string() }) })`,
    field: 'titel',
    remedy: 'title',
    line: `Type 'ZodObject<{ titel: ZodString; }, $strip>' is not assignable to type 'ResourceValidator<{ title: Attribute<string, false, "read-write", false, "textual">; }>'.`,
  },
  {
    title: 'a misspelled option of the model',
    code: `defineModel([person], { pagesize: 50 })`,
    field: 'pagesize',
    remedy: `'pageSize'`,
    line: `Object literal may only specify known properties, but 'pagesize' does not exist in type 'ModelOptions<"person", unknown>'. Did you mean to write 'pageSize'?`,
  },
  {
    title: 'a server without a store',
    code: `createServer({ model })`,
    field: 'store',
    remedy: 'required',
    line: `Property 'store' is missing in type '{ model: Model<Readonly<Record<string, ResourceDeclaration<string, Readonly<Record<string, FieldDeclaration>>, WriteAccess, ClientIds, Readonly<Record<string, IdQuery<...>>>, Readonly<...>, Readonly<...>>>>, unknown>; }' but required in type 'ServerOptions<unknown>'.`,
  },
  {
    title: 'a misspelled option of the server',
    code: `createServer({ model, store, authentcate: () => 'me' })`,
    field: 'authentcate',
    remedy: `'authenticate'`,
    line: `Object literal may only specify known properties, but 'authentcate' does not exist in type 'WithAuthenticate<ServerOptions<unknown>, unknown>'. Did you mean to write 'authenticate'?`,
  },
  {
    title: 'a misspelled option of the handler',
    code: `createHandler({ model, store, prefx: '/api' })`,
    field: 'prefx',
    remedy: `'prefix'`,
    line: `Object literal may only specify known properties, but 'prefx' does not exist in type 'WithAuthenticate<HandlerOptions<unknown>, unknown>'. Did you mean to write 'prefix'?`,
  },
  {
    title: 'a server without `authenticate` for a model that declares its auth context',
    code: 'createServer({ model: userModel, store })',
    field: 'authenticate',
    remedy: 'required',
    line: `Property 'authenticate' is missing in type '{ model: Model<DeclarationsOf<readonly [ResourceDeclaration<"note", {}, "read-write", undefined, NoQueries, NoActions, NoParameters>]>, { ...; }>; store: Store; }' but required in type 'Required<Pick<ServerOptions<{ id: string; }>, "authenticate">>'.`,
  },
  {
    title: 'a handler without `authenticate` for a model that declares its auth context',
    code: 'createHandler({ model: userModel, store })',
    field: 'authenticate',
    remedy: 'required',
    line: `Property 'authenticate' is missing in type '{ model: Model<DeclarationsOf<readonly [ResourceDeclaration<"note", {}, "read-write", undefined, NoQueries, NoActions, NoParameters>]>, { ...; }>; store: Store; }' but required in type 'Required<Pick<HandlerOptions<{ id: string; }>, "authenticate">>'.`,
  },
  {
    title: 'an API without a store',
    code: `createApi({ model })`,
    field: 'store',
    remedy: 'required',
    line: `Property 'store' is missing in type '{ model: Model<Readonly<Record<string, ResourceDeclaration<string, Readonly<Record<string, FieldDeclaration>>, WriteAccess, ClientIds, Readonly<Record<string, IdQuery<...>>>, Readonly<...>, Readonly<...>>>>, unknown>; }' but required in type 'ApiOptions<Readonly<Record<string, ResourceDeclaration<string, Readonly<Record<string, FieldDeclaration>>, WriteAccess, ClientIds, Readonly<Record<string, IdQuery<...>>>, Readonly<...>, Readonly<...>>>>, unknown>'.`,
  },
  {
    title: 'a misspelled attribute in a call in process',
    code: `api.create('person', { naem: 'Ada' })`,
    field: 'naem',
    remedy: 'name',
    line: `Object literal may only specify known properties, and 'naem' does not exist in type '{} & { readonly name?: string | null | undefined; }'.`,
  },
  {
    title: 'a misspelled type in a call in process',
    code: `api.list('persn')`,
    field: 'persn',
    remedy: '"person"',
    line: `Argument of type '"persn"' is not assignable to parameter of type '"person"'.`,
  },
]

const missingArgument = String.raw`Argument of type '"sales"' is not assignable to parameter of type '"sales needs the parameter \"since\" in filter"'.`
const missingFilter = (query: string) =>
  `Property 'filter' is missing in type '${query}' but required in type '{ readonly filter: FilterBy<"since">; }'.`
const query = String.raw`"sales needs the parameter \"since\" in filter" | (ListQuery<DeclarationsOf<readonly [ResourceDeclaration<"sales", {}, "read-only", undefined, NoQueries, NoActions, NoInfer<{ readonly since: Kind<string, "ordered">; }>>, ResourceDeclaration<...>]>, "sales", never, NoFieldsets> & { ...; })`
const wrongQuery = (argument: string) =>
  `Argument of type '${argument}' is not assignable to parameter of type '${query}'.`
const wrongContext = String.raw`The 'this' context of type 'ReadOperations<DeclarationsOf<readonly [ResourceDeclaration<"sales", {}, "read-only", undefined, NoQueries, NoActions, NoInfer<{ readonly since: Kind<string, "ordered">; }>>, ResourceDeclaration<...>]>, "sales">' is not assignable to method's 'this' of type '"sales needs the parameter \"since\" in filter"'.`

/** Lists without the parameters of their table function. */
const invalidLists: readonly InvalidProgram[] = [
  ['a list in process', `salesApi.list('sales')`, missingArgument],
  ['a list of documents', `salesApi.documents.list('sales')`, missingArgument],
  ['all resources in process', `salesApi.each('sales')`, missingArgument],
  [
    'a list in process with a query',
    `salesApi.list('sales', { sort: ['id'] })`,
    missingFilter('{ sort: "id"[]; }'),
  ],
  [
    'a list in process with undefined',
    `salesApi.list('sales', undefined)`,
    wrongQuery('undefined'),
  ],
  [
    'a list of the client with undefined',
    'salesClient.sales.list(undefined)',
    wrongQuery('undefined'),
  ],
  ['a list of the client', 'salesClient.sales.list()', wrongContext],
  ['pages of the client', 'salesClient.sales.pages()', wrongContext],
  ['all resources of the client', 'salesClient.sales.each()', wrongContext],
  ['a list of the client with a query', 'salesClient.sales.list({})', wrongQuery('{}')],
].map(([list = '', code = '', line = '']) => {
  const title = `${list} without the parameters of its function`
  return { title, code, field: 'since', remedy: 'filter', line }
})

const allPrograms = [...invalidPrograms, ...invalidLists]

/**
 * Declares the tests that the first message of a compiler about an invalid program names the field and the remedy.
 * @param release - of TypeScript, e.g. `5.9`
 * @param command - the path of its compiler
 */
export function describeCompilerMessages(
  release: string,
  command: string,
  skip: string | false = false,
): void {
  describe(`The compiler of TypeScript ${release}`, { ...long, skip }, () => {
    let folder: string
    let messages: ReadonlyMap<string, readonly string[]>

    before(async () => {
      folder = await createPackageFolder('invalid')
      for (const [index, { code }] of allPrograms.entries())
        await writeFile(join(folder, `program${index}.ts`), `${prelude}${code}\n`)
      const config = {
        extends: absolutePath('tsconfig.json'),
        compilerOptions: { noUnusedLocals: false },
        include: ['*.ts'],
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      messages = await compile(folder, command)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    for (const [index, { title, field, remedy, line }] of allPrograms.entries()) {
      it(`names the field and the remedy for ${title}`, () => {
        const message = messages.get(`program${index}.ts`) ?? []
        assert.ok([message[0], message.at(-1)].includes(line), message.join('\n'))
        assert.ok(line.includes(field) && line.includes(remedy), line)
      })
    }
  })
}

/** Compiles a project. @returns the lines of the first message for each file, without the position and the number */
async function compile(
  folder: string,
  command: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const args = [command, '--project', folder, '--pretty', 'false']
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  const messages = new Map<string, string[]>()
  for (const message of String(stdout).split(/^(?=\S)/m)) {
    const [, file = '', text = ''] =
      /([\w]+\.ts)\(\d+,\d+\): error TS\d+: (.*)$/s.exec(message) ?? []
    const lines = text
      .trim()
      .split('\n')
      .map((each) => each.trim())
    if (!messages.has(file)) messages.set(file, lines)
  }
  return messages
}
