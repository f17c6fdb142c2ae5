import { decisionsFromUIMessages, fromUIMessages } from "@jaf/ai-sdk";
import { type ClientToolResult, type Interruption, ToolErrorCodes, ToolResponse } from "@jaf/core";
import type { ApprovalDecision, RichMessage } from "@jaf/memory";
import * as z from "zod";
import { clientPart, isDataUrl, type NamedFile, namedFiles, normalUrl } from "../http/client-content.ts";
import { HttpFailure } from "../http/failure.ts";
import { type Path, parseInput } from "../http/request-body.ts";

type UIMessage = AiSdkChatBody["messages"][number];

/** A message of the user, with the id that the client gave it. */
export interface SaidMessage {
  readonly id: string | undefined;
  readonly content: NonNullable<RichMessage["content"]>;
  /** All files that the message names by a URL, including files that `content` can't hold, e.g. `ftp:` URLs. */
  readonly files: readonly NamedFile[];
}

/**
 * A parsed request of the AI SDK's `useChat`. `asks` says what the user wants:
 *
 * - `"say"`: send the message `said`.
 * - `"edit"`: replace a message of the user by `said`.
 * - `"regenerate"`: get a new reply to the message `said`.
 * - `"go-on"`: answer tool calls that wait for an approval or for the client, with `answers`.
 */
export type ChatRequest = {
  readonly chatId: string;
  readonly agentName: string | undefined;
} & (
  | { readonly asks: "say" | "edit" | "regenerate"; readonly said: SaidMessage }
  | { readonly asks: "go-on"; readonly answers: ClientAnswers }
);

/** The user's answers to pending calls, read from the client's copy of the assistant's message. */
export interface ClientAnswers {
  readonly approvals: readonly ApprovalDecision[];
  /** Returns the client's results for the pending calls `waiting`. Calls without a result are left out. */
  readonly resultsOf: (waiting: readonly Interruption[]) => readonly NamingResult[];
  /** Number of parts in the client's copy of the assistant's message. */
  readonly heldParts: number;
}

/** The client's result for a tool call, with the files that the result names by a URL or a file id. */
export interface NamingResult extends ClientToolResult {
  readonly files: readonly NamedFile[];
}

/** Parses the body of a chat request. Throws an `HttpFailure` if the body is invalid. */
export function chatRequestOf(body: AiSdkChatBody): ChatRequest {
  const { id: chatId, messages, trigger, messageId, agentName } = body;
  const common = { chatId, agentName };
  const named = messages.findIndex(({ id }) => id !== undefined && id === messageId);
  const answered = named === -1 ? messages.length - 1 : named;
  if (trigger === "submit-message" && messages[answered]?.role === "assistant") {
    const answers = answersIn(messages, answered);
    if (answers === undefined) throw invalid(MISSING);
    return { ...common, asks: "go-on", answers };
  }
  const said = saidIn(
    messages,
    messages.findLastIndex(({ role }) => role === "user"),
  );
  if (said === undefined) throw invalid(MISSING);
  if (trigger === "submit-message" && messageId !== undefined && messageId !== said.id)
    throw invalid("messageId: expected the id of a message in messages");
  const asks = trigger === "regenerate-message" ? "regenerate" : messageId === undefined ? "say" : "edit";
  return { ...common, asks, said };
}

const MISSING = "messages: expected a message of the user with readable text or files";

const invalid = (what: string) => new HttpFailure("invalid-request", `Invalid body: ${what}.`);

function saidIn(messages: readonly UIMessage[], index: number): SaidMessage | undefined {
  const message = messages[index];
  if (message === undefined) return undefined;
  const parts = message.parts.map(withNormalUrl);
  const read = fromUIMessages([{ ...message, parts }]);
  if (!read.success) return undefined;
  const [said]: readonly RichMessage[] = read.data;
  const content = said?.content ?? "";
  const files = uiFiles(parts, ["messages", index, "parts"]);
  return content.length + files.length === 0 ? undefined : { id: message.id, content, files };
}

type UIPart = UIMessage["parts"][number];

const textIn = (part: UIPart, field: "url" | "mediaType"): string =>
  typeof part[field] === "string" ? part[field] : "";

const isNamed = (part: UIPart): boolean => part.type === "file" && !isDataUrl(textIn(part, "url"));

function withNormalUrl(part: UIPart): UIPart {
  const url = isNamed(part) ? normalUrl(textIn(part, "url")) : undefined;
  return url === undefined ? part : { ...part, url };
}

/** Returns the files that the parts name by a URL. Files in `data:` URLs are left out. */
const uiFiles = (parts: readonly UIPart[], at: Path): NamedFile[] =>
  parts.flatMap((part, index): NamedFile[] => {
    if (!isNamed(part)) return [];
    const file = { kind: "url", url: textIn(part, "url"), mediaType: textIn(part, "mediaType") } as const;
    return [{ path: [...at, index, "url"], file }];
  });

function answersIn(messages: readonly UIMessage[], index: number): ClientAnswers | undefined {
  const message = messages[index];
  if (message === undefined) return undefined;
  const read = fromUIMessages([message]);
  if (!read.success) return undefined;
  const failed = new Map(
    message.parts.flatMap((part): [unknown, unknown][] =>
      part["state"] === "output-error" ? [[part["toolCallId"], part["errorText"]]] : [],
    ),
  );
  return {
    approvals: decisionsFromUIMessages([message]),
    resultsOf: (waiting) =>
      waiting.flatMap(({ type, toolCallId }): NamingResult[] => {
        // A later call may reuse the id of an earlier one.
        const part = message.parts.findLastIndex((each) => each["toolCallId"] === toolCallId);
        const result = type === "client_tool" ? resultIn(message, part) : undefined;
        if (result === undefined) return [];
        const at = ["messages", index, "parts", part, "output", "value"];
        return [{ toolCallId, ...clientResult(result.content, { error: failed.get(toolCallId), at }) }];
      }),
    heldParts: message.parts.length,
  };
}

/** Returns the result that a part of the message has, as a message. */
function resultIn(message: UIMessage, part: number): RichMessage | undefined {
  // Read alone, because a call of an agent that runs as a tool isn't part of the conversation.
  const read = fromUIMessages([{ ...message, parts: message.parts.slice(part, part + 1) }]);
  return read.success ? read.data.find(({ role }) => role === "tool") : undefined;
}

interface ResultPlace {
  readonly error: unknown;
  readonly at: Path;
}

function clientResult(
  content: RichMessage["content"],
  { error, at }: ResultPlace,
): Omit<NamingResult, "toolCallId"> {
  if (typeof error === "string")
    return { result: ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, error), files: [] };
  if (content === null || typeof content === "string") return { result: content ?? "", files: [] };
  const parts = parseInput(z.array(clientPart), content, "body", at);
  return { result: { parts }, files: namedFiles(parts, at) };
}

export const uiMessageRole = z.enum(["system", "user", "assistant"]);

export const uiMessageParts = z.array(z.looseObject({ type: z.string() }));

/** Schema of the body that `DefaultChatTransport` of the AI SDK sends, with an optional `agentName`. */
export const chatBody = z.looseObject({
  id: z.string().min(1).max(1_000).describe("Chat id, unique per user."),
  messages: z
    .array(z.looseObject({ id: z.string().optional(), role: uiMessageRole, parts: uiMessageParts }))
    .min(1)
    .describe("UI messages. The server reads only the message to send, edit, answer or regenerate."),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().optional(),
  agentName: z.string().min(1).optional(),
});

export type AiSdkChatBody = z.output<typeof chatBody>;
