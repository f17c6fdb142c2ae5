import type { StoredAuditEntry, StoredFact, UserKey } from "../backend/backend.ts";
import { listStored } from "../list/list.ts";
import type { StoreScope } from "../scope.ts";
import { CHAIN_START, readState } from "../write/head-state.ts";
import { busy } from "../write/refusals.ts";
import { type AuditChain, type ChainEnd, parseAuditEntry } from "./chain.ts";
import type { AuditEntry, AuditProblem, AuditReport } from "./entry.ts";

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
  const { access, audit } = scope;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const { head, entries } = await access.ask(operation, () => access.backend.audit(user));
    const facts = await listStored(scope, user, { operation, ...EVERYTHING });
    const after = await access.ask(operation, () => access.backend.read(user, {}));
    if (after.head?.version !== head?.version) continue;
    const { audit: end } = await access.ask(operation, async () => readState(head));
    return verifyTrail(audit(user), { entries, end, facts });
  }
  throw busy(operation);
}

interface Trail {
  readonly entries: readonly StoredAuditEntry[];
  /** Where the head says that the chain ends. */
  readonly end: ChainEnd;
  readonly facts: readonly StoredFact[];
}

/** Compares the chain with itself, with its end, and with the facts. */
function verifyTrail(chain: AuditChain, { entries, end, facts }: Trail): AuditReport {
  const problems: AuditProblem[] = [];
  const left = new Map<string, AuditEntry>();
  let last = CHAIN_START;
  for (const stored of entries) {
    const entry = parseAuditEntry(stored);
    const follows = entry?.seq === last.seq + 1 && entry.previous === last.hash && chain.isWhole(entry);
    if (!follows) problems.push({ kind: "broken-chain", seq: stored.seq });
    if (entry?.factId !== undefined) left.set(entry.factId, entry);
    last = { seq: stored.seq, hash: entry?.hash ?? "" };
  }
  if (last.seq !== end.seq || (last.hash !== end.hash && problems.length === 0)) {
    problems.push({ kind: "cut-off", seq: end.seq });
  }
  for (const fact of facts) {
    const digest = left.get(fact.id)?.digest;
    if (digest === undefined) problems.push({ kind: "unknown-fact", factId: fact.id });
    else if (digest !== chain.digestOf(fact)) problems.push({ kind: "changed-fact", factId: fact.id });
  }
  const there = new Set(facts.map(({ id }) => id));
  for (const [factId, { digest }] of left) {
    if (digest !== undefined && !there.has(factId)) problems.push({ kind: "missing-fact", factId });
  }
  return { ok: problems.length === 0, entries: entries.length, facts: facts.length, problems };
}
