import type { ApprovalDecision, ContentPart, Message, Result, RichMessage, RichToolCall } from "@jaf/memory";
import {
  createFailure,
  createMemoryValidationError,
  parseApprovalDecision,
  parseMessages,
  present,
} from "@jaf/memory/internal";
import * as z from "zod";
import { type Fields, fieldsOf, textField } from "../fields.ts";
import { contentOf } from "../reply/message.ts";
import { mediaAt } from "./parts.ts";
import { deniedText, outputContent } from "./tool-parts.ts";

const partSchema = z.looseObject({ type: z.string() });
const uiMessagesSchema = z.array(
  z.looseObject({ role: z.enum(["system", "user", "assistant"]), parts: z.array(partSchema) }),
);

type UIMessage = z.output<typeof uiMessagesSchema>[number];

/**
 * What a client's user interface holds, as messages: `unknown`, because it comes from outside.
 *
 * Taken are the texts and files of the user, and of the assistant its texts, thoughts, files, sources and calls with their
 * results, each step as one reply. Not taken, since a client has no say in them: system messages, ids, `metadata`, all
 * provider metadata (signatures among it), data parts, and decisions about approvals, for which there is
 * {@link decisionsFromUIMessages}. A file has to be data or of the web. Nobody knows which model wrote the replies, so that
 * nothing opaque of them goes to any.
 *
 * None of it is checked against what is stored: hand it to `RunConfig.resume`, which does that.
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
  return parseMessages(parsed.data.flatMap(messagesOf));
}

/** What the user decided about calls that wait for an approval, for `RunConfig.resume`, which checks each of them. */
export function decisionsFromUIMessages(uiMessages: unknown): ApprovalDecision[] {
  const parsed = uiMessagesSchema.safeParse(uiMessages);
  const parts = parsed.success ? parsed.data.flatMap((message) => message.parts) : [];
  return parts.flatMap((part) => {
    if (!isTool(part) || part["state"] !== "approval-responded" || part["providerExecuted"] === true)
      return [];
    const { id, approved, reason } = fieldsOf(part["approval"]);
    return parseApprovalDecision({ toolCallId: part["toolCallId"], approvalId: id, approved, reason }) ?? [];
  });
}

function messagesOf({ role, parts }: UIMessage): RichMessage[] {
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
      return steps(parts).flatMap(stepMessages);
  }
}

function steps(parts: readonly Fields[]): Fields[][] {
  const found: Fields[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") found.push([]);
    else found.at(-1)?.push(part);
  }
  return found.filter((step) => step.length > 0);
}

/** A reply, and the results of its calls. */
function stepMessages(step: readonly Fields[]): RichMessage[] {
  const content: ContentPart[] = [];
  const calls: RichToolCall[] = [];
  const results: RichMessage[] = [];
  for (const part of step) {
    if (!isTool(part)) {
      const known = contentPart(part);
      if (known !== undefined) content.push(known);
    } else if (part["providerExecuted"] === true) {
      content.push(...providerParts(part));
    } else if (part["state"] !== "input-streaming") {
      const call = callOf(part);
      const answer = resultOf(part);
      calls.push(call);
      content.push({ type: "tool-call", id: call.id });
      if (answer !== undefined) results.push({ role: "tool", content: answer, tool_call_id: call.id });
    }
  }
  if (content.length === 0) return [];
  const called = calls.length === 0 ? {} : { tool_calls: calls };
  return [{ role: "assistant", content: contentLike(step, content), ...called }, ...results];
}

/** Parts where the reply was in parts when it was given out, so that the two can be compared. */
function contentLike(shown: readonly Fields[], parts: readonly ContentPart[]): RichMessage["content"] {
  const wasInParts = shown.some(
    ({ type, state }) => type === "reasoning" || (type === "text" && state === "done"),
  );
  return wasInParts ? parts : contentOf(parts);
}

/** Of what is neither a call nor a part that clients have no say in. */
function contentPart(part: Fields): ContentPart | undefined {
  const [text, url, title] = [textField(part, "text"), textField(part, "url"), textField(part, "title")];
  const mediaType = textField(part, "mediaType");
  const filename = textField(part, "filename");
  const named = present({ filename });
  switch (part["type"]) {
    case "text":
      return text === undefined ? undefined : { type: "text", text };
    case "reasoning":
      return text === undefined || text === "" ? undefined : { type: "reasoning", text };
    case "file":
      return url === undefined || mediaType === undefined ? undefined : mediaAt({ mediaType, url, ...named });
    case "source-url": {
      const id = textField(part, "sourceId") ?? "";
      return { type: "source", sourceType: "url", id, url, ...present({ title }) };
    }
    case "source-document": {
      const id = textField(part, "sourceId") ?? "";
      return { type: "source", sourceType: "document", id, title, mediaType, ...named };
    }
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
  // A text is what a model wrote in place of JSON.
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");
  return { id, type: "function", function: { name, arguments: text } };
}

/** `undefined` where it waits. */
function resultOf(part: Fields): RichMessage["content"] | undefined {
  switch (part["state"]) {
    case "output-available":
      return part["preliminary"] === true ? undefined : outputContent(part["output"]);
    case "output-error":
      return textField(part, "errorText") ?? "";
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
