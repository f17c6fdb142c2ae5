-- Null in what was written before: nothing is read or written anew.
ALTER TABLE "__p__"
	ADD COLUMN IF NOT EXISTS "history_digest" "bytea",
	ADD COLUMN IF NOT EXISTS "previous_digest" "bytea",
	ADD COLUMN IF NOT EXISTS "digest_base" "bytea";
--> statement-breakpoint
ALTER TABLE "__p___messages" ADD COLUMN IF NOT EXISTS "digest" "bytea";
