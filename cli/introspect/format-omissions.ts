import type { Declarations } from './generate-declarations.ts'

/**
 * Formats what the declarations omit, one line each: tables, columns and foreign keys with their reasons, columns with
 * values that do not fit their types, then once the columns
 * that look secret, by table.
 * @param limit - the maximum number of lines with reasons; the rest is counted. Secrets are always listed
 */
export function formatOmissions(
  { resources, omitted }: Declarations,
  limit = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [
    ...omitted,
    ...resources.flatMap((resource) => [...resource.omitted, ...resource.notes]),
  ]
  const more = lines.length - limit
  const secrets = resources.flatMap((resource) => resource.secrets ?? [])
  return [
    ...lines.slice(0, limit),
    ...(more > 0
      ? [`${more} more lines are left out; lapidary introspect <database url> prints all`]
      : []),
    ...(secrets.length > 0
      ? [
          'Omitted because they look secret; --show <table>.<column> serves one:',
          ...secrets.map((line) => `  ${line}`),
        ]
      : []),
  ]
}
