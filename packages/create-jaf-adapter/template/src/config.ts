import * as z from "zod";

/** Add what your storage needs, each field with its default. No message of the schema may contain a value. */
export const configSchema = z.strictObject({
  type: z.literal("my-store").default("my-store"),
  /** Where the conversations are stored: the path of a folder or a file, or the URL of a server. */
  location: z.string().min(1),
});

export type MyStoreConfig = z.input<typeof configSchema>;

/** The configuration with all defaults, as the backend gets it. */
export type MyStoreOptions = z.output<typeof configSchema>;
