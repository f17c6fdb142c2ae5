import type { Message } from "../../contract/message.ts";
import { sanitizeConversation } from "../messages/sanitizer.ts";
import { pendingToolCalls } from "../messages/tool-calls.ts";
import { isRole, roleOf, sameMessage } from "./same-message.ts";
import { type ContinuationRejection, reject } from "./validation-result.ts";

/**
 * The result of {@link alignHistory}: the index in the client's messages of the first message after the copy of the
 * history (`end`), or why no copy was found.
 */
export type Alignment = { readonly ok: true; readonly end: number } | ContinuationRejection;

/**
 * Finds the end of the client's copy of the history in the client's messages. The copy may be the history as it is
 * stored, or as a run returns it (sanitized).
 */
export function alignHistory(
  persisted: readonly Message[],
  incoming: readonly unknown[],
  { dropped, mayBeginLater }: AlignmentOptions,
): Alignment {
  // If the store has dropped the oldest messages, the copy may begin with up to `dropped` messages that are no longer
  // stored. With `mayBeginLater`, the beginning of the history may be missing. Takes linear time.
  let best: Comparison | undefined;
  for (const form of forms(persisted)) {
    for (const start of possibleStarts(form, incoming, dropped)) {
      const same = countSame(form, incoming, start);
      if (same === form.length) return { ok: true, end: start + same };
      if (best === undefined || same > best.same) best = { form, start, same };
    }
    const later = mayBeginLater ? laterForm(form, incoming) : undefined;
    if (later !== undefined && countSame(later, incoming, 0) === later.length) {
      return { ok: true, end: later.length };
    }
  }
  // `best` is present, because the stored history was at least compared from the first message on.
  return best === undefined ? reject("not-a-prefix", 0) : explain(best, incoming);
}

export interface AlignmentOptions {
  readonly dropped: number;
  readonly mayBeginLater: boolean;
}

/**
 * Returns the messages of the history that a copy without the beginning of the history must contain. Returns
 * `undefined` if `incoming` can't begin with such a copy.
 */
function laterForm(form: readonly Message[], incoming: readonly unknown[]): readonly Message[] | undefined {
  // The last assistant message of `incoming` must be the last one of the history. So the difference of their indexes is
  // the number of messages that the copy lacks. The copy must begin with a user message.
  const last = lastAssistant(incoming);
  const left = lastAssistant(form) - last;
  return last !== -1 && left > 0 && form[left]?.role === "user" ? form.slice(left) : undefined;
}

interface Comparison {
  readonly form: readonly Message[];
  readonly start: number;
  /** How many of the client's messages, from index `start` on, are equal to the stored messages. */
  readonly same: number;
}

function* forms(persisted: readonly Message[]): Generator<readonly Message[]> {
  yield persisted;
  const sanitized = sanitizedForm(persisted);
  if (sanitized !== persisted) yield sanitized;
}

/** Returns the history as a run returns it: sanitized, but with the pending calls at its end. */
function sanitizedForm(persisted: readonly Message[]): readonly Message[] {
  const pending = pendingToolCalls(persisted);
  if (pending === undefined) return sanitizeConversation(persisted);
  const head = persisted.slice(0, pending.index);
  const sanitized = sanitizeConversation(head);
  return sanitized === head ? persisted : [...sanitized, ...persisted.slice(pending.index)];
}

/**
 * Returns at most three indexes in the client's messages at which the copy of the stored history may begin, the most
 * probable first.
 */
function possibleStarts(
  form: readonly Message[],
  incoming: readonly unknown[],
  dropped: number,
): readonly number[] {
  // The first index is right if the client added no assistant message after the copy. More indexes aren't tried,
  // because a repetitive conversation would take quadratic time.
  if (dropped === 0) return [0];
  const noAssistantFollows = lastAssistant(incoming) - lastAssistant(form);
  const copyIsComplete = dropped;
  const copyIsTrimmed = 0;
  const last = Math.min(dropped, incoming.length);
  return [noAssistantFollows, copyIsComplete, copyIsTrimmed].filter((start) => start >= 0 && start <= last);
}

function lastAssistant(messages: readonly unknown[]): number {
  for (let index = messages.length - 1; index >= 0; index--) {
    const role = roleOf(messages[index]);
    if (role === "assistant") return index;
    // Stop the search at a message without a valid role, because the continuation is refused later. A malicious client
    // may send a list of very many empty items.
    if (!isRole(role) && role !== "system" && role !== "developer") return -1;
  }
  return -1;
}

function countSame(form: readonly Message[], incoming: readonly unknown[], start: number): number {
  const length = Math.min(form.length, incoming.length - start);
  for (let index = 0; index < length; index++) {
    const stored = form[index];
    if (stored === undefined || !sameMessage(stored, incoming[start + index])) return index;
  }
  return length;
}

function explain({ form, start, same }: Comparison, incoming: readonly unknown[]): ContinuationRejection {
  const index = start + same;
  if (index >= incoming.length) {
    return reject(same > 0 || incoming.length === 0 ? "truncated-history" : "not-a-prefix", index);
  }
  const role = roleOf(incoming[index]);
  if (typeof role !== "string") return reject("malformed-message", index);
  if (!isRole(role)) return reject("forbidden-role", index);
  const goesOnEarlier = role === "user" && form[same]?.role !== "user" && lastAssistant(incoming) < index;
  return reject(goesOnEarlier ? "truncated-history" : "not-a-prefix", index);
}
