import type { Message, ProviderReading } from "@jaf/memory";
import { isFinalReply } from "./final-reply.ts";
import { nextPositionOf } from "./metadata.ts";

/** How a run ended whose receipt the store has. */
export type StoredEnding =
  | {
      readonly kind: "replied";
      readonly reply: Message;
      /** The messages up to the reply. */
      readonly messages: readonly Message[];
      /** Whether the reply is the last message of the conversation. */
      readonly isLast: boolean;
    }
  /** The run waits for an approval or the client, and no message has been added since. */
  | { readonly kind: "interrupted" }
  /** The conversation has been changed since, so that the run's end isn't in it. */
  | { readonly kind: "changed" }
  /** The store has dropped the messages that the run ended with. */
  | { readonly kind: "dropped" };

/** `undefined` without a receipt. */
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
