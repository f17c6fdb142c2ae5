import type { ApprovalDecision, ContentPart, Message, Result, RichMessage, RichToolCall } from "@jaf/memory";
import {
  createFailure,
  createMemoryValidationError,
  MAX_DEPTH,
  parseApprovalDecision,
  parseMessages,
  present,
} from "@jaf/memory/internal";
import { contentOf, type Fields, fieldsOf, textField } from "@jaf/model-http";
import * as z from "zod";
import { withoutInnerCalls } from "./inner-calls.ts";
import { mediaAt, refusalIn } from "./parts.ts";
import { sourceIn } from "./sources.ts";
import { APPROVED, asDecided, deniedText, isDecided, outputContent } from "./tool-parts.ts";

const partSchema = z.looseObject({ type: z.string() });
const uiMessagesSchema = z.array(
  z.looseObject({ role: z.enum(["system", "user", "assistant"]), parts: z.array(partSchema) }),
);

type UIMessage = z.output<typeof uiMessagesSchema>[number];

/**
 * Converts the UI messages that a client sent into messages. The input is `unknown`, because clients aren't trusted.
 *
 * Accepts texts and files of the user, and the assistant's texts, reasoning, files, sources and calls with their results.
 * Each step becomes one reply. Ignores everything that a client must not set: system messages, ids, `metadata`, provider
 * metadata with its signatures, data parts, and approval decisions. {@link decisionsFromUIMessages} reads these decisions.
 * Calls of agents that run as tools (see {@link toUIMessages}) aren't part of the conversation, so they are left out; decisions
 * about them aren't. Files must have `data:` or web URLs. The replies have no origin, so no model gets their opaque parts.
 *
 * Doesn't compare the messages with the stored messages; `RunConfig.resume` does. Fails with a `MemoryValidationError` if
 * the input is invalid.
 *
 * @example
 * ```ts
 * import { decisionsFromUIMessages, fromUIMessages } from "@jaf/ai-sdk";
 * import type { RunConfig } from "@jaf/core";
 *
 * export function resumeOf(body: { readonly messages: unknown }): NonNullable<RunConfig<unknown>["resume"]> {
 *   const parsed = fromUIMessages(body.messages);
 *   if (!parsed.success) throw new Error(parsed.error.message);
 *   return { messages: parsed.data, approvals: decisionsFromUIMessages(body.messages) };
 * }
 * ```
 */
export function fromUIMessages(uiMessages: unknown): Result<readonly Message[]> {
  const parsed = uiMessagesSchema.safeParse(uiMessages);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      path: path.map(String).join("."),
      expected: message.replace(/^.*expected /, ""),
    }));
    return createFailure(createMemoryValidationError(issues, { operation: "fromUIMessages" }));
  }
  try {
    return parseMessages(parsed.data.flatMap(messagesOf));
  } catch {
    // `JSON.stringify` throws for values that JSON can't have, and for too many levels.
    const issues = [{ path: "", expected: `JSON with at most ${MAX_DEPTH} levels` }];
    return createFailure(createMemoryValidationError(issues, { operation: "fromUIMessages" }));
  }
}

/**
 * Returns the approval decisions in a client's UI messages, for `RunConfig.resume`, which validates each of them. Returns
 * `[]` if the input is invalid. See {@link fromUIMessages} for an example.
 *
 * @example
 * ```ts
 * import { decisionsFromUIMessages } from "@jaf/ai-sdk";
 * import type { AgentClient } from "@jaf/core";
 *
 * declare const client: AgentClient<string>;
 *
 * export const decide = (userId: string, conversationId: string, body: { readonly messages: unknown }) =>
 *   client
 *     .forUser(userId)
 *     .continue(conversationId)
 *     .prompt([], { approvals: decisionsFromUIMessages(body.messages) });
 * ```
 */
export function decisionsFromUIMessages(uiMessages: unknown): ApprovalDecision[] {
  const parsed = uiMessagesSchema.safeParse(uiMessages);
  const parts = parsed.success ? parsed.data.flatMap((message) => steps(message.parts)) : [];
  return parts.flat().flatMap((part) => {
    if (!isTool(part) || part["state"] !== "approval-responded" || isDecided(part)) return [];
    const { id, approved, reason } = fieldsOf(part["approval"]);
    return parseApprovalDecision({ toolCallId: part["toolCallId"], approvalId: id, approved, reason }) ?? [];
  });
}

/** Converts a UI message into messages in the standard form. Leaves out what {@link fromUIMessages} ignores. */
export function messagesOf({ role, parts }: Pick<UIMessage, "role" | "parts">): RichMessage[] {
  switch (role) {
    case "system":
      return [];
    case "user": {
      const said = parts.filter(({ type }) => type === "text" || type === "file");
      return [
        {
          role,
          content: contentLike(
            said,
            said.flatMap((part) => contentPart(part) ?? []),
          ),
        },
      ];
    }
    case "assistant":
      return steps(withoutInnerCalls(parts)).flatMap(stepMessages);
  }
}

function steps(parts: readonly Fields[]): Fields[][] {
  const found: Fields[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") found.push([]);
    else found.at(-1)?.push(part);
  }
  // The next step began after the decisions about the calls of this step.
  return found.map((step, index) => (index === found.length - 1 ? step : step.map(asDecided)));
}

/** Converts a step into messages: a reply, and the results of the reply's calls. */
function stepMessages(step: readonly Fields[]): RichMessage[] {
  const content: ContentPart[] = [];
  const calls: RichToolCall[] = [];
  const results: RichMessage[] = [];
  const [field] = step.filter((part) => refusalIn(part) === "field");
  const shown = step.filter((part) => part !== field);
  for (const part of shown) {
    if (!isTool(part)) {
      const known = contentPart(part);
      if (known !== undefined) content.push(known);
    } else if (part["providerExecuted"] === true && part["approval"] === undefined) {
      content.push(...providerParts(part));
    } else if (part["state"] !== "input-streaming") {
      const call = callOf(part);
      const answer = resultOf(part);
      calls.push(call);
      content.push({ type: "tool-call", id: call.id });
      if (answer !== undefined) results.push({ role: "tool", content: answer, tool_call_id: call.id });
    }
  }
  if (content.length === 0 && field === undefined) return [];
  const called = calls.length === 0 ? {} : { tool_calls: calls };
  const refused = field === undefined ? {} : { refusal: textField(field, "text") ?? "" };
  return [{ role: "assistant", content: contentLike(shown, content), ...called, ...refused }, ...results];
}

/** Returns the reply's content in the form in which the reply was stored (text or parts), so that both can be compared. */
function contentLike(shown: readonly Fields[], parts: readonly ContentPart[]): RichMessage["content"] {
  const wasInParts = shown.some(
    ({ type, state }) => type === "reasoning" || (type === "text" && state === "done"),
  );
  return wasInParts ? parts : contentOf(parts);
}

/** Converts a part that isn't a call. Returns `undefined` for a part that clients must not set. */
function contentPart(part: Fields): ContentPart | undefined {
  const [text, url] = [textField(part, "text"), textField(part, "url")];
  const mediaType = textField(part, "mediaType");
  const filename = textField(part, "filename");
  const named = present({ filename });
  switch (part["type"]) {
    case "text":
      if (text === undefined) return undefined;
      return refusalIn(part) === undefined ? { type: "text", text } : { type: "refusal", refusal: text };
    case "reasoning":
      return text === undefined || text === "" ? undefined : { type: "reasoning", text };
    case "file":
      return url === undefined || mediaType === undefined ? undefined : mediaAt({ mediaType, url, ...named });
    case "source-url":
    case "source-document":
      return sourceIn(part);
    default:
      return undefined;
  }
}

const isTool = (part: Fields): boolean =>
  typeof part["toolCallId"] === "string" && toolName(part) !== undefined;

function toolName(part: Fields): string | undefined {
  const type = textField(part, "type") ?? "";
  return type === "dynamic-tool" ? textField(part, "toolName") : /^tool-(.*)$/s.exec(type)?.[1];
}

function callOf(part: Fields): RichToolCall {
  const id = textField(part, "toolCallId") ?? "";
  const name = toolName(part) ?? "";
  const input = part["input"] ?? part["rawInput"];
  if (fieldsOf(part["toolMetadata"])["inputType"] === "text" && typeof input === "string") {
    return { id, type: "custom", custom: { name, input } };
  }
  // A string is what a model wrote instead of JSON.
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");
  const executed = part["providerExecuted"] === true ? { providerExecuted: true } : {};
  return { id, type: "function", function: { name, arguments: text }, ...executed };
}

/** Returns the result of a call, or `undefined` if the call has no result. */
function resultOf(part: Fields): RichMessage["content"] | undefined {
  switch (part["state"]) {
    case "output-available":
      return part["preliminary"] === true ? undefined : outputContent(part["output"]);
    case "output-error":
      return textField(part, "errorText") ?? "";
    case "approval-responded":
      return isDecided(part) ? APPROVED : undefined;
    case "output-denied":
      return deniedText(textField(fieldsOf(part["approval"]), "reason"));
    default:
      return undefined;
  }
}

function providerParts(part: Fields): ContentPart[] {
  const id = textField(part, "toolCallId") ?? "";
  const name = toolName(part) ?? "";
  const dynamic = part["type"] === "dynamic-tool" ? { dynamic: true } : {};
  const call: ContentPart = { type: "provider-tool-call", id, name, input: part["input"] ?? {}, ...dynamic };
  const result = { type: "provider-tool-result", id, name, ...dynamic };
  switch (part["state"]) {
    case "output-available":
      return [call, { ...result, output: part["output"] ?? null }];
    case "output-error":
      return [call, { ...result, output: textField(part, "errorText") ?? "", isError: true }];
    case "input-streaming":
      return [];
    default:
      return [call];
  }
}
