import type { Spec } from "../kit/spec.ts";

// They test what differs between client libraries and connection modes: the types and sizes of replies, transactions,
// scripts, several connections, expiry and reconnecting.
/** The titles of the rules in the `"smoke"` selection, by subject. They use each method and each option once. */
export const SMOKE: Readonly<Record<string, readonly string[]>> = {
  storeMessages: ["replaces all messages", "refuses another user's conversation and leaves it unchanged"],
  getConversation: [
    "returns null for a conversation that was never stored",
    "returns all messages, oldest first",
  ],
  appendMessages: ["merges metadata field by field", "appends a batch of 500"],
  findConversations: ["finds conversations that match all conditions"],
  "findConversations, page by page": [
    "visits each conversation exactly once by cursor, even among equal times",
  ],
  getRecentMessages: ["returns the last messages, oldest first"],
  deleteConversation: ["deletes all of its data"],
  clearUserConversations: ["deletes 300 in one call"],
  getStats: ["counts many exactly, as numbers"],
  healthCheck: ["reports a reachable store as healthy, with its latency"],
  "a store out of reach": ["fails every other call with a retryable connection error"],
  close: ["succeeds twice, even at the same time", "loses no write, and leaves other connections open"],
  "options.createIfMissing": ["is false by default: nothing is created for any other option"],
  incarnations: ["refuses a write from before it was deleted, and keeps later data"],
  "options.expectedVersion": ["refuses a write that is too late, returns the version, and writes nothing"],
  "options.expectedMetadataVersion": ["lets one of two read-modify-writes pass"],
  "options.idempotencyKey": ["turns a retry into a success that changes nothing"],
  receipts: ["return the end of a write, even after other writes"],
  "options.dropLast": ["drops this many from the end, and adds the batch in their place"],
  "options.messageIds": ["skips a message that is stored under its id, and stores the rest"],
  readConversation: ["returns every range of a conversation that was trimmed"],
  "the time of a reading": ["advances between readings, even without writes"],
  "options.childOf": ["makes the new conversation a child, with both write methods"],
  "children and erasures": ["are deleted, however many and however deep"],
  "exportConversation and importConversation": ["keep everything when they move to another store"],
  digests: ["are correct after any writes"],
  "options.maxMessages": ["drops the oldest in the step that appends"],
  values: ["in messages come back exactly from every read", "in metadata come back exactly"],
  "metadata.systemContent": ["exists in every read"],
  "random operations": ["have the same outcomes as the in-memory reference (seed 1)"],
  "other users": ["show nothing for any other condition of the query"],
  "hostile ids": ["as conversation ids are kept exactly and apart"],
  "options.ttlSeconds": ["removes a conversation as if it were deleted"],
  "concurrent appends": [
    "keep all 640 batches of 32 writers whole and in order",
    "let exactly one of 16 writes with the same expected version pass",
  ],
  "erasures and writes at once": ["are seen immediately by every connection"],
  races: ["of reads and appends show no half batch"],
  "several connections": ["see another one's writes immediately"],
  "after a crash": ["everything acknowledged is there, once and in order"],
  "writes that a crash cuts off": ["are stored once if they are sent again under their keys"],
};

/** Returns the specs with only those rules that belong to the `"smoke"` selection. */
export const smokeOf = (specs: readonly Spec[]): readonly Spec[] =>
  specs.flatMap((spec) => {
    const rules = Object.entries(spec.rules).filter(([title]) => SMOKE[spec.subject]?.includes(title));
    return rules.length === 0 ? [] : [{ ...spec, rules: Object.fromEntries(rules) }];
  });
