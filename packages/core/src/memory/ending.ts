import type { Message, ProviderReading } from "@jaf/memory";
import { isFinalReply } from "./final-reply.ts";
import { nextPositionOf } from "./metadata.ts";

/** How a run ended of which the store has a receipt. */
export type StoredEnding =
  | {
      readonly kind: "replied";
      readonly reply: Message;
      /** As they were then. */
      readonly messages: readonly Message[];
      /** Whether anything was said since. */
      readonly isLast: boolean;
    }
  /** It waits for somebody, and nothing has been said since. */
  | { readonly kind: "interrupted" }
  /** The conversation has changed in a way that leaves nothing of how the run ended. */
  | { readonly kind: "changed" }
  /** The store has dropped what the run ended with. */
  | { readonly kind: "dropped" };

/** `undefined` where there is no receipt. Looks at one message. */
export function endingOf({ conversation, receipt }: ProviderReading): StoredEnding | undefined {
  if (conversation === null || receipt === undefined) return undefined;
  const { messages } = conversation;
  const nextPosition = nextPositionOf(conversation);
  const end = messages.length - (nextPosition - receipt.nextPosition);
  if (end <= 0) return { kind: "dropped" };
  const last = messages[end - 1];
  if (last === undefined) return { kind: "changed" };
  const isLast = end === messages.length;
  if (isFinalReply(last)) return { kind: "replied", reply: last, messages: messages.slice(0, end), isLast };
  return { kind: isLast ? "interrupted" : "changed" };
}
