import type { ResourceType } from '../model/model.ts'
import type { RowPart } from './code-generation.ts'
import type { Template } from './template.ts'

/** Returns the template of an object that begins with type and id, without its closing brace. */
export function createIdentifierTemplate(resource: ResourceType, idIndex: number): Template {
  const head = serializeHead(resource)
  return hasPlainId(resource)
    ? [`${head}"`, (row) => `${row[idIndex]}`, '"']
    : [head, (row) => JSON.stringify(`${row[idIndex]}`)]
}

/** Returns the serializer of to-many linkage: a row has an array of ids at `index`. The brackets are not included. */
export function createIdentifierListPart(resource: ResourceType, index: number): RowPart {
  const { quote, serialize } = getIdSerializer(resource)
  const first = serializeHead(resource) + quote
  const next = `${quote}},${first}`
  return (row) => {
    let text = ''
    for (const id of toIds(row[index])) text += (text === '' ? first : next) + serialize(id)
    return text === '' ? '' : `${text}${quote}}`
  }
}

function serializeHead({ type }: ResourceType): string {
  return `{"type":${JSON.stringify(type)},"id":`
}

interface IdSerializer {
  /** The text on both sides of a serialized id. */
  readonly quote: string
  serialize(id: string): string
}

/** Whether ids need no escaping, because they have only digits: their quotation marks are then part of the fixed text. */
function hasPlainId({ id }: ResourceType): boolean {
  return id.kind.codec === 'id'
}

function getIdSerializer(resource: ResourceType): IdSerializer {
  return hasPlainId(resource)
    ? { quote: '"', serialize: (text) => text }
    : { quote: '', serialize: JSON.stringify }
}

/** The row layout guarantees an array of ids for to-many linkage. */
function toIds(linkage: unknown): readonly string[] {
  return linkage as readonly string[]
}
