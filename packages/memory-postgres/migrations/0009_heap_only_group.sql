-- Appends to several conversations in one statement, and so in one transaction: each as "__p___write" does it.
--
-- Arguments
--   p_writes  an array of objects, in the order in which they are to be done. Their fields are the arguments of
--             "__p___write" without the "p_"; one that is left out is null
--   p_table   as of "__p___write"
--
-- Returns for each of them what "__p___write" does, or null: nothing was done, and it has to be sent by itself. That
-- is so for a conversation that isn't there, is about to expire, or is locked by somebody else, and then for every
-- later write of the group to that conversation, so that they keep their order.
--
-- No write in here waits for a lock of a row while it holds those of the others. So a group is over soon, and nobody
-- can be in a circle with it:
-- - A conversation's row is locked without waiting, or passed over.
-- - Its messages, traces and keys are written under that lock only, by whoever writes or deletes them; so nobody else
--   can have half-done rows in their unique indexes, for whose end an insertion would wait.
-- - A new conversation would be an insertion that may wait for another one of the same id, and an expired one a
--   deletion that may wait for a foreign key of the application. Both are left to be sent by themselves; the second
--   is time enough to be sure that one does not expire between here and its write.
-- Rows that an application writes into the other tables by hand are not bound by this. Should that make a circle,
-- Postgres ends it with an error, nothing of the group is done, and each write can be sent by itself.
CREATE OR REPLACE FUNCTION "public"."__p___write_group"(
	p_writes json,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS text[]
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	write record;
	outcomes text[] := '{}';
	passed_over text[] := '{}';
BEGIN
	FOR write IN
		SELECT * FROM ROWS FROM (json_to_recordset(p_writes) AS (
			conversation_id text,
			bodies text[],
			tool_results boolean[],
			drop_last bigint,
			user_id text,
			trace_id text,
			metadata jsonb,
			run_metadata jsonb,
			expected_version bigint,
			expected_metadata_version bigint,
			expected_incarnation text,
			expected_tombstones text[],
			incarnation text,
			key text,
			body_hash text,
			max_messages bigint,
			ttl_seconds bigint,
			more jsonb
		)) WITH ORDINALITY ORDER BY ordinality
	LOOP
		IF write.conversation_id <> ALL (passed_over) THEN
			PERFORM FROM "public"."__p__"
			WHERE conversation_id = write.conversation_id
				AND (expires_at > clock_timestamp() + interval '1 second') IS NOT FALSE
			FOR NO KEY UPDATE SKIP LOCKED;
			IF FOUND THEN
				outcomes := outcomes || "public"."__p___write"(
					write.conversation_id, false, write.bodies, write.tool_results, write.drop_last, write.user_id,
					write.trace_id, write.metadata, write.run_metadata, write.expected_version,
					write.expected_metadata_version, write.expected_incarnation, write.expected_tombstones,
					write.incarnation, write.key, write.body_hash, write.max_messages, write.ttl_seconds, write.more, p_table
				);
				CONTINUE;
			END IF;
			passed_over := passed_over || write.conversation_id;
		END IF;
		outcomes := outcomes || null::text;
	END LOOP;
	RETURN outcomes;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
