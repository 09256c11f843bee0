// Checks a history of concurrent writers against the journal of the database: every acknowledged write must have its place in one order,
// which agrees with the time, and every key one effect. A pure function, so that a test can show it histories that are wrong.

/** What a write does to one board. `mark` is written by no other write of the history. */
export interface Part {
  readonly is: 'create' | 'title' | 'note' | 'call' | 'delete' | 'replace' | 'add' | 'remove'
  readonly board: string
  /** A text, the id of a card, or of a removal the card that is removed; empty for a deletion. */
  readonly mark: string
  /** The state that its writer has read, whose version is its condition; absent for a write without a condition. */
  readonly seen?: State
}

/** The state of a board or of its members, as text, and its version. */
export interface State {
  readonly value: string
  readonly version: string
  /** When it was read, on the clock of the clients. */
  readonly begin: number
  readonly end: number
}

/** A write, or a batch of writes, and what its client knows of it. */
export interface Write {
  readonly parts: readonly Part[]
  readonly key: string | undefined
  readonly begin: number
  /** The responses, in the order in which they arrived: more than one if it was repeated. */
  readonly responses: readonly Response[]
  /** Whether one of several attempts got no response: the server may execute it after it has refused a later one. */
  readonly hasUnanswered?: boolean
}

/** The response to a write, or to one of its repetitions. */
interface Response {
  readonly status: number
  readonly text: string
  readonly begin: number
  readonly end: number
}

/** A read of a board, or of its members. */
export interface Read {
  readonly board: string
  readonly is: 'board' | 'members'
  /** Absent if the board did not exist. */
  readonly state: State | undefined
  readonly begin: number
  readonly end: number
}

/** A change of a row, in the order of the journal. */
export interface Entry {
  readonly seq: number
  /** The transaction; absent where the database does not number them. */
  readonly tx: string | undefined
  readonly board: string
  /** The card of a changed membership; absent for a change of the board itself. */
  readonly card: string | undefined
  /** The values of the board as JSON; absent for a new row. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What clients and database say of one history. */
export interface History {
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  /** The journal; absent where the tables have no triggers, because other statements write to tables without any. */
  readonly entries?: readonly Entry[]
}

/** An entry with the write and the part that made it. */
interface Effect {
  readonly entry: Entry
  readonly write: Write
  readonly part: Part
  /** Whether no other write can have made it. */
  readonly isCertain: boolean
  /** The members of the board before and after. */
  readonly before: string
  readonly after: string
}

const isSet = ({ is }: Part): boolean => is === 'replace' || is === 'add' || is === 'remove'
const isApplied = ({ responses }: Write): boolean => responses.some(({ status }) => status < 300)
/** Whether nobody may have written it. The condition of an attempt without a response is met later where a set is again what it was. */
const isRefused = (write: Write): boolean =>
  write.responses.length > 0 &&
  !isApplied(write) &&
  !(write.hasUnanswered && write.parts.some(isSet))
/** When the first response arrived that says what came of it; infinite where none does. */
const endOf = (write: Write): number => {
  const { responses } = write
  const last = isRefused(write) ? responses[0] : responses.find(({ status }) => status < 300)
  return last?.end ?? Number.POSITIVE_INFINITY
}
const describe = ({ parts, key, responses, hasUnanswered }: Write): string => {
  const changes = parts.map(
    ({ is, board, mark, seen }) => `${is} ${mark} of ${board}${seen ? ' if as seen' : ''}`,
  )
  const statuses = [...responses.map(({ status }) => status), ...(hasUnanswered ? ['none'] : [])]
  return `${changes.join(' and ')} (${[...(key ? [key] : []), ...statuses].join(', ')})`
}

/** Formats the ids of the members of a board. */
export function formatMembers(ids: Iterable<string>): string {
  return [...ids].sort().join()
}

/** Finds what is wrong with a history. @returns a line for each; empty if it is right */
export function checkHistory(history: History): readonly string[] {
  const { entries, reads, writes } = history
  if (entries === undefined)
    return [
      ...writes.flatMap(checkResponses),
      ...writes.flatMap((each) => checkSeen(each, history)),
      ...reads.flatMap((each) => checkShown(each, history)),
    ]
  const found = attribute(writes, entries)
  const { effects } = found
  return [
    ...found.problems,
    ...writes.flatMap((write) => checkCounts(write, effects)),
    ...writes.flatMap(checkResponses),
    ...effects.flatMap((effect) => checkCondition(effect, effects)),
    ...writes.flatMap((write) => checkRefusal(write, effects)),
    ...reads.flatMap((read) => checkRead(read, effects)),
    ...checkOrder(effects),
  ]
}

/** Without a journal: every stored board is one whose creation was acknowledged, because a repeated create has one effect. */
export function checkCreated(stored: readonly string[], writes: readonly Write[]): string[] {
  const created = new Set(
    writes.flatMap(({ parts }) =>
      parts.flatMap(({ is, board }) => (is === 'create' ? [board] : [])),
    ),
  )
  return stored
    .filter((id) => !created.has(id))
    .map((id) => `the board ${id} was created by a write that has another one`)
}

/** Finds the write of each entry, and the members of the boards before and after it. */
function attribute(writes: readonly Write[], entries: readonly Entry[]) {
  const problems: string[] = []
  const effects: Effect[] = []
  const members = new Map<string, Set<string>>()
  const ranked = writes.toSorted((one, other) => rank(one) - rank(other))
  const parts = ranked.flatMap((write) => write.parts.map((part) => [write, part] as const))
  const candidates = Map.groupBy(parts, ([, part]) => nameEffect(part))
  const owners = new Map(parts.map((each) => [nameEffect(each[1]), each]))
  const deletions = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const { board, card } = entry
    const all = members.get(board) ?? new Set()
    members.set(board, all)
    const before = formatMembers(all)
    if (card !== undefined && entry.after !== undefined) all.add(card)
    else if (card !== undefined) all.delete(card)
    if (card === undefined && entry.after === undefined) deletions.add(board)
    // The members of a deleted board go with it, on PostgreSQL after it.
    const owner = deletions.has(board)
      ? owners.get(`${board} - `)
      : findOwner(entry, entries.slice(index + 1), owners)
    const after = formatMembers(all)
    if (owner === undefined) problems.push(`nobody has written ${JSON.stringify(entry)}`)
    else {
      const [write, part] = owner
      const isCertain = isOnlyOwner(entry, write, candidates.get(nameEffect(part)) ?? [])
      effects.push({ entry, write, part, isCertain, before, after })
    }
  }
  return { problems, effects }
}

/**
 * Whether an entry was made by its owner and nobody else. Where transactions have no number, a removed member may have been removed by a
 * replacement, too; and of several removals of the same, all but one change nothing and are applied, too, unless they have a condition.
 */
function isOnlyOwner(
  { tx, after }: Entry,
  owner: Write,
  candidates: readonly (readonly [Write, Part])[],
): boolean {
  if (after !== undefined) return true
  const others = candidates.filter(([write]) => write !== owner && !isRefused(write))
  return tx !== undefined && (rank(owner) === 3 || others.length === 0)
}

/** Of several writes that remove the same, the one that has done it: a condition holds for the first only. */
const rank = (write: Write): number => {
  if (isRefused(write)) return 0
  if (!isApplied(write)) return 1
  return write.parts.some(({ seen }) => seen !== undefined) ? 3 : 2
}

const nameEffect = ({ is, board, mark }: Part): string =>
  is === 'replace' || is === 'add'
    ? `${board} + ${mark}`
    : is === 'remove' || is === 'delete'
      ? `${board} - ${mark}`
      : mark

function findOwner(
  { board, card, before, after, tx }: Entry,
  later: readonly Entry[],
  owners: ReadonlyMap<string, readonly [Write, Part]>,
): readonly [Write, Part] | undefined {
  if (card !== undefined && after !== undefined) return owners.get(`${board} + ${card}`)
  if (card === undefined) {
    const [old, now]: (string | null)[][] = [JSON.parse(before ?? '[]'), JSON.parse(after ?? '[]')]
    const changed = now?.find((each, index) => each !== null && each !== old?.[index])
    return owners.get(changed ?? '')
  }
  // The members that a replacement removes, and those of a deleted board, go before its own entry.
  const next = later.find((each) => each.board === board && (each.card === undefined || each.after))
  const removing = owners.get(`${board} - ${card}`)
  const isSame = next !== undefined && (tx === undefined || next.tx === tx)
  if (removing && (!isSame || tx === undefined)) return removing
  if (!isSame) return removing
  return next.card === undefined ? owners.get(`${board} - `) : owners.get(`${board} + ${next.card}`)
}

/** The entries that show a part of a write: those that a replacement removes are not its own. */
const listOwn = (part: Part, effects: readonly Effect[]): readonly Effect[] =>
  effects.filter(
    (each) =>
      each.part === part &&
      (part.is === 'delete'
        ? each.entry.card === undefined
        : !isSet(part) || each.entry.card === part.mark),
  )

/** An applied write has one effect, a refused one none, one without a response one or none; a batch has all of its effects or none. */
function checkCounts(write: Write, effects: readonly Effect[]): string[] {
  const counted = write.parts.filter(({ is }) => is !== 'remove')
  const counts = counted.map((part) => listOwn(part, effects).length)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const removed = write.parts.filter(({ is }) => is === 'remove')
  const stays = removed.filter(
    ({ board, mark }) =>
      isApplied(write) &&
      effects
        .findLast(({ entry }) => entry.board === board)
        ?.after.split(',')
        .includes(mark),
  )
  const problems = stays.map(({ mark }) => `${mark} was removed and is there: ${describe(write)}`)
  if (counts.length === 0) return problems
  if (most > 1) return [...problems, `${most} effects of ${describe(write)}`]
  if (least !== most) return [...problems, `a part of ${describe(write)}`]
  if (isApplied(write) && least === 0) return [...problems, `lost: ${describe(write)}`]
  if (isRefused(write) && most > 0) return [...problems, `refused and written: ${describe(write)}`]
  return problems
}

/**
 * The responses to an applied write and to its repetitions are equal, and nothing but a conflict or a missing board refuses a write. A
 * refused one may be applied when it is repeated: a set can be again what it was.
 */
function checkResponses(write: Write): string[] {
  const { responses } = write
  const applied = responses.find(({ status }) => status < 300)
  const problems = responses.flatMap(({ status, text, begin }) => {
    const isLater = applied !== undefined && (status < 300 || begin > applied.end)
    const isEqual = status === applied?.status && text === applied.text
    if (isLater && !isEqual) return [`${status} ${text} after ${applied.text}: ${describe(write)}`]
    const isKnown = [200, 201, 204, 404, 412].includes(status)
    return isKnown ? [] : [`${status} to ${describe(write)}: ${text}`]
  })
  return problems
}

/** A write with a condition changes exactly the state that its client has seen. */
function checkCondition(effect: Effect, effects: readonly Effect[]) {
  const { entry, part, write, before, after } = effect
  const { seen, is } = part
  // Of several deletions without a response, another one may have done it.
  if (is === 'delete' && !isApplied(write)) return []
  if (is === 'replace' && entry.card === part.mark && after !== part.mark)
    return [`${after} after ${describe(write)}`]
  if (seen === undefined) return []
  if (!isSet(part)) {
    if (entry.card !== undefined || entry.before === seen.value) return []
    return [`${entry.before} was overwritten, ${seen.value} was seen: ${describe(write)}`]
  }
  if (entry.card !== part.mark) return []
  const state = is === 'replace' ? listReplaced(effect, effects) : before
  return state === seen.value || (is === 'remove' && !isApplied(write))
    ? []
    : [`${state} was changed, ${seen.value} was seen: ${describe(write)}`]
}

/** The members before a replacement: those that it removed itself. Where transactions have no number, another may have removed some. */
function listReplaced({ entry, part, before }: Effect, effects: readonly Effect[]): string {
  const index = effects.findIndex((each) => each.entry === entry)
  const removed = effects
    .slice(0, index)
    .filter((each) => each.part === part && each.entry.after === undefined)
    .flatMap(({ entry: { card } }) => card ?? [])
  const seen = new Set(part.seen?.value.split(',').filter(Boolean))
  // A removal by somebody else directly before may be one by the replacement: both are possible orders.
  const last = effects
    .slice(0, index)
    .filter((each) => each.entry.board === entry.board && each.entry.card !== undefined)
    .slice(-seen.size || Number.POSITIVE_INFINITY)
  const ambiguous =
    entry.tx === undefined
      ? last.flatMap((each) =>
          each.entry.after === undefined &&
          each.entry.card !== undefined &&
          seen.has(each.entry.card)
            ? [each.entry.card]
            : [],
        )
      : []
  return formatMembers(new Set([...removed, ...ambiguous, ...before.split(',').filter(Boolean)]))
}

/** A condition fails only if somebody else has changed the state, and a board is missing only if somebody deletes it. */
function checkRefusal(write: Write, effects: readonly Effect[]): string[] {
  const [response] = write.responses
  if (!isRefused(write) || response === undefined) return []
  const others = effects.filter((each) => each.write !== write && each.write.begin < endOf(write))
  const isMissing = write.parts.some(({ board }) =>
    others.some(({ part }) => part.is === 'delete' && part.board === board),
  )
  if (response.status === 404)
    return isMissing ? [] : [`no board, and nobody deletes it: ${describe(write)}`]
  if (response.status !== 412) return []
  const isChanged = write.parts.some(
    (part) =>
      part.seen !== undefined &&
      others.some(
        (each) =>
          each.part.board === part.board &&
          (each.entry.card !== undefined) === isSet(part) &&
          endOf(each.write) > (part.seen?.begin ?? 0),
      ),
  )
  return isChanged ? [] : [`a conflict with nobody: ${describe(write)}`]
}

/** A read shows a state that the board had while it ran. */
function checkRead({ board, is, state, begin, end }: Read, effects: readonly Effect[]): string[] {
  const own = effects.filter(
    ({ entry }) => entry.board === board && (entry.card !== undefined) === (is === 'members'),
  )
  const values = own.map(({ entry, after }) => (is === 'members' ? after : entry.after))
  // Before the first change there are no members.
  const states = is === 'members' ? ['', ...values] : values
  const offset = states.length - own.length
  const isPossible = states.some((each, index) => {
    const [last, next] = [own[index - offset], own[index - offset + 1]]
    if (each !== state?.value) return false
    return (
      (last?.isCertain ? last.write.begin : 0) < end &&
      (next?.isCertain ? endOf(next.write) : Number.POSITIVE_INFINITY) > begin
    )
  })
  const isGone = effects.some(
    ({ part, write }) => part.is === 'delete' && part.board === board && write.begin < end,
  )
  if (isPossible || (isGone && (state === undefined || is === 'members'))) return []
  return [`${is} of ${board} was read as ${state?.value}, which it was not then`]
}

/** The order of the journal agrees with the time, and is the same for all boards of two batches. */
function checkOrder(effects: readonly Effect[]): string[] {
  const certain = effects.filter(({ isCertain }) => isCertain)
  const byBoard = Map.groupBy(certain, ({ entry }) => entry.board)
  const isBefore = new Map<Write, Set<Write>>()
  const problems: string[] = []
  for (const all of byBoard.values())
    for (const [index, later] of all.entries())
      for (const { write } of all.slice(0, index)) {
        if (write === later.write) continue
        if (endOf(later.write) < write.begin)
          problems.push(`${describe(later.write)} ended before ${describe(write)} began`)
        if (isBefore.get(later.write)?.has(write) && !problems.length)
          problems.push(`no order of ${describe(write)} and ${describe(later.write)}`)
        isBefore.set(write, (isBefore.get(write) ?? new Set()).add(later.write))
      }
  return problems
}

/** Without a journal: between a read and a write with its version as condition, no other write has ended that began after the read. */
function checkSeen(write: Write, { writes }: History): string[] {
  if (!isApplied(write)) return []
  const changes = writes.filter((each) => each !== write && isApplied(each))
  return write.parts.flatMap((part) => {
    const { seen } = part
    if (seen === undefined) return []
    const isNext = (each: Write) =>
      each.parts.some(
        (other) =>
          other.board === part.board && isSet(other) === isSet(part) && other.is !== 'remove',
      )
    const missed = changes.filter(
      (each) => isNext(each) && each.begin > seen.end && endOf(each) < write.begin,
    )
    // The state of a board contains a mark, so it never returns; a set may.
    const twin = isSet(part)
      ? []
      : changes.filter((each) =>
          each.parts.some(
            (other) =>
              other.board === part.board && !isSet(other) && other.seen?.value === seen.value,
          ),
        )
    return [...missed, ...twin].map((each) => `${describe(write)} overwrote ${describe(each)}`)
  })
}

/** Without a journal: a read shows nothing that was refused, or that began later. */
function checkShown({ board, is, state, end }: Read, { writes }: History): string[] {
  if (state === undefined) return []
  const shown: (string | null)[] =
    is === 'board' ? JSON.parse(state.value) : state.value.split(',').filter(Boolean)
  return shown.flatMap((mark) => {
    if (mark === null) return []
    const isWritten = writes.some(
      (write) =>
        !isRefused(write) &&
        write.begin < end &&
        write.parts.some(
          (part) =>
            part.board === board &&
            part.mark === mark &&
            part.is !== 'remove' &&
            isSet(part) === (is === 'members'),
        ),
    )
    return isWritten ? [] : [`${mark} of ${board} was read, and nobody has written it`]
  })
}
