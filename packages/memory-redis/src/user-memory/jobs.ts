import { randomBytes } from "node:crypto";
import type { JobBackend, StoredJob, UserKey } from "@jaf/user-memory/adapter";
import { list, number, text } from "../lua.ts";
import type { UserMemoryCalls } from "./keys.ts";

/**
 * How long the key `goneEntryKey` exists, in milliseconds. This is longer than any command is delayed on its way to the
 * server.
 */
const GONE_ENTRY_MS = 3_600_000;

/** The maximum number of attempts to add a job, and of rounds in which one call of `lease` leases entries. */
const ROUNDS = 8;

/** In each attempt to add a job, the job's entry was removed before the job was written. */
class JobEntryGone extends Error {
  override readonly name = "JobEntryGone";
}

const ENTRY = /^([^:]*):([^:]*):(.*)$/s;

/**
 * Returns a ticket: a unique text that identifies one entry in the list of all jobs. A later ticket sorts after an
 * earlier one.
 */
const newTicket = (): string =>
  `${Date.now().toString(36).padStart(9, "0")}${randomBytes(8).toString("hex")}`;

/** Returns a job's entry in the list of all jobs: `<ticket>:<hash of the user id>:<job id>`. */
const entryOf = ({ hash }: UserKey, id: string, ticket: string): string => `${ticket}:${hash}:${id}`;

/** Creates the queue of jobs. A job is stored with its user's data, and has an entry in the list of all jobs. */
export function createJobs({ run, port, keys, deadlines, wait }: UserMemoryCalls) {
  // On a Cluster, the list may be on another server than the job. So the entry is written before the job, and removed
  // after it. If a new job has the id of a deleted one, the ticket in each entry tells them apart.
  const { allJobs } = keys;
  const send = (...command: readonly string[]): Promise<unknown> => deadlines(port.send(command, allJobs));

  /** Removes entries from the list of all jobs. Never rejects: `lease` removes entries that are left over. */
  const removeEntries = (entries: readonly string[]): Promise<unknown> =>
    entries.length === 0 ? Promise.resolve() : send("ZREM", allJobs, ...entries).catch(() => {});

  const enqueue: JobBackend["enqueue"] = async ({ user, id, body }, { epoch, leaseMs }) => {
    const { head, jobs } = keys.of(user);
    for (let round = 0; round < ROUNDS; round++) {
      const ticket = newTicket();
      const entry = entryOf(user, id, ticket);
      await run("reserveJob", { keys: [allJobs], args: [entry, leaseMs] }, wait);
      const args = [id, ticket, epoch, JSON.stringify([user.userId, body])];
      const written = number(
        await run("writeJob", { keys: [head, jobs, keys.goneEntryKey(user, ticket)], args }, wait),
      );
      if (written === 1) return true;
      await removeEntries([entry]);
      if (written === 0) return false;
    }
    throw new JobEntryGone("the job's entry was taken away before it was written");
  };

  async function take(entry: string): Promise<StoredJob | undefined> {
    const [, ticket = "", hash = "", id = ""] = ENTRY.exec(entry) ?? [];
    const user = { hash, userId: "" };
    const scriptKeys = [keys.of(user).jobs, keys.goneEntryKey(user, ticket)] as const;
    const reply = await run("takeJob", { keys: scriptKeys, args: [id, ticket, GONE_ENTRY_MS] }, wait);
    if (reply === null) {
      await removeEntries([entry]);
      return undefined;
    }
    const [attempts, stored] = list(reply);
    const [userId, body]: readonly [string, string] = JSON.parse(text(stored));
    return { user: { userId, hash }, id, body, attempts: number(attempts) };
  }

  const lease: JobBackend["lease"] = async ({ leaseMs, limit }) => {
    const found: StoredJob[] = [];
    // With a lease of 0 ms, an entry is due again immediately.
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS && found.length < limit; round++) {
      const wanted = limit - found.length;
      const args = [leaseMs, wanted];
      const entries = list(await run("leaseJobs", { keys: [allJobs], args }, wait)).map(text);
      const fresh = entries.filter((entry) => !seen.has(entry));
      for (const entry of fresh) seen.add(entry);
      const taken = await Promise.all(fresh.map(take));
      found.push(...taken.filter((job) => job !== undefined));
      if (fresh.length < wanted) break;
    }
    return found;
  };

  const ticketOf = async (user: UserKey, id: string, deletes: boolean): Promise<string | undefined> => {
    const call = { keys: [keys.of(user).jobs] as const, args: [id, deletes ? 1 : 0] };
    const reply = await run("findJob", call, deletes ? wait : undefined);
    return reply === null ? undefined : text(reply);
  };

  const backend: JobBackend = {
    durable: true,
    enqueue,
    lease,
    complete: async (user, id) => {
      const ticket = await ticketOf(user, id, true);
      if (ticket !== undefined) await removeEntries([entryOf(user, id, ticket)]);
    },
    release: async (user, id, delayMs) => {
      const ticket = await ticketOf(user, id, false);
      if (ticket === undefined) return;
      await run("releaseJob", { keys: [allJobs], args: [entryOf(user, id, ticket), delayMs] });
    },
    size: async () => number(await send("ZCARD", allJobs)),
  };

  return {
    backend,
    /** Removes the entries of deleted jobs from the list of all jobs. `jobs` has alternating job ids and tickets. */
    forget: (user: UserKey, jobs: readonly string[]): Promise<unknown> => {
      const entries = Array.from({ length: jobs.length / 2 }, (_, at) =>
        entryOf(user, jobs[2 * at] ?? "", jobs[2 * at + 1] ?? ""),
      );
      return removeEntries(entries);
    },
  };
}
