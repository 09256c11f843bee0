import type { Migration } from 'lapidary'

/** The tables of the service, one version after the other; a version that was released is never changed. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    // `autoincrement` never gives an id twice; deleting a person leaves her computers, ownerless (SERVICE §2).
    sql: `
      create table if not exists person (
        id integer primary key autoincrement,
        name text not null,
        email text,
        birth_date text,
        gender text,
        password text
      ) strict;
      create table if not exists computer (
        id integer primary key autoincrement,
        serial text not null,
        person_id integer references person (id) on delete set null
      ) strict;
      create index if not exists computer_person_id on computer (person_id);
    `,
  },
]
