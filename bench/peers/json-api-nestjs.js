import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { TypeOrmModule } from '@nestjs/typeorm'
import { JsonApiModule } from 'json-api-nestjs'
import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryGeneratedColumn } from 'typeorm'

// Decorators are called as functions, because Node runs no decorators.
class Person {}
class Computer {}
describe(Person, 'person', {
  id: [Number, PrimaryGeneratedColumn()],
  name: [String, Column({ type: 'text' })],
  email: [String, Column({ type: 'text', nullable: true })],
  birth_date: [String, Column({ type: 'text', nullable: true })],
  gender: [String, Column({ type: 'text', nullable: true })],
  computers: [Array, OneToMany(() => Computer, (computer) => computer.owner)],
})
describe(Computer, 'computer', {
  id: [Number, PrimaryGeneratedColumn()],
  serial: [String, Column({ type: 'text' })],
  owner: [
    Person,
    ManyToOne(() => Person, (person) => person.computers, { nullable: true }),
    JoinColumn({ name: 'person_id' }),
  ],
})

function describe(entity, table, columns) {
  for (const [name, [type, ...decorators]] of Object.entries(columns)) {
    Reflect.defineMetadata('design:type', type, entity.prototype, name)
    for (const decorate of decorators) decorate(entity.prototype, name)
  }
  Entity(table)(entity)
}

/** json-api-nestjs on Express, by TypeORM and better-sqlite3. */
export async function start(database) {
  class App {}
  const entities = [Person, Computer]
  Module({
    imports: [
      TypeOrmModule.forRoot({
        type: 'better-sqlite3',
        database: database.replace(/^sqlite:/, ''),
        entities,
        synchronize: false,
        prepareDatabase: (sqlite) => {
          sqlite.pragma('journal_mode = wal')
          sqlite.pragma('synchronous = full')
        },
      }),
      JsonApiModule.forRoot({ entities, options: { requiredSelectField: false } }),
    ],
  })(App)
  const app = await NestFactory.create(App, { logger: ['error'] })
  app.useBodyParser('json', { type: ['application/json', 'application/vnd.api+json'] })
  await app.listen(0, '127.0.0.1')
  return { port: app.getHttpServer().address().port, close: () => app.close() }
}
