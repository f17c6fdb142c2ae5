import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Disk } from "./disk.ts";
import { folderInUse } from "./faults.ts";
import { isDead, type Owner, thisProcess } from "./owner.ts";

/** A claim on the folder. */
export interface Lock {
  /** Whether the one before ended without giving its lock back. */
  readonly afterCrash: boolean;
  /** Throws if the claim is gone. */
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

/** The locks of others: those that hold, and those of dead processes. */
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
 * Each claimant makes a file of its own first and looks for others then, so that of two at the same time at least one
 * sees the other. No name is used twice: taking a dead one's file away can't hit a live one.
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
