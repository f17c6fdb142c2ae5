import type { ContentPart, ModelOrigin, RichMessage } from "@jaf/memory";
import { fieldsOf, isSameOrigin } from "@jaf/model-http";
import { isServerCall, isServerResult } from "../block-parts.ts";
import type { WireBlock } from "../wire.ts";

/** The tools that the service runs itself, in the turns of the model that is asked. */
export interface ServerTools {
  /** Whether a block of such a tool has its other half; true for any other block. */
  readonly isPaired: (block: WireBlock) => boolean;
}

const idsOf = (parts: readonly ContentPart[], type: string): readonly unknown[] =>
  parts.filter((part) => part.type === type).map((part) => part["id"]);

/** The tools of the service that called the agent's, by the ids of their own calls. */
const callersIn = (messages: readonly RichMessage[]): readonly unknown[] =>
  messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => fieldsOf(call["caller"])["tool_id"]));

/**
 * Anthropic refuses a call of such a tool without its result: one that the model was stopped in, or whose turn stayed paused.
 * The result may stand in a later turn, where the tool has called one of the agent's in between. While that is under way, its
 * call has no result yet.
 */
export function serverToolsOf(messages: readonly RichMessage[], origin: ModelOrigin): ServerTools {
  const isOwn = (message: RichMessage): boolean =>
    message.role === "assistant" && isSameOrigin(message.origin, origin);
  const partsIn = (list: readonly RichMessage[]): readonly ContentPart[] =>
    list.filter(isOwn).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const own = partsIn(messages);
  const begin = messages.findLastIndex(({ role }) => role === "user") + 1;
  const isUnderWay = messages.at(-1)?.role === "tool";
  const callers = isUnderWay ? callersIn(messages.slice(begin).filter(isOwn)) : [];
  const calls = new Set(idsOf(own, "provider-tool-call"));
  const results = new Set([...idsOf(own, "provider-tool-result"), ...callers]);
  return {
    isPaired: (block) => {
      if (isServerCall(block)) return results.has(block["id"]);
      return !isServerResult(block) || calls.has(block["tool_use_id"]);
    },
  };
}
