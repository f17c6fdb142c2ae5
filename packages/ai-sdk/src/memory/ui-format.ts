import type { RichMessage } from "@jaf/memory";
import { isExact, sha256, thawed } from "@jaf/memory/internal";
import { type Fields, fieldsOf, textField } from "@jaf/model-http";
import { messagesOf } from "../ui/from-ui-messages.ts";
import { type ToUIMessagesOptions, toUIMessages } from "../ui/to-ui-messages.ts";
import { isToolPart } from "../ui/tool-parts.ts";
import type { AiSdkUIPart } from "../ui/ui-message.ts";
import { fieldsBeyond, type Original, originalIn, partEntries, partOf } from "./originals.ts";

/** A UI message of the AI SDK, version 5 to 7, with the application's own types of metadata, data parts and tools. */
export interface AnyUIMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
  readonly metadata?: unknown;
}

/** How stored messages are converted back: nothing is left out, since the application's server gets the result. */
const EVERYTHING = { system: true, providerMetadata: true } satisfies ToUIMessagesOptions;

/** Converts a UI message into the messages that are stored for it. */
export function storedForm({ id, role, parts, ...fields }: AnyUIMessage): RichMessage[] {
  const [head = { role, content: "" }, ...rest] = standardForm(role, parts);
  const first = { ...head, id };
  const converted = convertedParts([first, ...rest]);
  const comesBack = isExact(converted, parts);
  const extraFields = fieldsBeyond({}, fields) ?? {};
  const hasExtra = Object.keys(extraFields).length > 0;
  if (role === "user" && comesBack && !hasExtra && rest.length === 0) return [first];
  const aiSdk: Original = {
    kind: "ui",
    messages: 1 + rest.length,
    ...(hasExtra ? { fields: extraFields } : {}),
    ...(comesBack ? {} : { parts: partEntries(parts, converted) }),
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
  toUIMessages(messages, EVERYTHING).flatMap((message) => message.parts);

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
    const end = groupEnd(messages, index);
    const group = messages.slice(index, end);
    const position = firstPosition + index;
    index = end;
    const parts = uiParts(group, original);
    if (parts === undefined) {
      stored.push({ messages: group });
      continue;
    }
    const id = shownId(head, { position, taken });
    taken.add(id);
    const role = head.role === "system" || head.role === "user" ? head.role : "assistant";
    stored.push({ ui: { id, role, parts, ...thawed(original?.fields ?? {}) }, messages: group });
  }
  return stored;
}

/** The message's own id, unless it has none or an earlier message has the same: a model provider may repeat ids. */
function shownId(
  head: RichMessage,
  { position, taken }: { readonly position: number; readonly taken: ReadonlySet<string> },
): string {
  const given = textField(fieldsOf(head["aiSdk"]), SHOWN_AS) ?? head.id;
  if (typeof given === "string" && given !== "" && !taken.has(given)) return given;
  let id = `jaf-${position}`;
  for (let count = 2; taken.has(id); count++) id = `jaf-${position}-${count}`;
  return id;
}

/** The field of `aiSdk` with the id under which a message of another engine was shown, if it isn't the message's own. */
const SHOWN_AS = "shownAs";

/** Returns the messages of an entry that is written again, perhaps at another position, under the id that it has now. */
export function withShownId({ ui, messages }: StoredUIMessage): readonly RichMessage[] {
  const [head, ...rest] = messages;
  if (head === undefined || ui === undefined || ui.id === head.id) return messages;
  return [{ ...head, aiSdk: { ...fieldsOf(head["aiSdk"]), [SHOWN_AS]: ui.id } }, ...rest];
}

/** Returns the index after the last message of the UI message that begins at `start`. */
function groupEnd(messages: readonly RichMessage[], start: number): number {
  const isReply = (message: RichMessage | undefined) =>
    message?.role === "assistant" || message?.role === "tool";
  let end = start + 1;
  if (!isReply(messages[start])) return end;
  // Another engine may have continued the reply, e.g. after an approval, or dropped its end.
  while (isReply(messages[end]) && originalIn(messages[end], "ui") === undefined) end += 1;
  return end;
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
  const answers = laterAnswers(before, all);
  const answered = parts.map((part) => {
    const answer = answers.get(part["toolCallId"]);
    const { approval: _, ...rest } = part;
    return answer === undefined ? part : { ...rest, ...answer };
  });
  return thawed([...answered, ...all.slice(before.length)]);
}

/** Returns the calls of a UI message that another engine answered after it was stored, by their ids. */
function laterAnswers(
  before: readonly AiSdkUIPart[],
  all: readonly AiSdkUIPart[],
): ReadonlyMap<unknown, AiSdkUIPart> {
  const calls = before.flatMap((part, index) =>
    isToolPart(part) ? [[part.toolCallId, index] as const] : [],
  );
  // Of calls with the same id, the last one is answered.
  return new Map(
    [...new Map(calls)].flatMap(([toolCallId, index]) => {
      const [stored, now] = [before[index], all[index]];
      return now === undefined || isExact(stored, now) ? [] : [[toolCallId, now] as const];
    }),
  );
}

/** Returns the ids under which the messages of a UI message are stored, so that a repeated save adds nothing. */
export const storedIds = (id: string, count: number): string[] =>
  // A hash, because a store doesn't accept every text as an id.
  Array.from({ length: count }, (_, index) => sha256(JSON.stringify(["ui", id, index]), "hex"));
