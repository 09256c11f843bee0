import type { DescribedType } from './api-description.ts'
import type {
  ExaminedApi,
  ExaminedDocument,
  ExaminedResource,
  ExaminedResponse,
  ExaminedType,
} from './examined-api.ts'
import type { ViolationCollector } from './violation.ts'

/** The context of the checks of a type. */
export interface Examination {
  readonly api: ExaminedApi
  readonly type: ExaminedType
  readonly violations: ViolationCollector
  /** The queries of the type by the description of the API; `undefined` without a description. */
  readonly description?: DescribedType | undefined
}

/** The size of a page of a type: a wanted one, unless the type takes only smaller ones. */
export function limitSize({ description }: Examination, wanted: number): number {
  return Math.min(wanted, description?.maxPageSize ?? wanted)
}

/** The primary data of a document as a list. */
export function listOf({ data }: ExaminedDocument): readonly ExaminedResource[] {
  return [data ?? []].flat()
}

/** Describes a response that is not successful, as a part of a sentence. */
export function describeResponse({
  status,
  document,
}: Pick<ExaminedResponse, 'status' | 'document'>): string {
  const [first] = document.errors ?? []
  return [status, ...(first ? [first.code, first.detail?.replace(/\.$/, '')] : [])].join(' ')
}

/** Serializes a value of a document as JSON with all digits; `undefined` as an empty text. */
export function serializeValue(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
