import type { MemoryProviderHarness } from "../harness.ts";
import { smokeOf } from "../smoke.ts";
import type { Spec } from "../spec.ts";
import { appendMessages } from "./append-messages.ts";
import { clearUserConversations } from "./clear-user-conversations.ts";
import { clients } from "./clients.ts";
import { close } from "./close.ts";
import { combinedQueries } from "./combined-queries.ts";
import { concurrency } from "./concurrency.ts";
import { connections } from "./connections.ts";
import { conversations } from "./conversations.ts";
import { crashes, interruptedWrites } from "./crashes.ts";
import { creation } from "./creation.ts";
import { deleteConversation } from "./delete-conversation.ts";
import { digests, tampering } from "./digests.ts";
import { dropLast } from "./drop-last.ts";
import { erasures } from "./erasures.ts";
import { expectedVersion } from "./expected-version.ts";
import { expiredIdentities } from "./expired-identities.ts";
import { expiry, expiryAfterCrash } from "./expiry.ts";
import { findConversations, findLimits } from "./find-conversations.ts";
import { getConversation } from "./get-conversation.ts";
import { getRecentMessages, recentLimits } from "./get-recent-messages.ts";
import { getStats, statsLimits } from "./get-stats.ts";
import { healthCheck } from "./health-check.ts";
import { hostileIds } from "./hostile-ids.ts";
import { idempotency } from "./idempotency.ts";
import { identitiesAfterCrash } from "./identities-after-crash.ts";
import { imports } from "./imports.ts";
import { inTwoProcesses } from "./in-two-processes.ts";
import { incarnations } from "./incarnations.ts";
import { isolation } from "./isolation.ts";
import { keyCoverage } from "./key-coverage.ts";
import { messageIds } from "./message-ids.ts";
import { metadataVersions } from "./metadata-versions.ts";
import { importLimits, optionLimits } from "./option-limits.ts";
import { otherUsers } from "./other-users.ts";
import { outages } from "./outages.ts";
import { paging, pagingLimits } from "./paging.ts";
import { races } from "./races.ts";
import { readingLimits, readings } from "./ranges.ts";
import { receipts } from "./receipts.ts";
import { reference } from "./reference.ts";
import { refusals } from "./refusals.ts";
import { sharedEnds } from "./shared-ends.ts";
import { sizes } from "./sizes.ts";
import { smallHistories } from "./small-histories.ts";
import { storeMessages } from "./store-messages.ts";
import { stores } from "./stores.ts";
import { systemContent } from "./system-content.ts";
import { takeovers } from "./takeovers.ts";
import { times } from "./times.ts";
import { trimming, trimmingLimits } from "./trimming.ts";
import { values } from "./values.ts";
import { versions } from "./versions.ts";

const DEFAULT_SEEDS = [1, 2, 3];
const DEFAULT_ROUNDS = 25;

/** The rules that the harness asks for: all of the contract, or a smoke. */
export function specsFor(
  harness: Pick<MemoryProviderHarness, "rules" | "seeds" | "rounds">,
): readonly Spec[] {
  const { rules = "all", seeds = DEFAULT_SEEDS, rounds = DEFAULT_ROUNDS } = harness;
  return rules === "all" ? allSpecs(seeds, rounds) : smokeOf(allSpecs(DEFAULT_SEEDS, rounds));
}

function allSpecs(seeds: readonly number[], rounds: number): readonly Spec[] {
  return [
    ...[storeMessages, getConversation, appendMessages, findConversations, paging, combinedQueries],
    ...[getRecentMessages, deleteConversation, clearUserConversations, getStats],
    ...[healthCheck, outages, close],
    ...[creation, incarnations, versions, expectedVersion, metadataVersions],
    ...[idempotency, keyCoverage, receipts, dropLast, messageIds, readings, times, imports],
    ...[digests, tampering],
    ...[trimming, smallHistories, values, systemContent, reference({ seeds, rounds })],
    ...[isolation, otherUsers, conversations, stores],
    ...[hostileIds, refusals, sizes],
    ...[findLimits, pagingLimits, recentLimits, trimmingLimits, statsLimits],
    ...[optionLimits, readingLimits, importLimits],
    ...[expiry, expiredIdentities, expiryAfterCrash],
    ...[concurrency, sharedEnds, erasures, races, takeovers, connections, clients({ seeds, rounds })],
    ...[concurrency, sharedEnds, erasures, races, connections].map(inTwoProcesses),
    ...[inTwoProcesses(clients({ seeds: seeds.slice(0, 1), rounds }))],
    ...[crashes, identitiesAfterCrash, interruptedWrites],
  ];
}
