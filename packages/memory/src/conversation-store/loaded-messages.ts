import { decodeMessage } from "../codec/decode.ts";
import { encodeMessages } from "../codec/encode-messages.ts";
import type { MemoryIssue } from "../errors.ts";
import { sameJson } from "../json/same-json.ts";
import type { Message } from "../message.ts";
import { sanitizeConversation } from "../messages/sanitizer.ts";
import type { AnyConversationStore } from "./store.ts";
import { storeFailure } from "./store-error.ts";

/** A checked, frozen copy of what `load` returns. */
export async function loadMessages(
  store: AnyConversationStore,
  conversationId: string,
): Promise<readonly Message[]> {
  const loaded: unknown = await store.load(conversationId);
  const issues: MemoryIssue[] = [];
  const encoded = encodeMessages(loaded ?? [], issues);
  const [issue] = issues;
  if (issue === undefined) return encoded.map(({ body }, index) => decodeMessage(body, index));
  const found = `${issue.path}: expected ${issue.expected}`;
  throw storeFailure("load", `the conversation store's load() returned no messages: ${found}`);
}

/** What a store keeps of a message; it may drop other fields, add its own, and write `null` for "none". */
const comparedFields = ({ role, content, tool_call_id, tool_calls }: Message) => [
  role,
  content,
  tool_call_id ?? undefined,
  tool_calls ?? undefined,
];

/** Whether two messages are equal in what every store keeps, whatever the order of their keys. */
const sameMessage = (one: Message, other: Message | undefined): boolean =>
  other !== undefined && sameJson(comparedFields(one), comparedFields(other));

/** Whether an append that threw was done. `"unclear"`: in part, or the store may hide it. */
export type AppendOutcome = "appended" | "absent" | "unclear";

/** `before` is how many messages there were when the batch, which isn't empty, was appended. */
export function findAppendOutcome(
  now: readonly Message[],
  batch: readonly Message[],
  before: number,
): AppendOutcome {
  let began = false;
  for (let start = before; start < now.length; start++) {
    const matched = batch.findIndex((message, index) => !sameMessage(message, now[start + index]));
    if (matched === -1) return "appended";
    if (matched > 0) began = true;
  }
  return began || now.length < before || mayBeHidden(now, batch) ? "unclear" : "absent";
}

/** A `load` that sanitizes shows no calls that wait for their result. */
const mayBeHidden = (now: readonly Message[], batch: readonly Message[]): boolean =>
  sanitizeConversation([...now, ...batch]).length < now.length + batch.length &&
  sanitizeConversation(now).length === now.length;
