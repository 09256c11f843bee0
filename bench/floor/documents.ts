/** A row of persons: id, name, birth_date, gender, email, and whatever else was read with them. */
export type Person = readonly [
  id: number | string,
  name: string,
  birthDate: string | null,
  gender: string | null,
  email: string | null,
  ...more: unknown[],
]

/** A row of computers: id, serial, and the owner's id where it is asked for. */
export type Computer = readonly [
  id: number | string,
  serial: string,
  owner?: unknown,
  ...more: unknown[],
]

/** What a page of thirty is told with. */
export interface Page {
  /** Scheme, host and path. */
  readonly url: string
  /** Of the query, decoded, in the order sent. */
  readonly parameters: ReadonlyMap<string, string>
  readonly number: number
}

const jsonapi = '"jsonapi":{"version":"1.0"}'

/** What is answered to a replaced relationship. */
export const updated = `{"meta":{"message":"Relationship successfully updated"},${jsonapi}}`

/** A document of one person. */
export function personDocument(person: Person): string {
  return `{"data":${personText(person)},"links":{"self":"/persons/${person[0]}"},${jsonapi}}`
}

/** A document of one person with her computers. */
export function personWithComputers(person: Person, computers: readonly Computer[]): string {
  return `{"data":${personText(person, computers)},"included":[${told(computers, computerText)}],"links":{"self":"/persons/${person[0]}?include=computers"},${jsonapi}}`
}

/** A document of a page of persons; with the computers of all of them, if there are some to include. */
export function personsDocument(
  rows: readonly Person[],
  computers: readonly Computer[] | undefined,
  count: number,
  page: Page,
): string {
  if (!computers) return listDocument(told(rows, personText), '', count, page)
  const owned = new Map<unknown, Computer[]>(rows.map(([id]) => [id, []]))
  for (const computer of computers) owned.get(computer[2])?.push(computer)
  const data = told(rows, (row) => personText(row, owned.get(row[0])))
  return listDocument(data, `,"included":[${told(computers, computerText)}]`, count, page)
}

/** A document of a page of persons of whom only `name` and `birth_date` are told. */
export function sparseDocument(rows: readonly Person[], count: number, page: Page): string {
  return listDocument(told(rows, sparseText), '', count, page)
}

/** A document of a page of computers. */
export function computersDocument(rows: readonly Computer[], count: number, page: Page): string {
  return listDocument(told(rows, computerText), '', count, page)
}

function listDocument(data: string, included: string, count: number, page: Page): string {
  return `{"data":[${data}]${included},"links":{${pageLinks(page, count)}},"meta":{"count":${count}},${jsonapi}}`
}

function pageLinks({ url, parameters, number }: Page, count: number): string {
  let self = ''
  let others = '?'
  for (const [name, value] of parameters) {
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    self += (self === '' ? '?' : '&') + pair
    if (name !== 'page[number]') others += `${pair}&`
  }
  const last = Math.max(1, Math.ceil(count / 30))
  if (last === 1 && number === 1) return `"self":"${url}${self}"`
  const to = `${url}${others}page%5Bnumber%5D=`
  const previous = number > 1 ? `,"prev":"${to}${Math.min(number - 1, last)}"` : ''
  const next = number < last ? `,"next":"${to}${number + 1}"` : ''
  return `"self":"${url}${self}","first":"${to}1","last":"${to}${last}"${previous}${next}`
}

function personText(
  [id, name, birthDate, gender, email]: Person,
  computers?: readonly Computer[],
): string {
  const shown = email === null ? name.toUpperCase() : `${name.toUpperCase()} <${email}>`
  const data = computers ? `,"data":[${told(computers, identifierText)}]` : ''
  return `{"type":"person","id":"${id}","attributes":{"name":${JSON.stringify(name)},"birth_date":${dateText(birthDate)},"gender":${JSON.stringify(gender)},"display_name":${JSON.stringify(shown)}},"relationships":{"computers":{"links":{"self":"/persons/${id}/relationships/computers","related":"/persons/${id}/computers"}${data}}},"links":{"self":"/persons/${id}"}}`
}

function sparseText([id, name, birthDate]: Person): string {
  return `{"type":"person","id":"${id}","attributes":{"name":${JSON.stringify(name)},"birth_date":${dateText(birthDate)}},"links":{"self":"/persons/${id}"}}`
}

function computerText([id, serial]: Computer): string {
  return `{"type":"computer","id":"${id}","attributes":{"serial":${JSON.stringify(serial)}},"relationships":{"owner":{"links":{"self":"/computers/${id}/relationships/owner","related":"/computers/${id}/owner"}}},"links":{"self":"/computers/${id}"}}`
}

function identifierText([id]: Computer): string {
  return `{"type":"computer","id":"${id}"}`
}

function dateText(date: string | null): string {
  return date === null ? 'null' : `"${date}"`
}

/** Rows told one by one, with commas between. */
function told<Row>(rows: readonly Row[], text: (row: Row) => string): string {
  let all = ''
  for (const row of rows) all += all === '' ? text(row) : `,${text(row)}`
  return all
}
