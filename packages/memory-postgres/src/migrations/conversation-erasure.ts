import { BODY, ddl, REFUSE_RENAMED } from "./table-group.ts";

/** SQL functions that delete a conversation, and that leave tombstones of conversations and users. */
export const erasureFunctions = ddl`
-- A deletion leaves a tombstone, so a write that was decided before the deletion can be refused.
--
-- A creation may be in progress while a deletion runs, and neither sees uncommitted rows of the other. So either the
-- creation must come first and its conversation be deleted, or the creation must see the tombstone. Therefore, a
-- creation that expects certain tombstones first locks the names of the conversation's and the user's tombstone. It
-- shares these locks with other creations. A deletion locks the name of its tombstone exclusively, before it looks for
-- rows to delete. An append to an existing conversation takes none of these locks.
--
-- Locks are taken in this order: names of tombstones, conversations, rows of tombstones. The row of a tombstone is only
-- written by a transaction that has just deleted the conversation, or that holds the lock of the tombstone's name. So
-- no transaction waits for such a row while it holds a lock that another transaction needs.

-- Returns the name of a tombstone, as "tombstoneKey" of @jaf/memory/adapter does. Returns null if the id is null.
CREATE OR REPLACE FUNCTION "public"."__p___tombstone_key"(p_kind text, p_id text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS ${BODY}
	SELECT rtrim(
		translate(
			encode(sha256(convert_to(p_kind, 'UTF8') || decode('00', 'hex') || convert_to(p_id, 'UTF8')), 'base64'),
			'+/', '-_'
		),
		'='
	)
${BODY};

-- Returns an array of two ids: that of the conversation's tombstone and that of the user's tombstone. An id is null if
-- there is no such tombstone.
CREATE OR REPLACE FUNCTION "public"."__p___tombstones_of"(p_conversation_id text, p_user_id text) RETURNS text[]
LANGUAGE plpgsql
AS ${BODY}
BEGIN
	RETURN ARRAY[
		(SELECT id::text FROM "public"."__p___tombstones"
		 WHERE key = "public"."__p___tombstone_key"('conversation', p_conversation_id) AND expires_at > clock_timestamp()),
		(SELECT id::text FROM "public"."__p___tombstones"
		 WHERE key = "public"."__p___tombstone_key"('user', p_user_id) AND expires_at > clock_timestamp())
	];
END
${BODY};

-- Locks the names of a conversation's and its user's tombstone. Until the end of this transaction, no other transaction
-- leaves one of these tombstones.
CREATE OR REPLACE FUNCTION "public"."__p___lock_creation"(p_conversation_id text, p_user_id text, p_table regclass)
RETURNS void
LANGUAGE plpgsql
AS ${BODY}
DECLARE
	keys CONSTANT text[] := ARRAY[
		"public"."__p___tombstone_key"('conversation', p_conversation_id),
		"public"."__p___tombstone_key"('user', p_user_id)
	];
BEGIN
	PERFORM pg_advisory_xact_lock_shared(hashtextextended(key, p_table::oid::bigint))
	FROM unnest(keys) AS key WHERE key IS NOT NULL;
	-- If this transaction's snapshot is older than the locks, it doesn't show what was committed meanwhile. An
	-- insertion notices such a row, and fails with a serialization error.
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		INSERT INTO "public"."__p___tombstones"
		SELECT key, gen_random_uuid(), '-infinity' FROM unnest(keys) AS key WHERE key IS NOT NULL ORDER BY key
		ON CONFLICT DO NOTHING;
		DELETE FROM "public"."__p___tombstones" WHERE key = ANY (keys) AND expires_at = '-infinity';
	END IF;
END
${BODY};

-- Deletes a conversation, and leaves a tombstone of it. A missing conversation also gets a tombstone.
--
-- Arguments
--   p_conversation_id    the id of the conversation
--   p_tombstone_seconds  how long the tombstone stays, in seconds
--   p_table              not for the caller: the table of conversations, known by its identity
--
-- Returns true if the conversation existed and had not expired, else false. Raises JF003 if the schema was renamed
-- after this function was made.
CREATE OR REPLACE FUNCTION "public"."__p___delete"(
	p_conversation_id text,
	p_tombstone_seconds bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS boolean
LANGUAGE plpgsql
AS ${BODY}
DECLARE
	was_live boolean;
BEGIN
${REFUSE_RENAMED}
	PERFORM pg_advisory_xact_lock(
		hashtextextended("public"."__p___tombstone_key"('conversation', p_conversation_id), p_table::oid::bigint)
	);
	-- If this snapshot doesn't show an existing conversation of this id, the insertion fails with a serialization
	-- error.
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
${BODY};

-- Leaves a tombstone of a user. The deletion of all conversations of a user begins with this call, and commits it
-- before it looks for the conversations. The arguments p_tombstone_seconds and p_table are those of "__p___delete".
CREATE OR REPLACE FUNCTION "public"."__p___clear"(
	p_user_id text,
	p_tombstone_seconds bigint,
	p_table regclass DEFAULT '"__p__"'::regclass
)
RETURNS void
LANGUAGE plpgsql
AS ${BODY}
BEGIN
${REFUSE_RENAMED}
	PERFORM pg_advisory_xact_lock(
		hashtextextended("public"."__p___tombstone_key"('user', p_user_id), p_table::oid::bigint)
	);
	PERFORM "public"."__p___leave_tombstone"('user', p_user_id, p_tombstone_seconds);
END
${BODY};

-- Writes the row of a tombstone. Only "__p___delete" and "__p___clear" call it, after they have locked the tombstone's
-- name.
CREATE OR REPLACE FUNCTION "public"."__p___leave_tombstone"(p_kind text, p_id text, p_seconds bigint) RETURNS void
LANGUAGE plpgsql
AS ${BODY}
BEGIN
	INSERT INTO "public"."__p___tombstones" AS known (key, id, expires_at)
	VALUES (
		"public"."__p___tombstone_key"(p_kind, p_id), gen_random_uuid(),
		clock_timestamp() + make_interval(secs => p_seconds)
	)
	ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at;
END
${BODY};
`;
