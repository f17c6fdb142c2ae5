import type { MemoryProviderHarness } from "../harness.ts";
import type { Spec } from "../spec.ts";
import { appendMessages } from "./append-messages.ts";
import { clearUserConversations } from "./clear-user-conversations.ts";
import { clients } from "./clients.ts";
import { close } from "./close.ts";
import { combinedQueries } from "./combined-queries.ts";
import { concurrency } from "./concurrency.ts";
import { conversations } from "./conversations.ts";
import { crashes, interruptedWrites } from "./crashes.ts";
import { deleteConversation } from "./delete-conversation.ts";
import { expectedVersion } from "./expected-version.ts";
import { expiry, expiryAfterCrash } from "./expiry.ts";
import { findConversations, findLimits } from "./find-conversations.ts";
import { getConversation } from "./get-conversation.ts";
import { getRecentMessages, recentLimits } from "./get-recent-messages.ts";
import { getStats, statsLimits } from "./get-stats.ts";
import { healthCheck } from "./health-check.ts";
import { hostileIds } from "./hostile-ids.ts";
import { idempotency } from "./idempotency.ts";
import { isolation } from "./isolation.ts";
import { otherUsers } from "./other-users.ts";
import { outages } from "./outages.ts";
import { paging, pagingLimits } from "./paging.ts";
import { connections, races } from "./races.ts";
import { reference } from "./reference.ts";
import { refusals } from "./refusals.ts";
import { sizes } from "./sizes.ts";
import { storeMessages } from "./store-messages.ts";
import { stores } from "./stores.ts";
import { takeovers } from "./takeovers.ts";
import { trimming, trimmingLimits } from "./trimming.ts";
import { values } from "./values.ts";

const DEFAULT_SEEDS = [1, 2, 3];
const DEFAULT_ROUNDS = 25;

/** All rules of the contract, of every level. */
export function specsFor(harness: Pick<MemoryProviderHarness, "seeds" | "rounds">): readonly Spec[] {
  const { seeds = DEFAULT_SEEDS, rounds = DEFAULT_ROUNDS } = harness;
  return [
    ...[storeMessages, getConversation, appendMessages, findConversations, paging, combinedQueries],
    ...[getRecentMessages, deleteConversation, clearUserConversations, getStats],
    ...[healthCheck, outages, close],
    ...[expectedVersion, idempotency, trimming, values, reference({ seeds, rounds })],
    ...[isolation, otherUsers, conversations, stores],
    ...[hostileIds, refusals, sizes],
    ...[findLimits, pagingLimits, recentLimits, trimmingLimits, statsLimits],
    ...[expiry, expiryAfterCrash],
    ...[concurrency, races, takeovers, connections, clients({ seeds, rounds })],
    ...[crashes, interruptedWrites],
  ];
}
