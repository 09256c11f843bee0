import { errorsIn } from '../errors/collector.ts'
import { readQuery } from '../parse/query.ts'
import { type ReadPlan, type RepeatedQuery, repeatedQuery } from './read.ts'
import { rememberPlans } from './shape.ts'

/** What follows `filter[name]=` where it stands for itself, encoded or not. */
const plainText = /((?:^|&)filter(?:\[|%5B)[^=&]*=)([\w-]+)(?=&|$)/gi

/** Stands where a text was, in a query and in what links repeat of it. */
const gap = '%00'

/** A plan, and what links repeat of its query, in pieces between which the texts of a filter stand. */
interface Template {
  readonly plan: ReadPlan
  readonly repeated: Readonly<Record<keyof RepeatedQuery, readonly string[]>>
}

/**
 * Remembers plans that serve queries which differ in nothing but the texts of `filter[name]=text`: of a client's queries
 * most that come once are such. Another text is read as the field's kind, and nothing else is planned again.
 * @param plan - makes the plan from what follows the `?`; pure
 */
export function byTemplate(plan: (search: string) => ReadPlan): (search: string) => ReadPlan {
  const templates = rememberPlans((form: string, search: string): Template => {
    const { all, unnumbered } = repeatedQuery(readQuery(form))
    return {
      plan: plan(search),
      repeated: { all: all.split(gap), unnumbered: unnumbered.split(gap) },
    }
  })
  return (search) => {
    const texts: string[] = []
    const form = search.replace(plainText, (_match, name: string, text: string) => {
      texts.push(text)
      return name + gap
    })
    if (texts.length === 0) return plan(search)
    const template = templates(form, search)
    return filledOrNone(template, texts) ?? plan(search)
  }
}

/** A text that cannot be read is reported by planning, with all else that is wrong. */
function filledOrNone(template: Template, texts: readonly string[]): ReadPlan | undefined {
  try {
    return filled(template, texts)
  } catch (thrown) {
    if (errorsIn(thrown) === undefined) throw thrown
    return undefined
  }
}

/** The plan with other texts; `undefined` where more was sent than they are. */
function filled({ plan, repeated }: Template, texts: readonly string[]): ReadPlan | undefined {
  const { all, unnumbered } = repeated
  if (plan.texts.length !== texts.length || all.length !== texts.length + 1) return undefined
  const values = [...plan.values]
  for (const [index, { slot, read }] of plan.texts.entries())
    values[slot] = read(texts[index] ?? '')
  return {
    ...plan,
    values,
    repeated: { all: joined(all, texts), unnumbered: joined(unnumbered, texts) },
  }
}

function joined(pieces: readonly string[], texts: readonly string[]): string {
  return pieces.map((piece, index) => piece + (texts[index] ?? '')).join('')
}
