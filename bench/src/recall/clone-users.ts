import type pg from "pg";

const HASH = "rtrim(translate(encode(sha256(convert_to(clone, 'UTF8')), 'base64'), '+/', '-_'), '=')";

/** As the adapter numbers the terms of a user. */
const TERM_KEY = `('x' || substr(encode(sha256(convert_to(named.user_hash, 'UTF8') || '\\x00'::bytea ||
  convert_to(term, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint`;

const COPY_HEAD = `
  INSERT INTO user_memory_heads
  SELECT (jsonb_populate_record(source, jsonb_build_object('user_hash', ${HASH}))).*
  FROM user_memory_heads AS source CROSS JOIN (SELECT $2::text AS clone) AS named
  WHERE source.user_hash IN (SELECT user_hash FROM user_memory_facts WHERE user_id = $1 LIMIT 1)`;

const COPY_FACTS = `
  WITH named AS (SELECT clone, ${HASH} AS user_hash FROM (SELECT $2::text AS clone) AS given)
  INSERT INTO user_memory_facts
  SELECT (jsonb_populate_record(original, jsonb_build_object(
    'user_hash', named.user_hash, 'user_id', named.clone, 'term_keys', keys.numbers))).*
  FROM user_memory_facts AS original CROSS JOIN named CROSS JOIN LATERAL (
    SELECT to_jsonb(array_agg(${TERM_KEY} ORDER BY at)) AS numbers
    FROM unnest(original.terms) WITH ORDINALITY AS said (term, at)) AS keys
  WHERE original.user_id = $1`;

/**
 * Gives users the facts of another, in the database itself: a million facts that are remembered one by one take half an
 * hour. What is measured afterwards goes through the public API.
 */
export async function cloneUser(pool: pg.Pool, original: string, clone: string): Promise<void> {
  await pool.query(COPY_HEAD, [original, clone]);
  await pool.query(COPY_FACTS, [original, clone]);
}
