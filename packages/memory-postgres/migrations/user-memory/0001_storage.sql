-- Vectors don't get smaller when they are compressed, and are read faster when they aren't.
ALTER TABLE "__p___facts"
	ALTER COLUMN "vector" SET STORAGE EXTERNAL,
	ALTER COLUMN "packed_vector" SET STORAGE EXTERNAL;
