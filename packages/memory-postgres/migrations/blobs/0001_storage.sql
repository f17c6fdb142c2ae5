-- Images and sounds don't get smaller when they are compressed. Statistics keep samples of what stands in a column, also
-- once it is deleted: nothing of media.
ALTER TABLE "__p___blobs"
	ALTER COLUMN "data" SET STORAGE EXTERNAL,
	ALTER COLUMN "data" SET STATISTICS 0,
	ALTER COLUMN "sha256" SET STATISTICS 0;
