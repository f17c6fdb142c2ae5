-- Repeatable, as all from 0002_erase on: done again where a dump was restored without its functions.
ALTER TABLE "__p___facts" ADD COLUMN IF NOT EXISTS "quotation" text;--> statement-breakpoint
ALTER TABLE "__p___facts" ADD COLUMN IF NOT EXISTS "used_at" bigint;--> statement-breakpoint
-- Statistics keep samples of what stands in a column, also once it is deleted: none of what users say.
ALTER TABLE "__p___facts" ALTER COLUMN "quotation" SET STATISTICS 0;
