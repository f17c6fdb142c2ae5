import type { MemoryIssue, Message, Tokenizer } from "@jaf/memory";
import type { Omission, WindowOptions } from "@jaf/memory/history";
import {
  countMessageTokens,
  parseMessages,
  planWindow,
  present,
  sanitizeWithOrigins,
} from "@jaf/memory/internal";
import type { ContextLabel, WindowLimit } from "../context-manifest.ts";
import { frozenCopy } from "../immutable/copy.ts";
import {
  isSelecting,
  PATH,
  type RunWindow,
  type SelectingWindow,
  tokenizerOf,
  type WindowFunction,
  windowOptions,
} from "../memory-config.ts";

export interface WindowInput {
  /** The part of a history that the window is applied to. */
  readonly messages: readonly Message[];
  /** The summary of the earlier messages, as a message for the model. Absent if there is no summary. */
  readonly summary: Message | undefined;
  /**
   * The number of messages that are missing between the end of the summary and the first of `messages`. Without a
   * summary, counted from the conversation's beginning.
   */
  readonly dropped: number;
  /**
   * Returns the position of the user message at an index of `messages`, counted from the end of the summary. Without a
   * summary, counted from the conversation's beginning.
   */
  readonly positionOf: (index: number) => number;
}

/** The result of applying a window to a part of a history. */
export interface WindowResult {
  readonly messages: readonly Message[];
  /** The summary as a message. `undefined`: there is no summary, or the window has no room for it. */
  readonly summary: Message | undefined;
  /** Returns the fate of the message at an index of the input's `messages`. `undefined` means `sent`. */
  readonly label: (index: number) => ContextLabel | undefined;
  /**
   * The problem that prevents the model call: the model wouldn't get a message that it must answer. `undefined`: no
   * problem.
   */
  readonly issue: MemoryIssue | undefined;
}

export interface ModelWindow {
  readonly limit: WindowLimit | undefined;
  /**
   * Applies the window. Throws the errors of the functions in `RunConfig.memory.window`, and a `TypeError` if one of
   * them returns an invalid value.
   */
  readonly apply: (input: WindowInput) => WindowResult;
  /** Returns the number of tokens of the messages. Returns `undefined` unless the window limits tokens. */
  readonly tokensOf: (messages: readonly Message[]) => number | undefined;
}

const applyNone = ({ messages, summary }: WindowInput): WindowResult => ({
  messages,
  summary,
  label: () => undefined,
  issue: undefined,
});

/** A window that keeps all messages. */
const wholeWindow: ModelWindow = { limit: undefined, apply: applyNone, tokensOf: () => undefined };

/** The problem of a window limit that has no room for the messages that the model must answer. */
const windowTooSmall: MemoryIssue = {
  path: PATH,
  expected: "room for the last user message and the newest message with its calls and results",
};

/** Opens a window from its configuration. Throws a `TypeError` if the configuration is invalid. */
export function openWindow(window: RunWindow | undefined): ModelWindow {
  if (window === undefined) return wholeWindow;
  if (typeof window === "function")
    return { limit: { type: "function" }, apply: windowByFunction(window), tokensOf: () => undefined };
  if (isSelecting(window)) return openSelecting(window);
  const counted = memoizeTokenizer(tokenizerOf(window));
  const options = windowOptions(window, counted);
  const limits = {
    limit: limitOf(options),
    ...present({ trimTo: options.trimTo }),
  };
  if (!("maxTokens" in options))
    return {
      limit: { type: "messages", ...limits },
      apply: applyOptions(options, () => 1),
      tokensOf: () => undefined,
    };
  const costOf = (message: Message) => countMessageTokens(message, counted);
  return {
    limit: { type: "tokens", ...limits },
    apply: applyOptions(options, costOf),
    tokensOf: (messages) => messages.reduce((sum, message) => sum + costOf(message), 0),
  };
}

function openSelecting(window: SelectingWindow): ModelWindow {
  const { maxMessages } = window;
  const select = windowByFunction((messages) => window.select(messages));
  return {
    limit: { type: "function", limit: maxMessages },
    apply: (input) => {
      const { messages, omitted, newestOmitted } = planWindow(input.messages, { maxMessages });
      if (newestOmitted) return nothing;
      const selected = select({ ...input, messages });
      const label = lookUp(omitted);
      const before = (index: number) =>
        omitted.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(index, end) - start), 0);
      return { ...selected, label: (index) => label(index) ?? selected.label(index - before(index)) };
    },
    tokensOf: () => undefined,
  };
}

const limitOf = (options: WindowOptions): number =>
  "maxTokens" in options ? options.maxTokens : options.maxMessages;

/** Returns a tokenizer that remembers its results. */
function memoizeTokenizer(tokenizer: Tokenizer): Tokenizer {
  // Each model call counts the tokens of the whole history again.
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? tokenizer(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** The result of a window that has no room for the messages that the model must get. */
const nothing: WindowResult = {
  messages: [],
  summary: undefined,
  label: () => undefined,
  issue: windowTooSmall,
};

const applyOptions =
  (options: WindowOptions, costOf: (message: Message) => number) =>
  ({ messages, summary, dropped, positionOf }: WindowInput): WindowResult => {
    const room = summary === undefined ? options : lessened(options, costOf(summary));
    const plan = room && planWindow(messages, Object.assign({}, room, { dropped, positionOf }));
    if (plan === undefined || (summary !== undefined && plan.newestOmitted)) return nothing;
    return {
      messages: plan.messages,
      summary,
      label: lookUp(plan.omitted),
      issue: plan.newestOmitted ? windowTooSmall : undefined,
    };
  };

/** Returns a function that returns the fate of the message at an index: `trimmed`, or `undefined` for `sent`. */
function lookUp(omitted: readonly Omission[]): WindowResult["label"] {
  let labels: ContextLabel[] | undefined;
  return (index) => {
    if (labels === undefined) {
      labels = [];
      for (const { start, end, reason } of omitted) {
        labels.length = end;
        labels.fill({ fate: "trimmed", reason }, start, end);
      }
    }
    return labels[index];
  };
}

/**
 * Returns the window that remains for the messages after a summary, or `undefined` if no room remains. `cost`: the size
 * of the summary, in tokens or messages.
 */
function lessened(options: WindowOptions, cost: number): WindowOptions | undefined {
  const limit = limitOf(options) - cost;
  if (limit < 1) return undefined;
  const low = options.trimTo === undefined ? limit : Math.max(1, options.trimTo - cost);
  const steps = { trimTo: low < limit ? low : undefined };
  return "maxTokens" in options
    ? { ...options, ...steps, maxTokens: limit }
    : { ...steps, maxMessages: limit };
}

const leftOut: ContextLabel = { fate: "trimmed", reason: "function" };
const changed: ContextLabel = { fate: "repaired" };

/**
 * Returns the `apply` function of a window whose messages the application's window function chooses. It throws that
 * function's errors, and a `TypeError` for an invalid result.
 */
function windowByFunction(window: WindowFunction): (input: WindowInput) => WindowResult {
  return ({ messages, summary }) => {
    const given = toldApart(messages);
    const own = new Set(given);
    const returned = readReturned(window(given.slice()), own);
    const sanitized = sanitizeWithOrigins(returned);
    const { messages: sent } = sanitized;
    let labels: ReadonlyMap<Message | undefined, ContextLabel | undefined> | undefined;
    return {
      messages: sent,
      summary,
      label: (index) => {
        labels ??= labelsOf(returned, sanitized);
        return labels.has(given[index]) ? labels.get(given[index]) : leftOut;
      },
      issue: holdsNewest(given, sent, own) ? undefined : newestMissing,
    };
  };
}

const newestMissing: MemoryIssue = {
  path: PATH,
  expected:
    "a function that returns the last user message and the newest message with all results of its calls, or replacements for them",
};

/**
 * Checks and returns the messages that the window function returned. Throws a `TypeError` if they aren't a list of
 * messages. `own`: the conversation's messages, which need no check.
 */
function readReturned(returned: unknown, own: ReadonlySet<unknown>): readonly Message[] {
  if (!Array.isArray(returned)) throw new TypeError("it returned no list of messages");
  return Array.from(returned as readonly unknown[], (message, index) => {
    // Messages of the conversation were checked earlier.
    if (own.has(message)) return message as Message;
    const parsed = parseMessages([message]);
    if (parsed.success) return parsed.data[0] as Message;
    const [issue] = parsed.error._tag === "MemoryValidationError" ? parsed.error.issues : [];
    const where = issue?.path.replace("messages[0]", `[${index}]`);
    throw new TypeError(`it returned an invalid list of messages: ${where}: expected ${issue?.expected}`);
  });
}

/**
 * Returns whether the model gets the last user message and the newest message, or replacements of the same role. If the
 * history ends with tool results, all of these are needed.
 */
function holdsNewest(
  given: readonly Message[],
  sent: readonly Message[],
  own: ReadonlySet<Message>,
): boolean {
  const unchanged = new Set(sent);
  const stand = new Set(sent.filter((message) => !own.has(message)).map(roleOf));
  const isThere = (message: Message) => unchanged.has(message) || stand.has(roleOf(message));
  const lastUser = given.findLast(({ role }) => role === "user");
  const newest = Math.min(given.findLastIndex(({ role }) => role !== "tool") + 1, given.length - 1);
  return given.slice(Math.max(0, newest)).every(isThere) && (lastUser === undefined || isThere(lastUser));
}

const roleOf = ({ role, tool_call_id: answers }: Message): string =>
  role === "tool" ? `${role}:${answers}` : role;

/**
 * Returns the fate of each message that the window function returned: `repaired`, or `undefined` for `sent`. Dropped
 * messages are absent.
 */
function labelsOf(
  returned: readonly Message[],
  { messages, originOf }: ReturnType<typeof sanitizeWithOrigins<Message>>,
) {
  const labels = new Map<Message | undefined, ContextLabel | undefined>();
  for (const [index, message] of messages.entries()) {
    const original = returned[originOf(index)];
    labels.set(original, message === original ? undefined : changed);
  }
  return labels;
}

/** Returns the list with its own message object at each index: repeated objects are copied. */
function toldApart(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<Message>();
  return messages.map((message) => {
    const own = seen.has(message) ? frozenCopy(message) : message;
    seen.add(own);
    return own;
  });
}
