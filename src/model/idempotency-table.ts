/** The name of the table of idempotency keys. */
export const idempotencyTableName = 'lapidary_idempotency'

/**
 * SQL that creates the table of idempotency keys, for `Store.migrate` or another tool, on every database: `Idempotency-Key` needs it,
 * because a key and its write are committed together.
 */
export const idempotencyTable = `create table if not exists ${idempotencyTableName} (
  principal text not null,
  key text not null,
  fingerprint text not null,
  view text not null,
  created_at bigint not null,
  status bigint,
  response text,
  primary key (principal, key)
);
create index if not exists ${idempotencyTableName}_created_at on ${idempotencyTableName} (created_at);
`
