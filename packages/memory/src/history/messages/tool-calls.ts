import type { Message, RichMessage, RichToolCall, ToolCall } from "../../contract/message.ts";
import { isApprovalAnswer } from "./message-content.ts";

/** The name and the input of a tool call of any kind. */
export interface CalledTool {
  readonly name: string;
  /** The input as the model wrote it: JSON text, or any text for a custom tool. */
  readonly input: string;
}

/**
 * Returns the name and the input of a tool call of any kind.
 *
 * @example
 * ```ts
 * import type { Message } from "@jaf/memory";
 * import { calledTool } from "@jaf/memory/history";
 *
 * declare const reply: Message;
 *
 * for (const { name, input } of (reply.tool_calls ?? []).map(calledTool)) console.log(name, input);
 * ```
 */
export function calledTool(call: ToolCall | RichToolCall): CalledTool {
  if (call.type === "custom") return { name: call.custom.name, input: call.custom.input };
  return { name: call.function.name, input: call.function.arguments };
}

/**
 * The last assistant message of a history, if some of its tool calls have no result and only tool results follow it.
 */
export interface PendingToolCalls {
  /** The index of the assistant message that made the calls. */
  readonly index: number;
  /** The results that exist, by call id. They may be in any order. */
  readonly results: ReadonlyMap<string, Message>;
  /** The calls without a result, in the order of the calls. Each id occurs once. */
  readonly missing: readonly ToolCall[];
}

/**
 * Returns the calls without a result at the end of a history. Returns `undefined` if the history ends without such a
 * call. Calls earlier in the history don't count: if anything except a tool result, or another framework's answer to a
 * request for an approval, follows a call, the turn went on without the result.
 *
 * @example
 * ```ts
 * import type { Message } from "@jaf/memory";
 * import { calledTool, pendingToolCalls } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * for (const call of pendingToolCalls(history)?.missing ?? []) console.log(call.id, calledTool(call).name);
 * ```
 */
export function pendingToolCalls(messages: readonly Message[]): PendingToolCalls | undefined {
  // A stored answer to a request for an approval isn't the turn's continuation: its call waits until it has run.
  const index = messages.findLastIndex((message) => message.role !== "tool" && !isApprovalAnswer(message));
  const calls = messages[index]?.tool_calls;
  if (messages[index]?.role !== "assistant" || calls == null) return undefined;
  const results = new Map<string, Message>();
  for (const result of messages.slice(index + 1)) {
    const id = isApprovalAnswer(result) ? undefined : result.tool_call_id;
    if (id !== undefined && !results.has(id)) results.set(id, result);
  }
  const seen = new Set(results.keys());
  // If several calls have no id, their results can't be matched to them. So none of these calls is returned as missing.
  if (calls.filter(({ id }) => id === "").length > 1) seen.add("");
  const missing = calls.filter(({ id }) => !seen.has(id) && seen.add(id));
  return missing.length === 0 ? undefined : { index, results, missing };
}

/** Identifies a tool call in a history: the index of its message, and its index in the message's `tool_calls`. */
export type CallKey = `${number}:${number}`;

export const callKey = (message: number, call: number): CallKey => `${message}:${call}`;

type Call = { readonly call: CallKey; readonly at: number };
type Result = { readonly call?: undefined; readonly at: number };
type Event = Call | Result;

/**
 * Returns the index of the result's message for each tool call that has a result. Calls and results are matched by id
 * and order, because a conversation may use a call id several times.
 */
export function matchResults(messages: readonly RichMessage[]): ReadonlyMap<CallKey, number> {
  // For each id:
  // 1. Results answer the calls directly before them, in order. If there are fewer results than calls, they answer the
  //    later calls, because a result follows its call closely.
  // 2. A call without a result by rule 1 takes the nearest unused result before it or, if there is none, the next
  //    unused one after it. (These messages are in the wrong order.)
  // A second result answers no call: one that equals an earlier result with the same id, or that comes directly after a
  // call that another result answers. Exception: if a call without a result comes directly after it, it answers that
  // call. So a late duplicate never becomes the answer to a later call.
  // Some gateways give the id `""` to every call, so several calls of one message may have this id. Their results count
  // in order, even if they are equal.
  const matched = new Map<CallKey, number>();
  const blocks = toolBlocks(messages);
  for (const [id, events] of eventsById(messages)) {
    const [first, second] = events;
    // The usual case: one call and one result have the id.
    if (
      events.length === 2 &&
      first?.call !== undefined &&
      second !== undefined &&
      second.call === undefined
    ) {
      matched.set(first.call, second.at);
      continue;
    }
    const contentOf = ({ at }: Result) => (id === "" ? `${at}` : JSON.stringify(messages[at]));
    for (const [call, result] of matchOneId(events, contentOf, blocks)) matched.set(call, result);
  }
  return matched;
}

/**
 * For each tool result, the nearest messages that aren't tool results: the index of the last one before it (or -1), and
 * the index of the first one after it (or the number of messages).
 */
interface ToolBlocks {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

function toolBlocks(messages: readonly RichMessage[]): ToolBlocks {
  const before = new Int32Array(messages.length);
  const after = new Int32Array(messages.length);
  for (let index = 0, last = -1; index < messages.length; index++) {
    before[index] = last;
    if (messages[index]?.role !== "tool") last = index;
  }
  for (let index = messages.length - 1, next = messages.length; index >= 0; index--) {
    after[index] = next;
    if (messages[index]?.role !== "tool") next = index;
  }
  return { before, after };
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
      if (typeof message.tool_call_id === "string" && !isApprovalAnswer(message))
        add(message.tool_call_id, { at });
    } else if (message.role === "assistant") {
      const seen = new Set<string>();
      for (const [index, { id }] of (message.tool_calls ?? []).entries()) {
        if (id === "" || !seen.has(id)) add(id, { call: callKey(at, index), at });
        seen.add(id);
      }
    }
  }
  return byId;
}

function matchOneId(
  events: readonly Event[],
  /** Returns a text that is the same for equal results. */
  contentOf: (result: Result) => string,
  blocks: ToolBlocks,
): ReadonlyMap<CallKey, number> {
  const matched = new Map<CallKey, number>();
  const given = new Set<string>();
  const give = (call: CallKey, result: Result) => {
    matched.set(call, result.at);
    given.add(contentOf(result));
  };

  const unmatched: Event[] = [];
  /** The results that come directly after a call that another result answers. */
  const second = new Set<Event>();
  for (const { calls, results } of runsOf(events, contentOf)) {
    const unanswered = Math.max(0, calls.length - results.length);
    for (const call of calls.slice(0, unanswered)) unmatched.push(call);
    for (const [index, { call }] of calls.slice(unanswered).entries()) {
      const result = results[index];
      if (result !== undefined) give(call, result);
    }
    const callers = new Set(calls.map(({ at }) => at));
    for (const result of results.slice(calls.length)) {
      unmatched.push(result);
      if (callers.has(blocks.before[result.at] ?? -1)) second.add(result);
    }
  }

  const resultsBefore: Result[] = [];
  const callsBefore: CallKey[] = [];
  let waiting = 0;
  for (const event of unmatched) {
    if (event.call !== undefined) {
      const nearest = takeNearest(
        resultsBefore,
        (result) => !second.has(result) || blocks.after[result.at] === event.at,
      );
      if (nearest === undefined) callsBefore.push(event.call);
      else give(event.call, nearest);
    } else if (!given.has(contentOf(event))) {
      const call = second.has(event) ? undefined : callsBefore[waiting];
      if (call === undefined) resultsBefore.push(event);
      else {
        waiting += 1;
        give(call, event);
      }
    }
  }
  return matched;
}

/** Removes results from the end of the list until one fits, and returns it. Returns `undefined` if none fits. */
function takeNearest(results: Result[], fits: (result: Result) => boolean): Result | undefined {
  for (let last = results.pop(); last !== undefined; last = results.pop()) if (fits(last)) return last;
  return undefined;
}

interface Run {
  readonly calls: readonly Call[];
  /** The results of these calls. Equal results occur once. */
  readonly results: readonly Result[];
}

/** Splits the calls and results of one id into runs: some calls, and the results up to the next call. */
function runsOf(events: readonly Event[], contentOf: (result: Result) => string): readonly Run[] {
  const runs: { calls: Call[]; results: Result[]; contents: Set<string> }[] = [];
  let current = { calls: [] as Call[], results: [] as Result[], contents: new Set<string>() };
  runs.push(current);
  for (const event of events) {
    if (event.call === undefined) {
      const content = contentOf(event);
      if (!current.contents.has(content)) current.results.push(event);
      current.contents.add(content);
    } else {
      if (current.results.length > 0) {
        current = { calls: [], results: [], contents: new Set() };
        runs.push(current);
      }
      current.calls.push(event);
    }
  }
  return runs;
}
