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
    await lock.release().catch(() => {}); // The first error is more useful.
    throw thrown;
  }
}

/** Like {@link createFileProvider}, but on a disk that tests can replace. */
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
 * Stores each conversation in its own append-only log in `folder`. Acknowledged writes survive a crash of the process
 * and a power cut. Only one process at a time can use a folder, which is held in memory as a whole.
 *
 * @throws TypeError that names the field if the configuration is invalid.
 * @throws MemorySetupError if the folder can't be used, another process uses it, or a log in it is damaged.
 */
export const createFileProvider = (config: FileConfig): Promise<VersionedMemoryProvider> =>
  openFileProvider(config, openDisk);
