import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describeApi } from 'lapidary/openapi'
import { listModels } from './models.ts'

// `npm run test:long` tests more tools.

const models = await listModels()
/** The first validation compiles the schema of OpenAPI. */
const validator = new Validator()

describe('Other tools accept the description', () => {
  for (const [name, model] of Object.entries(models)) {
    it(`@seriousme/openapi-schema-validator: ${name}`, async () => {
      for (const generalMethods of [false, true])
        for (const openapi of ['3.1', '3.2'] as const) {
          const described = describeApi(model, { generalMethods, openapi })
          const description = JSON.parse(JSON.stringify(described))
          assert.deepEqual(await validator.validate(description), { valid: true })
        }
    })
  }
})
