-- Each append changes the row of its turn: with room for the next version in the page, no index has to change. Statistics
-- keep samples of what stands in a column, also once it is deleted: nothing of what was said.
ALTER TABLE "__p___turns" SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "__p___turns"
	ALTER COLUMN "request" SET STATISTICS 0,
	ALTER COLUMN "record" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "__p___turn_events" ALTER COLUMN "texts" SET STATISTICS 0;
