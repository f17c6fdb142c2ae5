// Made of the files in ../../migrations by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: "0000_tables",
    sql: `CREATE TABLE "__p__" (
	"conversation_id" varchar(255) COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" varchar(255) COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
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
	CONSTRAINT "__p___keys_pkey" PRIMARY KEY("conversation_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "__p___messages" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	"is_tool_result" boolean NOT NULL,
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
CREATE INDEX "idx___p___traces_trace_id" ON "__p___traces" USING btree ("trace_id");`,
  },
  {
    name: "0001_write_function",
    sql: `-- One write to one conversation: expiry, owner, idempotency, version, write, trim, in this order and in one
-- statement of the caller.
--
-- Arguments
--   p_replace           true: messages and metadata are replaced; false: appended and merged
--   p_bodies            the batch, in order; may be empty
--   p_tool_results      for each of them, whether it is a tool result
--   p_user_id           the owner to set if there is none yet; null: none named
--   p_trace_id          the trace that writes; null: none named
--   p_metadata          the fields to store
--   p_expected_version  null: any
--   p_key, p_body_hash  idempotency; both null: none
--   p_max_messages      how many messages to keep; null: all
--   p_ttl_seconds       null: what the conversation has
--
-- Returns 'written', 'replayed', or the reason of a conflict: 'owner', 'idempotency-key', or 'version' with a space and
-- the version that the conversation has. A conflict leaves nothing behind. Raises JF001 for a row that is there and
-- stays out of sight, as row-level security keeps it.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
--
-- The migration puts the schema of the tables in the place of "public": so nothing that a search_path or a temporary
-- table brings takes the writes. The tag of the quotation is longer than a name, so that no schema's name ends it.
CREATE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
	p_tool_results boolean[],
	p_user_id text,
	p_trace_id text,
	p_metadata jsonb,
	p_expected_version bigint,
	p_key text,
	p_body_hash text,
	p_max_messages bigint,
	p_ttl_seconds bigint
)
RETURNS text
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch CONSTANT bigint := cardinality(p_bodies);
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	stored "public"."__p__"%ROWTYPE;
	version_fits boolean;
	known_hash text;
	first_seq bigint;
	ttl bigint;
	keep_from bigint;
	trimmed bigint := 0;
	rounds integer := 0;
BEGIN
	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below.
	IF NOT p_replace AND p_key IS NULL THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			metadata = metadata || p_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + batch,
			total_messages = total_messages + batch,
			writes = writes + 1,
			ttl_seconds = coalesce(p_ttl_seconds, ttl_seconds),
			expires_at = CASE WHEN coalesce(p_ttl_seconds, ttl_seconds) > 10000000000 THEN 'infinity'
				ELSE greatest(written_at, last_activity) + make_interval(secs => coalesce(p_ttl_seconds, ttl_seconds)) END
		WHERE conversation_id = p_conversation_id
			-- By the clock of now: the row lock may have been waited for.
			AND (expires_at > clock_timestamp()) IS NOT FALSE
			AND (user_id = p_user_id) IS NOT FALSE
			AND (version = p_expected_version) IS NOT FALSE
			AND (total_messages + batch <= p_max_messages) IS NOT FALSE
		RETURNING version - batch + 1 INTO first_seq;
		IF FOUND THEN
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
			SELECT p_conversation_id, first_seq + message.position - 1, message.body, message.is_tool_result
			FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, position);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			RETURN 'written';
		END IF;
	END IF;

	LOOP
		SELECT * INTO stored FROM "public"."__p__" WHERE conversation_id = p_conversation_id FOR NO KEY UPDATE;
		written_at := date_trunc('milliseconds', clock_timestamp());
		IF stored.expires_at <= written_at THEN
			stored := NULL;
		END IF;

		IF stored.user_id <> p_user_id THEN
			RETURN 'owner';
		END IF;

		version_fits := (coalesce(stored.version, 0) = p_expected_version) IS NOT FALSE;
		IF p_key IS NOT NULL AND stored.conversation_id IS NOT NULL THEN
			IF version_fits THEN
				INSERT INTO "public"."__p___keys" VALUES (p_conversation_id, p_key, p_body_hash, stored.writes + 1)
				ON CONFLICT DO NOTHING;
			END IF;
			IF NOT version_fits OR NOT FOUND THEN
				SELECT body_hash INTO known_hash FROM "public"."__p___keys"
				WHERE conversation_id = p_conversation_id AND idempotency_key = p_key;
				IF FOUND THEN
					RETURN CASE WHEN known_hash = p_body_hash THEN 'replayed' ELSE 'idempotency-key' END;
				END IF;
			END IF;
		END IF;

		IF NOT version_fits THEN
			RETURN 'version ' || coalesce(stored.version, 0);
		END IF;

		EXIT WHEN stored.conversation_id IS NOT NULL;

		-- Only an expired row can be here; its messages, traces and keys go with it.
		DELETE FROM "public"."__p__" WHERE conversation_id = p_conversation_id AND expires_at <= written_at;
		-- With the owner at once, whom a policy of row-level security may ask for.
		INSERT INTO "public"."__p__" AS fresh (conversation_id, user_id, created_at, updated_at, last_activity)
		VALUES (p_conversation_id, p_user_id, written_at, written_at, written_at)
		ON CONFLICT DO NOTHING
		RETURNING fresh.* INTO stored;
		IF FOUND THEN
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys" VALUES (p_conversation_id, p_key, p_body_hash, 1);
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

	IF p_replace THEN
		DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
		stored.metadata := '{}';
		stored.total_messages := 0;
	END IF;

	INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
	SELECT p_conversation_id, stored.version + message.position, message.body, message.is_tool_result
	FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, position);

	-- Most writes of a run come from the trace that wrote last.
	IF p_trace_id <> coalesce(stored.metadata->>'traceId', '') THEN
		INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
	END IF;

	-- Rarely, so that it costs a write next to nothing. Keys are remembered for 1,000 further writes at least.
	IF p_key IS NOT NULL AND stored.writes % 100 = 0 THEN
		DELETE FROM "public"."__p___keys"
		WHERE conversation_id = p_conversation_id AND write_no < stored.writes + 1 - 1000;
	END IF;

	-- Stored messages are numbered up to the version without a gap, so the cut is a number.
	IF stored.total_messages + batch > p_max_messages THEN
		keep_from := stored.version + batch - p_max_messages + 1;
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

	ttl := coalesce(p_ttl_seconds, stored.ttl_seconds);
	-- Never backwards, also when the clock was set back or another server writes now.
	written_at := greatest(written_at, stored.last_activity);
	UPDATE "public"."__p__" SET
		user_id = coalesce(stored.user_id, p_user_id),
		metadata = stored.metadata || p_metadata,
		updated_at = written_at,
		last_activity = written_at,
		version = stored.version + batch,
		total_messages = stored.total_messages + batch - trimmed,
		writes = stored.writes + 1,
		ttl_seconds = ttl,
		-- Three centuries are for ever; a larger number would not fit a timestamp.
		expires_at = CASE WHEN ttl > 10000000000 THEN 'infinity' ELSE written_at + make_interval(secs => ttl) END
	WHERE conversation_id = p_conversation_id;
	RETURN 'written';
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
`,
  },
  {
    name: "0002_cascade",
    sql: `-- What foreign keys with ON DELETE CASCADE would do, at no cost to an append: whoever deletes conversations, also by
-- hand, deletes their messages, traces and keys, and nobody renames one.
--
-- SECURITY DEFINER, as foreign keys are: who may delete a conversation need not have a right to the other tables.
-- Nobody but the owner may make a trigger of it, since on another table it would delete what that one names.
CREATE FUNCTION "public"."__p___cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- Whatever is known of the tables' sizes: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	ids text[];
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		TRUNCATE "public"."__p___messages", "public"."__p___traces", "public"."__p___keys";
	ELSIF TG_OP = 'UPDATE' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'integrity_constraint_violation',
			MESSAGE = 'the id of a conversation can''t be changed';
	ELSE
		SELECT array_agg(conversation_id) INTO ids FROM removed;
		IF ids IS NOT NULL THEN
			DELETE FROM "public"."__p___messages" WHERE conversation_id = ANY (ids);
			DELETE FROM "public"."__p___traces" WHERE conversation_id = ANY (ids);
			DELETE FROM "public"."__p___keys" WHERE conversation_id = ANY (ids);
		END IF;
	END IF;
	RETURN NULL;
END
$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public"."__p___cascade"() FROM PUBLIC;
--> statement-breakpoint
CREATE TRIGGER "__p___deleted" AFTER DELETE ON "public"."__p__"
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION "public"."__p___cascade"();
--> statement-breakpoint
CREATE TRIGGER "__p___truncated" AFTER TRUNCATE ON "public"."__p__"
FOR EACH STATEMENT EXECUTE FUNCTION "public"."__p___cascade"();
--> statement-breakpoint
CREATE TRIGGER "__p___renamed" BEFORE UPDATE OF conversation_id ON "public"."__p__"
FOR EACH ROW WHEN (OLD.conversation_id IS DISTINCT FROM NEW.conversation_id)
EXECUTE FUNCTION "public"."__p___cascade"();
--> statement-breakpoint
-- Who deletes from one part of a divided table fires the triggers of that part alone.
DO $jaf_parts$
DECLARE
	part regclass;
BEGIN
	FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"__p__"'::regclass LOOP
		EXECUTE format(
			'CREATE TRIGGER "__p___deleted" AFTER DELETE ON %s REFERENCING OLD TABLE AS removed '
			'FOR EACH STATEMENT EXECUTE FUNCTION "__p___cascade"()',
			part
		);
	END LOOP;
END
$jaf_parts$;
`,
  },
  {
    name: "0003_view",
    sql: String.raw`-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
--
-- jsonb refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that are stored escaped;
-- both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash meanwhile, so that
-- the text of a backslash, a "u" and four zeros stays what it is.
CREATE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg(
				CASE WHEN message.body ~ '\\u(0000|d[89a-f])' THEN
					replace(
						regexp_replace(
							replace(message.body, '\\', chr(1)),
							'\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g'
						),
						chr(1), '\\'
					)::jsonb
				ELSE message.body::jsonb END
				ORDER BY message.seq
			)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
		),
		'[]'
	) AS messages,
	conversation.metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > now();
`,
  },
  {
    name: "0004_write_group",
    sql: `-- Appends to several conversations in one statement, and so in one transaction: each as "__p___write" does it.
--
-- Arguments
--   p_writes  an array of objects, in the order in which they are to be done. Their fields are the arguments of
--             "__p___write" without the "p_"; one that is left out is null
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
CREATE FUNCTION "public"."__p___write_group"(p_writes json)
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
			user_id text,
			trace_id text,
			metadata jsonb,
			expected_version bigint,
			key text,
			body_hash text,
			max_messages bigint,
			ttl_seconds bigint
		)) WITH ORDINALITY ORDER BY ordinality
	LOOP
		IF write.conversation_id <> ALL (passed_over) THEN
			PERFORM FROM "public"."__p__"
			WHERE conversation_id = write.conversation_id
				AND (expires_at > clock_timestamp() + interval '1 second') IS NOT FALSE
			FOR NO KEY UPDATE SKIP LOCKED;
			IF FOUND THEN
				outcomes := outcomes || "public"."__p___write"(
					write.conversation_id, false, write.bodies, write.tool_results, write.user_id, write.trace_id,
					write.metadata, write.expected_version, write.key, write.body_hash, write.max_messages,
					write.ttl_seconds
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
    name: "0005_own_tables",
    sql: String.raw`-- The functions and the view once more, for the tables that they were made for, and no others.
--
-- A function names its tables, and a schema can be renamed. Then the names lead to nothing, or, once there is a new
-- schema of the old name, to tables that are none of its business. So each function knows its table by its identity
-- too, and refuses to work on another; and this migration runs again where the schema has another name than before.
-- So everything in here, and in the migrations to come, can be done twice.
--
-- The tag of a quoted name is longer than a name, as that of a function is.

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
DROP FUNCTION IF EXISTS "public"."__p___write"(
	text, boolean, text[], boolean[], text, text, jsonb, bigint, text, text, bigint, bigint
);
--> statement-breakpoint
DROP FUNCTION IF EXISTS "public"."__p___write_group"(json);
--> statement-breakpoint
-- One write to one conversation: expiry, owner, idempotency, version, write, trim, in this order and in one
-- statement of the caller.
--
-- Arguments
--   p_replace           true: messages and metadata are replaced; false: appended and merged
--   p_bodies            the batch, in order; may be empty
--   p_tool_results      for each of them, whether it is a tool result
--   p_user_id           the owner to set if there is none yet; null: none named
--   p_trace_id          the trace that writes; null: none named
--   p_metadata          the fields to store
--   p_expected_version  null: any
--   p_key, p_body_hash  idempotency; both null: none
--   p_max_messages      how many messages to keep; null: all
--   p_ttl_seconds       null: what the conversation has
--   p_table             not for the caller: the main table, known by its identity, which no renaming changes
--
-- Returns 'written', 'replayed', or the reason of a conflict: 'owner', 'idempotency-key', or 'version' with a space and
-- the version that the conversation has. A conflict leaves nothing behind. Raises JF001 for a row that is there and
-- stays out of sight, as row-level security keeps it; JF003 where the names in here lead to other tables than those
-- that it was made for.
--
-- In READ COMMITTED each statement in here sees what was committed when it starts. So everything after the row
-- lock sees all earlier writes to this conversation, and no later one can come between.
--
-- The migration puts the schema of the tables in the place of "public": so nothing that a search_path or a temporary
-- table brings takes the writes. The tag of the quotation is longer than a name, so that no schema's name ends it.
CREATE OR REPLACE FUNCTION "public"."__p___write"(
	p_conversation_id text,
	p_replace boolean,
	p_bodies text[],
	p_tool_results boolean[],
	p_user_id text,
	p_trace_id text,
	p_metadata jsonb,
	p_expected_version bigint,
	p_key text,
	p_body_hash text,
	p_max_messages bigint,
	p_ttl_seconds bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS text
LANGUAGE plpgsql
AS $jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$
DECLARE
	batch CONSTANT bigint := cardinality(p_bodies);
	-- Truncated, not rounded: the time of a write is never ahead of the clock.
	written_at timestamptz(3) := date_trunc('milliseconds', clock_timestamp());
	stored "public"."__p__"%ROWTYPE;
	version_fits boolean;
	known_hash text;
	first_seq bigint;
	ttl bigint;
	keep_from bigint;
	trimmed bigint := 0;
	rounds integer := 0;
BEGIN
	IF p_table IS DISTINCT FROM to_regclass($jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$"public"."__p__"$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;

	-- The usual append decides and writes at once. Whatever is unusual finds no row here, and is decided below.
	IF NOT p_replace AND p_key IS NULL THEN
		UPDATE "public"."__p__" SET
			user_id = coalesce(user_id, p_user_id),
			metadata = metadata || p_metadata,
			updated_at = greatest(written_at, last_activity),
			last_activity = greatest(written_at, last_activity),
			version = version + batch,
			total_messages = total_messages + batch,
			writes = writes + 1,
			ttl_seconds = coalesce(p_ttl_seconds, ttl_seconds),
			expires_at = CASE WHEN coalesce(p_ttl_seconds, ttl_seconds) > 10000000000 THEN 'infinity'
				ELSE greatest(written_at, last_activity) + make_interval(secs => coalesce(p_ttl_seconds, ttl_seconds)) END
		WHERE conversation_id = p_conversation_id
			-- By the clock of now: the row lock may have been waited for.
			AND (expires_at > clock_timestamp()) IS NOT FALSE
			AND (user_id = p_user_id) IS NOT FALSE
			AND (version = p_expected_version) IS NOT FALSE
			AND (total_messages + batch <= p_max_messages) IS NOT FALSE
		RETURNING version - batch + 1 INTO first_seq;
		IF FOUND THEN
			INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
			SELECT p_conversation_id, first_seq + message.position - 1, message.body, message.is_tool_result
			FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, position);
			IF p_trace_id IS NOT NULL THEN
				INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
			END IF;
			RETURN 'written';
		END IF;
	END IF;

	LOOP
		SELECT * INTO stored FROM "public"."__p__" WHERE conversation_id = p_conversation_id FOR NO KEY UPDATE;
		written_at := date_trunc('milliseconds', clock_timestamp());
		IF stored.expires_at <= written_at THEN
			stored := NULL;
		END IF;

		IF stored.user_id <> p_user_id THEN
			RETURN 'owner';
		END IF;

		version_fits := (coalesce(stored.version, 0) = p_expected_version) IS NOT FALSE;
		IF p_key IS NOT NULL AND stored.conversation_id IS NOT NULL THEN
			IF version_fits THEN
				INSERT INTO "public"."__p___keys" VALUES (p_conversation_id, p_key, p_body_hash, stored.writes + 1)
				ON CONFLICT DO NOTHING;
			END IF;
			IF NOT version_fits OR NOT FOUND THEN
				SELECT body_hash INTO known_hash FROM "public"."__p___keys"
				WHERE conversation_id = p_conversation_id AND idempotency_key = p_key;
				IF FOUND THEN
					RETURN CASE WHEN known_hash = p_body_hash THEN 'replayed' ELSE 'idempotency-key' END;
				END IF;
			END IF;
		END IF;

		IF NOT version_fits THEN
			RETURN 'version ' || coalesce(stored.version, 0);
		END IF;

		EXIT WHEN stored.conversation_id IS NOT NULL;

		-- Only an expired row can be here; its messages, traces and keys go with it.
		DELETE FROM "public"."__p__" WHERE conversation_id = p_conversation_id AND expires_at <= written_at;
		-- With the owner at once, whom a policy of row-level security may ask for.
		INSERT INTO "public"."__p__" AS fresh (conversation_id, user_id, created_at, updated_at, last_activity)
		VALUES (p_conversation_id, p_user_id, written_at, written_at, written_at)
		ON CONFLICT DO NOTHING
		RETURNING fresh.* INTO stored;
		IF FOUND THEN
			PERFORM "public"."__p___clear_leftovers"(p_conversation_id);
			IF p_key IS NOT NULL THEN
				INSERT INTO "public"."__p___keys" VALUES (p_conversation_id, p_key, p_body_hash, 1);
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

	IF p_replace THEN
		DELETE FROM "public"."__p___messages" WHERE conversation_id = p_conversation_id;
		stored.metadata := '{}';
		stored.total_messages := 0;
	END IF;

	INSERT INTO "public"."__p___messages" (conversation_id, seq, body, is_tool_result)
	SELECT p_conversation_id, stored.version + message.position, message.body, message.is_tool_result
	FROM unnest(p_bodies, p_tool_results) WITH ORDINALITY AS message(body, is_tool_result, position);

	-- Most writes of a run come from the trace that wrote last.
	IF p_trace_id <> coalesce(stored.metadata->>'traceId', '') THEN
		INSERT INTO "public"."__p___traces" VALUES (p_conversation_id, p_trace_id) ON CONFLICT DO NOTHING;
	END IF;

	-- Rarely, so that it costs a write next to nothing. Keys are remembered for 1,000 further writes at least.
	IF p_key IS NOT NULL AND stored.writes % 100 = 0 THEN
		DELETE FROM "public"."__p___keys"
		WHERE conversation_id = p_conversation_id AND write_no < stored.writes + 1 - 1000;
	END IF;

	-- Stored messages are numbered up to the version without a gap, so the cut is a number.
	IF stored.total_messages + batch > p_max_messages THEN
		keep_from := stored.version + batch - p_max_messages + 1;
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

	ttl := coalesce(p_ttl_seconds, stored.ttl_seconds);
	-- Never backwards, also when the clock was set back or another server writes now.
	written_at := greatest(written_at, stored.last_activity);
	UPDATE "public"."__p__" SET
		user_id = coalesce(stored.user_id, p_user_id),
		metadata = stored.metadata || p_metadata,
		updated_at = written_at,
		last_activity = written_at,
		version = stored.version + batch,
		total_messages = stored.total_messages + batch - trimmed,
		writes = stored.writes + 1,
		ttl_seconds = ttl,
		-- Three centuries are for ever; a larger number would not fit a timestamp.
		expires_at = CASE WHEN ttl > 10000000000 THEN 'infinity' ELSE written_at + make_interval(secs => ttl) END
	WHERE conversation_id = p_conversation_id;
	RETURN 'written';
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
			tool_results boolean[],
			user_id text,
			trace_id text,
			metadata jsonb,
			expected_version bigint,
			key text,
			body_hash text,
			max_messages bigint,
			ttl_seconds bigint
		)) WITH ORDINALITY ORDER BY ordinality
	LOOP
		IF write.conversation_id <> ALL (passed_over) THEN
			PERFORM FROM "public"."__p__"
			WHERE conversation_id = write.conversation_id
				AND (expires_at > clock_timestamp() + interval '1 second') IS NOT FALSE
			FOR NO KEY UPDATE SKIP LOCKED;
			IF FOUND THEN
				outcomes := outcomes || "public"."__p___write"(
					write.conversation_id, false, write.bodies, write.tool_results, write.user_id, write.trace_id,
					write.metadata, write.expected_version, write.key, write.body_hash, write.max_messages,
					write.ttl_seconds, p_table
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
--> statement-breakpoint
-- What foreign keys with ON DELETE CASCADE would do, at no cost to an append: whoever deletes conversations, also by
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
DO $jaf_parts$
DECLARE
	part regclass;
BEGIN
	FOR part IN
		SELECT inhrelid FROM pg_inherits WHERE inhparent = '"__p__"'::regclass
			AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = inhrelid AND tgname = '__p___truncated')
	LOOP
		EXECUTE format(
			'CREATE TRIGGER "__p___truncated" AFTER TRUNCATE ON %s '
			'FOR EACH STATEMENT EXECUTE FUNCTION "__p___part_cascade"()',
			part
		);
	END LOOP;
END
$jaf_parts$;
--> statement-breakpoint
-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
--
-- jsonb refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that are stored escaped;
-- both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash meanwhile, so that
-- the text of a backslash, a "u" and four zeros stays what it is.
CREATE OR REPLACE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg(
				CASE WHEN message.body ~ '\\u(0000|d[89a-f])' THEN
					replace(
						regexp_replace(
							replace(message.body, '\\', chr(1)),
							'\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g'
						),
						chr(1), '\\'
					)::jsonb
				ELSE message.body::jsonb END
				ORDER BY message.seq
			)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
				AND message.seq > conversation.version - conversation.total_messages
				AND message.seq <= conversation.version
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
];
