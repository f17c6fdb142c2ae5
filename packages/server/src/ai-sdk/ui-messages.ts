import {
  type AiSdkToolPart,
  type AiSdkUIMessage,
  type AiSdkUIPart,
  type ToUIMessagesOptions,
  toUIMessages,
} from "@jaf/ai-sdk";
import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";

/** A part as a client holds it once a stream is over. */
export type ShownPart =
  | Exclude<AiSdkUIPart, { type: "reasoning" }>
  | (Extract<AiSdkUIPart, { type: "reasoning" }> & { state: "done" });

export type ShownMessage = Omit<AiSdkUIMessage, "parts"> & { parts: ShownPart[] };

export interface ShownOptions {
  /** Whether thoughts are given out. Default `true`. */
  readonly reasoning?: boolean;
}

export const isToolPart = (part: ShownPart): part is AiSdkToolPart => "toolCallId" in part;

/**
 * UI messages as a stream of them ends: of each reply first what it says, pieces of a kind joined, then its calls. So a reply
 * looks the same whether it was watched or read.
 */
export function shownMessages(
  messages: readonly RichMessage[],
  options: ShownOptions & Pick<ToUIMessagesOptions, "interruptions" | "id">,
): ShownMessage[] {
  return toUIMessages(messages, options).map(({ id, role, parts }) => ({
    id,
    role,
    parts: role === "assistant" ? shownReplies(parts) : parts.map(saidPart),
  }));
}

/** The parts of the message that begins with the first of these replies. */
export function shownReply(
  messages: readonly RichMessage[],
  { interruptions, ...options }: ShownOptions & { readonly interruptions: readonly Interruption[] },
): ShownPart[] {
  return shownMessages(messages, { ...options, interruptions })[0]?.parts ?? [];
}

function shownReplies(parts: readonly AiSdkUIPart[]): ShownPart[] {
  const shown: ShownPart[] = [];
  let calls: ShownPart[] = [];
  for (const part of parts.flatMap(shownPart)) {
    if (part.type === "step-start") {
      shown.push(...calls);
      calls = [];
    }
    if (isToolPart(part) && part.providerExecuted !== true) calls.push(part);
    else pushJoined(shown, part);
  }
  shown.push(...calls);
  return shown.filter((part, index) => part.type !== "step-start" || isFilled(shown[index + 1]));
}

/** A client isn't told of a step until there is something in it. */
const isFilled = (next: ShownPart | undefined): boolean => next !== undefined && next.type !== "step-start";

function pushJoined(shown: ShownPart[], part: ShownPart): void {
  const last = shown.at(-1);
  const isPiece = part.type === "text" || part.type === "reasoning";
  if (isPiece && last !== undefined && last.type === part.type) {
    shown[shown.length - 1] = { ...last, text: last.text + part.text };
  } else {
    shown.push(part);
  }
}

/** As a client sends it. */
const saidPart = (part: AiSdkUIPart): ShownPart => {
  if (part.type === "text") return { type: "text", text: part.text };
  return part.type === "reasoning" ? { ...part, state: "done" } : part;
};

/** `[]`: there is nothing to see of it. */
function shownPart(part: AiSdkUIPart): ShownPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text, state: "done" }];
    case "reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", text: part.text, state: "done" }];
    case "file":
    case "source-url":
    case "source-document":
    case "step-start":
      return [part];
    default:
      return [shownCall(part)];
  }
}

function shownCall({ toolMetadata: _, ...part }: AiSdkToolPart): AiSdkToolPart {
  const shown = { ...part, input: readable(part.input) };
  return shown.state === "output-available" ? { ...shown, output: readable(shown.output) } : shown;
}

/** The AI SDK refuses to parse JSON with such names, and with it the whole stream. */
const REFUSED = /"(?:__proto__|constructor)":/;

function readable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return REFUSED.test(text) ? text : value;
}
