import { present } from "@jaf/memory/engine";
import type { Shown } from "./shown-part.ts";
import type { AiSdkToolPart, AiSdkUIPart, ToolState, UIJsonObject, UIMetadata } from "./ui-message.ts";

export const isToolPart = (part: AiSdkUIPart): part is AiSdkToolPart => "toolCallId" in part;

interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly isDynamic?: boolean;
  readonly providerExecuted?: boolean;
  readonly callProviderMetadata?: UIMetadata | undefined;
  readonly toolMetadata?: UIJsonObject;
}

/** A call that waits. */
export function callPart(call: ShownCall, { isDynamic }: Shown): AiSdkToolPart {
  const { id, name, input, callProviderMetadata, toolMetadata } = call;
  const rest = {
    toolCallId: id,
    ...(call.providerExecuted === true ? { providerExecuted: true } : {}),
    ...present({ callProviderMetadata, toolMetadata }),
    state: "input-available" as const,
    input,
  };
  return call.isDynamic === true || isDynamic(name)
    ? { type: "dynamic-tool", toolName: name, ...rest }
    : { type: `tool-${name}`, ...rest };
}

/** The same call in another state. */
export function withState(call: AiSdkToolPart, state: ToolState): AiSdkToolPart {
  const { toolCallId, providerExecuted, callProviderMetadata, toolMetadata } = call;
  const rest = {
    toolCallId,
    ...present({ providerExecuted, callProviderMetadata, toolMetadata }),
    ...state,
  };
  return call.type === "dynamic-tool"
    ? { type: "dynamic-tool", toolName: call.toolName, ...rest }
    : { type: call.type, ...rest };
}

/** Marks a call whose input is a text, not JSON. */
export const CUSTOM_CALL: UIJsonObject = { inputType: "text" };
