import { BODY, ddl, OWN_NAME } from "./ddl.ts";

/** A rule for every writer, also by hand: nothing outlives its conversation. */
export const triggers = ddl`
-- Does the work of foreign keys with ON DELETE CASCADE, at no cost to an append: a deletion of conversations, also by
-- hand, deletes their messages, traces and keys, and no conversation gets another id.
--
-- SECURITY DEFINER, as foreign keys are: who may delete a conversation need not have a right to the other tables.
-- Only the owner may make a trigger of it, since on another table it would delete the rows that this table's ids name.
CREATE OR REPLACE FUNCTION "public"."__p___cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- Whatever is known of the tables' sizes: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
SET jit = off
-- A policy that hides rows from the owner too would leave them behind: rather an error than that.
SET row_security = off
AS ${BODY}
DECLARE
	own_table CONSTANT regclass := to_regclass(${OWN_NAME});
	ids text[];
BEGIN
	IF TG_OP = 'UPDATE' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'integrity_constraint_violation',
			MESSAGE = 'the id of a conversation can''t be changed';
	END IF;

	IF TG_RELID IS DISTINCT FROM own_table::oid THEN
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
${BODY};

REVOKE ALL ON FUNCTION "public"."__p___cascade"() FROM PUBLIC;

-- Done once. A trigger knows its function by its identity, and stays what it is where the schema is renamed.
DO $jaf_triggers$
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
END
$jaf_triggers$;
`;
