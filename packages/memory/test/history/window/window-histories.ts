import { type Message, type RichMessage, sanitizeConversation } from "@jaf/memory";
import { countMessageTokens, isReplayable, planWindow, type WindowOptions } from "@jaf/memory/history";
import fc from "fast-check";
import { randomFrom } from "../mutations.ts";
import { richHistory } from "../rich-histories.ts";

export const user = (content: string): Message => ({ role: "user", content });
export const said = (content: string): Message => ({ role: "assistant", content });
export const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
});
export const result = (id: string, content = "found"): Message => ({
  role: "tool",
  content,
  tool_call_id: id,
});
/** System content among the messages, as in other frameworks. */
export const system = (content: string) => ({ role: "system", content }) as unknown as Message;

/** Reasoning in a separate message before the calls; media, custom calls and parts. */
const thinks = (thought: string): Message =>
  ({ role: "assistant", content: [{ type: "reasoning", text: thought }] }) as unknown as Message;

function richSteps(seed: number): readonly Message[] {
  const rich = richHistory(randomFrom(seed)).slice(0, 4);
  return seed % 3 === 0 ? [thinks("hm"), calls("00"), result("00")] : sanitizeConversation(rich);
}

const text = (length: number) => "abcdefgh".repeat(length);

/** One or more messages in a row, as in a real conversation. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.nat(20).map((length) => [user(text(length))]) },
  { weight: 3, arbitrary: fc.nat(20).map((length) => [said(text(length + 1))]) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.nat(40), fc.nat(2))
      .map(([count, length, name]) => {
        // Few names, so ids are used again.
        const ids = Array.from({ length: count }, (_, index) => `${name}${index}`);
        return [calls(...ids), ...ids.map((id) => result(id, text(length)))];
      }),
  },
  { weight: 1, arbitrary: fc.nat(5).map((length) => [system(text(length))]) },
  { weight: 2, arbitrary: fc.integer().map((seed) => richSteps(seed)) },
);

const steps = fc.array(step, { maxLength: 25 });

/** Replayable, with system content anywhere, and with turns of every length. */
export const wholeHistories = steps.map((taken) => taken.flat());

/** Also histories with messages left out, duplicated and moved. */
export const anyHistories = fc
  .tuple(wholeHistories, fc.array(fc.tuple(fc.nat(2), fc.nat(80), fc.nat(80)), { maxLength: 6 }))
  .map(([messages, damage]) => {
    const broken = [...messages];
    for (const [how, from, to] of damage) {
      const message = broken[from];
      if (message === undefined) continue;
      if (how !== 1) broken.splice(from, 1);
      if (how !== 0) broken.splice(to, 0, message);
    }
    return broken;
  });

const marks = (most: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: most }), fc.option(fc.integer({ min: 1, max: most })))
    .map(([limit, low]) => ({ limit, ...(low !== null && low < limit ? { trimTo: low } : {}) }));

const messageOptions = marks(25).map(({ limit, ...rest }) => ({ maxMessages: limit, ...rest }));
const tokenOptions = marks(400).map(({ limit, ...rest }) => ({ maxTokens: limit, ...rest }));

export const slidingOptions = fc.oneof(
  fc.integer({ min: 1, max: 25 }).map((maxMessages) => ({ maxMessages })),
  fc.integer({ min: 1, max: 400 }).map((maxTokens) => ({ maxTokens })),
);
export const windowOptions: fc.Arbitrary<WindowOptions> = fc.oneof(messageOptions, tokenOptions);
export const droppedCounts = fc.oneof(fc.constant(0), fc.nat(1_000));

export const costOf = (messages: readonly Message[], options: WindowOptions): number =>
  "maxTokens" in options
    ? messages.reduce((sum, message) => sum + countMessageTokens(message), 0)
    : messages.length;

const limitOf = (options: WindowOptions): number =>
  "maxTokens" in options ? options.maxTokens : options.maxMessages;

/** The rule of the model providers, written independently of the sanitizer. */
function answersInPlace(messages: readonly Message[]): boolean {
  const due: string[] = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === "tool" ? due.shift() !== tool_call_id : due.length > 0) return false;
    due.push(...(tool_calls ?? []).map(({ id }) => id));
  }
  return due.length === 0;
}

export const isSystem = (role: string): boolean => role === "system" || role === "developer";

const startsRight = (messages: readonly Message[], history: readonly Message[]): boolean => {
  const first = messages.find(({ role }) => !isSystem(role));
  const anyUser = history.some(({ role }) => role === "user");
  return first === undefined || (anyUser ? first.role === "user" : first.role !== "tool");
};

const isThought = ({ role, content, refusal, tool_calls: calls }: RichMessage): boolean =>
  role === "assistant" &&
  calls === undefined &&
  (refusal ?? "") === "" &&
  Array.isArray(content) &&
  content.length > 0 &&
  content.every(({ type }) => type === "reasoning");

/** Whether one of two messages is left out, if the first is the reasoning for the second. */
function isApart(history: readonly Message[], isOmitted: (index: number) => boolean): boolean {
  return history.some((message, index) => {
    const belongs = isThought(message) && history[index + 1]?.role === "assistant";
    return belongs && isOmitted(index) !== isOmitted(index + 1);
  });
}

/** Returns what is wrong with a history's window, alone and with the sanitizer in either order. */
export function windowFaults(
  history: readonly Message[],
  options: WindowOptions,
  dropped: number,
): readonly string[] {
  const window = (messages: readonly Message[]) => planWindow(messages, { ...options, dropped }).messages;
  const plan = planWindow(history, { ...options, dropped });
  const results = {
    "the window of the sanitized": window(sanitizeConversation(history)),
    "the sanitized window": sanitizeConversation(plan.messages),
  };
  const faults = Object.entries(results).flatMap(([name, messages]) => [
    ...(isReplayable(messages) && answersInPlace(messages) ? [] : [`${name} is not replayable`]),
    ...(costOf(messages, options) <= limitOf(options) ? [] : [`${name} is over the limit`]),
    ...(window(messages) === messages ? [] : [`${name} changes when windowed again`]),
    ...(sanitizeConversation(messages) === messages ? [] : [`${name} changes when sanitized again`]),
  ]);
  const isOmitted = (at: number) => plan.omitted.some(({ start, end }) => at >= start && at < end);
  const left = history.filter((_, at) => !isOmitted(at));
  return [
    ...faults,
    ...(costOf(plan.messages, options) <= limitOf(options) ? [] : ["the raw window is over the limit"]),
    ...(window(plan.messages) === plan.messages ? [] : ["the raw window changes when windowed again"]),
    ...(left.length === plan.messages.length && left.every((message, at) => message === plan.messages[at])
      ? []
      : ["the plan's omissions are not what is missing"]),
    ...(isApart(history, isOmitted) ? ["a thought is parted from what it led to"] : []),
    ...(plan.omitted.every(({ reason }) => reason === "orphan-result") || startsRight(plan.messages, history)
      ? []
      : ["the window starts on the wrong message"]),
  ];
}
