import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** One life of one process. A process id alone is given out again. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Boot and moment of the start; absent where the system doesn't tell, as outside Linux. */
  readonly start?: string;
}

const START_FIELD = 22;

/** Of a process that has ended, and whose parent has not asked for its exit code yet. */
const ENDED = "Z";

function lookUp(pid: number): { readonly state: string | undefined; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may hold anything, also a space or a parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return { state: fields[0], start: `${boot} ${fields[START_FIELD - 3]}` };
  } catch {
    return undefined;
  }
}

export function ownIdentity(): ProcessIdentity {
  const start = lookUp(process.pid)?.start;
  return { pid: process.pid, host: hostname(), ...(start === undefined ? {} : { start }) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // Another user's process may not be signalled, but is there.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

/** Only for a process of this host. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  const now = lookUp(pid);
  if (now === undefined) return true;
  return now.state !== ENDED && (start === undefined || now.start === start);
}
