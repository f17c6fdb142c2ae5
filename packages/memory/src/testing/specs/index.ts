import type { MemoryProviderHarness } from "../kit/harness.ts";
import type { Spec } from "../kit/spec.ts";
import { childCreation, childLimits } from "./children/creation.ts";
import { childErasure, interruptedErasures } from "./children/erasure.ts";
import { childExpiry } from "./children/expiry.ts";
import { childLists, hostileFamilies } from "./children/lists.ts";
import { childRaces } from "./children/races.ts";
import { concurrency } from "./concurrency/concurrent-appends.ts";
import { connections } from "./concurrency/connections.ts";
import { erasures, takeovers } from "./concurrency/erasures.ts";
import { races } from "./concurrency/races.ts";
import { sharedEnds } from "./concurrency/shared-conversation.ts";
import { crashes, interruptedWrites } from "./crash/crashes.ts";
import { identitiesAfterCrash } from "./crash/expectations-after-crash.ts";
import { conversations } from "./isolation/other-conversations.ts";
import { stores } from "./isolation/other-stores.ts";
import { otherUsers } from "./isolation/other-users.ts";
import { isolation } from "./isolation/shared-state.ts";
import { appendMessages } from "./methods/append-messages.ts";
import { clearUserConversations } from "./methods/clear-user-conversations.ts";
import { close } from "./methods/close.ts";
import { deleteConversation } from "./methods/delete-conversation.ts";
import { combinedQueries, findConversations, findLimits } from "./methods/find-conversations.ts";
import { getConversation } from "./methods/get-conversation.ts";
import { getRecentMessages, recentLimits } from "./methods/get-recent-messages.ts";
import { getStats, statsLimits } from "./methods/get-stats.ts";
import { healthCheck, outages } from "./methods/health-check.ts";
import { imports } from "./methods/import-conversation.ts";
import { paging, pagingLimits } from "./methods/paging.ts";
import { readingLimits, readings, times } from "./methods/read-conversation.ts";
import { storeMessages } from "./methods/store-messages.ts";
import { digests, tampering } from "./methods/verify-conversation.ts";
import { creation } from "./options/create-if-missing.ts";
import { dropLast } from "./options/drop-last.ts";
import { incarnations } from "./options/expected-incarnation.ts";
import { metadataVersions } from "./options/expected-metadata-version.ts";
import { expectedVersion, versions } from "./options/expected-version.ts";
import { idempotency, keyCoverage } from "./options/idempotency-key.ts";
import { smallHistories, trimming, trimmingLimits } from "./options/max-messages.ts";
import { messageIds } from "./options/message-ids.ts";
import { importLimits, optionLimits } from "./options/option-limits.ts";
import { receipts } from "./options/receipts.ts";
import { expiredIdentities } from "./options/ttl-and-expectations.ts";
import { expiry, expiryAfterCrash } from "./options/ttl-seconds.ts";
import { clients } from "./random/clients.ts";
import { reference } from "./random/reference.ts";
import { smokeOf } from "./smoke.ts";
import { hostileIds } from "./values/hostile-ids.ts";
import { refusals } from "./values/refusals.ts";
import { sizes } from "./values/sizes.ts";
import { systemContent } from "./values/system-content.ts";
import { values } from "./values/values.ts";

// Other rules make the test with fewer calls.
/** The titles of rules that don't run in two processes, because they would take too long. */
const LEFT_OUT: readonly string[] = ["keep all 640 single messages of 32 writers"];

/** Returns a spec with the rules of the given spec, but with clients in two processes. */
const inTwoProcesses = ({ subject, hint, rules, requires = [], ...spec }: Spec): Spec => ({
  ...spec,
  rules: Object.fromEntries(Object.entries(rules).filter(([title]) => !LEFT_OUT.includes(title))),
  subject: `${subject}, in two processes`,
  hint: `${hint} What one process keeps for itself (a lock, a cache, a counter) decides nothing.`,
  requires: [...new Set([...requires, "multipleConnections" as const])],
  needs: ["process"],
});

const DEFAULT_SEEDS = [1, 2, 3];
const DEFAULT_ROUNDS = 25;

/**
 * Returns the specs with the rules that the harness selects: all rules, or only the rules of the `"smoke"` selection.
 */
export function specsFor(
  harness: Pick<MemoryProviderHarness, "rules" | "seeds" | "rounds">,
): readonly Spec[] {
  const { rules = "all", seeds = DEFAULT_SEEDS, rounds = DEFAULT_ROUNDS } = harness;
  return rules === "all" ? allSpecs(seeds, rounds) : smokeOf(allSpecs(DEFAULT_SEEDS, rounds));
}

function allSpecs(seeds: readonly number[], rounds: number): readonly Spec[] {
  return [
    // First what a new backend does first: it opens, answers and closes.
    ...[healthCheck, outages, close],
    ...[storeMessages, getConversation, appendMessages, findConversations, paging, combinedQueries],
    ...[getRecentMessages, deleteConversation, clearUserConversations, getStats],
    ...[creation, incarnations, versions, expectedVersion, metadataVersions],
    ...[idempotency, keyCoverage, receipts, dropLast, messageIds, readings, times, imports],
    ...[childCreation, childLists, childErasure],
    ...[digests, tampering],
    ...[trimming, smallHistories, values, systemContent, reference({ seeds, rounds })],
    ...[isolation, otherUsers, conversations, stores],
    ...[hostileIds, hostileFamilies, refusals, sizes],
    ...[findLimits, pagingLimits, recentLimits, trimmingLimits, statsLimits],
    ...[optionLimits, childLimits, readingLimits, importLimits],
    ...[expiry, expiredIdentities, childExpiry, expiryAfterCrash],
    ...[concurrency, sharedEnds, erasures, childRaces, races, takeovers, connections],
    ...[clients({ seeds, rounds })],
    ...[concurrency, sharedEnds, erasures, childRaces, races, connections].map(inTwoProcesses),
    ...[inTwoProcesses(clients({ seeds: seeds.slice(0, 1), rounds }))],
    ...[crashes, identitiesAfterCrash, interruptedWrites, interruptedErasures],
  ];
}
