import { BODY, ddl, OWN_NAME } from "./table-group.ts";

/** A rule for every writer, including people: no data outlives its conversation. */
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
${BODY};

REVOKE ALL ON FUNCTION "public"."__p___cascade"() FROM PUBLIC;

-- Who truncates one part of the conversations truncates the parts of the other tables that have the same ids, which
-- are those of the same modulus and remainder. Names no schema, and so follows its table wherever that goes.
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
		-- Where the whole table is truncated, this is done, and doing it again for each part would take long.
		EXECUTE format('SELECT EXISTS (SELECT FROM %s)', part) INTO occupied;
		IF occupied THEN
			EXECUTE format('TRUNCATE %s', part);
		END IF;
	END LOOP;
	RETURN NULL;
END
${BODY};

REVOKE ALL ON FUNCTION "public"."__p___part_cascade"() FROM PUBLIC;

-- Done once. A deletion from one part of a divided table fires the triggers of that part alone. A trigger knows its
-- function by its identity, and stays what it is where the schema is renamed.
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
