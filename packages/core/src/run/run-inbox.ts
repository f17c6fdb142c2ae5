import type { Inbox } from "@jaf/memory";
import type { InboxEngine } from "../inbox-engine.ts";
import { INBOX_ENGINE, type RunInbox } from "../memory-config.ts";
import { openInboxWrites } from "../stored/inbox-writes.ts";
import { takeInbox, withInbox } from "./take-inbox.ts";

const engine: InboxEngine = { open: openInboxWrites, continueWith: withInbox, take: takeInbox };

/**
 * Lets runs take what users say meanwhile from an inbox; see `MemoryConfig.inbox`.
 *
 * @example
 * ```ts
 * import { runInbox } from "@jaf/core";
 * import { createInMemoryInbox } from "@jaf/memory";
 *
 * export const memory = { inbox: runInbox(createInMemoryInbox()) };
 * ```
 */
export const runInbox = (store: Inbox): RunInbox => Object.freeze({ store, [INBOX_ENGINE]: engine });
