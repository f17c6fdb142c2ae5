import * as z from "zod";
import { createInMemoryProvider, type MemoryAdapter } from "../../src/index.ts";

export interface NotesConfig {
  readonly type: "notes";
  readonly folder: string;
  readonly port: number;
  readonly url?: string | undefined;
  readonly password?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

/** A third-party backend with every kind of variable. `opened` gets the arguments of `create`. */
export const notesAdapter = (
  opened: (config: NotesConfig, client: unknown) => void = () => {},
): MemoryAdapter<NotesConfig, { readonly name: string }> => ({
  type: "notes",
  configSchema: z.strictObject({
    type: z.literal("notes"),
    folder: z.string().min(3),
    port: z.int().min(1).max(65_535).default(7),
    url: z.string().optional(),
    password: z.string().optional(),
    readOnly: z.boolean().optional(),
  }),
  environment: {
    JAF_NOTES_URL: { field: "url" },
    JAF_NOTES_FOLDER: { field: "folder" },
    JAF_NOTES_PORT: { field: "port", format: "number", recommended: true, replacedBy: "JAF_NOTES_URL" },
    JAF_NOTES_PASSWORD: { field: "password", secret: true },
    JAF_NOTES_READ_ONLY: { field: "readOnly", format: "boolean" },
  },
  create: (config, client) => {
    opened(config, client);
    return createInMemoryProvider();
  },
});
