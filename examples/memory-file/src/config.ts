import * as z from "zod";

export const fileConfigSchema = z.strictObject({
  type: z.literal("file").default("file"),
  /** The folder that holds all files; created if it is missing. Only one process at a time can use it. */
  folder: z.string().min(1),
  /** A log is compacted once it has this many lines and most of them are obsolete. Default 1,000. */
  compactAfterLines: z.int().min(2).default(1_000),
});

export type FileConfig = z.input<typeof fileConfigSchema>;
