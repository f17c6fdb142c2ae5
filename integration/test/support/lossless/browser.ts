import { fromUIMessages, toUIMessages } from "@jaf/ai-sdk";
import type { Message, RichMessage } from "@jaf/memory";
import type { PlannedTurn, Said } from "./plan.ts";

/** The whole conversation as a browser sends it back, with the new message. */
export function sentBack(messages: readonly Message[], { said, sentAs }: PlannedTurn): readonly Message[] {
  if (sentAs === "uiMessages") return uiMessages(messages, said);
  return overJson([...messages.map(shown), { role: "user", content: said }]) as readonly Message[];
}

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function uiMessages(messages: readonly Message[], said: Said): readonly Message[] {
  const parts = typeof said === "string" ? [{ type: "text", text: said }] : said.map(uiPart);
  const parsed = fromUIMessages(overJson([...toUIMessages(messages), { id: "new", role: "user", parts }]));
  if (!parsed.success) throw new Error(parsed.error.message);
  return parsed.data;
}

const uiPart = (part: Exclude<Said, string>[number]) =>
  part.type === "text"
    ? part
    : { type: "file", mediaType: part.mediaType, url: `data:${part.mediaType};base64,${part.data}` };

/** The visible parts of a message, which are all that a browser has. */
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
