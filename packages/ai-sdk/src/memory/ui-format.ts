import type { RichMessage } from "@jaf/memory";
import { isExact, sha256, thawed } from "@jaf/memory/internal";
import type { Fields } from "@jaf/model-http";
import { messagesOf } from "../ui/from-ui-messages.ts";
import { type ToUIMessagesOptions, toUIMessages } from "../ui/to-ui-messages.ts";
import { isToolPart } from "../ui/tool-parts.ts";
import type { AiSdkUIPart } from "../ui/ui-message.ts";
import { type AnyPart, fieldsBeyond, type Original, originalIn, partEntries, partOf } from "./originals.ts";

/** A UI message of the AI SDK, version 5 to 7, with the application's own types of metadata, data parts and tools. */
export interface AnyUIMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
  readonly metadata?: unknown;
}

/** How stored messages are converted back: nothing is left out, since the application's server gets the result. */
const WHOLE = { system: true, providerMetadata: true } satisfies ToUIMessagesOptions;

/** Converts a UI message into the messages that are stored for it. */
export function storedForm({ id, role, parts, ...fields }: AnyUIMessage): RichMessage[] {
  const [head = { role, content: "" }, ...rest] = standardForm(role, parts);
  const first = { ...head, id };
  const converted = convertedParts([first, ...rest]);
  const isWhole = isExact(converted, parts);
  const own = fieldsBeyond({}, fields) ?? {};
  const hasOwn = Object.keys(own).length > 0;
  if (role === "user" && isWhole && !hasOwn && rest.length === 0) return [first];
  const aiSdk: Original = {
    kind: "ui",
    messages: 1 + rest.length,
    ...(hasOwn ? { fields: own } : {}),
    ...(isWhole ? {} : { parts: partEntries(parts, converted) }),
  };
  return [{ ...first, aiSdk }, ...rest];
}

function standardForm(role: AnyUIMessage["role"], parts: AnyUIMessage["parts"]): RichMessage[] {
  if (role !== "system") return messagesOf({ role, parts: parts.map((part) => ({ ...part })) });
  const texts = parts.flatMap((part) => {
    const { type, text }: Fields = { ...part };
    return type === "text" && typeof text === "string" ? [text] : [];
  });
  return [{ role, content: texts.join("\n") }];
}

const convertedParts = (messages: readonly RichMessage[]): readonly AiSdkUIPart[] =>
  toUIMessages(messages, WHOLE).flatMap((message) => message.parts);

/** A UI message and the stored messages that express it. */
export interface StoredUIMessage {
  /** Absent: the messages aren't shown, e.g. instructions that JAF's engine stored. */
  readonly ui?: AnyUIMessage;
  readonly messages: readonly RichMessage[];
}

/** Converts a stored conversation into UI messages. `firstPosition`: the position of its first message. */
export function storedUIMessages(
  messages: readonly RichMessage[],
  firstPosition: number,
): readonly StoredUIMessage[] {
  const taken = new Set<string>();
  const stored: StoredUIMessage[] = [];
  for (let index = 0; index < messages.length; ) {
    const head = messages[index];
    if (head === undefined) break;
    const original = originalIn(head, "ui");
    const end = groupEnd(messages, index, original);
    const group = messages.slice(index, end);
    const position = firstPosition + index;
    index = end;
    const parts = uiParts(group, original);
    if (parts === undefined) {
      stored.push({ messages: group });
      continue;
    }
    const given = typeof head.id === "string" && head.id !== "" ? head.id : undefined;
    // A model provider may repeat ids.
    const id = given === undefined || taken.has(given) ? `jaf-${position}` : given;
    taken.add(id);
    const role = head.role === "system" || head.role === "user" ? head.role : "assistant";
    stored.push({ ui: { id, role, parts, ...thawed(original?.fields ?? {}) }, messages: group });
  }
  return stored;
}

/** Returns the index after the last message of the UI message that begins at `start`. */
function groupEnd(messages: readonly RichMessage[], start: number, original: Original | undefined): number {
  const role = messages[start]?.role;
  if (role !== "assistant" && role !== "tool") return start + 1;
  // Another engine continued the reply, e.g. after an approval.
  const own = Math.min(messages.length, start + (original?.messages ?? 1));
  const next = messages.findIndex(
    (message, index) =>
      index >= own &&
      (!["assistant", "tool"].includes(message.role) || originalIn(message, "ui") !== undefined),
  );
  return next < 0 ? messages.length : next;
}

function uiParts(
  group: readonly RichMessage[],
  original: Original | undefined,
): AnyUIMessage["parts"] | undefined {
  const [head] = group;
  if (original === undefined && (head?.role === "system" || head?.role === "developer")) return undefined;
  const all = convertedParts(group);
  // Results without their call can't be shown.
  if (original === undefined) return head?.role === "tool" && all.length === 0 ? undefined : thawed(all);
  const before = convertedParts(group.slice(0, original.messages));
  if (original.parts === undefined) return thawed(all);
  const parts = original.parts.flatMap((entry) => partOf(entry, all) ?? []);
  const answered = parts.map((part) => withLaterAnswer(part, before, all));
  return thawed([...answered, ...all.slice(before.length)]);
}

/** Returns a part of a call with the answer that another engine stored after the UI message. */
function withLaterAnswer(
  part: AnyPart,
  before: readonly AiSdkUIPart[],
  all: readonly AiSdkUIPart[],
): AnyPart {
  const { toolCallId, approval: _, ...rest } = part;
  const index = before.findLastIndex((each) => isToolPart(each) && each.toolCallId === toolCallId);
  const [was, is] = [before[index], all[index]];
  if (was === undefined || is === undefined || isExact(was, is)) return part;
  return { ...rest, ...is };
}

/** Returns the ids under which the messages of a UI message are stored, so that a repeated save adds nothing. */
export const storedIds = (id: string, count: number): string[] =>
  // A hash, because a store doesn't accept every text as an id.
  Array.from({ length: count }, (_, index) => sha256(JSON.stringify(["ui", id, index]), "hex"));
