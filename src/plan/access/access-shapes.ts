import { LRUCache } from 'lru-cache'
import { DeclarationError } from '../../model/check/declaration-error.ts'
import { type AuthValue, computeAuthValue, operations } from '../../model/declare/access.ts'
import type { Field, Model, ResourceType } from '../../model/model.ts'
import type { RowRules, TypeRules } from './identity.ts'
import { isLinkKey, listRuleKeys, type RuleKey, toOperation } from './rule-key.ts'
import {
  foldRule,
  type ResolvedRules,
  type RowCondition,
  type RuleContext,
  resolveRules,
} from './rules.ts'
import { restrictFields, toDecision } from './visible-model.ts'

/** The rules and the model that all identities share for which every decision is the same. */
export interface AccessShape {
  readonly rules: RowRules
  /** The model with the fields that exist for these identities. */
  readonly visible: Model
}

/** The most access shapes that are held in memory. A model of ten roles has about ten. */
const maxShapes = 200

/**
 * Compiles the rules of a model.
 *
 * Each function of the auth context that returns true or false is a decision. Their results for a request select its access shape,
 * and plans, statements and serializers belong to a shape. Values of the auth context are bind parameters and no part of it. So
 * what is cached for one identity is used for another one only if every decision is the same for both, and never contains a value of
 * it (docs/decisions/0062).
 *
 * @returns a function that returns the access shape of an auth context; `undefined` for a model that does not depend on it
 * @throws DeclarationError for names in filters that do not exist
 */
export function compileAccess(model: Model): ((auth: unknown) => AccessShape) | undefined {
  if (model.access === undefined && model.session === undefined) return undefined
  const decisions = new Decisions()
  const rules = resolveModelRules(model, (decision) => decisions.add(decision))
  for (const field of listFields(model))
    for (const rule of Object.values(field.access ?? {})) {
      const decision = toDecision(rule)
      if (decision) decisions.add(decision)
    }
  const shapes = new LRUCache<string, AccessShape>({ max: maxShapes })
  return (auth) => {
    const results = decisions.decide(auth)
    const key = results === undefined ? 'anonymous' : results.map(Number).join('')
    const known = shapes.get(key)
    if (known !== undefined) return known
    const shape = createShape(model, rules, { decisions, results })
    shapes.set(key, shape)
    return shape
  }
}

/**
 * Resolves the rules of all resource types.
 * @throws DeclarationError for names in filters that do not exist
 */
export function resolveModelRules(
  model: Model,
  addDecision: RuleContext['addDecision'] = () => 0,
): ReadonlyMap<string, ResolvedRules> {
  const errors: string[] = []
  const context: RuleContext = { model: withoutFieldRules(model), errors, addDecision }
  const rules = [...model.types.values()].map(
    (resource) => [resource.type, resolveRules(resource, context)] as const,
  )
  if (errors.length > 0) throw new DeclarationError(errors)
  return new Map(rules)
}

/** The decisions of a model, each once. */
class Decisions {
  readonly #indexes = new Map<unknown, number>()
  readonly #all: AuthValue[] = []

  /** Returns the number of a decision. */
  add(decision: AuthValue): number {
    const known = this.#indexes.get(decision.compute)
    if (known !== undefined) return known
    const index = this.#all.push(decision) - 1
    this.#indexes.set(decision.compute, index)
    return index
  }

  /** @returns every result by number; `undefined` without an auth context @throws what a decision throws */
  decide(auth: unknown): readonly boolean[] | undefined {
    if (auth === undefined || auth === null) return undefined
    return this.#all.map((decision) => {
      const result = computeAuthValue(decision, auth)
      if (typeof result === 'boolean') return result
      throw new Error(
        `A function of an access rule must return true or false; it returned ${typeof result}.`,
      )
    })
  }
}

/** The results of the decisions for a request. */
interface DecisionResults {
  readonly decisions: Decisions
  readonly results: readonly boolean[] | undefined
}

function createShape(
  model: Model,
  rules: ReadonlyMap<string, ResolvedRules>,
  { decisions, results }: DecisionResults,
): AccessShape {
  const types = [...model.types.values()].map(
    (resource) =>
      [resource.type, foldRules(resource, rules.get(resource.type), model, results)] as const,
  )
  const byType = new Map(types)
  const visible = restrictFields(model, {
    holds: (rule) => {
      if (typeof rule === 'boolean') return rule
      const decision = toDecision(rule)
      return decision !== undefined && (results?.[decisions.add(decision)] ?? false)
    },
    allows: (type, operation) => byType.get(type)?.get(operation) !== false,
  })
  const restricted = new Map(types.filter(([, folded]) => !isOpen(folded)))
  const hidden = [...model.types.values()].flatMap((resource): [string, ReadonlySet<string>][] => {
    const names = [...resource.fields.keys()].filter(
      (name) => !visible.types.get(resource.type)?.fields.has(name),
    )
    return names.length === 0 ? [] : [[resource.type, new Set(names)]]
  })
  return { rules: { types: restricted, hiddenFields: new Map(hidden) }, visible }
}

function foldRules(
  resource: ResourceType,
  rules: ResolvedRules | undefined,
  model: Model,
  results: readonly boolean[] | undefined,
): TypeRules {
  const isClosed = model.access?.isClosed ?? false
  const isAnonymous = results === undefined && (resource.access !== undefined || isClosed)
  const entries = listRuleKeys(resource).flatMap((key): [RuleKey, RowCondition][] => {
    const rule = rules?.get(key)
    const operation = toOperation(key)
    // Without a rule for links, those of the other operations apply.
    if (rule === undefined && isLinkKey(key)) return []
    if (isAnonymous && !resource.access?.anonymous?.includes(operation)) return [[key, false]]
    return [[key, rule === undefined ? !isClosed : foldRule(rule, results)]]
  })
  return new Map(entries)
}

/** Whether everything is allowed on every row of a type, and links need no rule of their own. */
function isOpen(rules: TypeRules): boolean {
  return rules.size === operations.length && [...rules.values()].every((rule) => rule === true)
}

/** Rules may compare all stored attributes, also those that clients must not filter on. */
function withoutFieldRules(model: Model): Model {
  const types = [...model.types].map(([type, resource]) => {
    const fields = [...resource.fields].map(
      ([name, field]) =>
        [name, field.is === 'attribute' ? { ...field, isFilterable: true } : field] as const,
    )
    return [type, { ...resource, fields: new Map(fields) }] as const
  })
  return { ...model, types: new Map(types) }
}

function listFields({ types }: Model): Field[] {
  return [...types.values()].flatMap(({ fields }) => [...fields.values()])
}
