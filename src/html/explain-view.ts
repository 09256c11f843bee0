import type { RouteHandler } from '../endpoints/handler.ts'
import type { ExplainedStatement, ReadExplanation, ReadWarning } from '../sql/read/explain.ts'
import { explainRead, toExplainedRequest } from '../tools/explain-read.ts'
import { type Html, h } from './element.ts'
import { type PageFiles, pageHeaders, renderLayout } from './layout.ts'
import type { BaseContext } from './page-context.ts'
import { parsePageUrl } from './page-url.ts'

/**
 * Creates the handler of `GET /html.explain?url=/persons`: a page with the SQL of a read, its plan, rows and time, and the indexes
 * that it lacks. It runs the read with the rules for the identity of the request.
 *
 * @param listFiles - returns the files of the page below a prefix
 */
export function createExplanationHandler(listFiles: (prefix: string) => PageFiles): RouteHandler {
  return async ({ search, auth, origin, signal }, { planner, store, prefix }) => {
    const url = new URLSearchParams(search).get('url') ?? `${prefix}/`
    // The page links what it explains: a path of this server, whatever host the URL names.
    const { target } = toExplainedRequest(url, {})
    const options = { model: planner.model, store, prefix }
    const explanation = await explainRead(options, target, {
      ...{ auth, signal: signal(), hooks: true },
    })
    const request = { prefix, target, origin, routed: undefined }
    const context = { request, document: {}, url: parsePageUrl(target) }
    const title = `SQL of ${context.url.path}`
    const content = renderExplanation(explanation, target)
    return {
      status: 200,
      headers: pageHeaders,
      body: renderLayout(context, listFiles(prefix), { title, content }),
    }
  }
}

/** Renders the link to the explanation of the read of a page; null for errors, and where the server explains none. */
export function renderExplanationLink({ request }: BaseContext, { explanation }: PageFiles): Html {
  const { routed, target } = request
  if (explanation === undefined || routed?.route.target === undefined) return null
  if (routed.route.target.is === 'root') return null
  const href = `${explanation}?${new URLSearchParams({ url: target })}`
  return h('p', null, h('a', { href }, 'SQL, query plan and indexes of this request'))
}

function renderExplanation(explanation: ReadExplanation, target: string): Html {
  const { statements, warnings, cursors } = explanation
  return [
    h('h1', null, 'SQL'),
    h('p', null, 'GET ', h('a', { href: target }, h('bdi', null, target))),
    statements.length === 0 && h('p', null, 'This request reads nothing from the database.'),
    cursors !== undefined &&
      cursors.indexes.length > 0 &&
      h('p', null, 'Its cursors are served by ', h('bdi', null, cursors.indexes.join(', ')), '.'),
    warnings.length > 0 && h('h2', null, 'What makes it slow'),
    warnings.map(renderWarning),
    statements.map(renderStatement),
  ]
}

function renderWarning({ message, fix, change }: ReadWarning): Html {
  return [
    h('p', { class: 'warning' }, h('bdi', null, toSentence(message))),
    fix !== undefined && renderCode('SQL that fixes it', `${fix};`),
    change !== undefined && h('p', null, toSentence(change)),
  ]
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function renderStatement(statement: ExplainedStatement, index: number): Html {
  const { sql, parameters, plan, indexedPlan, rows, milliseconds } = statement
  const name = `Statement ${index + 1}`
  return [
    h('h2', null, name),
    h('p', null, `${rows} ${rows === 1 ? 'row' : 'rows'} in ${milliseconds.toFixed(1)} ms`),
    renderCode(`SQL of ${name}`, sql),
    parameters.length > 0 && [
      h('h3', null, 'Parameters'),
      h(
        'ol',
        null,
        parameters.map((value) => h('li', null, h('code', null, h('bdi', null, value)))),
      ),
    ],
    h('h3', null, 'Query plan'),
    renderCode(`Query plan of ${name}`, plan.join('\n')),
    indexedPlan !== undefined && [
      h('h3', null, 'Query plan with the indexes above'),
      renderCode(`Query plan of ${name} with the indexes`, indexedPlan.join('\n')),
    ],
  ]
}

function renderCode(label: string, code: string): Html {
  return h(
    'pre',
    { tabIndex: 0, role: 'region', 'aria-label': label },
    h('code', null, h('bdi', null, code)),
  )
}
