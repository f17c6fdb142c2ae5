import type { UserKey } from "../backend/backend.ts";
import { listStored } from "../list/list.ts";
import type { StoreScope } from "../scope.ts";
import { readState } from "../write/head-state.ts";
import { busy } from "../write/refusals.ts";
import { auditChain, parseAuditEntry } from "./chain.ts";
import type { AuditEntry, AuditReport } from "./entry.ts";
import { verifyTrail } from "./verify.ts";

const MAX_LOOKS = 5;

const EVERYTHING = {
  statuses: ["active", "quarantined", "superseded"],
  tags: undefined,
  limit: Number.POSITIVE_INFINITY,
} as const;

export async function readAudit({ access }: StoreScope, user: UserKey): Promise<AuditEntry[]> {
  const { entries } = await access.ask("audit", () => access.backend.audit(user));
  return entries.flatMap((entry) => parseAuditEntry(entry) ?? []);
}

/** Looks again where somebody has written between the look at the trail and the look at the facts. */
export async function verifyAudit(scope: StoreScope, user: UserKey): Promise<AuditReport> {
  const operation = "verifyAudit";
  const { access, settings } = scope;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const { head, entries } = await access.ask(operation, () => access.backend.audit(user));
    const facts = await listStored(scope, user, { operation, ...EVERYTHING });
    const after = await access.ask(operation, () => access.backend.read(user, {}));
    if (after.head?.version !== head?.version) continue;
    const { audit: end } = readState(head);
    return verifyTrail(auditChain(user, settings.auditKey), { entries, end, facts });
  }
  throw busy(operation);
}
