-- Deletes everything about a user, in one step. What remains is the head, one version and one epoch on, and the audit
-- trail that is handed in.
--
-- Arguments
--   p_user_hash  the hash of the user's id
--   p_state      the state of the head that remains
--   p_trail      the audit trail that remains: an array of objects with seq and body
--   and the five tables. They are arguments, so that the function names none: a schema that is renamed takes it along
--
-- Returns how many facts, vectors and jobs are gone, with a space between them.
--
-- A function, since each statement inside sees what was committed while the first one waited for the head, which every
-- write of the user's takes before it writes anything else. The tag of the quotation is longer than a name, so that no
-- schema's name ends it.
CREATE OR REPLACE FUNCTION "public"."__p___erase"(
	p_user_hash text,
	p_state text,
	p_trail json,
	p_heads regclass,
	p_facts regclass,
	p_tombstones regclass,
	p_audit regclass,
	p_jobs regclass
)
RETURNS text
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	facts bigint;
	vectors bigint;
	jobs bigint;
BEGIN
	EXECUTE format(
		'INSERT INTO %s AS head (user_hash, version, epoch, state, documents) VALUES ($1, 1, 1, $2, 0) '
		'ON CONFLICT (user_hash) DO UPDATE '
		'SET version = head.version + 1, epoch = head.epoch + 1, state = excluded.state, documents = 0',
		p_heads
	) USING p_user_hash, p_state;
	EXECUTE format(
		'WITH gone AS (DELETE FROM %s WHERE user_hash = $1 RETURNING vector IS NOT NULL OR packed_vector IS NOT NULL AS had_vector) '
		'SELECT count(*), count(*) FILTER (WHERE had_vector) FROM gone',
		p_facts
	) INTO facts, vectors USING p_user_hash;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_tombstones) USING p_user_hash;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_audit) USING p_user_hash;
	EXECUTE format(
		'INSERT INTO %s (user_hash, seq, body) '
		'SELECT $1, entry.seq, entry.body FROM json_to_recordset($2) AS entry (seq bigint, body text)',
		p_audit
	) USING p_user_hash, p_trail;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_jobs) USING p_user_hash;
	GET DIAGNOSTICS jobs = ROW_COUNT;
	RETURN concat_ws(' ', facts, vectors, jobs);
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
