/** The door: everything that users of the engine may touch. Databases have doors of their own, e.g. `lapidary/sqlite`. */
export { DeclarationError } from './model/check.ts'
export { checkTables } from './model/check-tables.ts'
export {
  type Access,
  type AttributeOptions,
  attribute,
  computed,
  notNull,
  toMany,
  toOne,
} from './model/fields.ts'
export { boolean, date, email, integer, type Kind, number, text } from './model/kinds.ts'
export { defineModel, type Model, type ModelOptions } from './model/model.ts'
export { type ResourceDeclaration, resource } from './model/resource.ts'
export { createServer, type ServerOptions } from './server/server.ts'
export type { Migration, Store } from './store/store.ts'
