import { BODY, ddl, REFUSE_RENAMED } from "./table-group.ts";

/** Deletes conversations, clears users, and leaves their tombstones. */
export const erasureFunctions = ddl`
-- A deletion leaves a tombstone, so that a write that was decided before the deletion can be refused.
--
-- A creation that is under way must come before a deletion and be deleted with it, or see its tombstone; but neither
-- sees uncommitted rows of the other. So a creation that expects tombstones locks the conversation's and the user's,
-- shared with other creations, before it reads them. A deletion locks its tombstone alone, before it looks for rows to
-- delete. Appends to existing conversations take none of these locks.
--
-- Locks are taken in this order: names of tombstones, conversations, rows of tombstones. The row of a tombstone is
-- written by the transaction that has just deleted the conversation or holds the lock of its name, so that no
-- transaction waits for it while it holds a lock that another one needs.

-- The name of a tombstone: "tombstoneKey" of @jaf/memory/adapter. Null for no id.
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

-- What has been erased lately: the ids of the conversation's tombstone and of the user's, null where there is none.
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

-- Until the end of the transaction, no other one leaves a tombstone of the conversation or of the user.
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
	-- A snapshot that is older than the locks doesn't show what was committed meanwhile. An insertion notices it, and
	-- fails to serialize.
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		INSERT INTO "public"."__p___tombstones"
		SELECT key, gen_random_uuid(), '-infinity' FROM unnest(keys) AS key WHERE key IS NOT NULL ORDER BY key
		ON CONFLICT DO NOTHING;
		DELETE FROM "public"."__p___tombstones" WHERE key = ANY (keys) AND expires_at = '-infinity';
	END IF;
END
${BODY};

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
AS ${BODY}
DECLARE
	was_live boolean;
BEGIN
${REFUSE_RENAMED}
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
${BODY};

-- Leaves a tombstone of a user: the first step of deleting everything of theirs, to be committed before the next one
-- looks for it. Arguments as of "__p___delete".
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

-- Only for the two above, which lock its name first.
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
