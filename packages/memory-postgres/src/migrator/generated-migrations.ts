// Made of the files in ../../migrations by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: "0000_tables",
    sql: `CREATE TABLE "__p__" (
	"conversation_id" varchar(255) COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" varchar(255) COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"exact_metadata" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"incarnation" varchar(255) COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"metadata_version" bigint DEFAULT 0 NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"total_messages" bigint DEFAULT 0 NOT NULL,
	"writes" bigint DEFAULT 0 NOT NULL,
	"ttl_seconds" bigint,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "__p___keys" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"idempotency_key" varchar(255) COLLATE "C" NOT NULL,
	"body_hash" char(64) NOT NULL,
	"write_no" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	CONSTRAINT "__p___keys_pkey" PRIMARY KEY("conversation_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "__p___messages" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	"is_tool_result" boolean NOT NULL,
	"message_id" varchar(255) COLLATE "C",
	"message_hash" char(64),
	CONSTRAINT "__p___messages_pkey" PRIMARY KEY("conversation_id","seq")
);
--> statement-breakpoint
CREATE TABLE "__p___traces" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"trace_id" varchar(255) COLLATE "C" NOT NULL,
	CONSTRAINT "__p___traces_pkey" PRIMARY KEY("conversation_id","trace_id")
);
--> statement-breakpoint
CREATE INDEX "idx___p___user_id" ON "__p__" USING btree ("user_id","last_activity" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "idx___p___last_activity" ON "__p__" USING btree ("last_activity" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "idx___p___created_at" ON "__p__" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idx___p___metadata_gin" ON "__p__" USING gin ("metadata");--> statement-breakpoint
CREATE INDEX "idx___p___trace_id" ON "__p__" USING btree ((metadata->>'traceId')) WHERE (metadata->>'traceId') IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___expires_at" ON "__p__" USING btree ("expires_at","conversation_id") WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "idx___p___messages_own_id" ON "__p___messages" USING btree ("conversation_id","message_id") WHERE message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___traces_trace_id" ON "__p___traces" USING btree ("trace_id");`,
  },
  {
    name: "0001_tombstones",
    sql: `CREATE TABLE "__p___tombstones" (
	"key" varchar(43) COLLATE "C" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idx___p___tombstones_expiry" ON "__p___tombstones" USING btree ("expires_at");`,
  },
  {
    name: "0002_write_function",
    sql: `-- The functions and the view are made for the tables that they name, and no others.
--
-- A schema can be renamed. Then the names lead to nothing, or, once there is a new schema of the old name, to tables
-- that are none of their business. So each function that writes knows its table by its identity too, and refuses to
-- work on another; and from this migration on, all run again where the schema has another name than before. So
-- everything in them, and in the migrations to come, can be done twice.
--
-- A migration puts the schema of the tables in the place of "public": so nothing that a search_path or a temporary
-- table brings takes the writes. The tags of the quotations are longer than a name, so that no schema's name ends one.

-- What belonged to a conversation of this id and was left behind, as a deletion under session_replication_role does,
-- which fires no trigger: it must not show up in the next one, which may be another user's.
CREATE OR REPLACE FUNCTION "public"."__p___clear_leftovers"(p_conversation_id text) RETURNS void
LANGUAGE plpgsql
-- Whatever is known of the tables' sizes: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- One write to one conversation: expiry, owner, idempotency, incarnation, version, metadata version, existence, length,
-- message ids, write, trim, in this order and in one statement of the caller.
--
-- Arguments
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the batch, in order; may be empty
--   p_tool_results               for each of them, whether it is a tool result
--   p_drop_last                  how many messages to drop from the end first
--   p_user_id                    the owner to set if there is none yet; null: none named
--   p_trace_id                   the trace that writes; null: none named
--   p_metadata                   the fields to store
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
--     exact_metadata               the fields that p_metadata can't hold as they are, as the column of that name
--     source                       of an import: created_at and last_activity in milliseconds since 1970, version,
--                                  metadata_version, first_position, trace_ids
--   p_table                      not for the caller: the main table, known by its identity, which no renaming changes
--
-- Returns 'written', 'replayed', 'missing', or the reason of a conflict, 'version' and 'metadata-version' with a space
-- and the one that the conversation has. Unless it is 'written', nothing has changed. Raises JF001 for a row that is
-- there and stays out of sight, as row-level security keeps it; JF003 where the names in here lead to other tables than
-- those that it was made for; JF005 for an append with a key that is known, though the expected version fits: nothing
-- was done, and with an empty object as p_more it is decided what to say of it.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
	p_tool_results boolean[],
	p_drop_last bigint,
	p_user_id text,
	p_trace_id text,
	p_metadata jsonb,
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch bigint := cardinality(p_bodies);
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	last_kept bigint;
	writes_done bigint;
BEGIN
	-- A constant costs nothing, since its look-up is kept with the plan, until a schema gets another name.
	IF p_table <> $jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$::regclass THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below. Of those
	-- with a key, an expected version that fits says that no write with the same key came before, or nearly so: see below.
	IF NOT p_replace AND p_more IS NULL AND p_expected_tombstones IS NULL
		AND (p_key IS NULL OR p_expected_version IS NOT NULL AND batch > 0)
	THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			metadata = metadata || p_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch + p_drop_last > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch - p_drop_last,
			total_messages = total_messages + batch - p_drop_last,
			writes = writes + 1,
			ttl_seconds = coalesce(p_ttl_seconds, ttl_seconds),
			expires_at = CASE WHEN coalesce(p_ttl_seconds, ttl_seconds) > 10000000000 THEN 'infinity'
				ELSE greatest(written_at, last_activity) + make_interval(secs => coalesce(p_ttl_seconds, ttl_seconds)) END
		WHERE conversation_id = p_conversation_id
			-- By the clock of now: the row lock may have been waited for.
			AND (expires_at > clock_timestamp()) IS NOT FALSE
			AND (user_id = p_user_id) IS NOT FALSE
			AND (incarnation = p_expected_incarnation) IS NOT FALSE
			AND (version = p_expected_version) IS NOT FALSE
			AND (metadata_version = p_expected_metadata_version) IS NOT FALSE
			AND total_messages >= p_drop_last
			AND (total_messages + batch - p_drop_last <= p_max_messages) IS NOT FALSE
			AND (exact_metadata IS NULL OR p_metadata = '{}')
		RETURNING last_seq - batch, writes INTO last_kept, writes_done;
		IF FOUND THEN
			IF p_drop_last > 0 THEN
				DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq > last_kept;
			END IF;
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
			SELECT p_conversation_id, last_kept + message.place, message.body, message.is_tool_result
			FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, place);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys"
				VALUES (p_conversation_id, p_key, p_body_hash, writes_done, last_kept + batch)
				ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					-- Used before, though the version fits: by a write after which it was read anew, or that changed none.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As below.
					DELETE FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND write_no < writes_done - 1000;
				END IF;
			END IF;
			RETURN 'written';
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
			-- With the owner at once, whom a policy of row-level security may ask for.
			INSERT INTO "public"."__p__" AS fresh
				(conversation_id, user_id, created_at, updated_at, last_activity, incarnation, last_seq)
			VALUES (
				p_conversation_id, p_user_id,
				coalesce(to_timestamp((source->>'created_at')::float8 / 1000), written_at), written_at, written_at,
				p_incarnation, coalesce((source->>'first_position')::bigint, 0)
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
				array_agg(id ORDER BY place), array_agg(hash ORDER BY place)
			INTO p_bodies, p_tool_results, ids, hashes
			FROM unnest(p_bodies, p_tool_results, ids, hashes) WITH ORDINALITY AS message(body, is_tool_result, id, hash, place)
			WHERE place = ANY (new_places);
		END IF;

		exact := stored.exact_metadata;
		IF p_replace THEN
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
			stored.metadata := '{}';
			exact := NULL;
			stored.total_messages := 0;
		ELSIF p_drop_last > 0 THEN
			stored.last_seq := stored.last_seq - p_drop_last;
			stored.total_messages := stored.total_messages - p_drop_last;
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq > stored.last_seq;
		END IF;

		INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, message_id, message_hash)
		SELECT p_conversation_id, stored.last_seq + message.place, message.body, message.is_tool_result,
			message.id, message.hash
		FROM unnest(p_bodies, p_tool_results, ids, hashes) WITH ORDINALITY
			AS message(body, is_tool_result, id, hash, place);

		-- Most writes of a run come from the trace that wrote last.
		IF p_trace_id <> coalesce(stored.metadata->>'traceId', '') THEN
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
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq < keep_from;
			GET DIAGNOSTICS trimmed = ROW_COUNT;
		END IF;

		IF exact IS NOT NULL OR p_more ? 'exact_metadata' THEN
			-- A name that holds U+FFFD stands for several, and those that are written come in exact_metadata.
			exact := nullif(
				coalesce(exact, '{}') - ARRAY(
					SELECT to_json(name)::text FROM jsonb_object_keys(p_metadata) AS name WHERE strpos(name, chr(65533)) = 0
				) || coalesce(p_more->'exact_metadata', '{}'),
				'{}'
			);
		END IF;

		ttl := coalesce(p_ttl_seconds, stored.ttl_seconds);
		-- Never backwards, also when the clock was set back or another server writes now.
		written_at := coalesce(
			to_timestamp((source->>'last_activity')::float8 / 1000), greatest(written_at, stored.last_activity)
		);
		IF p_replace OR NOT is_there OR batch + p_drop_last + trimmed > 0 THEN
			stored.version := stored.version + 1;
		END IF;
		IF p_replace OR p_metadata <> '{}' THEN
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
			exact_metadata = exact,
			updated_at = written_at,
			last_activity = written_at,
			version = stored.version,
			metadata_version = stored.metadata_version,
			last_seq = stored.last_seq + batch,
			total_messages = stored.total_messages + batch - trimmed,
			writes = stored.writes + 1,
			ttl_seconds = ttl,
			-- Three centuries are for ever; a larger number would not fit a timestamp.
			expires_at = CASE WHEN ttl > 10000000000 THEN 'infinity' ELSE written_at + make_interval(secs => ttl) END
		WHERE conversation_id = p_conversation_id;
		RETURN 'written';
	END;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0003_write_group",
    sql: `-- Appends to several conversations in one statement, and so in one transaction: each as "__p___write" does it.
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
					write.trace_id, write.metadata, write.expected_version, write.expected_metadata_version,
					write.expected_incarnation, write.expected_tombstones, write.incarnation, write.key,
					write.body_hash, write.max_messages, write.ttl_seconds, write.more, p_table
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
`,
  },
  {
    name: "0004_erasure",
    sql: `-- Tombstones: what a deletion leaves behind, so that a write which was decided on what was there before can be refused.
--
-- A creation that is under way must come before a deletion and be deleted with it, or see its tombstone; but neither
-- sees what the other hasn't committed. So a creation that expects tombstones locks the conversation's and the user's,
-- shared with other creations, before it reads them, and who leaves one locks it alone, before it looks for what to
-- delete. Appends to what is there take none of these locks.
--
-- Order of locks: of tombstones' names, of conversations, of tombstones' rows. A row of a tombstone is written by who
-- has just deleted the conversation or holds the lock of its name, so that nobody waits for it and holds what another
-- one needs.

-- The name of a tombstone: "tombstoneKey" of @jaf/memory/adapter. Null for no id.
CREATE OR REPLACE FUNCTION "public"."__p___tombstone_key"(p_kind text, p_id text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
	SELECT rtrim(
		translate(
			encode(sha256(convert_to(p_kind, 'UTF8') || decode('00', 'hex') || convert_to(p_id, 'UTF8')), 'base64'),
			'+/', '-_'
		),
		'='
	)
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- What has been erased lately: the ids of the conversation's tombstone and of the user's, null where there is none.
CREATE OR REPLACE FUNCTION "public"."__p___tombstones_of"(p_conversation_id text, p_user_id text) RETURNS text[]
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
BEGIN
	RETURN ARRAY[
		(SELECT id::text FROM "public"."__p___tombstones"
		 WHERE key = "public"."__p___tombstone_key"('conversation', p_conversation_id) AND expires_at > clock_timestamp()),
		(SELECT id::text FROM "public"."__p___tombstones"
		 WHERE key = "public"."__p___tombstone_key"('user', p_user_id) AND expires_at > clock_timestamp())
	];
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- Until the end of the transaction, nobody leaves a tombstone of the conversation or of the user.
CREATE OR REPLACE FUNCTION "public"."__p___lock_creation"(p_conversation_id text, p_user_id text, p_table regclass)
RETURNS void
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	keys CONSTANT text[] := ARRAY[
		"public"."__p___tombstone_key"('conversation', p_conversation_id),
		"public"."__p___tombstone_key"('user', p_user_id)
	];
BEGIN
	PERFORM pg_advisory_xact_lock_shared(hashtextextended(key, p_table::oid::bigint))
	FROM unnest(keys) AS key WHERE key IS NOT NULL;
	-- A snapshot that is older than the locks doesn't show what was committed meanwhile. An insertion notices it, and
	-- fails to serialize.
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		INSERT INTO "public"."__p___tombstones"
		SELECT key, gen_random_uuid(), '-infinity' FROM unnest(keys) AS key WHERE key IS NOT NULL ORDER BY key
		ON CONFLICT DO NOTHING;
		DELETE FROM "public"."__p___tombstones" WHERE key = ANY (keys) AND expires_at = '-infinity';
	END IF;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- Deletes a conversation, and leaves a tombstone of it, also where there is none.
--
-- Arguments
--   p_tombstone_seconds  for how long the tombstone stays
--   p_table              as of "__p___write"
--
-- Returns whether there was one that had not expired. Raises JF003 as "__p___write" does.
CREATE OR REPLACE FUNCTION "public"."__p___delete"(
	p_conversation_id text,
	p_tombstone_seconds bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS boolean
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	was_live boolean;
BEGIN
	IF p_table IS DISTINCT FROM to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;
	PERFORM pg_advisory_xact_lock(
		hashtextextended("public"."__p___tombstone_key"('conversation', p_conversation_id), p_table::oid::bigint)
	);
	-- As in "__p___lock_creation": it fails if there is one that this snapshot doesn't show.
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		BEGIN
			INSERT INTO "public"."__p__" (conversation_id, expires_at) VALUES (p_conversation_id, '-infinity')
			ON CONFLICT DO NOTHING;
		EXCEPTION WHEN insufficient_privilege THEN
			NULL; -- A policy of row-level security: then only what the snapshot shows is deleted.
		END;
	END IF;
	DELETE FROM "public"."__p__" WHERE conversation_id = p_conversation_id
	RETURNING (expires_at > clock_timestamp()) IS NOT FALSE INTO was_live;
	PERFORM "public"."__p___leave_tombstone"('conversation', p_conversation_id, p_tombstone_seconds);
	RETURN coalesce(was_live, false);
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- Leaves a tombstone of a user: the first step of deleting everything of theirs, to be committed before the next one
-- looks for it. Arguments as of "__p___delete".
CREATE OR REPLACE FUNCTION "public"."__p___clear"(
	p_user_id text,
	p_tombstone_seconds bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS void
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
BEGIN
	IF p_table IS DISTINCT FROM to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;
	PERFORM pg_advisory_xact_lock(
		hashtextextended("public"."__p___tombstone_key"('user', p_user_id), p_table::oid::bigint)
	);
	PERFORM "public"."__p___leave_tombstone"('user', p_user_id, p_tombstone_seconds);
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- For the two above, and nobody else: the lock comes first.
CREATE OR REPLACE FUNCTION "public"."__p___leave_tombstone"(p_kind text, p_id text, p_seconds bigint) RETURNS void
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
BEGIN
	INSERT INTO "public"."__p___tombstones" AS known (key, id, expires_at)
	VALUES (
		"public"."__p___tombstone_key"(p_kind, p_id), gen_random_uuid(),
		clock_timestamp() + make_interval(secs => p_seconds)
	)
	ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0005_cascade",
    sql: `-- What foreign keys with ON DELETE CASCADE would do, at no cost to an append: whoever deletes conversations, also by
-- hand, deletes their messages, traces and keys, and nobody renames one.
--
-- SECURITY DEFINER, as foreign keys are: who may delete a conversation need not have a right to the other tables.
-- Nobody but the owner may make a trigger of it, since on another table it would delete what that one names.
CREATE OR REPLACE FUNCTION "public"."__p___cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- Whatever is known of the tables' sizes: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
SET jit = off
-- A policy that hides rows from the owner too would leave them behind: rather an error than that.
SET row_security = off
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	own_table CONSTANT regclass := to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$);
	ids text[];
BEGIN
	IF TG_OP = 'UPDATE' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'integrity_constraint_violation',
			MESSAGE = 'the id of a conversation can''t be changed';
	END IF;

	IF TG_RELID IS DISTINCT FROM own_table::oid
		AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = TG_RELID AND inhparent = own_table)
	THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003',
			MESSAGE = format('%s was renamed after it was made: migrate() adapts it', TG_RELID::regclass);
	END IF;

	IF TG_OP = 'DELETE' THEN
		SELECT array_agg(conversation_id) INTO ids FROM removed;
		IF ids IS NOT NULL THEN
			DELETE FROM "public"."__p___messages" WHERE conversation_id = ANY (ids);
			DELETE FROM "public"."__p___traces" WHERE conversation_id = ANY (ids);
			DELETE FROM "public"."__p___keys" WHERE conversation_id = ANY (ids);
		END IF;
	ELSE
		TRUNCATE "public"."__p___messages", "public"."__p___traces", "public"."__p___keys";
	END IF;
	RETURN NULL;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public"."__p___cascade"() FROM PUBLIC;
--> statement-breakpoint
-- Who truncates one part of the conversations truncates the parts of the other tables that have the same ids, which
-- are those of the same modulus and remainder. Names no schema, and so follows its table wherever that goes.
CREATE OR REPLACE FUNCTION "public"."__p___part_cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	part regclass;
	occupied boolean;
BEGIN
	FOR part IN
		SELECT other.oid
		FROM pg_class AS own
		JOIN pg_inherits AS own_place ON own_place.inhrelid = own.oid
		JOIN pg_class AS conversations ON conversations.oid = own_place.inhparent
		JOIN pg_class AS whole ON whole.relnamespace = conversations.relnamespace
			AND whole.relname IN ('__p___messages', '__p___traces', '__p___keys')
		JOIN pg_inherits AS place ON place.inhparent = whole.oid
		JOIN pg_class AS other ON other.oid = place.inhrelid
			AND pg_get_expr(other.relpartbound, other.oid) = pg_get_expr(own.relpartbound, own.oid)
		WHERE own.oid = TG_RELID
	LOOP
		-- Where the whole table is truncated, this is done, and doing it again for each part would take long.
		EXECUTE format('SELECT EXISTS (SELECT FROM %s)', part) INTO occupied;
		IF occupied THEN
			EXECUTE format('TRUNCATE %s', part);
		END IF;
	END LOOP;
	RETURN NULL;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public"."__p___part_cascade"() FROM PUBLIC;
--> statement-breakpoint
-- Who deletes from one part of a divided table fires the triggers of that part alone. A trigger knows its function by
-- its identity, and stays what it is where the schema is renamed.
DO $jaf_triggers$
DECLARE
	part regclass;
BEGIN
	IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '"__p__"'::regclass AND tgname = '__p___deleted') THEN
		RETURN;
	END IF;
	CREATE TRIGGER "__p___deleted" AFTER DELETE ON "__p__"
	REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION "__p___cascade"();
	CREATE TRIGGER "__p___truncated" AFTER TRUNCATE ON "__p__"
	FOR EACH STATEMENT EXECUTE FUNCTION "__p___cascade"();
	CREATE TRIGGER "__p___renamed" BEFORE UPDATE OF conversation_id ON "__p__"
	FOR EACH ROW WHEN (OLD.conversation_id IS DISTINCT FROM NEW.conversation_id)
	EXECUTE FUNCTION "__p___cascade"();
	FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"__p__"'::regclass LOOP
		EXECUTE format(
			'CREATE TRIGGER "__p___deleted" AFTER DELETE ON %s REFERENCING OLD TABLE AS removed '
			'FOR EACH STATEMENT EXECUTE FUNCTION "__p___cascade"()',
			part
		);
		EXECUTE format(
			'CREATE TRIGGER "__p___truncated" AFTER TRUNCATE ON %s '
			'FOR EACH STATEMENT EXECUTE FUNCTION "__p___part_cascade"()',
			part
		);
	END LOOP;
END
$jaf_triggers$;
`,
  },
  {
    name: "0006_view",
    sql: String.raw`-- A stored message as jsonb, which refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that
-- are stored escaped: both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash
-- meanwhile, so that the text of a backslash, a "u" and four zeros stays what it is. What isn't JSON, as an application
-- that encrypts messages may store it, is shown as a string.
CREATE OR REPLACE FUNCTION "public"."__p___shown"(p_body text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
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
	conversation.metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > statement_timestamp();
`,
  },
  {
    name: "0007_heap_only_tables",
    sql: `-- An append changes a conversation's row, and enters it anew in every index if it changes what any of them holds. So the
-- indexes hold bounds of its times, which change far more rarely, and metadata without what changes with each run.
--
-- "activity_bound" is "last_activity"; of a conversation in a burst, i.e. whose writes follow each other quickly, it is
-- ahead of that, by a minute at most. "expiry_bound" is "expires_at" or earlier, and null with it.

-- Sets the bounds where they don't hold: see the trigger. A burst is over once nothing was written for some time, which
-- is 32 times as long as between the last two writes.
CREATE OR REPLACE FUNCTION "public"."__p___set_bounds"() RETURNS trigger
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
BEGIN
	IF NEW.activity_bound IS DISTINCT FROM NEW.last_activity THEN
		-- Compared before it is reckoned with: times that were written by hand may be infinite.
		NEW.in_burst := TG_OP = 'UPDATE' AND NEW.last_activity > OLD.last_activity
			AND NEW.last_activity <= OLD.last_activity + interval '10 seconds';
		NEW.activity_bound := NEW.last_activity;
		IF NEW.in_burst THEN
			NEW.activity_bound := NEW.last_activity
				+ least(32 * (NEW.last_activity - OLD.last_activity), interval '1 minute');
		END IF;
	END IF;
	IF NEW.expiry_bound <= NEW.expires_at IS NOT TRUE THEN
		NEW.expiry_bound := NEW.expires_at;
	END IF;
	RETURN NEW;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
DO $jaf_heap_only$
DECLARE
	part regclass;
BEGIN
	IF EXISTS (
		SELECT FROM pg_attribute WHERE attrelid = '"__p__"'::regclass AND attname = 'activity_bound' AND NOT attisdropped
	) THEN
		RETURN;
	END IF;
	-- Before the rows are written anew, so that they are entered in as few indexes as can be.
	DROP INDEX "idx___p___user_id";
	DROP INDEX "idx___p___last_activity";
	DROP INDEX "idx___p___trace_id";
	DROP INDEX "idx___p___expires_at";
	ALTER INDEX "idx___p___traces_trace_id" RENAME TO "idx___p___trace_id";
	ALTER TABLE "__p__"
		ADD COLUMN "run_metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
		ADD COLUMN "activity_bound" timestamp (3) with time zone,
		ADD COLUMN "in_burst" boolean DEFAULT false NOT NULL,
		ADD COLUMN "expiry_bound" timestamp (3) with time zone;
	-- Room for the next versions of a page's rows: a new version that lies on another page is in all indexes anew.
	FOR part IN
		SELECT oid FROM pg_class
		WHERE relkind = 'r' AND (
			oid = '"__p__"'::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '"__p__"'::regclass)
		)
	LOOP
		EXECUTE format('ALTER TABLE %s SET (fillfactor = 80)', part);
	END LOOP;
	UPDATE "__p__" AS conversation SET
		metadata = metadata - run.names,
		run_metadata = run.fields,
		activity_bound = last_activity,
		expiry_bound = expires_at
	FROM (
		SELECT conversation_id AS id, coalesce(array_agg(key) FILTER (WHERE key IS NOT NULL), '{}') AS names,
			coalesce(jsonb_object_agg(key, value) FILTER (WHERE key IS NOT NULL), '{}') AS fields
		FROM "__p__" LEFT JOIN LATERAL (
			SELECT key, value FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END)
			-- As "isRunField" has it.
			WHERE key = 'traceId' OR key COLLATE "C" ~ '^jaf($|[A-Z])'
		) AS field ON true
		GROUP BY conversation_id
	) AS run
	WHERE conversation_id = run.id;
	ALTER TABLE "__p__" ALTER COLUMN "activity_bound" SET NOT NULL;
	CREATE INDEX "idx___p___user_id" ON "__p__" USING btree ("user_id","activity_bound" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);
	CREATE INDEX "idx___p___last_activity" ON "__p__" USING btree ("activity_bound" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);
	CREATE INDEX "idx___p___in_burst" ON "__p__" USING btree ("activity_bound") WHERE in_burst;
	CREATE INDEX "idx___p___expires_at" ON "__p__" USING btree ("expiry_bound","conversation_id") WHERE expiry_bound IS NOT NULL;
	-- The condition is nearly free, and hardly ever true; so the bounds hold whoever writes, also by hand.
	CREATE TRIGGER "__p___bounds" BEFORE INSERT OR UPDATE ON "__p__"
	FOR EACH ROW WHEN (
		NEW.activity_bound IS DISTINCT FROM NEW.last_activity AND (
			NOT NEW.in_burst
			OR NEW.activity_bound >= NEW.last_activity IS NOT TRUE
			OR NEW.activity_bound > NEW.last_activity + interval '1 minute'
		)
		OR (NEW.expires_at IS NULL) <> (NEW.expiry_bound IS NULL)
		OR NEW.expiry_bound > NEW.expires_at
	)
	EXECUTE FUNCTION "__p___set_bounds"();
END
$jaf_heap_only$;
`,
  },
  {
    name: "0008_heap_only_write",
    sql: `-- In the place of the function of this name in 0002, which knows no "run_metadata".
DROP FUNCTION IF EXISTS "public"."__p___write"(
	text, boolean, text[], boolean[], bigint, text, text, jsonb, bigint, bigint, text, text[], text, text, text, bigint, bigint, jsonb, regclass
);
--> statement-breakpoint
-- When a conversation expires that was last active then. Null: never.
CREATE OR REPLACE FUNCTION "public"."__p___expiry"(p_active_at timestamptz, p_ttl_seconds bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
	-- Three centuries are for ever; a larger number would not fit a timestamp.
	SELECT CASE WHEN p_ttl_seconds > 10000000000 THEN 'infinity' ELSE p_active_at + make_interval(secs => p_ttl_seconds) END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- One write to one conversation: expiry, owner, idempotency, incarnation, version, metadata version, existence, length,
-- message ids, write, trim, in this order and in one statement of the caller.
--
-- Arguments
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the batch, in order; may be empty
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
-- Returns 'written', 'replayed', 'missing', or the reason of a conflict, 'version' and 'metadata-version' with a space
-- and the one that the conversation has. Unless it is 'written', nothing has changed. Raises JF001 for a row that is
-- there and stays out of sight, as row-level security keeps it; JF003 where the names in here lead to other tables than
-- those that it was made for; JF005 for an append with a key that is known, though the expected version fits: nothing
-- was done, and with an empty object as p_more it is decided what to say of it.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch bigint := cardinality(p_bodies);
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	last_kept bigint;
	writes_done bigint;
BEGIN
	-- A constant costs nothing, since its look-up is kept with the plan, until a schema gets another name.
	IF p_table <> $jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$::regclass THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below. Of those
	-- with a key, an expected version that fits says that no write with the same key came before, or nearly so: see below.
	IF NOT p_replace AND p_more IS NULL AND p_expected_tombstones IS NULL
		AND (p_key IS NULL OR p_expected_version IS NOT NULL AND batch > 0)
	THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			-- Itself where it stays: what is stored out of line would else be stored anew, and so be another for the index.
			metadata = CASE WHEN p_metadata = '{}' THEN metadata ELSE metadata || p_metadata END,
			run_metadata = run_metadata || p_run_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch + p_drop_last > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' OR p_run_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch - p_drop_last,
			total_messages = total_messages + batch - p_drop_last,
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
			AND total_messages >= p_drop_last
			AND (total_messages + batch - p_drop_last <= p_max_messages) IS NOT FALSE
			AND (exact_metadata IS NULL OR p_metadata = '{}' AND p_run_metadata = '{}')
		RETURNING last_seq - batch, writes INTO last_kept, writes_done;
		IF FOUND THEN
			IF p_drop_last > 0 THEN
				DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq > last_kept;
			END IF;
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
			SELECT p_conversation_id, last_kept + message.place, message.body, message.is_tool_result
			FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, place);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys"
				VALUES (p_conversation_id, p_key, p_body_hash, writes_done, last_kept + batch)
				ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					-- Used before, though the version fits: by a write after which it was read anew, or that changed none.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As below.
					DELETE FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND write_no < writes_done - 1000;
				END IF;
			END IF;
			RETURN 'written';
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
				array_agg(id ORDER BY place), array_agg(hash ORDER BY place)
			INTO p_bodies, p_tool_results, ids, hashes
			FROM unnest(p_bodies, p_tool_results, ids, hashes) WITH ORDINALITY AS message(body, is_tool_result, id, hash, place)
			WHERE place = ANY (new_places);
		END IF;

		exact := stored.exact_metadata;
		IF p_replace THEN
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
			stored.metadata := '{}';
			stored.run_metadata := '{}';
			exact := NULL;
			stored.total_messages := 0;
		ELSIF p_drop_last > 0 THEN
			stored.last_seq := stored.last_seq - p_drop_last;
			stored.total_messages := stored.total_messages - p_drop_last;
			DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id AND seq > stored.last_seq;
		END IF;

		INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, message_id, message_hash)
		SELECT p_conversation_id, stored.last_seq + message.place, message.body, message.is_tool_result,
			message.id, message.hash
		FROM unnest(p_bodies, p_tool_results, ids, hashes) WITH ORDINALITY
			AS message(body, is_tool_result, id, hash, place);

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
			writes = stored.writes + 1,
			ttl_seconds = ttl,
			expires_at = "public"."__p___expiry"(written_at, ttl)
		WHERE conversation_id = p_conversation_id;
		RETURN 'written';
	END;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0009_heap_only_group",
    sql: `-- Appends to several conversations in one statement, and so in one transaction: each as "__p___write" does it.
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
`,
  },
  {
    name: "0010_whole_view",
    sql: `-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
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
`,
  },
  {
    name: "0011_page",
    sql: `-- A page of conversations that have not expired, newest first, i.e. by "last_activity" and then "conversation_id".
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
`,
  },
  {
    name: "0012_digest_tables",
    sql: `-- Null in what was written before: nothing is read or written anew.
ALTER TABLE "__p__"
	ADD COLUMN IF NOT EXISTS "history_digest" "bytea",
	ADD COLUMN IF NOT EXISTS "previous_digest" "bytea",
	ADD COLUMN IF NOT EXISTS "digest_base" "bytea";
--> statement-breakpoint
ALTER TABLE "__p___messages" ADD COLUMN IF NOT EXISTS "digest" "bytea";
`,
  },
  {
    name: "0013_digest_write",
    sql: `-- SHA-256 of each body, hex, as "messageHash" of @jaf/memory makes it.
CREATE OR REPLACE FUNCTION "public"."__p___hashes"(p_bodies text[]) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	body text;
	hashes text[] := '{}';
BEGIN
	FOREACH body IN ARRAY p_bodies LOOP
		hashes := hashes || encode(sha256(convert_to(body, 'UTF8')), 'hex');
	END LOOP;
	RETURN hashes;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- The digests of messages with these hashes, behind one with the digest p_previous; null: behind none, of which p_first
-- stands in its place. As "nextDigest" makes them.
CREATE OR REPLACE FUNCTION "public"."__p___digests"(p_previous bytea, p_first text, p_hashes text[]) RETURNS bytea[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	previous text := coalesce(encode(p_previous, 'hex'), p_first);
	hash text;
	digest bytea;
	digests bytea[] := '{}';
BEGIN
	FOREACH hash IN ARRAY p_hashes LOOP
		digest := sha256(convert_to(previous || hash, 'UTF8'));
		digests := digests || digest;
		previous := encode(digest, 'hex');
	END LOOP;
	RETURN digests;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- One write to one conversation: expiry, owner, idempotency, incarnation, version, metadata version, existence, length,
-- message ids, write, trim, in this order and in one statement of the caller.
--
-- Arguments
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the batch, in order; may be empty
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
-- Returns 'written' with version, number of the last message and digest after it ('-' for none), 'replayed', 'missing', or
-- the reason of a conflict, 'version' and 'metadata-version' with a space and the one that the conversation has. Unless it is 'written', nothing has changed. Raises JF001 for a row that is
-- there and stays out of sight, as row-level security keeps it; JF003 where the names in here lead to other tables than
-- those that it was made for; JF005 for an append with a key that is known, though the expected version fits: nothing
-- was done, and with an empty object as p_more it is decided what to say of it.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch bigint := cardinality(p_bodies);
	body_hashes text[] := "public"."__p___hashes"(p_bodies);
	digests bytea[];
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	last_kept bigint;
	writes_done bigint;
	version_now bigint;
	total_now bigint;
	previous bytea;
	first_previous text;
BEGIN
	-- A constant costs nothing, since its look-up is kept with the plan, until a schema gets another name.
	IF p_table <> $jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$::regclass THEN
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
			-- Itself where it stays: what is stored out of line would else be stored anew, and so be another for the index.
			metadata = CASE WHEN p_metadata = '{}' THEN metadata ELSE metadata || p_metadata END,
			run_metadata = run_metadata || p_run_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' OR p_run_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch,
			total_messages = total_messages + batch,
			previous_digest = history_digest,
			history_digest = CASE WHEN batch = 0 THEN history_digest ELSE
				("public"."__p___digests"(history_digest, coalesce(encode(digest_base, 'hex'), incarnation), body_hashes))[batch]
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
		RETURNING last_seq - batch, writes, version, total_messages, previous_digest,
			coalesce(encode(digest_base, 'hex'), incarnation)
		INTO last_kept, writes_done, version_now, total_now, previous, first_previous;
		IF FOUND THEN
			digests := "public"."__p___digests"(previous, first_previous, body_hashes);
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, digest)
			SELECT p_conversation_id, last_kept + message.place, message.body, message.is_tool_result, message.digest
			FROM unnest(p_bodies, p_tool_results, digests) WITH ORDINALITY AS message(body, is_tool_result, digest, place);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys"
				VALUES (p_conversation_id, p_key, p_body_hash, writes_done, last_kept + batch)
				ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					-- Used before, though the version fits: by a write after which it was read anew, or that changed none.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As below.
					DELETE FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND write_no < writes_done - 1000;
				END IF;
			END IF;
			RETURN concat_ws(
				' ', 'written', version_now, last_kept + batch, coalesce(
					encode(coalesce(digests[batch], previous), 'hex'),
					CASE WHEN total_now = 0 THEN first_previous END,
					'-'
				)
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
				array_agg(id ORDER BY place), array_agg(hash ORDER BY place), array_agg(body_hash ORDER BY place)
			INTO p_bodies, p_tool_results, ids, hashes, body_hashes
			FROM unnest(p_bodies, p_tool_results, ids, hashes, body_hashes) WITH ORDINALITY
				AS message(body, is_tool_result, id, hash, body_hash, place)
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
			digests := "public"."__p___digests"(stored.history_digest, first_previous, body_hashes);
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
			' ', 'written', stored.version, stored.last_seq + batch,
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0014_receipt_total",
    sql: `-- One write to one conversation: expiry, owner, idempotency, incarnation, version, metadata version, existence, length,
-- message ids, write, trim, in this order and in one statement of the caller.
--
-- Arguments
--   p_replace                    true: messages and metadata are replaced; false: appended and merged
--   p_bodies                     the batch, in order; may be empty
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
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch bigint := cardinality(p_bodies);
	body_hashes text[] := "public"."__p___hashes"(p_bodies);
	digests bytea[];
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	last_kept bigint;
	writes_done bigint;
	version_now bigint;
	total_now bigint;
	previous bytea;
	first_previous text;
BEGIN
	-- A constant costs nothing, since its look-up is kept with the plan, until a schema gets another name.
	IF p_table <> $jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$::regclass THEN
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
			-- Itself where it stays: what is stored out of line would else be stored anew, and so be another for the index.
			metadata = CASE WHEN p_metadata = '{}' THEN metadata ELSE metadata || p_metadata END,
			run_metadata = run_metadata || p_run_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + CASE WHEN batch > 0 THEN 1 ELSE 0 END,
			metadata_version = metadata_version + CASE WHEN p_metadata <> '{}' OR p_run_metadata <> '{}' THEN 1 ELSE 0 END,
			last_seq = last_seq + batch,
			total_messages = total_messages + batch,
			previous_digest = history_digest,
			history_digest = CASE WHEN batch = 0 THEN history_digest ELSE
				("public"."__p___digests"(history_digest, coalesce(encode(digest_base, 'hex'), incarnation), body_hashes))[batch]
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
		RETURNING last_seq - batch, writes, version, total_messages, previous_digest,
			coalesce(encode(digest_base, 'hex'), incarnation)
		INTO last_kept, writes_done, version_now, total_now, previous, first_previous;
		IF FOUND THEN
			digests := "public"."__p___digests"(previous, first_previous, body_hashes);
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result, digest)
			SELECT p_conversation_id, last_kept + message.place, message.body, message.is_tool_result, message.digest
			FROM unnest(p_bodies, p_tool_results, digests) WITH ORDINALITY AS message(body, is_tool_result, digest, place);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys"
				VALUES (p_conversation_id, p_key, p_body_hash, writes_done, last_kept + batch)
				ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					-- Used before, though the version fits: by a write after which it was read anew, or that changed none.
					RAISE EXCEPTION USING ERRCODE = 'JF005', MESSAGE = 'the idempotency key is known: to be decided otherwise';
				END IF;
				IF writes_done % 100 = 1 THEN
					-- As below.
					DELETE FROM "public"."__p___keys"
					WHERE conversation_id = p_conversation_id AND write_no < writes_done - 1000;
				END IF;
			END IF;
			RETURN concat_ws(
				' ', 'written', version_now, last_kept + batch, total_now, coalesce(
					encode(coalesce(digests[batch], previous), 'hex'),
					CASE WHEN total_now = 0 THEN first_previous END,
					'-'
				)
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
				array_agg(id ORDER BY place), array_agg(hash ORDER BY place), array_agg(body_hash ORDER BY place)
			INTO p_bodies, p_tool_results, ids, hashes, body_hashes
			FROM unnest(p_bodies, p_tool_results, ids, hashes, body_hashes) WITH ORDINALITY
				AS message(body, is_tool_result, id, hash, body_hash, place)
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
			digests := "public"."__p___digests"(stored.history_digest, first_previous, body_hashes);
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0015_run_fields",
    sql: `-- A write of a process of before 0007 may wait for the migration's locks, and go on once it is done: the function that it has
-- begun puts the fields that change with each run into "metadata". Left there, they would be behind the older ones of
-- "run_metadata", and so a note of a turn, an approval or a handoff be lost.
CREATE OR REPLACE FUNCTION "public"."__p___take_run_fields"() RETURNS trigger
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	names text[];
	fields jsonb;
BEGIN
	SELECT array_agg(key), jsonb_object_agg(key, value) INTO names, fields
	FROM jsonb_each(NEW.metadata)
	-- As "isRunField" has it.
	WHERE key = 'traceId' OR key COLLATE "C" ~ '^jaf($|[A-Z])';
	NEW.metadata := NEW.metadata - names;
	NEW.run_metadata := NEW.run_metadata || fields;
	RETURN NEW;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
DO $jaf_run_fields$
BEGIN
	IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '"__p__"'::regclass AND tgname = '__p___run_fields') THEN
		RETURN;
	END IF;
	-- What a run notes is in "run_metadata", so a usual append is past the second condition at most.
	CREATE TRIGGER "__p___run_fields" BEFORE UPDATE ON "__p__"
	FOR EACH ROW WHEN (
		OLD.metadata_version <> NEW.metadata_version
		AND OLD.run_metadata = NEW.run_metadata
		AND jsonb_typeof(NEW.metadata) = 'object'
		AND NEW.metadata ?| ARRAY['traceId', 'jaf']
	)
	EXECUTE FUNCTION "__p___take_run_fields"();
END
$jaf_run_fields$;
`,
  },
  {
    name: "0016_page_of_equals",
    sql: `-- A page of conversations that have not expired, newest first, i.e. by "last_activity" and then "conversation_id".
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
	IF p_table IS DISTINCT FROM to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0017_plain_append",
    sql: `-- A condition of a trigger is read anew by each statement, and takes longer the longer it is. So an append that leaves the
-- bounds as they are counts itself, and only where nothing was counted the trigger looks at the row: at what was written by
-- hand, and by a process of before.
ALTER TABLE "__p__" ADD COLUMN IF NOT EXISTS "bounded_writes" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Sets the bounds where they don't hold. A burst is over once nothing was written for some time, which is 32 times as long
-- as between the last two writes.
--
-- And, of what was written by a process of before 0007, whose write may have waited for the migration's locks and go on once
-- it is done, takes the fields that change with each run out of "metadata". Left there, they would be behind the older ones
-- of "run_metadata", and so a note of a turn, an approval or a handoff be lost.
CREATE OR REPLACE FUNCTION "public"."__p___set_bounds"() RETURNS trigger
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	names text[];
	fields jsonb;
BEGIN
	IF NEW.activity_bound IS DISTINCT FROM NEW.last_activity AND (
		NOT NEW.in_burst
		OR NEW.activity_bound >= NEW.last_activity IS NOT TRUE
		OR NEW.activity_bound > NEW.last_activity + interval '1 minute'
	) THEN
		-- Compared before it is reckoned with: times that were written by hand may be infinite.
		NEW.in_burst := TG_OP = 'UPDATE' AND NEW.last_activity > OLD.last_activity
			AND NEW.last_activity <= OLD.last_activity + interval '10 seconds';
		NEW.activity_bound := NEW.last_activity;
		IF NEW.in_burst THEN
			NEW.activity_bound := NEW.last_activity
				+ least(32 * (NEW.last_activity - OLD.last_activity), interval '1 minute');
		END IF;
	END IF;
	IF NEW.expiry_bound <= NEW.expires_at IS NOT TRUE THEN
		NEW.expiry_bound := NEW.expires_at;
	END IF;
	IF TG_OP = 'UPDATE' AND OLD.metadata_version <> NEW.metadata_version AND OLD.run_metadata = NEW.run_metadata
		AND jsonb_typeof(NEW.metadata) = 'object' AND NEW.metadata ?| ARRAY['traceId', 'jaf']
	THEN
		SELECT array_agg(key), jsonb_object_agg(key, value) INTO names, fields
		FROM jsonb_each(NEW.metadata)
		-- As "isRunField" has it.
		WHERE key = 'traceId' OR key COLLATE "C" ~ '^jaf($|[A-Z])';
		NEW.metadata := NEW.metadata - names;
		NEW.run_metadata := NEW.run_metadata || fields;
	END IF;
	RETURN NEW;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
DROP TRIGGER IF EXISTS "__p___run_fields" ON "__p__";
--> statement-breakpoint
DROP FUNCTION IF EXISTS "public"."__p___take_run_fields"();
--> statement-breakpoint
DO $jaf_bounds$
BEGIN
	IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '"__p__"'::regclass AND tgname = '__p___new_bounds') THEN
		RETURN;
	END IF;
	DROP TRIGGER "__p___bounds" ON "__p__";
	CREATE TRIGGER "__p___bounds" BEFORE UPDATE ON "__p__"
	FOR EACH ROW WHEN (NEW.bounded_writes = OLD.bounded_writes) EXECUTE FUNCTION "__p___set_bounds"();
	CREATE TRIGGER "__p___new_bounds" BEFORE INSERT ON "__p__"
	FOR EACH ROW EXECUTE FUNCTION "__p___set_bounds"();
END
$jaf_bounds$;
--> statement-breakpoint
-- The digests of messages with these hashes, behind one with the digest p_previous; null: behind none, of which p_first
-- stands in its place. As "nextDigest" makes them.
CREATE OR REPLACE FUNCTION "public"."__p___digests"(p_previous bytea, p_first text, p_hashes text[]) RETURNS bytea[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
-- In the place of the function of this name in 0014, which makes the hashes itself.
DROP FUNCTION IF EXISTS "public"."__p___write"(
	text, boolean, text[], boolean[], bigint, text, text, jsonb, jsonb, bigint, bigint, text, text[], text, text, text, bigint, bigint, jsonb, regclass
);
--> statement-breakpoint
DROP FUNCTION IF EXISTS "public"."__p___hashes"(text[]);
--> statement-breakpoint
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
-- expected version fits: nothing was done, and with an empty object as p_more it is decided what to say of it; JF006 for
-- messages without hashes.
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
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
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
	IF p_table <> $jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$::regclass THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- A process of before 0017 sends none in its groups: it writes nothing, instead of messages without digests.
	IF cardinality(array_remove(p_hashes, NULL)) IS DISTINCT FROM cardinality(p_bodies) THEN
		RAISE EXCEPTION USING ERRCODE = 'JF006', MESSAGE = 'each message needs its hash';
	END IF;

	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below. Of those
	-- with a key, an expected version that fits says that no write with the same key came before, or nearly so: see below.
	IF NOT p_replace AND p_drop_last = 0 AND p_more IS NULL AND p_expected_tombstones IS NULL
		AND (p_key IS NULL OR p_expected_version IS NOT NULL AND batch > 0)
	THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			-- Itself where it stays: what is stored out of line would else be stored anew, and so be another for the index.
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
			expires_at = "public"."__p___expiry"(greatest(written_at, last_activity), coalesce(p_ttl_seconds, ttl_seconds)),
			-- Where the bounds still hold, the trigger needn't look.
			bounded_writes = bounded_writes + CASE WHEN activity_bound >= greatest(written_at, last_activity) AND CASE
				WHEN expiry_bound IS NULL THEN coalesce(p_ttl_seconds, ttl_seconds) IS NULL
				ELSE expiry_bound <= "public"."__p___expiry"(
					greatest(written_at, last_activity), coalesce(p_ttl_seconds, ttl_seconds)
				)
			END THEN 1 ELSE 0 END
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
					-- Used before, though the version fits: by a write after which it was read anew, or that changed none.
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
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
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
			hashes text[],
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
					write.conversation_id, false, write.bodies, write.hashes, write.tool_results, write.drop_last, write.user_id,
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
`,
  },
];
