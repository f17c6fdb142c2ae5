import * as z from "zod";

export const fileConfigSchema = z.strictObject({
  type: z.literal("file").default("file"),
  /** The folder that holds everything; made if it is missing. One process at a time may use it. */
  folder: z.string().min(1),
  /** A conversation's log is written anew once it has this many lines and most of them are dead. Default 1,000. */
  compactAfterLines: z.int().min(2).default(1_000),
});

export type FileConfig = z.input<typeof fileConfigSchema>;
