// How tests lay out tables on Citus. A trigger of the database distributes each table when a migration or a test creates it, so
// that every suite runs as on PostgreSQL.

/** How the tables of a test are distributed. */
export interface Layout {
  readonly title: string
  /** The schema of the tables. */
  readonly schema: string
  /** The settings of the databases. */
  readonly settings: Readonly<Record<string, string | number>>
  /** What the trigger executes for a new table `each.name` with the key `key`; absent: there is no trigger. */
  readonly distribute?: string
  /** What it executes before. */
  readonly prepare?: string
}

const foreignKeys = "from pg_constraint where contype = 'f' and conrelid = each.name"
const toDistributed = `${foreignKeys} and confrelid in (select logicalrelid from pg_dist_partition where partmethod = 'h')`
const toItself = `${foreignKeys} and confrelid = each.name`

const dropForeignKeys = (from: string) => `for foreign_key in select conname ${from} loop
    execute format('alter table %s drop constraint %I', each.name, foreign_key);
  end loop;`

/** Fewer shards than by default, so that a statement needs few connections. */
const settings = {
  'citus.shard_count': 4,
  'citus.max_adaptive_executor_pool_size': 2,
}

export const layouts = {
  /**
   * Tables that reference none, or themselves, are reference tables; the others are distributed by their own keys: `computer` is. A foreign
   * key to a distributed table is not supported.
   */
  reference: {
    title: 'Citus with reference tables',
    schema: 'public',
    settings,
    prepare: `is_distributed := exists (select ${toDistributed});
      ${dropForeignKeys(toDistributed)}`,
    distribute: `if is_distributed or exists (select ${foreignKeys}) and not exists (select ${toItself})
      then perform create_distributed_table(each.name, key, colocate_with => 'none');
      else perform create_reference_table(each.name);
      end if;`,
  },
  /** All tables are distributed by their own keys, without foreign keys. */
  distributed: {
    title: 'Citus with distributed tables',
    schema: 'public',
    settings,
    distribute: `${dropForeignKeys(foreignKeys)}
      perform create_distributed_table(each.name, key, colocate_with => 'none');`,
  },
  /** The tables of a tenant are in a schema of their own, which is on one worker. */
  tenant: {
    title: 'Citus with a schema for each tenant',
    schema: 'tenant',
    settings: { ...settings, 'citus.enable_schema_based_sharding': 'on' },
  },
} as const satisfies Record<string, Layout>

/** The name of a layout. */
export type LayoutName = keyof typeof layouts

/** The schema of the trigger; names with this beginning stay when a test drops everything. */
const ownSchema = 'citus_layout'

/**
 * Writes the SQL that creates the trigger. Citus creates shards by the same commands, on connections of its own or in the same
 * transaction, so the trigger ignores what it causes itself. A table whose constraints do not allow the key is a reference table.
 */
export function writeTrigger({ distribute, prepare = '', schema }: Layout): readonly string[] {
  if (distribute === undefined) return []
  return [
    `create schema ${ownSchema}`,
    `create function ${ownSchema}.distribute() returns event_trigger language plpgsql as $$
      declare each record; key name; foreign_key name; is_distributed boolean;
      begin
        if current_setting('application_name') like 'citus%' or current_setting('${ownSchema}.is_busy', true) = 'true' then
          return;
        end if;
        perform set_config('${ownSchema}.is_busy', 'true', true);
        for each in select objid::regclass as name from pg_event_trigger_ddl_commands()
            where object_type = 'table' and command_tag = 'CREATE TABLE' and schema_name = '${schema}' and object_identity not like '%lapidary_migration' loop
          select attname into key from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
            where attrelid = each.name and attnum > 0 order by attnum = any(indkey) desc nulls last, attnum limit 1;
          ${prepare}
          begin
            ${distribute}
          exception when feature_not_supported or invalid_table_definition then perform create_reference_table(each.name);
          end;
        end loop;
        perform set_config('${ownSchema}.is_busy', 'false', true);
      end $$`,
    `create event trigger ${ownSchema} on ddl_command_end when tag in ('CREATE TABLE') execute function ${ownSchema}.distribute()`,
  ]
}

/** Writes the SQL that drops every object of a test. The extension depends on the schema `public`, which stays. */
export function writeDropAll({ schema }: Layout): readonly string[] {
  // The names are collected first, because one drop may take other objects with it.
  const drop = (query: string) =>
    `foreach each in array array(${query}) loop execute each; end loop;`
  const isOwn = (catalog: string, oid: string) =>
    `not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = ${oid} and deptype in ('e', 'i'))`
  const kinds =
    "case relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end"
  return [
    `do $$ declare each text; begin
      ${drop(`select format('drop %s if exists %s cascade', ${kinds}, oid::regclass) from pg_class
        where relkind in ('r', 'p', 'v', 'm') and relnamespace = 'public'::regnamespace and ${isOwn('pg_class', 'oid')}`)}
      ${drop(`select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc
        where pronamespace = 'public'::regnamespace and ${isOwn('pg_proc', 'oid')}`)}
      ${drop(`select format('drop type if exists %s cascade', oid::regtype) from pg_type
        where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and ${isOwn('pg_type', 'oid')}`)}
      ${drop(`select format('drop schema %I cascade', nspname) from pg_namespace
        where nspname !~ '^(pg_|citus|columnar)' and nspname not in ('information_schema', 'public')`)}
    end $$`,
    ...(schema === 'public' ? [] : [`create schema ${schema}`]),
  ]
}

/** Writes the SQL that deletes the rows of every table, and starts generated ids at 1 again. */
export function writeDeleteRows({ schema }: Layout): readonly string[] {
  return [
    `do $$ declare each text; begin
      set local citus.multi_shard_modify_mode to sequential;
      foreach each in array array(select c.oid::regclass::text from pg_class as c left join pg_dist_shard on
          relname = pg_dist_shard.logicalrelid::regclass::text || '_' || shardid
          where relkind = 'r' and relnamespace = '${schema}'::regnamespace and shardid is null and relname <> 'lapidary_migration'
          order by (select count(*) from pg_constraint where contype = 'f' and conrelid = c.oid) desc) loop
        execute format('delete from %s', each);
      end loop;
      perform setval(seqrelid::regclass, seqstart, false) from pg_sequence
        join pg_class as c on c.oid = seqrelid and relnamespace = '${schema}'::regnamespace;
    end $$`,
  ]
}
