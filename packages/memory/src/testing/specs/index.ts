import type { Spec } from "../spec.ts";
import { appendMessages } from "./append-messages.ts";
import { clearUserConversations } from "./clear-user-conversations.ts";
import { close } from "./close.ts";
import { concurrency } from "./concurrency.ts";
import { deleteConversation } from "./delete-conversation.ts";
import { expectedVersion } from "./expected-version.ts";
import { expiry } from "./expiry.ts";
import { findConversations } from "./find-conversations.ts";
import { getConversation } from "./get-conversation.ts";
import { getRecentMessages } from "./get-recent-messages.ts";
import { getStats } from "./get-stats.ts";
import { healthCheck } from "./health-check.ts";
import { hostileIds } from "./hostile-ids.ts";
import { idempotency } from "./idempotency.ts";
import { isolation } from "./isolation.ts";
import { paging } from "./paging.ts";
import { connections, races } from "./races.ts";
import { reference } from "./reference.ts";
import { refusals } from "./refusals.ts";
import { storeMessages } from "./store-messages.ts";
import { trimming } from "./trimming.ts";
import { values } from "./values.ts";

/** All rules of the contract. */
export const specs: readonly Spec[] = [
  storeMessages,
  getConversation,
  appendMessages,
  findConversations,
  paging,
  getRecentMessages,
  deleteConversation,
  clearUserConversations,
  getStats,
  healthCheck,
  close,
  expectedVersion,
  idempotency,
  trimming,
  expiry,
  values,
  refusals,
  hostileIds,
  isolation,
  concurrency,
  races,
  connections,
  reference,
];
