import { type Store, sql } from 'lapidary'

/** Gives all books to one author, whose e-mail address says how many there are. */
export async function moveBooks(store: Store, round: number): Promise<void> {
  const owner = (round % 3) + 1
  const title = 'Moved'
  await store.transaction(async ({ query }) => {
    if (round % 2 === 0) await query(sql`insert into book (title) values (${title})`)
    else await query(sql`delete from book where title = ${title}`)
    await query(sql`update book set author_id = ${owner}`)
    await query(sql`update author set email = null`)
    await query(
      sql`update author set email = (select cast(count(*) as text) from book) where id = ${owner}`,
    )
  })
}
