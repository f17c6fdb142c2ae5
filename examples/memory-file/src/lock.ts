import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Disk } from "./disk.ts";
import { folderInUse } from "./faults.ts";
import { isDead, type Owner, thisProcess } from "./owner.ts";

/** The lock of a folder: a file that names its process. */
export interface Lock {
  /** Whether the previous process ended without releasing its lock. */
  readonly afterCrash: boolean;
  /** Throws if the lock's file is gone. */
  readonly check: () => Promise<void>;
  readonly release: () => Promise<void>;
}

const PATTERN = /^lock-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}$/;
const ATTEMPTS = 5;
const MAX_PAUSE_MS = 40;

function parseLock(name: string): Owner | undefined {
  const [, host, pid, start] = PATTERN.exec(name) ?? [];
  return host === undefined ? undefined : { host, pid: Number(pid), start: Number(start) };
}

/** Lists the other locks: `held` by running processes, `stale` if their process is dead. */
async function otherLocks(disk: Disk, own: string) {
  const held: string[] = [];
  const stale: string[] = [];
  for (const name of await disk.list()) {
    const owner = name === own ? undefined : parseLock(name);
    if (owner !== undefined) ((await isDead(owner)) ? stale : held).push(name);
  }
  return { held, stale };
}

/**
 * Each process creates its own file first and then looks for others, so of two that start at the same time at least
 * one sees the other. No name is used twice: deleting a dead process's file can't delete a live lock.
 */
export async function acquireLock(disk: Disk): Promise<Lock> {
  const { host, pid, start } = await thisProcess();
  for (let attempt = 1; ; attempt += 1) {
    const own = `lock-${host}-${pid}-${start}-${randomUUID().slice(0, 8)}`;
    await disk.mark(own);
    const release = () => disk.remove([own]);
    const { held, stale } = await otherLocks(disk, own);
    const [first] = held;
    if (first === undefined) {
      if (stale.length > 0) await disk.remove(stale);
      return { afterCrash: stale.length > 0, check: () => disk.check(own), release };
    }
    await release();
    if (attempt === ATTEMPTS) throw folderInUse(disk.folder, first);
    await sleep(randomInt(MAX_PAUSE_MS));
  }
}
