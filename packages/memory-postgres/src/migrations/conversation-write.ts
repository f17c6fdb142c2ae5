import { BODY, ddl, OWN_NAME } from "./table-group.ts";

/** The SQL function that makes a whole write to a conversation, and its helper functions. */
export const writeFunctions = ddl`
-- Returns when a conversation expires that was last active at p_active_at. Returns null if it has no ttl, because then
-- it never expires.
CREATE OR REPLACE FUNCTION "public"."__p___expiry"(p_active_at timestamptz, p_ttl_seconds bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS ${BODY}
	-- A ttl of more than three centuries means "never": a larger number would not fit a timestamp.
	SELECT CASE WHEN p_ttl_seconds > 10000000000 THEN 'infinity' ELSE p_active_at + make_interval(secs => p_ttl_seconds) END
${BODY};

-- Returns the digests of consecutive messages, as "nextDigest" of @jaf/memory makes them.
--
-- Arguments
--   p_previous  the digest of the message before them; null if there is no such message
--   p_first     stands in place of that digest if p_previous is null
--   p_hashes    the hashes of the messages, in order
CREATE OR REPLACE FUNCTION "public"."__p___digests"(p_previous bytea, p_first text, p_hashes text[]) RETURNS bytea[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS ${BODY}
DECLARE
	hash text;
	digest bytea;
	digests bytea[] := '{}';
BEGIN
	FOREACH hash IN ARRAY p_hashes LOOP
		digest := sha256(convert_to(coalesce(encode(coalesce(digest, p_previous), 'hex'), p_first) || hash, 'UTF8'));
		digests := digests || digest;
	END LOOP;
	RETURN digests;
END
${BODY};

-- Deletes messages, traces, keys and children that an earlier conversation of this id left behind. This happens if a deletion
-- fires no trigger, e.g. under session_replication_role. They must not appear in the new conversation, which may belong
-- to another user.
CREATE OR REPLACE FUNCTION "public"."__p___clear_leftovers"(p_conversation_id text) RETURNS void
LANGUAGE plpgsql
-- No matter how large the tables seem to be: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
AS ${BODY}
BEGIN
	-- Checked first, because this is cheaper, and a user who only appends needs no right to delete.
	IF EXISTS (SELECT FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id)
		OR EXISTS (SELECT FROM "public"."__p___traces" WHERE conversation_id = p_conversation_id)
		OR EXISTS (SELECT FROM "public"."__p___keys" WHERE conversation_id = p_conversation_id)
		OR EXISTS (SELECT FROM "public"."__p__" WHERE parent_id = p_conversation_id)
	THEN
		DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
		DELETE FROM "public"."__p___traces" WHERE conversation_id = p_conversation_id;
		DELETE FROM "public"."__p___keys" WHERE conversation_id = p_conversation_id;
		DELETE FROM "public"."__p__" WHERE parent_id = p_conversation_id;
	END IF;
END
${BODY};

-- Finds the messages of a batch that aren't stored yet, by their own ids. A message without an id always counts as new.
--
-- Arguments
--   p_conversation_id  the id of the conversation
--   p_last_kept        the stored messages up to this sequence number stay
--   p_ids              for each message, its own id or null
--   p_hashes           for each message that has an id, the hash of its content
--
-- Returns the places of the new messages in the batch, from 1, in order. Returns null if one of the ids is stored with
-- another content, or occurs twice in the batch with different contents.
CREATE OR REPLACE FUNCTION "public"."__p___new_messages"(
	p_conversation_id text,
	p_last_kept bigint,
	p_ids text[],
	p_hashes text[]
)
RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off
AS ${BODY}
DECLARE
	first_places bigint[];
	contradicts boolean;
BEGIN
	SELECT array_agg(first_place ORDER BY first_place) FILTER (WHERE stored_hash IS NULL),
		bool_or(least_hash <> greatest_hash OR stored_hash <> least_hash)
	INTO first_places, contradicts
	FROM (
		SELECT min(place) AS first_place, min(hash) AS least_hash, max(hash) AS greatest_hash, (
			-- One look-up for each id. For a join, Postgres might read the whole conversation.
			SELECT stored.message_hash::text FROM "public"."__p___messages" AS stored
			WHERE stored.conversation_id = p_conversation_id AND stored.message_id = given.id
				AND stored.seq <= p_last_kept
		) AS stored_hash
		FROM unnest(p_ids, p_hashes) WITH ORDINALITY AS given(id, hash, place)
		GROUP BY given.id, CASE WHEN given.id IS NULL THEN given.place END
	) AS distinct_ids;
	RETURN CASE WHEN contradicts IS NOT TRUE THEN coalesce(first_places, '{}') END;
END
${BODY};

-- Makes one write to one conversation, in one statement of the caller. Order: first the checks of expiry, owner,
-- idempotency, incarnation, version, metadata version, existence, length and message ids; then the write and the trim.
--
-- Arguments
--   p_conversation_id            the id of the conversation
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the messages of the batch, in order; may be empty
--   p_hashes                     for each of these messages, its SHA-256 in hex, as "messageHash" of @jaf/memory makes it
--   p_tool_results               for each of these messages, whether it is a tool result
--   p_drop_last                  how many messages to drop from the end before the write
--   p_user_id                    the owner to set if the conversation has none; null if the write names no user
--   p_trace_id                   the trace that writes; null if the write names no trace
--   p_metadata                   the metadata fields to store, except for those in p_run_metadata
--   p_run_metadata               the metadata fields that change with each run, for the column run_metadata
--   p_expected_version           the expected version; null: any
--   p_expected_metadata_version  the expected metadata version; null: any
--   p_expected_incarnation       the expected incarnation; null: not checked
--   p_expected_tombstones        expects that there is no conversation, and that these tombstones are unchanged: the
--                                ids of its own and of the user's tombstone, null for no tombstone; null: not checked
--   p_incarnation                the incarnation of a new conversation; null: no conversation is created
--   p_key, p_body_hash           the idempotency key and the hash of the write; both null: no idempotency
--   p_max_messages               how many messages to keep; null: all
--   p_ttl_seconds                the ttl to set; null: the conversation keeps its ttl
--   p_more                       an object of arguments that few writes need; null: none of them
--     message_ids, message_hashes  for each message of the batch, its own id and hash, null for a message without an id
--     exact_metadata               the metadata fields that jsonb can't hold exactly, for the column exact_metadata
--     source                       of an import: created_at and last_activity in milliseconds since 1970, version,
--                                  metadata_version, first_position, trace_ids
--     parent_id, parent_incarnation  the parent of a new conversation
--   p_table                      not for the caller: the main table, known by its identity, which no renaming changes
--
-- Returns a text: one of these words, and after spaces the values that belong to it:
--   'written'                      the version, the number of the last message, the number of stored messages, and the
--                                  digest, '-' for none: each as it is after the write
--   'replayed'                     an earlier attempt with the same key made the write; nothing has changed
--   'missing'                      there is no conversation, and none is to be created; nothing has changed
--   'version', 'metadata-version'  a conflict, followed by the version that the conversation has
--   other words                    a conflict for the reason that the word names
--
-- Raises
--   JF001  if the row exists but isn't visible, because of row-level security
--   JF003  if the schema was renamed after this function was made, so the names in it may lead to other tables
--   JF005  if an append has a known key although the expected version fits. Nothing was changed. If the caller repeats
--          the call with an empty object as p_more, the function decides about the key
--
-- The hashes aren't checked here. If a hash is wrong, the digest doesn't fit the stored message. "verifyConversation"
-- hashes the stored messages, and reports such a message.
--
-- In READ COMMITTED, each statement in this function sees what was committed before the statement began. So every
-- statement after the row lock sees all earlier writes to this conversation, and no later write can come between.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
	p_hashes text[],
	p_tool_results boolean[],
	p_drop_last bigint,
	p_user_id text,
	p_trace_id text,
	p_metadata jsonb,
	p_run_metadata jsonb,
	p_expected_version bigint,
	p_expected_metadata_version bigint,
	p_expected_incarnation text,
	p_expected_tombstones text[],
	p_incarnation text,
	p_key text,
	p_body_hash text,
	p_max_messages bigint,
	p_ttl_seconds bigint,
	p_more jsonb,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS text
LANGUAGE plpgsql
AS ${BODY}
DECLARE
	batch bigint := cardinality(p_bodies);
	digests bytea[];
	-- The time of a write is truncated, not rounded, so it is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	last_kept bigint;
	last_now bigint;
	writes_done bigint;
	version_now bigint;
	total_now bigint;
	previous bytea;
	digest_now bytea;
	first_previous text;
BEGIN
	-- Compared with a constant, this check costs nothing: the constant's look-up is kept with the plan until a schema
	-- is renamed.
	IF p_table <> ${OWN_NAME}::regclass THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- The usual append decides and writes in one statement. If anything is unusual, this statement finds no row, and
	-- the code below decides. If an append has a key, the expected version fits almost only if no write with the same
	-- key came before.
	IF NOT p_replace AND p_drop_last = 0 AND p_more IS NULL AND p_expected_tombstones IS NULL
		AND (p_key IS NULL OR p_expected_version IS NOT NULL AND batch > 0)
	THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			-- If the metadata stays, it is set to itself. Otherwise, a large value would be stored again, and the index
			-- would change.
			metadata = CASE WHEN p_metadata = '{}' THEN metadata ELSE metadata || p_metadata END,
			run_metadata = run_metadata || p_run_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' OR p_run_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch,
			total_messages = total_messages + batch,
			-- The same digests as "__p___digests" makes, but most batches need no call of that function.
			previous_digest = CASE WHEN batch = 2 THEN
				sha256(convert_to(coalesce(encode(history_digest, 'hex'), encode(digest_base, 'hex'), incarnation) || p_hashes[1], 'UTF8'))
			ELSE history_digest END,
			history_digest = CASE batch
				WHEN 0 THEN history_digest
				WHEN 1 THEN sha256(convert_to(coalesce(encode(history_digest, 'hex'), encode(digest_base, 'hex'), incarnation) || p_hashes[1], 'UTF8'))
				WHEN 2 THEN sha256(convert_to(
					encode(sha256(convert_to(coalesce(encode(history_digest, 'hex'), encode(digest_base, 'hex'), incarnation) || p_hashes[1], 'UTF8')), 'hex')
						|| p_hashes[2],
					'UTF8'
				))
				ELSE ("public"."__p___digests"(history_digest, coalesce(encode(digest_base, 'hex'), incarnation), p_hashes))[batch]
			END,
			writes = writes + 1,
			ttl_seconds = coalesce(p_ttl_seconds, ttl_seconds),
			expires_at = "public"."__p___expiry"(greatest(written_at, last_activity), coalesce(p_ttl_seconds, ttl_seconds))
		WHERE conversation_id = p_conversation_id
			-- By the present time, because this statement may have waited for the row lock.
			AND (expires_at > clock_timestamp()) IS NOT FALSE
			AND (user_id = p_user_id) IS NOT FALSE
			AND (incarnation = p_expected_incarnation) IS NOT FALSE
			AND (version = p_expected_version) IS NOT FALSE
			AND (metadata_version = p_expected_metadata_version) IS NOT FALSE
			AND (total_messages + batch <= p_max_messages) IS NOT FALSE
			AND (exact_metadata IS NULL OR p_metadata = '{}' AND p_run_metadata = '{}')
		RETURNING last_seq, writes, version, total_messages, previous_digest, history_digest,
			coalesce(encode(digest_base, 'hex'), incarnation)
		INTO last_now, writes_done, version_now, total_now, previous, digest_now, first_previous;
		IF FOUND THEN
			CASE batch
			WHEN 0 THEN
				NULL;
			WHEN 1 THEN
				INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, digest)
				VALUES (p_conversation_id, last_now, p_bodies[1], p_tool_results[1], digest_now);
			WHEN 2 THEN
				INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, digest)
				VALUES
					(p_conversation_id, last_now - 1, p_bodies[1], p_tool_results[1], previous),
					(p_conversation_id, last_now, p_bodies[2], p_tool_results[2], digest_now);
			ELSE
				INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, digest)
				SELECT p_conversation_id, last_now - batch + message.place, message.body, message.is_tool_result, message.digest
				FROM unnest(p_bodies, p_tool_results, "public"."__p___digests"(previous, first_previous, p_hashes))
					WITH ORDINALITY AS message(body, is_tool_result, digest, place);
			END CASE;
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys"
				VALUES (p_conversation_id, p_key, p_body_hash, writes_done, last_now)
				ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					-- The key was used before although the version fits. The conversation was read again after that
					-- write, or the write didn't change the version.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As for the other writes: keys are kept for 1,000 further writes at least.
					DELETE FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND write_no < writes_done - 1000;
				END IF;
			END IF;
			RETURN concat_ws(
				' ', 'written', version_now, last_now, total_now,
				coalesce(encode(digest_now, 'hex'), CASE WHEN total_now = 0 THEN first_previous END, '-')
			);
		END IF;
	END IF;

	DECLARE
		stored "public"."__p__"%ROWTYPE;
		is_there boolean;
		locked boolean := false;
		tombstones text[];
		refusal text;
		known_hash text;
		ids text[];
		hashes text[];
		new_places bigint[];
		exact jsonb;
		source CONSTANT jsonb := p_more->'source';
		imported_at CONSTANT timestamptz(3) := to_timestamp((source->>'last_activity')::float8 / 1000);
		ttl bigint;
		keep_from bigint;
		trimmed bigint := 0;
		rounds integer := 0;
	BEGIN
		LOOP
			-- An expired conversation isn't locked here: a deletion locks it after the locks that are taken below.
			SELECT * INTO stored FROM "public"."__p__"
			WHERE conversation_id = p_conversation_id AND (expires_at > clock_timestamp()) IS NOT FALSE
			FOR NO KEY UPDATE;
			is_there := FOUND;
			written_at := date_trunc('milliseconds', clock_timestamp());

			IF stored.user_id <> p_user_id THEN
				RETURN 'owner';
			END IF;

			IF NOT is_there AND p_expected_tombstones IS NOT NULL THEN
				IF p_incarnation IS NOT NULL AND NOT locked THEN
					PERFORM "public"."__p___lock_creation"(p_conversation_id, p_user_id, p_table);
					locked := true;
					CONTINUE;
				END IF;
				tombstones := "public"."__p___tombstones_of"(p_conversation_id, p_user_id);
			END IF;

			refusal := CASE
				WHEN p_expected_incarnation IS NOT NULL AND stored.incarnation IS DISTINCT FROM p_expected_incarnation
					THEN 'incarnation'
				-- If a tombstone has expired since the caller read it, nothing was erased meanwhile: an erasure leaves
				-- a new tombstone.
				WHEN p_expected_tombstones IS NOT NULL AND (
					is_there
					OR tombstones[1] IS NOT NULL AND tombstones[1] IS DISTINCT FROM p_expected_tombstones[1]
					OR tombstones[2] IS NOT NULL AND tombstones[2] IS DISTINCT FROM p_expected_tombstones[2]
				) THEN 'incarnation'
				WHEN coalesce(stored.version, 0) <> p_expected_version
					THEN 'version ' || coalesce(stored.version, 0)
				WHEN coalesce(stored.metadata_version, 0) <> p_expected_metadata_version
					THEN 'metadata-version ' || coalesce(stored.metadata_version, 0)
				WHEN NOT is_there AND p_incarnation IS NULL THEN 'missing'
			END;
			IF p_more ? 'parent_id' AND refusal IS NULL AND NOT is_there THEN
				refusal := "public"."__p___parent_conflict"(
					p_conversation_id, p_more->>'parent_id', p_more->>'parent_incarnation', p_user_id
				);
			END IF;
			IF refusal IS NULL AND p_drop_last > coalesce(stored.total_messages, 0) THEN
				refusal := 'length';
			END IF;

			IF p_more ? 'message_ids' AND refusal IS NULL THEN
				ids := ARRAY(SELECT jsonb_array_elements_text(p_more->'message_ids'));
				hashes := ARRAY(SELECT jsonb_array_elements_text(p_more->'message_hashes'));
				-- If the messages are replaced, none of the stored ones stays.
				last_kept := CASE WHEN p_replace THEN 0 ELSE coalesce(stored.last_seq, 0) - p_drop_last END;
				new_places := "public"."__p___new_messages"(p_conversation_id, last_kept, ids, hashes);
				IF new_places IS NULL THEN
					refusal := 'message-id';
				END IF;
				batch := cardinality(new_places);
			END IF;

			IF p_key IS NOT NULL AND is_there THEN
				IF refusal IS NULL THEN
					INSERT INTO "public"."__p___keys"
					VALUES (p_conversation_id, p_key, p_body_hash, stored.writes + 1, stored.last_seq + batch - p_drop_last)
					ON CONFLICT DO NOTHING;
				END IF;
				IF refusal IS NOT NULL OR NOT FOUND THEN
					SELECT body_hash INTO known_hash FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND idempotency_key = p_key;
					IF FOUND THEN
						RETURN CASE WHEN known_hash = p_body_hash THEN 'replayed' ELSE 'idempotency-key' END;
					END IF;
				END IF;
			END IF;

			IF refusal IS NOT NULL THEN
				RETURN refusal;
			END IF;

			EXIT WHEN is_there;

			-- Only an expired row can exist here. Its messages, traces and keys are deleted with it.
			DELETE FROM "public"."__p__" WHERE conversation_id = p_conversation_id AND expires_at <= written_at;
			-- The new row has the owner from the start, because a policy of row-level security may ask for the owner.
			-- It also has all values that indexes contain, so it is entered in the indexes only once.
			INSERT INTO "public"."__p__" AS fresh (
				conversation_id, user_id, metadata, created_at, updated_at, last_activity, incarnation, last_seq, expires_at,
				parent_id
			)
			VALUES (
				p_conversation_id, p_user_id, p_metadata,
				coalesce(to_timestamp((source->>'created_at')::float8 / 1000), written_at), written_at,
				coalesce(imported_at, written_at), p_incarnation, coalesce((source->>'first_position')::bigint, 0),
				"public"."__p___expiry"(coalesce(imported_at, written_at), p_ttl_seconds), p_more->>'parent_id'
			)
			ON CONFLICT DO NOTHING
			RETURNING fresh.* INTO stored;
			IF FOUND THEN
				PERFORM "public"."__p___clear_leftovers"(p_conversation_id);
				IF p_key IS NOT NULL THEN
					INSERT INTO "public"."__p___keys"
					VALUES (p_conversation_id, p_key, p_body_hash, 1, stored.last_seq + batch);
				END IF;
				EXIT;
			END IF;
			-- Another writer created the conversation meanwhile. Decide again, based on what that writer wrote.
			rounds := rounds + 1;
			IF rounds = 50 THEN
				RAISE EXCEPTION USING
					ERRCODE = 'JF001', MESSAGE = 'the conversation exists and is not visible to this role';
			END IF;
		END LOOP;

		IF batch < cardinality(p_bodies) THEN
			SELECT array_agg(body ORDER BY place), array_agg(is_tool_result ORDER BY place),
				array_agg(id ORDER BY place), array_agg(own_hash ORDER BY place), array_agg(hash ORDER BY place)
			INTO p_bodies, p_tool_results, ids, hashes, p_hashes
			FROM unnest(p_bodies, p_tool_results, ids, hashes, p_hashes) WITH ORDINALITY
				AS message(body, is_tool_result, id, own_hash, hash, place)
			WHERE place = ANY (new_places);
		END IF;

		exact := stored.exact_metadata;
		IF p_replace THEN
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
			stored.metadata := '{}';
			stored.run_metadata := '{}';
			exact := NULL;
			stored.total_messages := 0;
			stored.digest_base := coalesce(stored.history_digest, stored.digest_base);
			stored.history_digest := NULL;
		ELSIF p_drop_last > 0 THEN
			stored.last_seq := stored.last_seq - p_drop_last;
			stored.total_messages := stored.total_messages - p_drop_last;
			stored.history_digest := (
				SELECT digest FROM "public"."__p___messages"
				WHERE conversation_id = p_conversation_id AND seq = stored.last_seq AND stored.total_messages > 0
			);
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq > stored.last_seq;
		END IF;

		IF batch > 0 THEN
			first_previous := coalesce(encode(stored.digest_base, 'hex'), stored.incarnation);
			digests := "public"."__p___digests"(stored.history_digest, first_previous, p_hashes);
			stored.history_digest := digests[batch];
			INSERT INTO "public"."__p___messages" (
				conversation_id, seq, body, is_tool_result, digest, message_id, message_hash
			)
			SELECT p_conversation_id, stored.last_seq + message.place, message.body, message.is_tool_result, message.digest,
				message.id, message.hash
			FROM unnest(p_bodies, p_tool_results, digests, ids, hashes) WITH ORDINALITY
				AS message(body, is_tool_result, digest, id, hash, place);
		END IF;

		-- Most writes of a run come from the trace that wrote last.
		IF p_trace_id <> coalesce(stored.run_metadata->>'traceId', '') THEN
			INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
		END IF;

		-- Done rarely, so it costs a write almost nothing. A key is kept for at least 1,000 further writes.
		IF p_key IS NOT NULL AND stored.writes % 100 = 0 THEN
			DELETE FROM "public"."__p___keys"
			WHERE conversation_id = p_conversation_id AND write_no < stored.writes + 1 - 1000;
		END IF;

		-- Stored messages are numbered without gaps up to the last one, so the cut is a sequence number.
		IF stored.total_messages + batch > p_max_messages THEN
			keep_from := stored.last_seq + batch - p_max_messages + 1;
			SELECT coalesce(
				-- A tool result never stays without the call before it, so the cut moves past the results,
				(SELECT min(seq) FROM "public"."__p___messages"
				 WHERE conversation_id = p_conversation_id AND seq >= keep_from AND NOT is_tool_result),
				-- unless nothing else is left: then the last group of call and results stays whole.
				(SELECT max(seq) FROM "public"."__p___messages"
				 WHERE conversation_id = p_conversation_id AND seq < keep_from AND NOT is_tool_result),
				keep_from
			) INTO keep_from;
			stored.digest_base := coalesce(
				(
					SELECT digest FROM "public"."__p___messages"
					WHERE conversation_id = p_conversation_id AND seq = keep_from - 1
				),
				stored.digest_base
			);
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq < keep_from;
			GET DIAGNOSTICS trimmed = ROW_COUNT;
		END IF;

		IF exact IS NOT NULL OR p_more ? 'exact_metadata' THEN
			-- A name that contains U+FFFD may stand for several names. If one of those is written, it is in
			-- exact_metadata.
			exact := nullif(
				coalesce(exact, '{}') - ARRAY(
					SELECT to_json(name)::text FROM jsonb_object_keys(p_metadata || p_run_metadata) AS name
					WHERE strpos(name, chr(65533)) = 0
				) || coalesce(p_more->'exact_metadata', '{}'),
				'{}'
			);
		END IF;

		ttl := coalesce(p_ttl_seconds, stored.ttl_seconds);
		-- The time never goes backwards, even if the clock was set back or another server writes now.
		written_at := coalesce(imported_at, greatest(written_at, stored.last_activity));
		IF p_replace OR NOT is_there OR batch + p_drop_last + trimmed > 0 THEN
			stored.version := stored.version + 1;
		END IF;
		IF p_replace OR p_metadata <> '{}' OR p_run_metadata <> '{}' THEN
			stored.metadata_version := stored.metadata_version + 1;
		END IF;
		IF source IS NOT NULL THEN
			stored.version := source->>'version';
			stored.metadata_version := source->>'metadata_version';
			INSERT INTO "public"."__p___traces"
			SELECT p_conversation_id, jsonb_array_elements_text(source->'trace_ids') ON CONFLICT DO NOTHING;
		END IF;
		UPDATE "public"."__p__" SET
			user_id = coalesce(stored.user_id, p_user_id),
			metadata = stored.metadata || p_metadata,
			run_metadata = stored.run_metadata || p_run_metadata,
			exact_metadata = exact,
			updated_at = written_at,
			last_activity = written_at,
			version = stored.version,
			metadata_version = stored.metadata_version,
			last_seq = stored.last_seq + batch,
			total_messages = stored.total_messages + batch - trimmed,
			history_digest = stored.history_digest,
			digest_base = stored.digest_base,
			writes = stored.writes + 1,
			ttl_seconds = ttl,
			expires_at = "public"."__p___expiry"(written_at, ttl)
		WHERE conversation_id = p_conversation_id;
		RETURN concat_ws(
			' ', 'written', stored.version, stored.last_seq + batch, stored.total_messages + batch - trimmed,
			coalesce(
				encode(stored.history_digest, 'hex'),
				CASE WHEN stored.total_messages + batch - trimmed = 0
					THEN coalesce(encode(stored.digest_base, 'hex'), stored.incarnation)
				END,
				'-'
			)
		);
	END;
END
${BODY};
`;
