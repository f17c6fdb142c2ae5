import { BODY, ddl, REFUSE_RENAMED } from "./ddl.ts";

/** What shows many conversations: the function that reads a page, and the view. */
export const listingFunctions = ddl`
-- A page of conversations that have not expired, newest first, i.e. by "last_activity" and then "conversation_id".
--
-- Arguments
--   p_user_id                   whose; null: everybody's
--   p_since, p_until            bounds of "last_activity", both included; perhaps infinite
--   p_cursor_time, p_cursor_id  the last one of the page before; null: from the newest on
--   p_limit, p_offset           how many, behind how many that are passed over
--   p_table                     as of "__p___write"
--
-- The indexes are in the order of "activity_bound" and then "conversation_id"; the bound of a burst is ahead of
-- "last_activity". So it takes two looks at one. The first finds as many rows as are wanted, whichever, and the last of these
-- in the order of the page. No row of the page comes behind that one, and so none lies behind its place in the index; the
-- second reads what lies before it, and sorts that. Of what comes behind a cursor or a time, only bursts lie before its place.
-- Places have the id, too: any number of conversations may have been active at the same time, as imports may say.
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
AS ${BODY}
DECLARE
	-- Greater than every id, which has fewer characters.
	greatest_id CONSTANT text := repeat(chr(1114111), 256);
	-- The page begins behind this place,
	first_bound CONSTANT timestamptz := least(p_until, p_cursor_time);
	first_id CONSTANT text := CASE WHEN p_cursor_time <= p_until THEN p_cursor_id ELSE greatest_id END;
	wanted CONSTANT bigint := p_limit + p_offset;
	-- and ends with this one at the latest.
	end_bound timestamptz;
	end_id text;
BEGIN
${REFUSE_RENAMED}
	IF p_user_id IS NULL THEN
		SELECT found_at, found_id INTO end_bound, end_id
		FROM (
			SELECT last_activity AS found_at, conversation_id AS found_id FROM "public"."__p__" AS conversation
			WHERE (activity_bound, conversation_id) < (first_bound, first_id) AND activity_bound >= p_since
				AND last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
				AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
			ORDER BY activity_bound DESC, conversation_id DESC
			-- Twice as many, so that some bursts that have just ended don't make it an early time.
			LIMIT 2 * wanted
		) AS found
		ORDER BY found_at DESC, found_id DESC LIMIT 1 OFFSET wanted - 1;
		IF NOT FOUND THEN
			end_bound := p_since;
			end_id := '';
		END IF;
		RETURN QUERY
		SELECT * FROM (
			SELECT * FROM "public"."__p__"
			WHERE (activity_bound, conversation_id) < (first_bound, first_id) AND activity_bound > end_bound
			UNION ALL
			-- By themselves, since an index scan doesn't end at the second column of a row.
			SELECT * FROM "public"."__p__"
			WHERE activity_bound = end_bound AND conversation_id >= end_id
				AND conversation_id < CASE WHEN end_bound = first_bound THEN first_id ELSE greatest_id END
			UNION ALL
			SELECT * FROM "public"."__p__"
			WHERE in_burst AND (activity_bound, conversation_id) >= (first_bound, first_id)
				AND activity_bound <= first_bound + interval '1 minute'
		) AS conversation
		WHERE last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
			AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
		ORDER BY last_activity DESC, conversation_id DESC LIMIT p_limit OFFSET p_offset;
	ELSE
		SELECT found_at, found_id INTO end_bound, end_id
		FROM (
			SELECT last_activity AS found_at, conversation_id AS found_id FROM "public"."__p__" AS conversation
			WHERE user_id = p_user_id AND (activity_bound, conversation_id) < (first_bound, first_id) AND activity_bound >= p_since
				AND last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
				AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
			ORDER BY activity_bound DESC, conversation_id DESC
			-- Twice as many, so that some bursts that have just ended don't make it an early time.
			LIMIT 2 * wanted
		) AS found
		ORDER BY found_at DESC, found_id DESC LIMIT 1 OFFSET wanted - 1;
		IF NOT FOUND THEN
			end_bound := p_since;
			end_id := '';
		END IF;
		RETURN QUERY
		SELECT * FROM (
			SELECT * FROM "public"."__p__"
			WHERE user_id = p_user_id AND (activity_bound, conversation_id) < (first_bound, first_id)
				-- Divided as above, it would be read off the index of all users.
				AND (activity_bound, conversation_id) >= (end_bound, end_id)
			UNION ALL
			SELECT * FROM "public"."__p__"
			WHERE user_id = p_user_id AND in_burst AND (activity_bound, conversation_id) >= (first_bound, first_id)
				AND activity_bound <= first_bound + interval '1 minute'
		) AS conversation
		WHERE last_activity BETWEEN p_since AND p_until AND (expires_at > statement_timestamp()) IS NOT FALSE
			AND ((last_activity, conversation_id) < (p_cursor_time, p_cursor_id)) IS NOT FALSE
		ORDER BY last_activity DESC, conversation_id DESC LIMIT p_limit OFFSET p_offset;
	END IF;
END
${BODY};

-- A stored message as jsonb, which refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that
-- are stored escaped: both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash
-- meanwhile, so that the text of a backslash, a "u" and four zeros stays what it is. What isn't JSON, as an application
-- that encrypts messages may store it, is shown as a string.
CREATE OR REPLACE FUNCTION "public"."__p___shown"(p_body text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT
AS ${BODY}
BEGIN
	-- Quoted with an E, whatever the session says of backslashes.
	IF p_body ~ E'\\\\u(0000|d[89a-f])' THEN
		RETURN replace(
			regexp_replace(
				replace(p_body, E'\\\\', chr(1)),
				E'\\\\u(0000|d[89a-f][0-9a-f]{2})', E'\\\\ufffd', 'g'
			),
			chr(1), E'\\\\'
		)::jsonb;
	END IF;
	RETURN p_body::jsonb;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character THEN
	RETURN to_jsonb(p_body);
END
${BODY};

-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
CREATE OR REPLACE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg("public"."__p___shown"(message.body) ORDER BY message.seq)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
				AND message.seq > conversation.last_seq - conversation.total_messages
				AND message.seq <= conversation.last_seq
		),
		'[]'
	) AS messages,
	conversation.metadata || conversation.run_metadata AS metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > statement_timestamp();
`;
