import {
  defineMemoryProvider,
  MemorySetupError,
  parseOptions,
  type VersionedMemoryProvider,
} from "@jaf/memory/adapter";
import { createFileBackend } from "./backend.ts";
import { type FileConfig, fileConfigSchema } from "./config.ts";
import { type Disk, openDisk } from "./disk.ts";
import type { Entry, TombstonesEntry } from "./entry.ts";
import { toMemoryError } from "./faults.ts";
import { loadLogs, loadTombstones } from "./loading.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { createLogs, logName, TOMBSTONES_NAME } from "./logs.ts";
import { createTombstones, LOG } from "./tombstones.ts";

async function openTombstones(disk: Disk, lock: Lock, compactAfterLines: number) {
  const logs = createLogs<TombstonesEntry>(disk, () => TOMBSTONES_NAME);
  const found = await loadTombstones(disk, lock);
  if (found !== undefined) logs.set(LOG, found.log);
  const loaded = found?.entries.flatMap(({ left }) => left) ?? [];
  return createTombstones({ logs, loaded, compactAfterLines });
}

async function openStore(disk: Disk, compactAfterLines: number) {
  await disk.prepare();
  const lock = await acquireLock(disk);
  try {
    const tombstones = await openTombstones(disk, lock, compactAfterLines);
    const loaded = await loadLogs(disk, lock);
    const logs = createLogs<Entry>(disk, logName);
    for (const { conversation, log } of loaded) logs.set(conversation.conversationId, log);
    const conversations = new Map(
      loaded.map(({ conversation }) => [conversation.conversationId, conversation]),
    );
    return { conversations, logs, lock, tombstones, compactAfterLines };
  } catch (thrown) {
    await lock.release().catch(() => {}); // What went wrong first says more.
    throw thrown;
  }
}

/** As {@link createFileProvider}, on a disk that a test can cut off. */
export async function openFileProvider(
  config: FileConfig,
  openFolder: (folder: string) => Disk,
): Promise<VersionedMemoryProvider> {
  const { folder, compactAfterLines } = parseOptions(fileConfigSchema, config, "file provider configuration");
  try {
    return defineMemoryProvider(createFileBackend(await openStore(openFolder(folder), compactAfterLines)));
  } catch (thrown) {
    throw new MemorySetupError(toMemoryError("createFileProvider", thrown));
  }
}

/**
 * Keeps each conversation in an append-only log of its own in `folder`. What was acknowledged survives a crash of the
 * process and a power cut. One process at a time may use a folder; all of it is held in memory.
 *
 * @throws TypeError that names the field, for a bad configuration.
 * @throws MemorySetupError if the folder can't be used, another process uses it, or a log in it is damaged.
 */
export const createFileProvider = (config: FileConfig): Promise<VersionedMemoryProvider> =>
  openFileProvider(config, openDisk);
