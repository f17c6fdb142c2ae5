import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export async function makeFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "jaf-file-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
