import type { ContentPart, Message, RichMessage } from "@jaf/memory";

/**
 * The providers' rules and "nothing else is lost", written independently of the sanitizer. Returns the broken rules.
 *
 * A call with an id that is used once must be answered if there is a result for it anywhere. If an id is used again, as
 * many calls must be answered as have their own result between them and the next call: the call of any other result is
 * unknown.
 */
export function brokenRules(input: readonly Message[], output: readonly Message[]): string[] {
  return [...brokenAnswers(output), ...lostText(input, output), ...lostAnswers(input, output)];
}

function brokenAnswers(output: readonly Message[]): string[] {
  const broken: string[] = [];
  let expected: string[] = [];
  for (const [index, message] of output.entries()) {
    if (message.role === "tool") {
      const wanted = expected.shift();
      if (wanted === undefined || wanted !== message.tool_call_id)
        broken.push(`result ${index} is out of place`);
      continue;
    }
    if (expected.length > 0) broken.push(`message ${index} stands where a result is due`);
    expected = (message.tool_calls ?? []).map(({ id }) => id);
    if (new Set(expected).size < expected.length) broken.push(`message ${index} makes two calls of one id`);
    if (message.tool_calls?.length === 0) broken.push(`message ${index} has an empty list of calls`);
  }
  if (expected.length > 0) broken.push("the last calls have no result");
  return broken;
}

const isOfCall = ({ type }: ContentPart): boolean => type === "tool-call";
const isThought = ({ type }: ContentPart): boolean => type === "reasoning";

/** The content of a message, without its calls, their parts and reasoning; `""` if there is none. */
function saidIn(message: RichMessage): string {
  const { role, content, tool_calls: _, reasoning_content: __, origin: ___, ...rest } = message;
  const parts = Array.isArray(content)
    ? content.filter((part) => !isOfCall(part) && !isThought(part))
    : content;
  const isEmpty = (parts?.length ?? 0) === 0 && Object.keys(rest).length === 0;
  return isEmpty && role === "assistant" ? "" : JSON.stringify([role, parts, rest]);
}

/** The reasoning in a message. */
const thoughtIn = ({ content, reasoning_content: thought }: RichMessage): readonly string[] => [
  ...(Array.isArray(content) ? content.filter(isThought) : []).map((part) => JSON.stringify(part)),
  ...(thought === undefined ? [] : [JSON.stringify(thought)]),
];

function lostText(input: readonly RichMessage[], output: readonly RichMessage[]): string[] {
  const texts = (messages: readonly RichMessage[]) =>
    messages
      .filter(({ role }) => role !== "tool")
      .map(saidIn)
      .filter((text) => text !== "");
  const thoughts = (messages: readonly RichMessage[]) => messages.flatMap(thoughtIn);
  // If no calls are dropped, no reasoning is dropped.
  const callsNothing = input.filter(({ tool_calls }) => tool_calls === undefined);
  return [
    ...(JSON.stringify(texts(input)) === JSON.stringify(texts(output))
      ? []
      : ["a text was lost, added or moved"]),
    ...(isPartOf(thoughts(output), thoughts(input)) ? [] : ["a thought was added or moved"]),
    ...(isPartOf(
      callsNothing.filter((message) => saidIn(message) !== "").flatMap(thoughtIn),
      thoughts(output),
    )
      ? []
      : ["a thought was lost"]),
    ...output.flatMap(brokenPlaces),
    ...idleThoughts(input, output),
  ];
}

/** Whether the second list contains the first in order. */
function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  let found = 0;
  for (const text of all) if (text === some[found]) found += 1;
  return found === some.length;
}

function brokenPlaces({ content, tool_calls: calls = [] }: RichMessage, index: number): string[] {
  if (!Array.isArray(content)) return [];
  const ids = content.filter(isOfCall).map(({ id }) => id);
  return ids.every((id) => calls.some((call) => call.id === id))
    ? []
    : [`message ${index} has a place for no call`];
}

/** A changed message lost calls, and the reasoning for only these calls. */
function idleThoughts(input: readonly RichMessage[], output: readonly RichMessage[]): string[] {
  return output.flatMap((message, index) => {
    const { content, tool_calls: calls = [] } = message;
    if (input.includes(message) || !Array.isArray(content)) return [];
    const last = content.at(-1);
    const callsBehind = calls.length > content.filter(isOfCall).length;
    return last !== undefined && isThought(last) && !callsBehind
      ? [`message ${index} ends with a thought`]
      : [];
  });
}

/** An id's calls and results in order, each result as its content. */
function historyOf(messages: readonly Message[]): Map<string, (string | typeof CALL)[]> {
  const history = new Map<string, (string | typeof CALL)[]>();
  const add = (id: string, event: string | typeof CALL) =>
    history.set(id, [...(history.get(id) ?? []), event]);
  for (const message of messages) {
    if (message.role === "tool" && message.tool_call_id) add(message.tool_call_id, JSON.stringify(message));
    for (const id of new Set(message.tool_calls?.map((call) => call.id))) add(id, CALL);
  }
  return history;
}

const CALL = Symbol("call");
const countCalls = (events: readonly unknown[]): number => events.filter((event) => event === CALL).length;

function mostThatMustBeAnswered(events: readonly unknown[]): number {
  if (countCalls(events) === 1) return events.length > 1 ? 1 : 0;
  return events.filter((event, index) => event === CALL && typeof events[index + 1] === "string").length;
}

function lostAnswers(input: readonly Message[], output: readonly Message[]): string[] {
  const kept = historyOf(output);
  return [...historyOf(input)].flatMap(([id, events]) => {
    const left = kept.get(id) ?? [];
    const required = mostThatMustBeAnswered(events);
    if (countCalls(left) < required) return [`an answered call was lost: ${countCalls(left)} of ${required}`];
    const made = left.some((event) => event !== CALL && !events.includes(event));
    return made ? ["a result was changed"] : [];
  });
}
