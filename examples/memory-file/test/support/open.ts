import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type MemoryErrorUnion,
  MemorySetupError,
  type Result,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { expect, onTestFinished } from "vitest";
import { createFileProvider, type FileConfig } from "../../src/index.ts";
import { makeFolder } from "./folder.ts";

/** Creates a folder that is deleted after the test. */
export async function testFolder(): Promise<string> {
  const { path, remove } = await makeFolder();
  onTestFinished(remove);
  return path;
}

/** Opens, uses and closes a provider. */
export async function using<T>(
  config: FileConfig,
  use: (provider: VersionedMemoryProvider) => Promise<T>,
): Promise<T> {
  const provider = await createFileProvider(config);
  try {
    return await use(provider);
  } finally {
    await provider.close();
  }
}

/** Returns the path of the folder's only log. */
export async function onlyLog(folder: string): Promise<string> {
  const logs = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  expect(logs).toHaveLength(1);
  return join(folder, logs[0] ?? "");
}

export async function setupError(config: FileConfig): Promise<MemoryErrorUnion> {
  const thrown: unknown = await createFileProvider(config).then(
    () => undefined,
    (reason) => reason,
  );
  if (!(thrown instanceof MemorySetupError)) throw new Error(`no MemorySetupError, but ${thrown}`);
  return thrown.error;
}

export function failure<T>(result: Result<T>): MemoryErrorUnion {
  if (result.success) throw new Error("It succeeded.");
  return result.error;
}
