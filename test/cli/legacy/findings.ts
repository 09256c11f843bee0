import type { DialectName } from '../../../src/model/dialect.ts'

/** The expected output for the legacy database. */
interface Findings {
  /** The lines that `lapidary introspect` and `lapidary serve` print at the end. */
  readonly omitted: readonly string[]
  /** The warnings of the startup check, without those about missing indexes and the order of texts. */
  readonly warnings: readonly string[]
  /** The resources that cannot be written back as they were returned, with the status. */
  readonly rejected: Readonly<Record<string, number>>
}

/** The findings by database. */
export const findings: Readonly<Record<DialectName, Findings>> = {
  sqlite: {
    omitted: [
      '"" is omitted: its name is empty',
      'broken_view is omitted: it cannot be read: no such column: nope',
      'failing_view is omitted: it cannot be read: malformed JSON',
      'full_text is omitted: it has no primary key',
      'gone_view is omitted: it cannot be read: no such table: main.missing_table',
      'null_view is omitted: its key id repeats',
      'repeating_view is omitted: its key id repeats',
      'audit_entry is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
      'lost_parent: the foreign key (to_gone) to gone is omitted: there is no table gone',
      'lost_parent: the foreign key (to_nope) to product is omitted: product has no column nope',
      'lost_parent: the foreign key (to_name) to product is omitted: hash of product is not unique',
      'lost_parent: the foreign key (to_keyless) to audit_entry is omitted: audit_entry has no primary key',
      'mismatch.key is omitted: 3 of 4 values are not of the kind uuid, such as "no uuid"',
      'mismatch.raw is omitted: 3 of 4 values are not of the kind bytes, such as "text"',
      'mismatch.born: 3 of 7 values are not of the kind date, such as "0000-00-00"; they are returned as null',
      'mismatch.at: 7 of 7 values are not of the kind datetime, such as 1700000000000; they are read as epoch-milliseconds',
      'mismatch.made: 7 of 7 values are not of the kind datetime, such as 1700000000; they are read as epoch-seconds',
      'mismatch.size: 2 of 7 values are not of the kind integer, such as "abc"; they are returned as null',
      'mismatch.price: 2 of 7 values are not of the kind decimal, such as ""; they are returned as null',
      'mismatch.ratio: 2 of 7 values are not of the kind number, such as "n/a"; they are returned as null',
      'mismatch.flag: 7 of 7 values are not of the kind boolean, such as "t"; they are read as t/f',
      'mismatch.answer: 7 of 7 values are not of the kind boolean, such as "Y"; they are read as Y/N',
      'mismatch.mixed: 3 of 7 values are not of the kind boolean, such as "t"; they are returned as null',
      'mismatch.name: 1 of 7 values is not of the kind text, such as bytes (2); it is returned as null',
      'mismatch.clock: 3 of 7 values are not of the kind time, such as "24:00"; they are returned as null',
      'mismatch.no: 2 of 7 values are not of the kind integer64, such as "many"; they are returned as null',
      'mismatch.extra: 2 of 7 values are not of the kind json, such as "{broken"; they are returned as null',
      'mismatch_key.no is omitted: 3 of 4 values are not of the kind integer, such as "abc"',
      'mismatch_key is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
      'null_key is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
      'null_part is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
      'odd_type.place: SQLite has no type point; its values of type blob and text are read as databaseText; BLOBs are returned as null',
      'odd_type.took: SQLite has no type interval; its values of type text are read as databaseText',
      'odd_type.shape: SQLite has no type geometry; its values of type blob are read as bytes',
      'odd_type.made: SQLite has no type year; its values of type integer are read as integer',
      'odd_type.rate: SQLite has no type currency; its values of type integer and real are read as number',
      'odd_type.label: SQLite has no type string; its values of type integer and text are read as databaseText',
      'odd_type.memo: SQLite has no type memo; its values of type integer and text are read as databaseText',
      'odd_type.num: 1 of 2 values is not of the kind decimal, such as "x"; it is returned as null',
      'strict_table.a: SQLite has no type ANY; its values of type integer and text are read as databaseText',
      'unnamed."" is omitted: its name is empty',
      'untyped.z is omitted: it has no type, and no attribute kind fits its values of type blob and integer',
      'view_without_id has the key name, which no row repeats so far',
      'Omitted because they look secret; --show <table>.<column> serves one:',
      '  account: pwd_hash, api_token',
      '  employee: user_pass, pin, session_id',
    ],
    warnings: [
      'nocase-keys.id: the collation nocase ignores the case of letters in filters, sorting, keys and unique constraints; to fix it: create "nocase_key" again with "code" collate binary',
      'lost_parent: the foreign key "to_keyless" of "lost_parent" to "audit_entry" cannot hold: "audit_entry" has no primary key; SQLite rejects writes to "lost_parent", and creates and deletes in "audit_entry", so they are 409; to fix it: create "lost_parent" again without the foreign key',
      'lost_parent: the foreign key "to_name" of "lost_parent" to "product" cannot hold: "hash" of "product" is not unique; SQLite rejects writes to "lost_parent", and creates and deletes in "product", so they are 409; to fix it: create "lost_parent" again without the foreign key',
      'lost_parent: the foreign key "to_nope" of "lost_parent" to "product" cannot hold: "product" has no column "nope"; SQLite rejects writes to "lost_parent", and creates and deletes in "product", so they are 409; to fix it: create "lost_parent" again without the foreign key',
      'lost_parent: the foreign key "to_gone" of "lost_parent" to "gone" cannot hold: there is no table "gone"; SQLite rejects writes to "lost_parent", so they are 409; to fix it: create "lost_parent" again without the foreign key',
      'edge-keys.id: the column "code" of "edge_key" contains ".", which no segment of a URL can be; clients cannot address such resources; change or delete the rows',
      'nocase-refs.fields.code: the key "nope" in "code" of "nocase_ref" references no row of "nocase_key", so linkage is looked up there for each row; to fix it: update "nocase_ref" set "code" = null where "code" not in (select "code" from "nocase_key")',
      'orphans.fields.product: the key "99" in "product_id" of "orphan" references no row of "product", so linkage is looked up there for each row; to fix it: update "orphan" set "product_id" = null where "product_id" not in (select "id" from "product")',
      'orphans.fields.employee: the key "98" in "employee_id" of "orphan" references no row of "employee", so linkage is looked up there for each row; to fix it: update "orphan" set "employee_id" = null where "employee_id" not in (select "id" from "employee")',
      'orphans.fields.order_detail: the key "97,96" in "order_id", "product_no" of "orphan" references no row of "order details", so linkage is looked up there for each row; to fix it: update "orphan" set "order_id" = null, "product_no" = null where ("order_id", "product_no") not in (select "order id", "product id" from "order details")',
      'trees.fields.tree: the key "8,gone" in "parent_a", "parent_b" of "tree" references no row of "tree", so linkage is looked up there for each row; to fix it: update "tree" set "parent_a" = null, "parent_b" = null where ("parent_a", "parent_b") not in (select "a", "b" from "tree")',
      'products.fields.tags_by_orphan_tag: the key "77" in "product_id" of "orphan_tag" references no row of "product", so each request for related resources looks it up; to fix it: delete from "orphan_tag" where "product_id" not in (select "id" from "product")',
      'tags.fields.products_by_orphan_tag: the key "88" in "tag_id" of "orphan_tag" references no row of "tag", so each request for related resources looks it up; to fix it: delete from "orphan_tag" where "tag_id" not in (select "id" from "tag")',
    ],
    // A trigger rejects updates of guarded. The key of lost_parent to hash, which is not unique, blocks writes of both tables. The price of the
    // mismatch has more digits than its column.
    rejected: {
      '/guarded/1': 409,
      '/guarded/2': 409,
      '/guarded/3': 409,
      '/lost-parents/1': 409,
      '/lost-parents/2': 409,
      '/mismatches/3': 422,
      '/products/1': 409,
      '/products/2': 409,
      '/products/3': 409,
    },
  },
  postgres: {
    omitted: [
      'audit_entry is omitted: it has no primary key',
      'clean_parent is omitted: other tables inherit from it, so its key may repeat',
      'failing_view is omitted: it cannot be read: division by zero',
      'null_key is omitted: it has no primary key',
      'null_view is omitted: its key id repeats',
      'parent is omitted: other tables inherit from it, so its key may repeat',
      'repeating_view is omitted: its key id repeats',
      'every_array.f is omitted: 1 of 1 value is not of the kind array, such as "[[\\"1\\",\\"2\\"],[\\"3\\",\\"4\\"]]"',
      'every_type.z is omitted: it is for searches in texts',
      'odd_value.born: 2 of 8 values are not of the kind date, such as "0044-03-15 BC"; they are returned as null',
      'odd_value.at: 2 of 8 values are not of the kind datetime, such as "0044-03-15 00:00:00 BC"; they are returned as null',
      'odd_value.made: 2 of 8 values are not of the kind datetime, such as "294276-12-31 23:59:59"; they are returned as null',
      'odd_value.price: 1 of 8 values is not of the kind decimal, such as "NaN"; it is returned as null',
      'odd_value.clock: 1 of 7 values is not of the kind time, such as "24:00:00"; it is returned as null',
      'view_without_id has the key name, which no row repeats so far',
      'Omitted because they look secret; --show <table>.<column> serves one:',
      '  account: pwd_hash, api_token',
      '  employee: user_pass, pin, session_id',
    ],
    warnings: [
      'accounts.fields.password_changed_at: timestamp without time zone is read as UTC; to fix it: alter table "account" alter column "password_changed_at" type timestamptz using "password_changed_at" at time zone \'UTC\'',
      'every-types.fields.i: timestamp without time zone is read as UTC; to fix it: alter table "every_type" alter column "i" type timestamptz using "i" at time zone \'UTC\'',
      'odd-values.fields.made: timestamp without time zone is read as UTC; to fix it: alter table "odd_value" alter column "made" type timestamptz using "made" at time zone \'UTC\'',
      'ruleds: the rule "ruled_insert" on "ruled" replaces inserts and does not return the new row, so creates without a client\'s id are 409; to fix it: add "returning" to the rule, use a trigger, or set client: "required"',
      'edge-keys.id: the column "code" of "edge_key" contains ".", which no segment of a URL can be; clients cannot address such resources; change or delete the rows',
    ],
    // A trigger rejects updates of guarded. The attribute extra has JSON that is neither an object nor an array.
    rejected: {
      '/guarded/1': 409,
      '/guarded/2': 409,
      '/guarded/3': 409,
      '/odd-values/2': 422,
      '/odd-values/3': 422,
    },
  },
}
