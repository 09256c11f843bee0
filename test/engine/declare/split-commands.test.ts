import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defineModel, resource, sql } from 'lapidary'
import { splitCommands } from '../../../src/postgres/migrations.ts'
import { everyDatabase } from '../../databases.ts'
import { seed } from '../../property/seed.ts'
import { openStore } from '../engine.ts'

/** Parts of commands that contain semicolons, or look as if they open or close what may contain some. */
const parts = [
  ...["'a;b'", "';'';'", "E'\\';'", "'\\'", '"a;b"', '";"";"', 'a$b$', '$1', '$$;$$', '$a$;$$;$a$'],
  ...['-- ; (\n', '/* ; /* ; */ ; */', '(a; b)', '((;) ;)', 'begin', 'case', 'end', 'é', '\n'],
]

const functions = [
  'create function f() returns int language sql begin atomic select 1; select 2; end',
  'create or replace procedure p() begin atomic select case when true then 1 end; select 2; end',
  'create function f() returns text language plpgsql as $f$ begin return $$;$$; end $f$',
]

describe('Splitting a program of PostgreSQL into commands', () => {
  const command = fc.oneof(
    fc
      .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 })
      .map((some) => `select ${some.join(' ')}`),
    fc.constantFrom(...functions),
  )

  it('given commands, when they are joined by semicolons, then the program is split into them', () => {
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        assert.deepEqual(splitCommands(commands.join(';')), commands)
        assert.deepEqual(
          splitCommands(`${commands.join(';\n;')};`).map((each) => each.trim()),
          [...commands.map((each) => each.trim())],
        )
      }),
      { seed },
    )
  })

  it('given a quote, a comment or a block that is not closed, then the rest is one command', () => {
    const unfinished = ['select /* ; /* ; */', 'select (;', 'create function f() begin atomic a;']
    assert.deepEqual(
      unfinished.map((rest) => splitCommands(`select 1;${rest}`)),
      unfinished.map((rest) => ['select 1', rest]),
    )
  })
})

for (const database of everyDatabase.filter(({ dialect }) => dialect === 'postgres'))
  describe(`Migrations of several commands · ${database.name}`, () => {
    it('given functions and quoted semicolons, when a migration runs, then each command is executed', async () => {
      const { url, remove } = await database.create()
      const model = defineModel([resource('note', { path: '/notes', table: 'note', fields: {} })])
      const store = await openStore(model, url)
      try {
        await store.migrate([
          {
            version: 1,
            sql: `create table note (id bigint primary key, text text default ';'); -- one; two
              ${functions[0]};
              create rule two as on delete to note do also (select 1; select 2);
              comment on table note is $$;$$;`,
          },
        ])
        const rows = await store.snapshot((query) => query(sql`select f() as f`))
        assert.deepEqual(rows, [{ f: 2 }])
      } finally {
        await store.close()
        await remove()
      }
    })
  })
