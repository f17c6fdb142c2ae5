import { isDeepStrictEqual } from "node:util";
import type { RichMessage } from "../message.ts";

/** A tool call by where it stands: message index and index in its `tool_calls`. */
export type CallKey = `${number}:${number}`;

export const callKey = (message: number, call: number): CallKey => `${message}:${call}`;

type Event =
  | { readonly call: CallKey; readonly at: number }
  | { readonly call?: undefined; readonly at: number };

/**
 * Which result answers which call, as message indices by call. Providers reuse call ids within a conversation, so
 * an id alone doesn't tell; order does. Per id:
 *
 * 1. Results answer the calls right before them, in order. With fewer results than calls the earlier calls are the
 *    unanswered ones, since a result follows its call closely.
 * 2. What is left was reordered: a call takes the nearest result before it, or the next one after it.
 *
 * A result that equals one already given for the id is a duplicate and answers nothing.
 */
export function matchResults(messages: readonly RichMessage[]): ReadonlyMap<CallKey, number> {
  const matched = new Map<CallKey, number>();
  for (const events of eventsById(messages).values()) matchOneId(events, messages, matched);
  return matched;
}

function eventsById(messages: readonly RichMessage[]): Map<string, Event[]> {
  const byId = new Map<string, Event[]>();
  const add = (id: string, event: Event) => {
    const events = byId.get(id);
    if (events === undefined) byId.set(id, [event]);
    else events.push(event);
  };
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (message.tool_call_id !== undefined) add(message.tool_call_id, { at });
    } else if (message.role === "assistant") {
      const seen = new Set<string>();
      for (const [index, { id }] of (message.tool_calls ?? []).entries()) {
        if (!seen.has(id)) add(id, { call: callKey(at, index), at });
        seen.add(id);
      }
    }
  }
  return byId;
}

function matchOneId(
  events: readonly Event[],
  messages: readonly RichMessage[],
  matched: Map<CallKey, number>,
): void {
  const leftover: Event[] = [];
  const given: number[] = [];
  const give = (call: CallKey, result: number) => {
    matched.set(call, result);
    given.push(result);
  };
  const isDuplicate = (at: number, of: readonly number[]) =>
    of.some((other) => isDeepStrictEqual(messages[other], messages[at]));

  let calls: (Event & { call: CallKey })[] = [];
  let results: number[] = [];
  const flush = () => {
    const unanswered = Math.max(0, calls.length - results.length);
    leftover.push(...calls.slice(0, unanswered));
    for (const [index, { call }] of calls.slice(unanswered).entries()) {
      const result = results[index];
      if (result !== undefined) give(call, result);
    }
    leftover.push(...results.slice(calls.length).map((at) => ({ at })));
    calls = [];
    results = [];
  };
  for (const event of events) {
    if (event.call !== undefined) {
      if (results.length > 0) flush();
      calls.push(event);
    } else if (!isDuplicate(event.at, results)) {
      results.push(event.at);
    }
  }
  flush();

  const resultsBefore: number[] = [];
  const callsBefore: CallKey[] = [];
  for (const { call, at } of leftover) {
    if (call === undefined) {
      if (isDuplicate(at, given)) continue;
      const waiting = callsBefore.shift();
      if (waiting === undefined) resultsBefore.push(at);
      else give(waiting, at);
    } else {
      const nearest = resultsBefore.pop();
      if (nearest === undefined) callsBefore.push(call);
      else give(call, nearest);
    }
  }
}
