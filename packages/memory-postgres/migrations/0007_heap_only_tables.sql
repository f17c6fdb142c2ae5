-- An append changes a conversation's row, and enters it anew in every index if it changes what any of them holds. So the
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
