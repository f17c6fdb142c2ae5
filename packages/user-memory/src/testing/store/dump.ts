import { createHash } from "node:crypto";
import { EVERY_STATUS } from "./expectations.ts";
import type { StoreUnderTest } from "./harness.ts";

/** Everything that a store holds, as text; what the port shows of some users and of all jobs where it can't be looked into. */
export async function dumpOf(
  { backend, dump }: Pick<StoreUnderTest, "backend" | "dump">,
  users: readonly string[],
): Promise<string> {
  if (dump !== undefined) return dump();
  const parts: unknown[] = [];
  for (const userId of users) {
    const user = { userId, hash: createHash("sha256").update(userId).digest("base64url") };
    parts.push(await backend.list(user, { statuses: EVERY_STATUS, limit: 1_000_000 }));
    parts.push(await backend.audit(user));
  }
  parts.push(await backend.jobs.lease({ now: 1e15, leasedUntil: 1e15, limit: 100_000 }));
  return JSON.stringify(parts);
}
