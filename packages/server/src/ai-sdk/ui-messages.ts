import {
  type AiSdkToolPart,
  type AiSdkUIMessage,
  type AiSdkUIPart,
  type ToUIMessagesOptions,
  toUIMessages,
} from "@jaf/ai-sdk";
import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";

/** A part of a UI message in the form that the AI SDK's client builds from a stream. */
export type StreamedPart =
  | Exclude<AiSdkUIPart, { type: "reasoning" }>
  | (Extract<AiSdkUIPart, { type: "reasoning" }> & { state: "done" });

export type StreamedMessage = Omit<AiSdkUIMessage, "parts"> & { parts: StreamedPart[] };

/** A tool call that the model is writing. */
export interface WritingCall {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly state: "input-streaming";
  /** The text of the input so far. */
  readonly input: string;
}

/**
 * Messages that the turn has taken from the conversation's inbox, at their place in the reply. A stream of the AI SDK can't
 * add a message of the user. When the conversation is loaded, they are messages of their own.
 */
export interface InputUIPart {
  readonly type: "data-jafInput";
  readonly data: { readonly messages: readonly SentUIMessage[] };
}

/** A message of the inbox. `from`: `"user"`, or e.g. `"timer"`, whose text is in a tag. */
export interface SentUIMessage {
  readonly from: string;
  readonly parts: readonly StreamedPart[];
}

/** A part of a UI message while its turn runs. */
export type ShownPart = StreamedPart | WritingCall | InputUIPart;

/** Returns the part for messages that the turn has taken from the inbox. */
export const inputPart = (messages: readonly RichMessage[], options: StreamedOptions): InputUIPart => ({
  type: "data-jafInput",
  data: {
    messages: messages.map((message) => ({
      from: typeof message["from"] === "string" ? message["from"] : "user",
      parts: streamedReply([message], { ...options, interruptions: [] }),
    })),
  },
});

export interface StreamedOptions {
  /** Whether to include reasoning. Default `true`. */
  readonly reasoning?: boolean;
}

export const isToolPart = <Part extends ShownPart>(
  part: Part,
): part is Extract<Part, { toolCallId: string }> => "toolCallId" in part;

export const isWriting = (part: AiSdkToolPart | WritingCall): part is WritingCall =>
  part.state === "input-streaming";

/**
 * Converts stored messages into UI messages with the parts that the AI SDK's client builds from a stream. So a message
 * looks the same when it is loaded and when it is streamed.
 */
export function streamedMessages(
  messages: readonly RichMessage[],
  options: StreamedOptions & Pick<ToUIMessagesOptions, "interruptions" | "id">,
): StreamedMessage[] {
  return toUIMessages(messages, options).map(({ id, role, parts }) => ({
    id,
    role,
    parts: role === "assistant" ? streamedReplies(parts) : parts.map(sentPart),
  }));
}

/** Returns the parts of the UI message that begins with the first message in `messages`. */
export function streamedReply(
  messages: readonly RichMessage[],
  { interruptions, ...options }: StreamedOptions & { readonly interruptions: readonly Interruption[] },
): StreamedPart[] {
  return streamedMessages(messages, { ...options, interruptions })[0]?.parts ?? [];
}

function streamedReplies(parts: readonly AiSdkUIPart[]): StreamedPart[] {
  // In each step, adjacent text parts are joined, and so are adjacent reasoning parts. The tool calls come last.
  const streamed: StreamedPart[] = [];
  let calls: StreamedPart[] = [];
  for (const part of parts.flatMap(streamedPart)) {
    if (part.type === "step-start") {
      streamed.push(...calls);
      calls = [];
    }
    if (isToolPart(part) && part.providerExecuted !== true) calls.push(part);
    else pushJoined(streamed, part);
  }
  streamed.push(...calls);
  return streamed.filter((part, index) => part.type !== "step-start" || isFilled(streamed[index + 1]));
}

/** Checks whether a step has content. `next` is the part after the step's `step-start` part. */
const isFilled = (next: StreamedPart | undefined): boolean =>
  next !== undefined && next.type !== "step-start";

function pushJoined(streamed: StreamedPart[], part: StreamedPart): void {
  const last = streamed.at(-1);
  const isPiece = part.type === "text" || part.type === "reasoning";
  if (isPiece && last !== undefined && last.type === part.type) {
    streamed[streamed.length - 1] = { ...last, text: last.text + part.text };
  } else {
    streamed.push(part);
  }
}

/** Converts an `AiSdkUIPart` of a user's stored message back into the part that the browser sent. */
const sentPart = (part: AiSdkUIPart): StreamedPart => {
  if (part.type === "text") return { type: "text", text: part.text };
  return part.type === "reasoning" ? { ...part, state: "done" } : part;
};

/**
 * Converts an `AiSdkUIPart` of a stored reply into the part that the AI SDK's client builds when the reply is streamed.
 * Returns `[]` for empty text or reasoning.
 */
function streamedPart(part: AiSdkUIPart): StreamedPart[] {
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
      return [streamedCall(part)];
  }
}

function streamedCall({ toolMetadata: _, ...part }: AiSdkToolPart): AiSdkToolPart {
  const streamed = { ...part, input: readable(part.input) };
  return streamed.state === "output-available"
    ? { ...streamed, output: readable(streamed.output) }
    : streamed;
}

/** Matches JSON with a key that the AI SDK's parser rejects. */
const REFUSED = /"(?:__proto__|constructor)":/;

function readable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  // An error of the parser would end the whole stream.
  return REFUSED.test(text) ? text : value;
}
