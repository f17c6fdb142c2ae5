import { createHash } from "node:crypto";
import { EVERY_STATUS } from "./expectations.ts";
import type { StoreUnderTest } from "./harness.ts";

/**
 * Returns everything that a store contains, as text. If `dump` isn't set, reads the data of the given users and all
 * available jobs through the backend.
 */
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
  parts.push(await backend.jobs.lease({ leaseMs: 0, limit: 100_000 }));
  return JSON.stringify(parts);
}
