import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import { BODY, ddl } from "./table-group.ts";

/** SQL functions that let a conversation begin as a child of another, and that delete the children of conversations. */
export const childFunctions = ddl`
-- A child may be created while its parent is deleted, and neither transaction sees uncommitted rows of the other.
-- Therefore, a creation changes the row of the parent, although to the same values. So a deletion waits for it, and
-- then finds the child. If the snapshot of the deletion is older than the child, the deletion fails with a
-- serialization error. The other way round, a creation waits for a deletion, and then finds no parent.

-- Checks the parent of a conversation that is about to be created. Until the end of this transaction, no other
-- transaction deletes the parent.
--
-- Arguments
--   p_conversation_id  the id of the new conversation
--   p_parent_id        the id of the parent
--   p_incarnation      the incarnation that the parent must have
--   p_user_id          the owner of the new conversation, null for none: must be the owner of the parent
--
-- Returns null, or the word for the conflict: 'incarnation' or 'owner'.
CREATE OR REPLACE FUNCTION "public"."__p___parent_conflict"(
	p_conversation_id text,
	p_parent_id text,
	p_incarnation text,
	p_user_id text
)
RETURNS text
LANGUAGE plpgsql
AS ${BODY}
DECLARE
	has_same_owner boolean;
BEGIN
	-- An expired row of the new conversation's id will be deleted. Locked in the order of the ids, as by the deletion of
	-- all conversations of a user.
	PERFORM FROM "public"."__p__" WHERE conversation_id IN (p_conversation_id, p_parent_id)
	ORDER BY conversation_id FOR NO KEY UPDATE;
	UPDATE "public"."__p__" SET writes = writes
	WHERE conversation_id = p_parent_id AND incarnation = p_incarnation
		AND (expires_at > clock_timestamp()) IS NOT FALSE
	RETURNING user_id IS NOT DISTINCT FROM p_user_id INTO has_same_owner;
	RETURN CASE WHEN has_same_owner IS NULL THEN 'incarnation' WHEN NOT has_same_owner THEN 'owner' END;
END
${BODY};

-- Deletes all descendants of conversations that were just deleted, and leaves a tombstone of each. The deletion of the
-- descendants calls this function again, so children that were created meanwhile are deleted, too.
--
-- Its caller, the trigger "__p___cascade", sees all rows or fails. This function sees what the policies of row-level
-- security show to the owner of the tables: the policies may be forced on the owner.
CREATE OR REPLACE FUNCTION "public"."__p___delete_children"(p_parent_ids text[]) RETURNS void
LANGUAGE plpgsql
SET row_security = on
-- No matter how large the table seems to be: a plan that was made while it was small is kept for long.
SET enable_seqscan = off
AS ${BODY}
BEGIN
	-- Checked first, because most conversations have no children.
	IF NOT EXISTS (
		SELECT FROM "public"."__p__" WHERE parent_id = ANY (p_parent_ids) AND parent_id IS NOT NULL
	) THEN
		RETURN;
	END IF;
	WITH RECURSIVE descendants AS (
		SELECT conversation_id FROM "public"."__p__" WHERE parent_id = ANY (p_parent_ids) AND parent_id IS NOT NULL
		UNION
		SELECT child.conversation_id
		FROM descendants JOIN "public"."__p__" AS child
			ON child.parent_id = descendants.conversation_id AND child.parent_id IS NOT NULL
	), locked AS (
		SELECT conversation_id FROM "public"."__p__"
		WHERE conversation_id = ANY (ARRAY(SELECT conversation_id FROM descendants))
		ORDER BY conversation_id FOR UPDATE
	), deleted AS (
		DELETE FROM "public"."__p__" WHERE conversation_id = ANY (ARRAY(SELECT conversation_id FROM locked))
		RETURNING conversation_id
	)
	INSERT INTO "public"."__p___tombstones" (key, id, expires_at)
	SELECT "public"."__p___tombstone_key"('conversation', conversation_id), gen_random_uuid(),
		clock_timestamp() + make_interval(secs => ${String(TOMBSTONE_SECONDS)})
	FROM deleted
	ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at;
END
${BODY};
`;
