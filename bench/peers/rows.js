import SQLite from 'better-sqlite3'

/** The persons of a database, for those who keep their data elsewhere. */
export function persons(database) {
  const sqlite = open(database)
  const computers = sqlite.prepare('select id from computer where person_id = ? order by id').pluck()
  return sqlite
    .prepare('select id, name, email, birth_date, gender from person order by id')
    .all()
    .map((person) => ({ ...person, computers: computers.all(person.id) }))
}

/** The computers of a database. */
export function computers(database) {
  return open(database).prepare('select id, serial, person_id as owner from computer order by id').all()
}

function open(database) {
  return new SQLite(database.replace(/^sqlite:/, ''), { readonly: true })
}
