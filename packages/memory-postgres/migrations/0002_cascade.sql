-- What foreign keys with ON DELETE CASCADE would do, at no cost to an append: whoever deletes conversations, also by
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
