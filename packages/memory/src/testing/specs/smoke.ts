import type { Spec } from "../kit/spec.ts";

/**
 * The rules of a smoke, by subject: each method and option once, and what client libraries or connection modes may do
 * differently, such as the types and sizes of replies, transactions, scripts, several connections, expiry and
 * reconnecting.
 */
export const SMOKE: Readonly<Record<string, readonly string[]>> = {
  storeMessages: ["replaces all messages", "refuses another user's conversation and leaves it as it was"],
  getConversation: [
    "gives null for a conversation that was never stored",
    "gives all messages, however many, oldest first",
  ],
  appendMessages: ["merges metadata field by field", "appends a batch of 500"],
  findConversations: ["finds what meets all conditions"],
  "findConversations, page by page": [
    "visits each conversation exactly once by cursor, also among equal times",
  ],
  getRecentMessages: ["gives the last messages, oldest first"],
  deleteConversation: ["leaves nothing of it anywhere"],
  clearUserConversations: ["deletes 300 in one call"],
  getStats: ["counts many exactly, as numbers"],
  healthCheck: ["says that a store in reach is healthy, and how fast it answers"],
  "a store out of reach": ["fails every other call with a connection error that is retryable"],
  close: [
    "is a success twice, also at once",
    "loses nothing that was written, and leaves other connections alone",
  ],
  "options.createIfMissing": ["is no by default: nothing is made, whatever else the write says"],
  incarnations: ["refuses what was decided before it was deleted, and what was stored since stays as it is"],
  "options.expectedVersion": ["refuses a write that comes too late, says the version, and writes nothing"],
  "options.expectedMetadataVersion": ["lets one of two read-modify-writes pass"],
  "options.idempotencyKey": ["turns a retry into a success that changes nothing"],
  receipts: ["say where a write ended, whatever was written since"],
  "options.dropLast": ["drops so many from the end, and adds the batch in their place"],
  "options.messageIds": ["skips a message that is there under its id, and stores the rest"],
  readConversation: ["gives every range of a conversation that was trimmed"],
  "the time of a reading": ["goes on from reading to reading, also while nothing is written"],
  "exportConversation and importConversation": ["keep everything when they move to another store"],
  digests: ["are right after any writes"],
  "options.maxMessages": ["drops the oldest in the step that appends"],
  values: ["in messages come back exactly from every read", "in metadata come back exactly"],
  "metadata.systemContent": ["is there whatever is read"],
  "random operations": ["have the outcomes that the in-memory reference has (seed 1)"],
  "other users": ["show nothing, whatever else the query asks for"],
  "hostile ids": ["as conversation ids are kept exactly and apart"],
  "options.ttlSeconds": ["takes a conversation away as if it were deleted"],
  "concurrent appends": [
    "keep all 640 batches of 32 writers whole and in order",
    "let exactly one of 16 pass that expect the same version",
  ],
  "erasures and writes at once": ["are seen at once by every connection"],
  races: ["of reads and appends show no half batch"],
  "several connections": ["see at once what another one wrote"],
  "after a crash": ["everything acknowledged is there, once and in order"],
  "writes that a crash cuts off": ["are there once when they are sent again under their keys"],
};

/** Returns those of the rules that belong to a smoke. */
export const smokeOf = (specs: readonly Spec[]): readonly Spec[] =>
  specs.flatMap((spec) => {
    const rules = Object.entries(spec.rules).filter(([title]) => SMOKE[spec.subject]?.includes(title));
    return rules.length === 0 ? [] : [{ ...spec, rules: Object.fromEntries(rules) }];
  });
