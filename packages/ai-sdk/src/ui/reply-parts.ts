import type { ContentPart, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/engine";
import { jsonOf, textField } from "../fields.ts";
import { metadataOf, type Shown, shownPart } from "./shown-part.ts";
import { CUSTOM_CALL, callPart, isToolPart, withState } from "./tool-part.ts";
import type { AiSdkToolPart, AiSdkUIPart, ToolState } from "./ui-message.ts";

/** Adds a reply of the model to what it said and did so far in this turn. */
export function addReply(turn: AiSdkUIPart[], message: RichMessage, shown: Shown): void {
  turn.push({ type: "step-start" });
  const { content } = message;
  if (typeof content === "string" && content !== "") turn.push({ type: "text", text: content });
  const calls = [...(message.tool_calls ?? [])];
  for (const part of contentParts(message)) {
    switch (part.type) {
      case "tool-call": {
        const index = calls.findIndex(({ id }) => id === part["id"]);
        for (const call of index < 0 ? [] : calls.splice(index, 1)) turn.push(ownCall(call, shown));
        break;
      }
      case "provider-tool-call":
        turn.push(providerCall(part, shown));
        break;
      case "provider-tool-result":
        answerProvider(turn, part);
        break;
      case "tool-approval-request":
        askApproval(turn, part);
        break;
      default: {
        const ui = shownPart(part, shown);
        if (ui !== undefined) turn.push(ui);
      }
    }
  }
  for (const call of calls) turn.push(ownCall(call, shown));
}

function contentParts({ content, refusal }: RichMessage): readonly ContentPart[] {
  const parts = typeof content === "string" ? [] : (content ?? []);
  return typeof refusal === "string" ? [...parts, { type: "refusal", refusal }] : parts;
}

function ownCall(call: RichToolCall, shown: Shown): AiSdkToolPart {
  const { name, input } = calledTool(call);
  const { providerMetadata: callProviderMetadata } = metadataOf(call.providerMetadata, shown);
  const common = { id: call.id, name, callProviderMetadata };
  return call.type === "custom"
    ? callPart({ ...common, input, toolMetadata: CUSTOM_CALL }, shown)
    : callPart({ ...common, input: shownInput(input) }, shown);
}

/** What is no JSON, and JSON that is a text, is shown as the model wrote it. */
function shownInput(text: string): unknown {
  if (text.trim() === "") return {};
  const parsed = jsonOf(text);
  return parsed === undefined || parsed === null || typeof parsed === "string" ? text : parsed;
}

function providerCall(part: ContentPart, shown: Shown): AiSdkToolPart {
  const { providerMetadata: callProviderMetadata } = metadataOf(part["providerMetadata"], shown);
  return callPart(
    {
      id: textField(part, "id") ?? "",
      name: textField(part, "name") ?? "",
      input: part["input"] ?? {},
      isDynamic: part["dynamic"] === true,
      providerExecuted: true,
      callProviderMetadata,
    },
    shown,
  );
}

/** The provider may answer in a later step than that of the call. */
function answerProvider(turn: AiSdkUIPart[], part: ContentPart): void {
  setProviderState(turn, part["id"], ({ input }) => {
    const { output } = part;
    if (part["isError"] !== true) return { state: "output-available", input, output: output ?? null };
    return {
      state: "output-error",
      input,
      errorText: typeof output === "string" ? output : JSON.stringify(output ?? null),
    };
  });
}

function askApproval(turn: AiSdkUIPart[], part: ContentPart): void {
  const id = textField(part, "approvalId") ?? "";
  setProviderState(turn, part["toolCallId"], ({ input }) => ({
    state: "approval-requested",
    input,
    approval: { id },
  }));
}

function setProviderState(
  turn: AiSdkUIPart[],
  id: unknown,
  stateOf: (call: AiSdkToolPart) => ToolState,
): void {
  const index = turn.findLastIndex(
    (part) =>
      isToolPart(part) &&
      part.providerExecuted === true &&
      part.toolCallId === id &&
      !part.state.startsWith("output-"),
  );
  const call = turn[index];
  if (call !== undefined && isToolPart(call)) turn[index] = withState(call, stateOf(call));
}
