/** The members of a `package.json` that `lapidary init` reads. */
interface Manifest {
  readonly type?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** The members that `lapidary init` adds to a `package.json`. */
interface Additions {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * Adds scripts and dependencies to a `package.json`. Nothing that is there changes, and its indentation stays. A file that has only
 * dependencies, as `npm install` writes it in an empty folder, becomes that of ES modules.
 * @param text - the file; `undefined` makes a new one
 * @throws Error with a one-line message when it is not JSON, or says that the project has no ES modules
 */
export function mergeManifest(text: string | undefined, additions: Additions): string {
  const found = text === undefined ? {} : parse(text)
  const isNew = Object.keys(found).every((member) => member === 'dependencies')
  const existing: Manifest = isNew ? { private: true, type: 'module', ...found } : found
  if (existing.type === 'commonjs')
    throw new Error(
      'package.json has "type": "commonjs", but the generated files are ES modules: change it to "module", or choose another folder by --out',
    )
  const { scripts, dependencies, devDependencies } = existing
  const isMissing = ([name]: readonly [string, string]) =>
    dependencies?.[name] === undefined && devDependencies?.[name] === undefined
  const missing = (packages: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(packages).filter(isMissing))
  const merged: Manifest = {
    ...existing,
    scripts: { ...additions.scripts, ...scripts },
    dependencies: sortByName({ ...missing(additions.dependencies), ...dependencies }),
    devDependencies: sortByName({ ...missing(additions.devDependencies), ...devDependencies }),
  }
  const indent = /^[ \t]+(?=")/m.exec(text ?? '')?.[0] ?? 2
  return `${JSON.stringify(merged, null, indent)}\n`
}

function parse(text: string): Manifest {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('package.json is not valid JSON; correct it first', { cause: error })
  }
}

/** Sorts as npm does. */
function sortByName(packages: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(packages)
  return Object.fromEntries(entries.toSorted(([one], [other]) => one.localeCompare(other, 'en')))
}
