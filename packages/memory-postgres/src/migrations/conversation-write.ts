import { BODY, ddl, OWN_NAME } from "./table-group.ts";

/** The function for a whole write, and its helpers. */
export const writeFunctions = ddl`
-- When a conversation expires that was last active then. Null: never.
CREATE OR REPLACE FUNCTION "public"."__p___expiry"(p_active_at timestamptz, p_ttl_seconds bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS ${BODY}
	-- Three centuries are for ever; a larger number would not fit a timestamp.
	SELECT CASE WHEN p_ttl_seconds > 10000000000 THEN 'infinity' ELSE p_active_at + make_interval(secs => p_ttl_seconds) END
${BODY};

-- The digests of messages with these hashes, behind one with the digest p_previous; null: behind none, of which p_first
-- stands in its place. As "nextDigest" makes them.
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

-- What belonged to a conversation of this id and was left behind, as a deletion under session_replication_role does,
-- which fires no trigger: it must not show up in the next one, which may be another user's.
CREATE OR REPLACE FUNCTION "public"."__p___clear_leftovers"(p_conversation_id text) RETURNS void
LANGUAGE plpgsql
-- Whatever is known of the tables' sizes: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
AS ${BODY}
BEGIN
	-- Asked first, which is cheaper; and who only appends need not have the right to delete.
	IF EXISTS (SELECT FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id)
		OR EXISTS (SELECT FROM "public"."__p___traces" WHERE conversation_id = p_conversation_id)
		OR EXISTS (SELECT FROM "public"."__p___keys" WHERE conversation_id = p_conversation_id)
	THEN
		DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
		DELETE FROM "public"."__p___traces" WHERE conversation_id = p_conversation_id;
		DELETE FROM "public"."__p___keys" WHERE conversation_id = p_conversation_id;
	END IF;
END
${BODY};

-- Which messages of a batch are new, by their own ids (null: it has none, and is new).
--
-- Arguments
--   p_last_kept  the sequence number up to which the stored messages stay
--   p_hashes     of each message that has an id
--
-- Returns their places in the batch, from 1, in order; null where another content is stored under one of the ids, or
-- comes twice under one.
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
			-- A look-up for each of them, and no join, for which the whole conversation might be read.
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

-- One write to one conversation: expiry, owner, idempotency, incarnation, version, metadata version, existence, length,
-- message ids, write, trim, in this order and in one statement of the caller.
--
-- Arguments
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the batch, in order; may be empty
--   p_hashes                     for each of them, its SHA-256, hex, as "messageHash" of @jaf/memory makes it
--   p_tool_results               for each of them, whether it is a tool result
--   p_drop_last                  how many messages to drop from the end first
--   p_user_id                    the owner to set if there is none yet; null: none named
--   p_trace_id                   the trace that writes; null: none named
--   p_metadata                   the fields to store, but
--   p_run_metadata               those that change with each run, for the column of that name
--   p_expected_version           null: any
--   p_expected_metadata_version  null: any
--   p_expected_incarnation       null: any, or none
--   p_expected_tombstones        that there is no conversation, and these tombstones: its own and the user's, null for
--                                one that isn't there; null: whatever there is
--   p_incarnation                what it gets if it is made; null: it isn't
--   p_key, p_body_hash           idempotency; both null: none
--   p_max_messages               how many messages to keep; null: all
--   p_ttl_seconds                null: what the conversation has
--   p_more                       what few writes say; null: nothing of it. An object of
--     message_ids, message_hashes  of the batch, null for a message without
--     exact_metadata               the fields that jsonb can't hold as they are, as the column of that name
--     source                       of an import: created_at and last_activity in milliseconds since 1970, version,
--                                  metadata_version, first_position, trace_ids
--   p_table                      not for the caller: the main table, known by its identity, which no renaming changes
--
-- Returns one of these, with what belongs to it behind spaces:
--   'written'                      the version, the number of the last message, how many messages are stored, and the
--                                  digest, '-' for none: each as it is after the write
--   'replayed', 'missing'          nothing has changed
--   'version', 'metadata-version'  a conflict, and the one that the conversation has
--   other words                    a conflict for that reason
-- Raises JF001 for a row that is there and stays out of sight, as row-level security keeps it; JF003 where the names in
-- here lead to other tables than those that it was made for; JF005 for an append with a key that is known, though the
-- expected version fits: nothing was done, and with an empty object as p_more it is decided what to say of it.
--
-- A hash isn't checked here. One of another text makes a digest that isn't right for what is stored, and
-- "verifyConversation", which hashes what is stored, says so of that message.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
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
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
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
	-- A constant costs nothing, since its look-up is kept with the plan, until a schema gets another name.
	IF p_table <> ${OWN_NAME}::regclass THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below. Of those
	-- with a key, an expected version that fits says that no write with the same key came before, or nearly so: see below.
	IF NOT p_replace AND p_drop_last = 0 AND p_more IS NULL AND p_expected_tombstones IS NULL
		AND (p_key IS NULL OR p_expected_version IS NOT NULL AND batch > 0)
	THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			-- Itself where it stays: what is stored out of line would otherwise be stored again, and so be another for the index.
			metadata = CASE WHEN p_metadata = '{}' THEN metadata ELSE metadata || p_metadata END,
			run_metadata = run_metadata || p_run_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' OR p_run_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch,
			total_messages = total_messages + batch,
			-- As "__p___digests" makes them, but for most batches without its call.
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
			-- By the clock of now: the row lock may have been waited for.
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
					-- Used before, though the version fits: by a write after which it was read again, or that changed none.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As below.
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
			-- An expired one isn't locked: who erases locks it after what is locked below.
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
				-- A tombstone that has expired since it was seen says nothing: any erasure since would have left another.
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
				WHEN p_drop_last > coalesce(stored.total_messages, 0) THEN 'length'
			END;

			IF p_more ? 'message_ids' AND refusal IS NULL THEN
				ids := ARRAY(SELECT jsonb_array_elements_text(p_more->'message_ids'));
				hashes := ARRAY(SELECT jsonb_array_elements_text(p_more->'message_hashes'));
				-- Of what is replaced nothing stays.
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

			-- Only an expired row can be here; its messages, traces and keys go with it.
			DELETE FROM "public"."__p__" WHERE conversation_id = p_conversation_id AND expires_at <= written_at;
			-- With the owner at once, whom a policy of row-level security may ask for, and with all that indexes hold, so that
			-- it is entered in them once.
			INSERT INTO "public"."__p__" AS fresh (
				conversation_id, user_id, metadata, created_at, updated_at, last_activity, incarnation, last_seq, expires_at
			)
			VALUES (
				p_conversation_id, p_user_id, p_metadata,
				coalesce(to_timestamp((source->>'created_at')::float8 / 1000), written_at), written_at,
				coalesce(imported_at, written_at), p_incarnation, coalesce((source->>'first_position')::bigint, 0),
				"public"."__p___expiry"(coalesce(imported_at, written_at), p_ttl_seconds)
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
			-- Another writer created it meanwhile: decide again, on what it wrote.
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

		-- Rarely, so that it costs a write next to nothing. Keys are remembered for 1,000 further writes at least.
		IF p_key IS NOT NULL AND stored.writes % 100 = 0 THEN
			DELETE FROM "public"."__p___keys"
			WHERE conversation_id = p_conversation_id AND write_no < stored.writes + 1 - 1000;
		END IF;

		-- Stored messages are numbered up to the last one without a gap, so the cut is a number.
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
			-- A name that holds U+FFFD stands for several, and those that are written come in exact_metadata.
			exact := nullif(
				coalesce(exact, '{}') - ARRAY(
					SELECT to_json(name)::text FROM jsonb_object_keys(p_metadata || p_run_metadata) AS name
					WHERE strpos(name, chr(65533)) = 0
				) || coalesce(p_more->'exact_metadata', '{}'),
				'{}'
			);
		END IF;

		ttl := coalesce(p_ttl_seconds, stored.ttl_seconds);
		-- Never backwards, also when the clock was set back or another server writes now.
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
