import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { partText, present } from "@jaf/memory/internal";
import {
  base64Of,
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  isMedia,
  isSameOrigin,
  isSource,
  mediaMention,
  otherModelText,
} from "@jaf/model-http";
import type { CallContext } from "../request/tools.ts";
import {
  APPROVAL_REQUEST,
  CUSTOM_CALL,
  callItem,
  type InputItem,
  type ItemContext,
  type ItemMetadata,
  metadataOf,
  OTHER_ITEM,
} from "./items.ts";
import { isOutput, type PairingContext, pairedItems, type ReplayItem } from "./reasoning.ts";

export interface AssistantContext extends ItemContext, PairingContext {
  /** The origin of the model that the request goes to. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
}

/** Returns no items if the message has nothing to send. */
export function assistantItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  const items = isSameOrigin(message.origin, context.origin)
    ? ownItems(replayItems(message, context), context)
    : foreignItems(message, context);
  return items.map((item) => {
    const given = withKnownCaller(item, context);
    const { type, call_id: id } = given;
    if (type === APPROVAL_REQUEST) context.sent.set(context.ids.answered(String(given["id"])), given);
    else if (id !== undefined && !isOutput(given)) context.sent.set(id, given);
    return given;
  });
}

/**
 * The items that the service accepts: a call of the service's own only with its output, and an output only behind its
 * call. Another service than OpenAI keeps outputs for itself.
 */
function ownItems(items: readonly ReplayItem[], context: AssistantContext): readonly InputItem[] {
  const isAnswered = (call: InputItem, index: number): boolean =>
    items.slice(index).some(({ item }) => isOutput(item) && item["call_id"] === call["call_id"]);
  const whole = items.filter(
    ({ item, isServices }, index) =>
      context.takesReadable || isServices !== true || !isServiceCall(item) || isAnswered(item, index),
  );
  const begun = new Set(context.sent.keys());
  return pairedItems(whole, context).filter((item) => {
    if (isOutput(item)) return begun.has(item["call_id"]);
    begun.add(item["call_id"]);
    return true;
  });
}

/** A program also waits for the application's functions, so its output can come in a later reply. */
const isServiceCall = ({ type, call_id }: InputItem): boolean =>
  call_id !== undefined && String(type).endsWith("_call");

function foreignItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  const said = otherModelText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => callItem(call, false, context));
  return said === "" ? calls : [{ role: "assistant", content: said }, ...calls];
}

/** A call without its caller, if the request doesn't have the program that made the call. */
function withKnownCaller(item: InputItem, { sent }: AssistantContext): InputItem {
  const { caller, ...rest } = item;
  const { caller_id: id } = fieldsOf(caller);
  return id === undefined || sent.has(id) ? item : rest;
}

/** The original output items of a reply. */
function replayItems(message: RichMessage, context: CallContext): readonly ReplayItem[] {
  const calls = [...(message.tool_calls ?? [])];
  const items: ReplayItem[] = [];
  let said: MessageItem | undefined;
  for (const part of partsOf(message)) {
    // It stands between the texts of one item.
    if (isSource(part)) continue;
    const metadata = metadataOf(part);
    const content = messageContent(part, metadata);
    if (content !== undefined) {
      said = said?.follows(metadata) === true ? said : messageItem(metadata);
      if (said.add(content)) items.push(said.replayItem);
      continue;
    }
    said = undefined;
    if (part.type === "tool-call") {
      const index = calls.findIndex(({ id }) => id === part["id"]);
      for (const call of index < 0 ? [] : calls.splice(index, 1)) items.push(replayCall(call, context));
    } else {
      const item = partItem(part, metadata);
      if (item !== undefined) items.push({ item, reasoningId: metadata?.reasoningId, isServices: true });
    }
  }
  return [...items, ...calls.map((call) => replayCall(call, context))];
}

const partsOf = ({ content }: RichMessage): readonly ContentPart[] => {
  if (typeof content !== "string") return content ?? [];
  return content === "" ? [] : [{ type: "text", text: content }];
};

/** A message item that collects its content part by part. */
interface MessageItem {
  readonly replayItem: ReplayItem;
  readonly follows: (metadata: ItemMetadata | undefined) => boolean;
  /** Returns whether it is the first content. */
  readonly add: (content: Fields) => boolean;
}

function messageItem(metadata: ItemMetadata | undefined): MessageItem {
  const content: Fields[] = [];
  // An item that had no content is sent back without it.
  const isEmpty = metadata?.item["content"] !== undefined;
  const item = { ...metadata?.item, type: "message", role: "assistant", ...(isEmpty ? {} : { content }) };
  return {
    replayItem: { item, reasoningId: metadata?.reasoningId },
    follows: (next) =>
      next?.item["id"] === metadata?.item["id"] && (next?.contentIndex ?? content.length) === content.length,
    add: (part) => content.push(part) === 1,
  };
}

/** The part as content of a message item; `undefined` if it isn't such content. */
function messageContent(part: ContentPart, metadata: ItemMetadata | undefined): Fields | undefined {
  const text = partText(part);
  if (text !== undefined) return { type: "output_text", text, ...metadata?.content };
  if (part.type === "refusal") return { type: "refusal", refusal: part["refusal"], ...metadata?.content };
  if (metadata?.contentIndex !== undefined) {
    const { providerMetadata: _, ...sent } = part;
    return sent;
  }
  // This model's replies never hold media without metadata, but a middleware may have added some.
  return isMedia(part) && metadata === undefined
    ? { type: "output_text", text: mediaMention(part) }
    : undefined;
}

/** `undefined` if the part isn't an item. */
function partItem(part: ContentPart, metadata: ItemMetadata | undefined): InputItem | undefined {
  switch (part.type) {
    case "reasoning": {
      if (metadata === undefined) return undefined;
      const encrypted = part["encrypted"];
      const content = present({ encrypted_content: encrypted });
      return { summary: [], ...metadata.item, type: "reasoning", ...content };
    }
    case "media":
      return isMedia(part) && part.data !== undefined && metadata !== undefined
        ? { ...metadata.item, result: base64Of(part.data) }
        : undefined;
    // Without metadata, a call's item already holds the result, or the part isn't from this API.
    case "provider-tool-call":
    case "provider-tool-result":
      return metadata?.item;
    case OTHER_ITEM:
      return fieldsOf(part["item"]);
    default: {
      const { providerMetadata: _, ...item } = part;
      return item;
    }
  }
}

/** The item of a call. Of a call that isn't a function's or a custom tool's, `plain` is a function's call. */
function replayCall(call: RichToolCall, context: CallContext): ReplayItem {
  const { item: stored = {}, reasoningId } = metadataOf(call) ?? {};
  const { type } = stored;
  const isCustom = type === CUSTOM_CALL;
  // An endpoint that calls custom tools also takes their calls back.
  const rules = isCustom ? { ...context.rules, customTools: true } : context.rules;
  const plain = callItem(call, true, { ...context, rules });
  if (type === APPROVAL_REQUEST) return { item: stored, reasoningId };
  // With another id, it isn't the call of the stored item any more.
  const isRenamed = plain["call_id"] !== call.id || fieldsOf(call.providerMetadata)["jaf"] !== undefined;
  if (type !== undefined && !isCustom) return { item: isRenamed ? plain : stored, plain, reasoningId };
  const { id: _, ...rest } = stored;
  return { item: { ...(isRenamed ? rest : stored), ...plain }, reasoningId };
}
