/** A row of `person`: id, name, birth_date, gender, email, and further columns. */
export type PersonRow = readonly [
  id: number | string,
  name: string,
  birthDate: string | null,
  gender: string | null,
  email: string | null,
  ...more: unknown[],
]

/** A row of `computer`: id, serial, the owner's id if selected, and further columns. */
export type ComputerRow = readonly [
  id: number | string,
  serial: string,
  owner?: unknown,
  ...more: unknown[],
]

/** The request of a page of thirty. */
export interface Page {
  /** Scheme, host and path. */
  readonly url: string
  /** The query parameters, decoded, in the order of the request. */
  readonly parameters: ReadonlyMap<string, string>
  readonly number: number
}

const jsonapi = '"jsonapi":{"version":"1.0"}'

/** The response to a replaced relationship. */
export const relationshipUpdated = `{"meta":{"message":"Relationship successfully updated"},${jsonapi}}`

/** Serializes a document of one person. */
export function serializePerson(person: PersonRow): string {
  return `{"data":${serializePersonResource(person)},"links":{"self":"/persons/${person[0]}"},${jsonapi}}`
}

/** Serializes the results of a batch that has created persons. */
export function serializeResults(persons: readonly PersonRow[]): string {
  const results = serializeRows(persons, (row) => `{"data":${serializePersonResource(row)}}`)
  return `{"atomic:results":[${results}],"jsonapi":{"version":"1.1","ext":["https://jsonapi.org/ext/atomic"]}}`
}

/** Serializes a document of one person with the included computers. */
export function serializePersonWithComputers(
  person: PersonRow,
  computers: readonly ComputerRow[],
): string {
  return `{"data":${serializePersonResource(person, computers)},"included":[${serializeRows(computers, serializeComputerResource)}],"links":{"self":"/persons/${person[0]}?include=computers"},${jsonapi}}`
}

/** Serializes a document of a page of persons. @param computers - all included computers; `undefined` without `include` */
export function serializePersons(
  rows: readonly PersonRow[],
  computers: readonly ComputerRow[] | undefined,
  count: number,
  page: Page,
): string {
  if (!computers)
    return serializeList(serializeRows(rows, serializePersonResource), '', count, page)
  const byOwner = new Map<unknown, ComputerRow[]>(rows.map(([id]) => [id, []]))
  for (const computer of computers) byOwner.get(computer[2])?.push(computer)
  const data = serializeRows(rows, (row) => serializePersonResource(row, byOwner.get(row[0])))
  return serializeList(
    data,
    `,"included":[${serializeRows(computers, serializeComputerResource)}]`,
    count,
    page,
  )
}

/** Serializes a document of a page of persons with the fields `name` and `birth_date`. */
export function serializeSparsePersons(
  rows: readonly PersonRow[],
  count: number,
  page: Page,
): string {
  return serializeList(serializeRows(rows, serializeSparseResource), '', count, page)
}

/** Serializes a document of a page of computers. */
export function serializeComputers(
  rows: readonly ComputerRow[],
  count: number,
  page: Page,
): string {
  return serializeList(serializeRows(rows, serializeComputerResource), '', count, page)
}

function serializeList(data: string, included: string, count: number, page: Page): string {
  return `{"data":[${data}]${included},"links":{${serializePageLinks(page, count)}},"meta":{"count":${count}},${jsonapi}}`
}

function serializePageLinks({ url, parameters, number }: Page, count: number): string {
  let self = ''
  let otherPages = '?'
  for (const [name, value] of parameters) {
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    self += (self === '' ? '?' : '&') + pair
    if (name !== 'page[number]') otherPages += `${pair}&`
  }
  const last = Math.max(1, Math.ceil(count / 30))
  if (last === 1 && number === 1) return `"self":"${url}${self}"`
  const to = `${url}${otherPages}page%5Bnumber%5D=`
  const previous = number > 1 ? `,"prev":"${to}${Math.min(number - 1, last)}"` : ''
  const next = number < last ? `,"next":"${to}${number + 1}"` : ''
  return `"self":"${url}${self}","first":"${to}1","last":"${to}${last}"${previous}${next}`
}

function serializePersonResource(
  [id, name, birthDate, gender, email]: PersonRow,
  computers?: readonly ComputerRow[],
): string {
  const displayName = email === null ? name.toUpperCase() : `${name.toUpperCase()} <${email}>`
  const data = computers ? `,"data":[${serializeRows(computers, serializeIdentifier)}]` : ''
  return `{"type":"person","id":"${id}","attributes":{"name":${JSON.stringify(name)},"birth_date":${serializeDate(birthDate)},"gender":${JSON.stringify(gender)},"display_name":${JSON.stringify(displayName)}},"relationships":{"computers":{"links":{"self":"/persons/${id}/relationships/computers","related":"/persons/${id}/computers"}${data}}},"links":{"self":"/persons/${id}"}}`
}

function serializeSparseResource([id, name, birthDate]: PersonRow): string {
  return `{"type":"person","id":"${id}","attributes":{"name":${JSON.stringify(name)},"birth_date":${serializeDate(birthDate)}},"links":{"self":"/persons/${id}"}}`
}

function serializeComputerResource([id, serial]: ComputerRow): string {
  return `{"type":"computer","id":"${id}","attributes":{"serial":${JSON.stringify(serial)}},"relationships":{"owner":{"links":{"self":"/computers/${id}/relationships/owner","related":"/computers/${id}/owner"}}},"links":{"self":"/computers/${id}"}}`
}

function serializeIdentifier([id]: ComputerRow): string {
  return `{"type":"computer","id":"${id}"}`
}

function serializeDate(date: string | null): string {
  return date === null ? 'null' : `"${date}"`
}

/** Serializes rows, separated by commas. */
function serializeRows<Row>(rows: readonly Row[], serialize: (row: Row) => string): string {
  let text = ''
  for (const row of rows) text += text === '' ? serialize(row) : `,${serialize(row)}`
  return text
}
