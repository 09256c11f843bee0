import type { DescribedType } from './api-description.ts'
import type {
  Answer,
  ExaminedApi,
  ExaminedDocument,
  ExaminedResource,
  ExaminedType,
} from './examined-api.ts'
import type { ViolationCollector } from './violation.ts'

/** The checks of a type, and what they report to. */
export interface Examination {
  readonly api: ExaminedApi
  readonly type: ExaminedType
  readonly violations: ViolationCollector
  /** What the API says about queries of the type; `undefined` for nothing. */
  readonly description?: DescribedType | undefined
}

/** The primary data of a document as a list. */
export function listOf({ data }: ExaminedDocument): readonly ExaminedResource[] {
  return [data ?? []].flat()
}

/** Describes an answer that is no success, as a part of a sentence. */
export function describeAnswer({ status, document }: Pick<Answer, 'status' | 'document'>): string {
  const [first] = document.errors ?? []
  return [status, ...(first ? [first.code, first.detail?.replace(/\.$/, '')] : [])].join(' ')
}

/** Serializes a value of a document as JSON with all digits; `undefined` as an empty text. */
export function serializeValue(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
