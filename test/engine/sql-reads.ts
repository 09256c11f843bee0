/** A read, and every statement that SQLite is given for it, in order. */
export type ReadRow = readonly [
  sentence: string,
  path: string,
  query: Readonly<Record<string, string>>,
  statements: readonly string[],
]

/** Reads of the library. */
// biome-ignore format: a table, one statement a line
export const reads: readonly ReadRow[] = [
  ['a page of a list, and the count', '/authors', {}, [
    'select cast("t0"."writer_no" as text), "t0"."name", "t0"."e_mail", "t0"."born" from "writer" as "t0" order by "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
  ]],
  ['nothing but the columns that are asked for', '/books', { 'fields[book]': 'title' }, [
    'select cast("t0"."id" as text), "t0"."title" from "book" as "t0" order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0"',
  ]],
  ['an integer is read as text, a key not at all unless its linkage is shown', '/books', { 'fields[book]': 'pages' }, [
    'select cast("t0"."id" as text), cast("t0"."pages" as text) from "book" as "t0" order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0"',
  ]],
  ['no column at all', '/books', { 'fields[book]': '' }, [
    'select cast("t0"."id" as text) from "book" as "t0" order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0"',
  ]],
  ['linkage to one is a column, linkage to many a subquery', '/authors', { 'fields[author]': 'teacher,pupils' }, [
    'select cast("t0"."writer_no" as text), (select json_group_array(cast("t1"."writer_no" as text) order by "t1"."writer_no") from "writer" as "t1" where "t1"."taught_by" = "t0"."writer_no"), cast("t0"."taught_by" as text) from "writer" as "t0" order by "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
  ]],
  ['what is computed reads its columns, each once', '/authors', { 'fields[author]': 'name,label' }, [
    'select cast("t0"."writer_no" as text), "t0"."name", "t0"."born" from "writer" as "t0" order by "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
  ]],
  ['an order: nulls are the largest, the id comes last', '/books', { sort: '-title,price', 'fields[book]': '' }, [
    'select cast("t0"."id" as text) from "book" as "t0" order by "t0"."title" desc nulls first, "t0"."price" asc nulls last, "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0"',
  ]],
  ['an order by the id needs no other', '/books', { sort: '-id', 'fields[book]': '' }, [
    'select cast("t0"."id" as text) from "book" as "t0" order by "t0"."id" desc limit ? offset ?',
    'select count(*) from "book" as "t0"',
  ]],
  ['an order through to-one relationships: each is joined once', '/authors', { sort: 'teacher.name,-teacher.teacher.born,teacher.id', 'fields[author]': '' }, [
    'select cast("t0"."writer_no" as text) from "writer" as "t0" left join "writer" as "s1" on "s1"."writer_no" = "t0"."taught_by" left join "writer" as "s2" on "s2"."writer_no" = "s1"."taught_by" order by "s1"."name" asc nulls last, "s2"."born" desc nulls first, "s1"."writer_no" asc nulls last, "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
  ]],
  ['included resources: one statement for each step', '/authors', { include: 'books', 'fields[author]': 'books', 'fields[book]': 'title' }, [
    'select cast("t0"."writer_no" as text), (select json_group_array(cast("t1"."id" as text) order by "t1"."id") from "book" as "t1" where "t1"."by" = "t0"."writer_no") from "writer" as "t0" order by "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
    'select cast("t0"."id" as text), "t0"."title" from "book" as "t0" where "t0"."id" in (select value from json_each(?)) order by "t0"."id"',
  ]],
  ['what is primary data already is not fetched again', '/authors', { include: 'teacher,pupils', 'fields[author]': 'teacher,pupils', 'page[size]': '3' }, [
    'select cast("t0"."writer_no" as text), (select json_group_array(cast("t1"."writer_no" as text) order by "t1"."writer_no") from "writer" as "t1" where "t1"."taught_by" = "t0"."writer_no"), cast("t0"."taught_by" as text) from "writer" as "t0" order by "t0"."writer_no" asc limit ? offset ?',
    'select count(*) from "writer" as "t0"',
  ]],
  ['one resource', '/books/1', { 'fields[book]': 'title' }, [
    'select cast("t0"."id" as text), "t0"."title" from "book" as "t0" where "t0"."id" = ?',
  ]],
  ['one resource and what it leads to, step by step', '/authors/3', { include: 'teacher.teacher', 'fields[author]': 'teacher' }, [
    'select cast("t0"."writer_no" as text), cast("t0"."taught_by" as text) from "writer" as "t0" where "t0"."writer_no" = ?',
    'select cast("t0"."writer_no" as text), cast("t0"."taught_by" as text) from "writer" as "t0" where "t0"."writer_no" in (select value from json_each(?)) order by "t0"."writer_no"',
    'select cast("t0"."writer_no" as text), cast("t0"."taught_by" as text) from "writer" as "t0" where "t0"."writer_no" in (select value from json_each(?)) order by "t0"."writer_no"',
  ]],
  ['a related collection', '/authors/2/books', { 'fields[book]': 'title' }, [
    'select cast("t0"."id" as text), "t0"."title" from "book" as "t0" where "t0"."by" = ? order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0" where "t0"."by" = ?',
  ]],
  ['a related collection that is empty: is the parent there?', '/authors/3/books', { 'fields[book]': '' }, [
    'select cast("t0"."id" as text) from "book" as "t0" where "t0"."by" = ? order by "t0"."id" asc limit ? offset ?',
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
  ]],
  ['a related resource', '/books/1/author', { 'fields[author]': 'name' }, [
    'select cast("t0"."writer_no" as text), "t0"."name" from "writer" as "t0" where "t0"."writer_no" in (select "t1"."by" from "book" as "t1" where "t1"."id" = ?)',
  ]],
  ['a related resource that is not there: is the parent?', '/books/4/author', { 'fields[author]': '' }, [
    'select cast("t0"."writer_no" as text) from "writer" as "t0" where "t0"."writer_no" in (select "t1"."by" from "book" as "t1" where "t1"."id" = ?)',
    'select 1 from "book" as "t0" where "t0"."id" = ?',
  ]],
  ['a page of linkage to many', '/authors/2/relationships/books', { 'page[size]': '2' }, [
    'select cast("t0"."id" as text) from "book" as "t0" where "t0"."by" = ? order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0" where "t0"."by" = ?',
  ]],
  ['linkage to one', '/books/1/relationships/author', {}, [
    'select cast("t0"."writer_no" as text) from "writer" as "t0" where "t0"."writer_no" in (select "t1"."by" from "book" as "t1" where "t1"."id" = ?)',
  ]],
  ['linkage with what it names', '/authors/2/relationships/books', { 'page[size]': '2', include: 'books', 'fields[author]': 'books', 'fields[book]': 'title' }, [
    'select cast("t0"."id" as text) from "book" as "t0" where "t0"."by" = ? order by "t0"."id" asc limit ? offset ?',
    'select count(*) from "book" as "t0" where "t0"."by" = ?',
    'select cast("t0"."id" as text), "t0"."title" from "book" as "t0" where "t0"."id" in (select value from json_each(?)) order by "t0"."id"',
  ]],
]

/** A filter of a list, and the condition that SQLite is given for it. */
export type FilterRow = readonly [path: string, filter: readonly object[], condition: string]

/** Filters of every form. */
// biome-ignore format: a table, one condition a line
export const filters: readonly FilterRow[] = [
  ['/books', [{ name: 'title', op: 'eq', val: 'x' }],
    '"t0"."title" = ?'],
  ['/books', [{ name: 'title', op: 'ne', val: 'x' }],
    '"t0"."title" <> ?'],
  ['/books', [{ name: 'title', op: 'is_', val: 'x' }],
    '"t0"."title" is ?'],
  ['/books', [{ name: 'title', op: 'isnot', val: 'x' }],
    'not ("t0"."title" is ?)'],
  ['/books', [{ name: 'title', op: 'eq', val: null }],
    '"t0"."title" is null'],
  ['/books', [{ name: 'title', op: 'ne', val: null }],
    'not ("t0"."title" is null)'],
  ['/books', [{ name: 'title', op: 'is_', val: null }],
    '"t0"."title" is null'],
  ['/books', [{ name: 'title', op: 'isnot', val: null }],
    'not ("t0"."title" is null)'],
  ['/books', [{ name: 'pages', op: 'in_', val: [1, null] }],
    '"t0"."pages" in (select value from json_each(?))'],
  ['/books', [{ name: 'pages', op: 'notin_', val: [] }],
    'not ("t0"."pages" in (select value from json_each(?)))'],
  ['/books', [{ name: 'price', op: 'gt', val: 1 }],
    '"t0"."price" > ?'],
  ['/books', [{ name: 'price', op: 'ge', val: 1 }],
    '"t0"."price" >= ?'],
  ['/books', [{ name: 'price', op: 'lt', val: 1 }],
    '"t0"."price" < ?'],
  ['/books', [{ name: 'price', op: 'le', val: 1 }],
    '"t0"."price" <= ?'],
  ['/books', [{ name: 'price', op: 'lt', val: null }],
    '"t0"."price" < ?'],
  ['/books', [{ name: 'pages', op: 'between', val: [1, 2] }],
    '"t0"."pages" between ? and ?'],
  ['/books', [{ name: 'title', op: 'like', val: 'x' }],
    `iif(instr(?, '%') = 0, instr("t0"."title", ?) > 0, lapidary_like("t0"."title", ?))`],
  ['/books', [{ name: 'title', op: 'notlike', val: 'x' }],
    `not (iif(instr(?, '%') = 0, instr("t0"."title", ?) > 0, lapidary_like("t0"."title", ?)))`],
  ['/books', [{ name: 'title', op: 'ilike', val: 'x' }],
    `iif(instr(lapidary_fold(?), '%') = 0, instr(lapidary_fold("t0"."title"), lapidary_fold(?)) > 0, lapidary_like(lapidary_fold("t0"."title"), lapidary_fold(?)))`],
  ['/books', [{ name: 'title', op: 'notilike', val: 'x' }],
    `not (iif(instr(lapidary_fold(?), '%') = 0, instr(lapidary_fold("t0"."title"), lapidary_fold(?)) > 0, lapidary_like(lapidary_fold("t0"."title"), lapidary_fold(?))))`],
  ['/books', [{ name: 'title', op: 'startswith', val: 'x' }],
    'substr("t0"."title", 1, length(?)) = ?'],
  ['/books', [{ name: 'title', op: 'endswith', val: 'x' }],
    '(length("t0"."title") >= length(?) and substr("t0"."title", length("t0"."title") - length(?) + 1) = ?)'],
  ['/books', [{ name: 'title', op: 'match', val: 'x' }],
    'lapidary_match("t0"."title", ?)'],
  ['/authors', [{ name: 'mail', op: 'like', field: 'name' }],
    `iif(instr("t0"."name", '%') = 0, instr("t0"."e_mail", "t0"."name") > 0, lapidary_like("t0"."e_mail", "t0"."name"))`],
  ['/books', [{ name: 'pages', op: 'gt', field: 'id' }],
    '"t0"."pages" > "t0"."id"'],
  ['/books', [{ name: 'author', op: 'has', val: null }],
    '("t0"."by" is not null and "t0"."by" in (select "t1"."writer_no" from "writer" as "t1"))'],
  ['/books', [{ name: 'author', op: 'is_', val: null }],
    'not (("t0"."by" is not null and "t0"."by" in (select "t1"."writer_no" from "writer" as "t1")))'],
  ['/books', [{ name: 'author__name', op: 'eq', val: 'x' }],
    '("t0"."by" is not null and "t0"."by" in (select "t1"."writer_no" from "writer" as "t1" where "t1"."name" = ?))'],
  ['/books', [{ name: 'author__id', op: 'eq', val: '1' }],
    '("t0"."by" is not null and "t0"."by" is (select "t1"."writer_no" from "writer" as "t1" where "t1"."writer_no" = ?))'],
  ['/books', [{ name: 'author__id', op: 'in_', val: ['1'] }],
    '("t0"."by" is not null and "t0"."by" in (select "t1"."writer_no" from "writer" as "t1" where "t1"."writer_no" in (select value from json_each(?))))'],
  ['/authors', [{ name: 'books', op: 'any', val: [{ name: 'title', op: 'eq', val: 'x' }, { name: 'pages', op: 'gt', val: 5 }] }],
    '"t0"."writer_no" in (select "t1"."by" from "book" as "t1" where "t1"."by" is not null and ("t1"."title" = ? and "t1"."pages" > ?))'],
  ['/authors', [{ name: 'pupils__teacher__books__title', op: 'eq', val: 'x' }],
    '"t0"."writer_no" in (select "t1"."taught_by" from "writer" as "t1" where "t1"."taught_by" is not null and ("t1"."taught_by" is not null and "t1"."taught_by" in (select "t2"."writer_no" from "writer" as "t2" where "t2"."writer_no" in (select "t3"."by" from "book" as "t3" where "t3"."by" is not null and "t3"."title" = ?))))'],
  ['/books', [{ name: 'title', op: 'eq', val: 'x' }, { or: [{ name: 'pages', op: 'eq', val: 1 }, { not: { and: [{ name: 'pages', op: 'eq', val: 2 }] } }] }],
    '("t0"."title" = ? and ("t0"."pages" = ? or not (("t0"."pages" = ?))))'],
  ['/books', [{ or: [{ name: 'pages', op: 'eq', val: 1 }, { name: 'pages', op: 'eq', val: 2 }, { name: 'pages', op: 'eq', val: 3 }, { name: 'pages', op: 'eq', val: 4 }, { name: 'pages', op: 'eq', val: 5 }, { name: 'pages', op: 'eq', val: 6 }, { name: 'pages', op: 'eq', val: 7 }, { name: 'pages', op: 'eq', val: 8 }, { name: 'pages', op: 'eq', val: 9 }] }],
    '(("t0"."pages" = ? or "t0"."pages" = ? or "t0"."pages" = ? or "t0"."pages" = ?) or ("t0"."pages" = ? or "t0"."pages" = ? or "t0"."pages" = ? or "t0"."pages" = ? or "t0"."pages" = ?))'],
]
