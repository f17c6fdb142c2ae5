import type { RichMessage } from "@jaf/memory";
import { sameJson } from "@jaf/memory/internal";
import type { Fields } from "@jaf/model-http";
import type { AnyUIMessage, StoredUIMessage } from "./ui-format.ts";

/** Which stored messages a save may change: the fields of a request of the AI SDK's `useChat`, as it sends them. */
export interface StoreUIMessagesOptions {
  /**
   * `"regenerate-message"`: the message `messageId` is dropped with all later ones; if it is the user's, only the later
   * ones. Default of `messageId`: the last stored message, if it is the assistant's. Any other value counts as
   * `"submit-message"`.
   */
  readonly trigger?: string | undefined;
  /**
   * The message that has changed. If it is the user's, the later messages are dropped, as after an edit. If it is the
   * assistant's, e.g. with the user's answer to an approval, the later ones stay. Default: the last of the given messages.
   */
  readonly messageId?: string | undefined;
}

/** The UI messages of a conversation after a save. */
export interface SavePlan {
  /** The number of stored entries that stay as they are, from the first. */
  readonly kept: number;
  /** What follows them: new and changed messages, and stored entries that are written again. */
  readonly written: readonly PlannedEntry[];
}

export interface PlannedEntry {
  readonly ui?: AnyUIMessage;
  /** The messages of a stored entry. Absent: the UI message is new or has changed. */
  readonly messages?: readonly RichMessage[];
}

/**
 * Decides what a save of `given` changes. Returns `undefined` if the messages contradict the stored ones: an unknown
 * message precedes a stored one, an earlier message of the user has changed, a message has another role, or a reply is
 * older than the stored one.
 */
export function planSave(
  stored: readonly StoredUIMessage[],
  given: readonly AnyUIMessage[],
  options: StoreUIMessagesOptions,
): SavePlan | undefined {
  const places = new Map(
    stored.flatMap(({ ui }, index) => (ui === undefined ? [] : [[ui.id, index] as const])),
  );
  const end = rewriteStart(stored, places, options);
  const isKnown = ({ id }: AnyUIMessage): boolean => (places.get(id) ?? end) < end;
  const lastKnown = given.findLastIndex(isKnown);
  const later = given.slice(lastKnown + 1);
  if (given.slice(0, lastKnown + 1).some((message) => !isKnown(message))) return undefined;
  const changed = changedMessage(given, options);
  const place = changed && places.get(changed.id);
  const before = place === undefined || place >= end ? undefined : stored[place]?.ui;
  if (changed === undefined || place === undefined || before === undefined || sameJson(before, changed))
    return withoutRepeats(stored, end, later);
  if (before.role !== changed.role || isOlder(changed, before)) return undefined;
  const mayChange =
    changed.role === "assistant" || place === stored.length - 1 || options.messageId === changed.id;
  if (!mayChange) return undefined;
  return { kept: place, written: [{ ui: changed }, ...stored.slice(place + 1, end), ...later.map(asNew)] };
}

/** Whether a version of a reply lacks a step, a call or an answer that the stored version has. */
function isOlder({ parts }: AnyUIMessage, stored: AnyUIMessage): boolean {
  const steps = (all: AnyUIMessage["parts"]) => all.filter(({ type }) => type === "step-start").length;
  if (steps(parts) < steps(stored.parts)) return true;
  const progress = progressOf(parts);
  return [...progressOf(stored.parts)].some(([id, reached]) => (progress.get(id) ?? -1) < reached);
}

/** The states of a call before it has a result, in their order. */
const STATES: readonly unknown[] = [
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
];

/** Returns how far each call has come. */
function progressOf(parts: AnyUIMessage["parts"]): ReadonlyMap<string, number> {
  return new Map(
    parts.flatMap((part) => {
      const { toolCallId, state, preliminary }: Fields = { ...part };
      if (typeof toolCallId !== "string") return [];
      const reached = STATES.indexOf(preliminary === true ? "approval-responded" : state);
      return [[toolCallId, reached < 0 ? STATES.length : reached]];
    }),
  );
}

/** Returns the index of the first stored entry that the options allow to drop. */
function rewriteStart(
  stored: readonly StoredUIMessage[],
  places: ReadonlyMap<string, number>,
  { trigger, messageId }: StoreUIMessagesOptions,
): number {
  const last = stored.findLastIndex(({ ui }) => ui !== undefined);
  const isRegeneration = trigger === "regenerate-message";
  const place = messageId === undefined && isRegeneration ? last : places.get(messageId ?? "");
  const named = place === undefined ? undefined : stored[place]?.ui;
  if (place === undefined || named === undefined) return stored.length;
  if (isRegeneration) return named.role === "user" ? place + 1 : place;
  return named.role === "user" ? place : stored.length;
}

/** Returns the given message that may have changed. A regeneration changes none. */
const changedMessage = (
  given: readonly AnyUIMessage[],
  { trigger, messageId }: StoreUIMessagesOptions,
): AnyUIMessage | undefined =>
  trigger === "regenerate-message" ? undefined : (given.find(({ id }) => id === messageId) ?? given.at(-1));

/** Keeps the stored entries from `end` on that are written again as they are. */
function withoutRepeats(
  stored: readonly StoredUIMessage[],
  end: number,
  later: readonly AnyUIMessage[],
): SavePlan {
  let same = 0;
  while (later[same] !== undefined && sameJson(stored[end + same]?.ui, later[same])) same += 1;
  return { kept: end + same, written: later.slice(same).map(asNew) };
}

const asNew = (ui: AnyUIMessage): PlannedEntry => ({ ui });
