import type { Message, RichMessage } from "@jaf/memory";

/** What of a conversation a browser has: what is shown, as JSON, without what nobody sees. */
export const shownTo = (messages: readonly Message[]): readonly Message[] =>
  JSON.parse(JSON.stringify(messages.map(shown))) as Message[];

function shown({ role, content, tool_calls: calls, tool_call_id }: RichMessage): unknown {
  return {
    role,
    content:
      typeof content === "string" || content === null
        ? content
        : content.filter(({ type }) => type !== "reasoning").map(({ providerMetadata: _, ...part }) => part),
    ...(calls === undefined
      ? {}
      : {
          tool_calls: calls.map((call) =>
            call.type === "custom"
              ? { id: call.id, type: call.type, custom: call.custom }
              : { id: call.id, type: call.type, function: call.function },
          ),
        }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}
