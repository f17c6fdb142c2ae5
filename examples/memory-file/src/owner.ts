import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** A process. `start` tells it apart from a later one with the same pid. */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** Its start in clock ticks since the machine's boot; 0 if the system doesn't report it. */
  readonly start: number;
}

const START_FIELD = 19; // Counted after the process name, which can contain spaces.

async function startOf(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD] ?? 0);
  } catch {
    return 0;
  }
}

const hostHash = (): string => createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

export const thisProcess = async (): Promise<Owner> => ({
  host: hostHash(),
  pid: process.pid,
  start: await startOf(process.pid),
});

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it runs as another user.
    return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
  }
}

/** Returns `false` in doubt: two processes that use one folder would destroy it. */
export async function isDead({ host, pid, start }: Owner): Promise<boolean> {
  if (host !== hostHash()) return false;
  if (!runs(pid)) return true;
  const startNow = await startOf(pid);
  return start !== 0 && startNow !== 0 && start !== startNow;
}
