-- Vectors don't get smaller when they are compressed, and are read faster when they aren't.
ALTER TABLE "__p___facts"
	ALTER COLUMN "vector" SET STORAGE EXTERNAL,
	ALTER COLUMN "packed_vector" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Statistics keep samples of what stands in a column, also once it is deleted: none of what users say.
ALTER TABLE "__p___facts"
	ALTER COLUMN "user_id" SET STATISTICS 0,
	ALTER COLUMN "fact" SET STATISTICS 0,
	ALTER COLUMN "tags" SET STATISTICS 0,
	ALTER COLUMN "key" SET STATISTICS 0,
	ALTER COLUMN "conversation_id" SET STATISTICS 0,
	ALTER COLUMN "message_id" SET STATISTICS 0,
	ALTER COLUMN "author" SET STATISTICS 0,
	ALTER COLUMN "extractor" SET STATISTICS 0,
	ALTER COLUMN "evidence" SET STATISTICS 0,
	ALTER COLUMN "terms" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "__p___jobs"
	ALTER COLUMN "user_id" SET STATISTICS 0,
	ALTER COLUMN "body" SET STATISTICS 0;
