import type { FieldAccess, LinkAccess } from './access.ts'

/** Resolves the rules of a field; no member for a field without rules. */
export function resolveFieldRules({
  readable,
  writable,
  filterable,
  sortable,
}: FieldAccess): Readonly<{ access?: FieldAccess }> {
  const rules = { readable, writable, filterable, sortable }
  const declared = Object.entries(rules).filter(([, rule]) => rule !== undefined)
  return declared.length === 0 ? {} : { access: Object.fromEntries(declared) }
}

/** Resolves the rules for the links of a relationship; no member for one without rules. */
export function resolveLinkRules({
  link,
  unlink,
}: LinkAccess): Readonly<{ linkRules?: LinkAccess }> {
  if (link === undefined && unlink === undefined) return {}
  return {
    linkRules: { ...(link !== undefined && { link }), ...(unlink !== undefined && { unlink }) },
  }
}
