import type { FieldValues, Hooks } from './hooks.ts'

/**
 * Combines the hooks of a model with those of a type: of each pair, the hook of the model runs first. What the hook of the type
 * returns wins.
 */
export function combineHooks(first: Hooks | undefined, second: Hooks = {}): Hooks {
  if (first === undefined) return second
  const names = new Set([...listNames(first), ...listNames(second)])
  const entries = [...names].map((name) => {
    const [one, other] = [first[name], second[name]]
    if (!one || !other) return [name, other ?? one] as const
    // A name has hooks of one signature.
    const run = name === 'afterCommit' ? runEach : runBoth
    return [name, run(one as Hook, other as Hook)] as const
  })
  return Object.fromEntries(entries)
}

type Hook = (...args: readonly unknown[]) => unknown

const hookNames = {
  beforeCreate: true,
  afterCreate: true,
  beforeUpdate: true,
  afterUpdate: true,
  beforeDelete: true,
  afterDelete: true,
  afterCommit: true,
  beforeRead: true,
  afterRead: true,
} satisfies Record<keyof Hooks, true>

function listNames(hooks: Hooks): (keyof Hooks)[] {
  return (Object.keys(hookNames) as (keyof Hooks)[]).filter((name) => hooks[name] !== undefined)
}

function runBoth(one: Hook, other: Hook): Hook {
  return async (...args) => {
    const first = (await one(...args)) as FieldValues | undefined
    const second = (await other(...args)) as FieldValues | undefined
    return first && second ? { ...first, ...second } : first || second
  }
}

/** Runs the second hook even if the first throws: after the commit nothing can be undone. */
function runEach(one: Hook, other: Hook): Hook {
  return async (...args) => {
    try {
      await one(...args)
    } finally {
      await other(...args)
    }
  }
}
