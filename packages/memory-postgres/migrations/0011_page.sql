-- A page of conversations that have not expired, newest first, i.e. by "last_activity" and then "conversation_id".
--
-- Arguments
--   p_user_id                   whose; null: everybody's
--   p_since, p_until            bounds of "last_activity", both included; perhaps infinite
--   p_cursor_time, p_cursor_id  the last one of the page before; null: from the newest on
--   p_limit, p_offset           how many, behind how many that are passed over
--   p_table                     as of "__p___write"
--
-- The indexes are in the order of "activity_bound", which of a burst is ahead of "last_activity". So it takes two looks at
-- one. The first finds as many rows as are wanted, whichever, and the least "last_activity" of these. No row of the page is
-- older, and so no bound; the second reads those whose bound isn't, and sorts them. Before a time, only bursts have a bound
-- that is behind it.
CREATE OR REPLACE FUNCTION "public"."__p___page"(
	p_user_id text,
	p_since timestamptz,
	p_until timestamptz,
	p_cursor_time timestamptz,
	p_cursor_id text,
	p_limit bigint,
	p_offset bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS SETOF "public"."__p__"
-- Stable: both looks see the same.
LANGUAGE plpgsql STABLE ROWS 20
-- An index is right, whatever is known of the tables' sizes, and so is the same plan for all.
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
SET max_parallel_workers_per_gather = 0
SET plan_cache_mode = force_generic_plan
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	last_bound CONSTANT timestamptz := least(p_until, p_cursor_time);
	wanted CONSTANT bigint := p_limit + p_offset;
	cut timestamptz;
BEGIN
	IF p_table IS DISTINCT FROM to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;
	IF p_user_id IS NULL THEN
		SELECT found_at INTO cut
		FROM (
			SELECT last_activity AS found_at FROM "public"."__p__" AS conversation
			WHERE activity_bound <= last_bound AND activity_bound >= p_since
				AND last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
				AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
			ORDER BY activity_bound DESC, conversation_id DESC
			-- Twice as many, so that some bursts that have just ended don't make it an early time.
			LIMIT 2 * wanted
		) AS found
		ORDER BY found_at DESC LIMIT 1 OFFSET wanted - 1;
		RETURN QUERY
		SELECT * FROM (
			SELECT * FROM "public"."__p__"
			WHERE activity_bound <= last_bound AND activity_bound >= greatest(cut, p_since)
			UNION ALL
			SELECT * FROM "public"."__p__"
			WHERE in_burst AND activity_bound > last_bound AND activity_bound <= last_bound + interval '1 minute'
		) AS conversation
		WHERE last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
			AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
		ORDER BY last_activity DESC, conversation_id DESC LIMIT p_limit OFFSET p_offset;
	ELSE
		SELECT found_at INTO cut
		FROM (
			SELECT last_activity AS found_at FROM "public"."__p__" AS conversation
			WHERE user_id = p_user_id AND activity_bound <= last_bound AND activity_bound >= p_since
				AND last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
				AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
			ORDER BY activity_bound DESC, conversation_id DESC
			-- Twice as many, so that some bursts that have just ended don't make it an early time.
			LIMIT 2 * wanted
		) AS found
		ORDER BY found_at DESC LIMIT 1 OFFSET wanted - 1;
		RETURN QUERY
		SELECT * FROM (
			SELECT * FROM "public"."__p__"
			WHERE user_id = p_user_id AND activity_bound <= last_bound AND activity_bound >= greatest(cut, p_since)
			UNION ALL
			SELECT * FROM "public"."__p__"
			WHERE user_id = p_user_id AND in_burst AND activity_bound > last_bound AND activity_bound <= last_bound + interval '1 minute'
		) AS conversation
		WHERE last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
			AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
		ORDER BY last_activity DESC, conversation_id DESC LIMIT p_limit OFFSET p_offset;
	END IF;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
