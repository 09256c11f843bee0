import type { DialectName } from '../../src/model/dialect.ts'

/** A trigger that rejects new rows. */
interface Rejecting {
  readonly table: string
  /** SQL over the new row, which is `new`. */
  readonly when: string
  /** The message of the trigger, without quotes. */
  readonly words: string
}

/** SQL that makes a trigger named `secret_trigger`. */
export function rejectingTrigger({ table, when, words }: Rejecting, dialect: DialectName): string {
  const before = `create trigger secret_trigger before insert on ${table}`
  if (dialect === 'sqlite')
    return `${before} when ${when} begin select raise(abort, '${words}'); end`
  return `create function secret_function() returns trigger language plpgsql as $$
      begin raise exception '${words}'; end $$;
    ${before} for each row when (${when}) execute function secret_function()`
}
