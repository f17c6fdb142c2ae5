import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { isExact, thawed } from "@jaf/memory/internal";
import { base64Of, type Fields, fieldsOf, textField } from "@jaf/model-http";
import { toPrompt } from "../request/messages.ts";
import { promptOfSpecification } from "../request/specification.ts";
import { toolOutput } from "../request/tools.ts";
import { messagesOf } from "../ui/from-ui-messages.ts";
import { deniedText, outputContent } from "../ui/tool-parts.ts";
import { type AnyPart, fieldsBeyond, type Original, originalIn, partEntries, partOf } from "./originals.ts";

/** A model message of the AI SDK (`ModelMessage`), version 5 to 7. */
export interface AnyModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly type: string }[];
}

/** Converts a model message into the messages that are stored for it. */
export function storedModelMessage(message: AnyModelMessage): RichMessage[] {
  const { role, content, ...fields } = message;
  const [first = { role, content: "" }, ...rest] = standardForm(message);
  const converted = role === "tool" ? toolParts([first, ...rest]) : contentOf(first);
  const comesBack = isExact(converted, content);
  const extraFields = fieldsBeyond({}, fields) ?? {};
  const hasExtra = Object.keys(extraFields).length > 0;
  // A call without a result is left out, unless it stands in a message that was stored as a model message.
  if (comesBack && !hasExtra && first.tool_calls === undefined) return [first];
  const aiSdk: Original = {
    kind: "model",
    messages: 1 + rest.length,
    ...(hasExtra ? { fields: extraFields } : {}),
    ...(comesBack || typeof content === "string" ? {} : { parts: partEntries(content, partsIn(converted)) }),
  };
  return [{ ...first, aiSdk }, ...rest];
}

function standardForm({ role, content }: AnyModelMessage): readonly RichMessage[] {
  if (typeof content === "string")
    return [{ role, content, ...(role === "tool" ? { tool_call_id: "" } : {}) }];
  const parts = content.map((part): AnyPart => ({ ...part }));
  if (role === "system") return [];
  if (role !== "tool") return messagesOf({ role, parts: uiParts(parts) }).slice(0, 1);
  const results = parts.filter(({ type }) => type === "tool-result").map(resultMessage);
  // An answer to an approval has no place in the standard form. Other engines leave out a result without a call.
  return results.length > 0 ? results : [{ role, content: "", tool_call_id: "" }];
}

/** Converts parts of a model message into parts of a UI message, which the package can convert into the standard form. */
function uiParts(parts: readonly AnyPart[]): AnyPart[] {
  const results = new Map(
    parts.flatMap((part) => (part.type === "tool-result" ? [[part["toolCallId"], part["output"]]] : [])),
  );
  return parts.flatMap((part): AnyPart[] => {
    const { toolCallId, toolName, input, providerExecuted } = part;
    switch (part.type) {
      case "text":
      case "reasoning":
        return [{ type: part.type, text: part["text"], state: "done" }];
      case "image":
        return filePart(part["image"], { mediaType: "image/*", ...part });
      case "file":
        return filePart(part["data"], part);
      case "tool-call": {
        const output = results.get(toolCallId);
        const answer =
          output === undefined
            ? { state: "input-available" }
            : { state: "output-available", output: fieldsOf(output)["value"] };
        const call = { type: `tool-${String(toolName)}`, toolCallId, input };
        return [
          providerExecuted === true
            ? { ...call, providerExecuted, ...answer }
            : { ...call, state: "input-available" },
        ];
      }
      default:
        return [];
    }
  });
}

function filePart(data: unknown, { mediaType, filename }: Fields): AnyPart[] {
  if (typeof mediaType !== "string") return [];
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  const isAddress = bytes instanceof URL || (typeof bytes === "string" && /^(https?|data):/i.test(bytes));
  const isData = typeof bytes === "string" || bytes instanceof Uint8Array;
  const url = isAddress ? String(bytes) : isData ? `data:${mediaType};base64,${base64Of(bytes)}` : undefined;
  const named = typeof filename === "string" ? { filename } : {};
  return url === undefined ? [] : [{ type: "file", mediaType, url, ...named }];
}

function resultMessage(part: AnyPart): RichMessage {
  const output = fieldsOf(part["output"]);
  const { type, value } = output;
  const content =
    type === "execution-denied"
      ? deniedText(textField(output, "reason"))
      : outputContent(type === "content" ? output : value);
  return { role: "tool", tool_call_id: textField(part, "toolCallId") ?? "", content };
}

const toolParts = (messages: readonly RichMessage[]): AnyPart[] =>
  messages.map(({ tool_call_id: toolCallId, content }) => ({
    type: "tool-result",
    toolCallId,
    output: toolOutput(content, ""),
  }));

const partsIn = (content: AnyModelMessage["content"]): readonly object[] =>
  typeof content === "string" ? [] : content;

/** Converts a message other than a result back into the content of a model message. */
const contentOf = (message: RichMessage): AnyModelMessage["content"] =>
  typeof message.content === "string" && (message.tool_calls ?? []).length === 0
    ? message.content
    : (promptOf([message])[0]?.content ?? []);

const UNKNOWN: ModelOrigin = { provider: "", api: "", model: "" };

/** Converts a reply and its results, or another message alone, with everything that the reply's own model understands. */
function promptOf(chunk: readonly RichMessage[]): AnyModelMessage[] {
  const origin = chunk[0]?.origin ?? UNKNOWN;
  const providerKey = origin.provider.split(".", 1)[0] ?? "";
  const recipient = { origin, providerKey, foreignReasoning: "omit", providerTools: new Map() } as const;
  return [...promptOfSpecification("v3", toPrompt("", chunk, recipient))];
}

/**
 * Converts a stored conversation into model messages. Leaves out calls without a result, which no model accepts, e.g. of a
 * reply that was stopped. Messages that were stored as model messages come back as they were.
 */
export function modelMessagesOf(messages: readonly RichMessage[]): AnyModelMessage[] {
  const found: AnyModelMessage[] = [];
  for (let index = 0; index < messages.length; ) {
    const head = messages[index];
    if (head === undefined) break;
    const original = originalIn(head, "model");
    const end = chunkEnd(messages, index, original);
    const chunk = messages.slice(index, end);
    if (original === undefined) found.push(...standardMessages(withoutOpenCalls(messages, index, chunk)));
    else found.push(restored(chunk, original));
    index = end;
  }
  return thawed(found);
}

/**
 * Returns the index after the results that belong to the message at `start`: those of a reply, or the further results of a
 * tool message that was stored as several. Another engine may have dropped some of them.
 */
function chunkEnd(messages: readonly RichMessage[], start: number, original: Original | undefined): number {
  const role = messages[start]?.role;
  if (original === undefined ? role !== "assistant" : role !== "tool") return start + 1;
  const maximum = original === undefined ? messages.length : start + original.messages;
  let end = start + 1;
  while (end < maximum && messages[end]?.role === "tool" && originalIn(messages[end], "model") === undefined)
    end += 1;
  return end;
}

/** Removes the calls of the reply at `start` that have no result among the messages after it. */
function withoutOpenCalls(
  messages: readonly RichMessage[],
  start: number,
  [head, ...results]: readonly RichMessage[],
): readonly RichMessage[] {
  const calls = head?.tool_calls ?? [];
  if (head === undefined || calls.length === 0) return head === undefined ? [] : [head, ...results];
  const answered = new Set<string | undefined>();
  for (let index = start + 1; messages[index]?.role === "tool"; index++)
    answered.add(messages[index]?.tool_call_id);
  const open = new Set(
    calls.flatMap((call) => (call["providerExecuted"] === true || answered.has(call.id) ? [] : [call.id])),
  );
  if (open.size === 0) return [head, ...results];
  const { tool_calls: _, content, ...rest } = head;
  const left = calls.filter(({ id }) => !open.has(id));
  const shown =
    content === null || typeof content === "string"
      ? content
      : content.filter((part) => part.type !== "tool-call" || !open.has(String(part["id"])));
  if (left.length === 0 && (shown ?? "").length === 0) return results;
  return [{ ...rest, content: shown, ...(left.length === 0 ? {} : { tool_calls: left }) }, ...results];
}

function standardMessages(chunk: readonly RichMessage[]): AnyModelMessage[] {
  const [head] = chunk;
  if (head === undefined) return [];
  const { content } = head;
  const isText = typeof content === "string" && (head.tool_calls ?? []).length === 0;
  if (!isText || head.role === "tool" || head.role === "developer") return promptOf(chunk);
  // A UI message of parts that only the application understands, e.g. data.
  const isEmpty = content === "" && head.role === "assistant" && originalIn(head, "ui") !== undefined;
  return isEmpty ? [] : [{ role: head.role, content }];
}

function restored(chunk: readonly RichMessage[], { fields, parts }: Original): AnyModelMessage {
  const [head = { role: "user", content: "" } as const] = chunk;
  const role = head.role === "developer" ? "system" : head.role;
  const content = role === "tool" && parts !== undefined ? toolParts(chunk) : contentOf(head);
  const exactParts = parts?.flatMap((entry) => partOf(entry, partsIn(content)) ?? []);
  return { role, content: exactParts ?? content, ...fields };
}
