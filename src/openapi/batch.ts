import { listUsableTypes } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import { atomicMediaType } from '../model/media-types.ts'
import { maxLocalIdLength } from '../parse/local-ids.ts'
import type { PathItem } from './operations.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { withHeaders, writtenHeaders } from './responses.ts'
import { arrayOf, objectOf, openObject, type Schemas } from './schema.ts'

const text: JsonSchema = { type: 'string' }
const lid: JsonSchema = { type: 'string', minLength: 1, maxLength: maxLocalIdLength }
const meta = openObject({ ifMatch: { ...text, description: 'The version that the target has.' } })

/** Describes `POST /operations`. */
export function describeBatch(): PathItem {
  return {
    post: {
      summary: 'Write several resources in one transaction',
      operationId: 'operations',
      parameters: ['idempotencyKey', 'prefer'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      requestBody: { $ref: '#/components/requestBodies/operations' },
      responses: {
        200: { $ref: '#/components/responses/results' },
        204: { $ref: '#/components/responses/minimal' },
        '4XX': { $ref: '#/components/responses/operationError' },
        '5XX': { $ref: '#/components/responses/serverError' },
      },
    },
  }
}

/** Describes its body and its response, by their names. */
export function describeBatchExchange({ described, nameType, ref }: SchemaContext) {
  const types = listUsableTypes(described)
  const operations = types.flatMap(({ type }) =>
    ['add', 'update', 'remove'].map((op) => ref(`${nameType(type)}.operation.${op}`)),
  )
  const others = [ref('jsonapi.operation.relate'), ref('jsonapi.operation.href')]
  const body = objectOf(
    {
      'atomic:operations': {
        ...arrayOf({ anyOf: [...operations, ...others] }),
        ...{ minItems: 1, maxItems: described.atomic?.maxOperations ?? 1 },
      },
      meta: { type: 'object' },
    },
    ['atomic:operations'],
  )
  const data = { anyOf: types.map(({ type }) => ref(nameType(type))) }
  const result = openObject({ data: { anyOf: [data, arrayOf(data)] }, meta: { type: 'object' } })
  const results = openObject({ 'atomic:results': arrayOf(result) }, ['atomic:results'])
  return {
    requestBody: { required: true, content: { [atomicMediaType]: { schema: body } } },
    response: {
      description: 'The results of the operations, in their order.',
      ...withHeaders(...writtenHeaders),
      content: { [atomicMediaType]: { schema: results } },
    },
  }
}

/** Describes an identifier of a type by its id, or by its local id. */
function describeReference(type: JsonSchema, relationship?: JsonSchema): JsonSchema {
  const others = relationship ? { relationship } : {}
  const names = relationship ? ['relationship'] : []
  return {
    oneOf: [
      objectOf({ type, id: text, ...others }, ['type', 'id', ...names]),
      objectOf({ type, lid, ...others }, ['type', 'lid', ...names]),
    ],
  }
}

/** Describes the operations that do not depend on a type. */
export function describeCommonOperations(): Schemas {
  const identifier = describeReference(text)
  const data = { anyOf: [identifier, arrayOf(identifier), { type: 'null' }] }
  const op = { enum: ['add', 'update', 'remove'] }
  return {
    'jsonapi.operation.relate': objectOf({ op, ref: describeReference(text, text), data, meta }, [
      'op',
      'ref',
      'data',
    ]),
    'jsonapi.operation.href': objectOf(
      { op, href: { ...text, format: 'uri-reference' }, data: {}, meta },
      ['op', 'href'],
    ),
  }
}

/** Describes the operations on resources of a type, by their `op`. */
export function describeTypeOperations(
  { type, relationships, attributes }: TypeDescription,
  { nameType, ref }: SchemaContext,
): Schemas {
  const name = nameType(type)
  const identifier = describeReference(text)
  const linkage = { anyOf: [identifier, arrayOf(identifier), { type: 'null' }] }
  const relationship = openObject({ data: linkage })
  const linked = Object.fromEntries(relationships.map((field) => [field.name, relationship]))
  const members = {
    type: { const: type },
    ...{ id: text, lid },
    ...(attributes.length > 0 && { attributes: ref(`${name}.attributes`) }),
    ...(relationships.length > 0 && { relationships: openObject(linked) }),
  }
  const resource = openObject(members, ['type'])
  const target = describeReference({ const: type })
  return {
    [`${name}.operation.add`]: objectOf({ op: { const: 'add' }, data: resource, meta }, [
      'op',
      'data',
    ]),
    [`${name}.operation.update`]: objectOf(
      { op: { const: 'update' }, ref: target, data: resource, meta },
      ['op', 'data'],
    ),
    [`${name}.operation.remove`]: objectOf({ op: { const: 'remove' }, ref: target, meta }, [
      'op',
      'ref',
    ]),
  }
}
