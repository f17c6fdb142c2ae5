import { decisionsFromUIMessages, fromUIMessages } from "@jaf/ai-sdk";
import { type ClientToolResult, type Interruption, ToolErrorCodes, ToolResponse } from "@jaf/core";
import type { ApprovalDecision, ContentPart, RichMessage } from "@jaf/memory";
import * as z from "zod";
import { HttpFailure } from "../http/failure.ts";

type UIMessage = AiSdkChatBody["messages"][number];

/** A message of the user, with the id that the client gave it. */
export interface SaidMessage {
  readonly id: string | undefined;
  readonly content: NonNullable<RichMessage["content"]>;
}

/**
 * A parsed request of the AI SDK's `useChat`: a new message, or answers to waiting calls. The history in the request is ignored.
 */
export type ChatRequest = {
  readonly chatId: string;
  readonly agentName: string | undefined;
} & (
  | { readonly asks: "say" | "edit" | "regenerate"; readonly said: SaidMessage }
  /** The user answers waiting calls. */
  | { readonly asks: "go-on"; readonly answers: ClientAnswers }
);

/** The user's answers to waiting calls, taken from the client's copy of the assistant's last message. */
export interface ClientAnswers {
  readonly approvals: readonly ApprovalDecision[];
  /** Returns the client's results for these waiting calls. Calls without a result are left out. */
  readonly resultsOf: (waiting: readonly Interruption[]) => readonly ClientToolResult[];
  /** Number of parts that the client has of the assistant's message. */
  readonly heldParts: number;
}

/** Parses the body of a chat request. Throws a failure if the body is invalid. The failure doesn't quote the body. */
export function chatRequestOf(body: AiSdkChatBody): ChatRequest {
  const { id: chatId, messages, trigger, messageId, agentName } = body;
  const common = { chatId, agentName };
  const named = messages.find(({ id }) => id !== undefined && id === messageId);
  const isAnswer = trigger === "submit-message" && (named ?? messages.at(-1))?.role === "assistant";
  if (isAnswer) {
    const answered = named ?? messages.at(-1);
    const answers = answered === undefined ? undefined : answersIn(answered);
    if (answers === undefined) throw invalid(MISSING);
    return { ...common, asks: "go-on", answers };
  }
  const said = saidIn(messages.findLast(({ role }) => role === "user"));
  if (said === undefined) throw invalid(MISSING);
  if (trigger === "submit-message" && messageId !== undefined && messageId !== said.id)
    throw invalid("messageId: expected the id of a message in messages");
  const asks = trigger === "regenerate-message" ? "regenerate" : messageId === undefined ? "say" : "edit";
  return { ...common, asks, said };
}

const MISSING = "messages: expected a message of the user with readable text or files";

const invalid = (what: string) => new HttpFailure("invalid-request", `Invalid body: ${what}.`);

function saidIn(message: UIMessage | undefined): SaidMessage | undefined {
  if (message === undefined) return undefined;
  const read = fromUIMessages([message]);
  if (!read.success) return undefined;
  const [said]: readonly RichMessage[] = read.data;
  const content = said?.content ?? "";
  return content.length === 0 ? undefined : { id: message.id, content };
}

function answersIn(message: UIMessage): ClientAnswers | undefined {
  const read = fromUIMessages([message]);
  if (!read.success) return undefined;
  const failed = new Map(
    message.parts.flatMap((part): [unknown, unknown][] =>
      part["state"] === "output-error" ? [[part["toolCallId"], part["errorText"]]] : [],
    ),
  );
  const results: readonly RichMessage[] = read.data.filter(({ role }) => role === "tool");
  return {
    approvals: decisionsFromUIMessages([message]),
    resultsOf: (waiting) =>
      waiting.flatMap((interruption): ClientToolResult[] => {
        const { type, toolCallId } = interruption;
        // A later call may reuse the id of an earlier one.
        const result = results.findLast(({ tool_call_id }) => tool_call_id === toolCallId);
        if (type !== "client_tool" || result === undefined) return [];
        return [{ toolCallId, result: clientResult(result.content, failed.get(toolCallId)) }];
      }),
    heldParts: message.parts.length,
  };
}

function clientResult(content: RichMessage["content"], error: unknown): ClientToolResult["result"] {
  if (typeof error === "string") return ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, error);
  if (content === null || typeof content === "string") return content ?? "";
  return { parts: content.filter(isToolPart) };
}

type ToolPart = Extract<ClientToolResult["result"], { readonly parts: unknown }>["parts"][number];

/** Checks whether clients may send a part of this type in a tool result: text or media. */
const isToolPart = (part: ContentPart): part is ContentPart & ToolPart =>
  part.type === "text" || part.type === "media";

export const uiMessageRole = z.enum(["system", "user", "assistant"]);

export const uiMessageParts = z.array(z.looseObject({ type: z.string() }));

/** The body that `DefaultChatTransport` of the AI SDK sends, with an optional `agentName`. */
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
