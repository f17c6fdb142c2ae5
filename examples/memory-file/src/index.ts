import type { MemoryAdapter, VersionedMemoryProvider } from "@jaf/memory";
import { type FileConfig, fileConfigSchema } from "./config.ts";
import { createFileProvider } from "./provider.ts";

export type { FileConfig } from "./config.ts";
export { createFileProvider } from "./provider.ts";

export const adapter: MemoryAdapter<FileConfig, never> = {
  type: "file",
  configSchema: fileConfigSchema,
  environment: {
    JAF_FILE_FOLDER: { field: "folder", recommended: true },
    JAF_FILE_COMPACT_AFTER_LINES: { field: "compactAfterLines", format: "number" },
  },
  create: createFileProvider,
};

declare module "@jaf/memory" {
  interface MemoryAdapterTypes {
    file: { readonly config: FileConfig; readonly client: never; readonly provider: VersionedMemoryProvider };
  }
}
