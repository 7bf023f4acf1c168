// @ts-check
'use strict'

/** The store's clock, in milliseconds since 1970. */
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/**
 * How many locks a store has. Commits take the locks of the names that they touch, in order, so that those of different
 * sessions rarely wait for each other and none needs more than a small part of the server's lock table.
 */
const LOCKS = 256

/** @param {string} name */
const quoted = (name) => `"${name.replaceAll('"', '""')}"`

/** @param {string} text */
const literal = (text) => `'${text.replaceAll("'", "''")}'`

/**
 * The tables and the function of a store, as one text that may run again at any time.
 *
 * Keys have the collation `C`, which compares bytes. Values are `text`: `jsonb` takes neither U+0000 nor lone surrogates.
 *
 * @param {string} schema
 */
function migrationOf(schema) {
  const own = quoted(schema)
  return `
select pg_advisory_xact_lock(hashtextextended(${literal(`tenon:${schema}`)}, 0));
create schema if not exists ${own};
create sequence if not exists ${own}.versions;
create table if not exists ${own}.rows (
  space text collate "C" not null,
  key text collate "C" not null,
  value text not null,
  version bigint not null,
  number bigint,
  expires_at bigint,
  updated_at bigint not null,
  primary key (space, key)
);
create index if not exists rows_by_number on ${own}.rows (space, number, key) where number is not null;
create index if not exists rows_by_end on ${own}.rows (expires_at) where expires_at is not null;
create table if not exists ${own}.entries (
  log text collate "C" not null,
  seq bigint not null,
  id text collate "C" not null,
  value text not null,
  words text not null,
  at bigint not null,
  primary key (log, seq),
  unique (log, id)
);
${commitOf(schema)}`
}

/**
 * One commit: the versions that it wrote, or the place of the first expectation that does not hold, counted from 1, as a
 * negative number. A function, so that a commit is one round trip and needs no connection of its own.
 *
 * @param {string} schema
 */
function commitOf(schema) {
  const own = quoted(schema)
  return `
create or replace function ${own}.commit_1(
  kinds text[], names text[], keys text[], vals text[], words text[], numbers bigint[], ends bigint[], expected bigint[], channel text
) returns bigint[] language plpgsql set plan_cache_mode = force_custom_plan as $commit$
declare
  place int;
  lock bigint;
  present bigint;
  written bigint;
  moment bigint;
  name text;
  results bigint[] := '{}';
begin
  for lock in
    select distinct hashtextextended(kinds[i] || ' ' || names[i] || case kinds[i] when 'append' then '' else chr(1) || keys[i] end, 0) & ${LOCKS - 1} as one
    from generate_subscripts(kinds, 1) as i order by one
  loop
    perform pg_advisory_xact_lock(hashtext(${literal(`tenon:${schema}`)}), lock::int);
  end loop;
  moment := ${NOW};
  for place in 1 .. cardinality(kinds) loop
    continue when expected[place] is null;
    select r.version into present from ${own}.rows r
      where r.space = names[place] and r.key = keys[place] and (r.expires_at is null or r.expires_at > moment);
    if coalesce(present, 0) <> expected[place] then
      return array[-place];
    end if;
  end loop;
  for place in 1 .. cardinality(kinds) loop
    written := 0;
    case kinds[place]
      when 'put' then
        written := nextval(${literal(`${own}.versions`)});
        insert into ${own}.rows as r (space, key, value, version, number, expires_at, updated_at)
          values (names[place], keys[place], vals[place], written, numbers[place], ends[place], moment)
          on conflict (space, key) do update set value = excluded.value, version = excluded.version, number = excluded.number,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at;
      when 'delete' then
        delete from ${own}.rows r where r.space = names[place] and r.key = keys[place];
      else
        select e.seq into written from ${own}.entries e where e.log = names[place] and e.id = keys[place];
        if written is null then
          written := nextval(${literal(`${own}.versions`)});
          insert into ${own}.entries (log, seq, id, value, words, at) values (names[place], written, keys[place], vals[place], words[place], moment);
        end if;
    end case;
    results := results || written;
  end loop;
  -- Rows that have ended are invisible; now and then they are removed.
  if random() < 0.01 then
    delete from ${own}.rows where ctid = any (array(
      select ctid from ${own}.rows where expires_at <= moment limit 200 for update skip locked));
  end if;
  if channel is not null then
    for name in select distinct unnest(names) loop
      perform pg_notify(channel, name);
    end loop;
  end if;
  return results;
end
$commit$;
`
}

/** @param {string} schema */
function statementsOf(schema) {
  const own = quoted(schema)
  const live = `(expires_at is null or expires_at > ${NOW})`
  const columns = 'key, value, version, number, updated_at'
  return {
    isReady: `select to_regprocedure($1) is not null as ready`,
    commit: `select ${own}.commit_1($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text) as result`,
    commitName: `${own}.commit_1(text[], text[], text[], text[], text[], bigint[], bigint[], bigint[], text)`,
    get: `select r.key, r.value, r.version, r.number, r.updated_at
      from unnest($1::text[], $2::text[]) with ordinality as wanted (space, key, place)
      left join ${own}.rows r on r.space = wanted.space and r.key = wanted.key and ${live} order by wanted.place`,
    byKey: `select ${columns} from ${own}.rows where space = $1 and key >= $2 and key <= $3 and key > $4 and ${live} order by key limit $5`,
    byNumber: `select ${columns} from ${own}.rows where space = $1 and key >= $2 and key <= $3
      and number between $4 and $5 and (number, key) > ($6, $7) and ${live} order by number, key limit $8`,
    forwards: `select seq, id, value, at from ${own}.entries where log = $1 and seq > $2 and seq < $3 order by seq limit $4`,
    backwards: `select seq, id, value, at from ${own}.entries where log = $1 and seq > $2 and seq < $3 order by seq desc limit $4`,
    search: `select log, seq, id, value from ${own}.entries where log >= $1 and log <= $2
      and (select bool_and(strpos(words, word) > 0) from unnest($3::text[]) as word) order by seq desc limit $4`,
    clear: `delete from ${own}.entries where log = $1`,
    now: `select ${NOW} as now`,
  }
}

module.exports = { migrationOf, quoted, statementsOf }
