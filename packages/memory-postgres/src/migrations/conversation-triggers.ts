import { BODY, ddl, OWN_NAME } from "./table-group.ts";

/** The triggers that make sure, for every writer, that no data outlives its conversation. */
export const triggers = ddl`
-- Does the work of foreign keys with ON DELETE CASCADE, but costs an append nothing. A deletion of conversations, also
-- by hand, deletes their messages, traces, keys and children. A change of a conversation's id is refused.
--
-- SECURITY DEFINER, as for foreign keys: a user who may delete conversations needs no right to the other tables. Only
-- the owner may create a trigger with this function. On another table, such a trigger would delete the rows with that
-- table's ids.
CREATE OR REPLACE FUNCTION "public"."__p___cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- No matter how large the tables seem to be: a plan that was made while they were small is kept for long.
SET enable_seqscan = off
SET jit = off
-- If a policy hides rows even from the owner, an error is raised. Otherwise, the hidden rows would be left behind.
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
			PERFORM "public"."__p___delete_children"(ids);
		END IF;
	ELSE
		TRUNCATE "public"."__p___messages", "public"."__p___traces", "public"."__p___keys";
	END IF;
	RETURN NULL;
END
${BODY};

REVOKE ALL ON FUNCTION "public"."__p___cascade"() FROM PUBLIC;

-- If one partition of the conversations is truncated, truncates the partitions of the other tables that have the same
-- ids: those with the same modulus and remainder. Deletes the children in other partitions. The function names no schema, so it follows its table if the schema
-- is renamed.
CREATE OR REPLACE FUNCTION "public"."__p___part_cascade"() RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS ${BODY}
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
		-- If the whole table is truncated, the partition is empty already. To truncate each partition again would take
		-- long.
		EXECUTE format('SELECT EXISTS (SELECT FROM %s)', part) INTO occupied;
		IF occupied THEN
			EXECUTE format('TRUNCATE %s', part);
		END IF;
	END LOOP;
	EXECUTE format(
		'DELETE FROM %1$s AS child WHERE parent_id IS NOT NULL '
		'AND NOT EXISTS (SELECT FROM %1$s AS parent WHERE parent.conversation_id = child.parent_id)',
		(SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = TG_RELID)
	);
	RETURN NULL;
END
${BODY};

REVOKE ALL ON FUNCTION "public"."__p___part_cascade"() FROM PUBLIC;

-- The triggers are created once. A deletion from one partition of a table fires only the triggers of that partition. A
-- trigger knows its function by the function's identity, so it stays valid if the schema is renamed.
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
`;
