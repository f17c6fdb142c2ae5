-- A write of a process of before 0007 may wait for the migration's locks, and go on once it is done: the function that it has
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
