import type {
  ChatMemoryConfig,
  ChatMemoryOptions,
  MemoryIssue,
  Message,
  Omission,
  Tokenizer,
  WindowOptions,
} from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import { countMessageTokens, estimateTokens, planWindow, windowOptionsOf } from "@jaf/memory/turns";
import type { ContextLabel } from "../context/manifest.ts";
import { type WindowFunction, windowByFunction } from "./function-window.ts";
import type { ShownMessages, WindowInput } from "./shown.ts";
import { type ModelWindow, wholeWindow } from "./whole-window.ts";
import { fieldsOf, PATH } from "./window-issues.ts";

/**
 * Which part of the history the model sees: the configuration of a window, whose `memoryId` isn't used here, or a function that
 * gets the whole history or the last messages of it.
 *
 * What a function returns is checked, sanitized and sent. It gets frozen messages; it may leave out messages and replace others,
 * but must return the newest message, with all results of its calls, and the last user message, or replacements of them. It
 * doesn't get the summary, which is sent before what it returns.
 */
export type RunWindow = (ChatMemoryConfig & ChatMemoryOptions) | WindowFunction | SelectingWindow;

/** A window function that needs only the end of the conversation, so that a run needn't read the rest. */
export interface SelectingWindow {
  /** The function gets a sliding window of this many messages. */
  readonly maxMessages: number;
  readonly select: WindowFunction;
}

const isSelecting = (window: object): window is SelectingWindow => "select" in window;

/** The issue of a limit that leaves no room for what the model is to answer. */
const windowTooSmall: MemoryIssue = {
  path: PATH,
  expected:
    "room for the newest message together with the calls and results it belongs to and the last user message",
};

/** The options of a valid window; `undefined` for a function without `maxMessages`. Throws a `TypeError` if it has issues. */
export function windowOptionsIn(window: RunWindow): WindowOptions | undefined {
  if (typeof window === "function") return undefined;
  if (isSelecting(window)) return { maxMessages: window.maxMessages };
  return windowOptions(window, tokenizerOf(window));
}

const windowOptions = (window: object, tokenizer: Tokenizer): WindowOptions => {
  const { tokenizer: _, ...config } = fieldsOf(window);
  const options = windowOptionsOf(config as ChatMemoryConfig);
  return "maxTokens" in options ? { ...options, tokenizer } : options;
};

/** Called on the window, which may be an instance of a class. */
const tokenizerOf =
  (window: ChatMemoryOptions): Tokenizer =>
  (text) =>
    window.tokenizer === undefined ? estimateTokens(text) : window.tokenizer(text);

/** Throws a `TypeError` for a configuration that has issues. */
export function openWindow(window: RunWindow | undefined): ModelWindow {
  if (window === undefined) return wholeWindow;
  if (typeof window === "function")
    return { limit: { type: "function" }, show: windowByFunction(PATH, window), tokensOf: () => undefined };
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
      show: showIn(options, () => 1),
      tokensOf: () => undefined,
    };
  const costOf = (message: Message) => countMessageTokens(message, counted);
  return {
    limit: { type: "tokens", ...limits },
    show: showIn(options, costOf),
    tokensOf: (messages) => messages.reduce((sum, message) => sum + costOf(message), 0),
  };
}

function openSelecting(window: SelectingWindow): ModelWindow {
  const { maxMessages } = window;
  const select = windowByFunction(PATH, (messages) => window.select(messages));
  return {
    limit: { type: "function", limit: maxMessages },
    show: (input) => {
      const { messages, omitted, newestOmitted } = planWindow(input.messages, { maxMessages });
      if (newestOmitted) return nothing;
      const shown = select({ ...input, messages });
      const label = lookUp(omitted);
      const before = (index: number) =>
        omitted.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(index, end) - start), 0);
      return { ...shown, label: (index) => label(index) ?? shown.label(index - before(index)) };
    },
    tokensOf: () => undefined,
  };
}

const limitOf = (options: WindowOptions): number =>
  "maxTokens" in options ? options.maxTokens : options.maxMessages;

/** Before each model call the whole history is counted, of which most texts were counted before. */
function memoizeTokenizer(tokenizer: Tokenizer): Tokenizer {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? tokenizer(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** There is no room for the summary beside the newest message. */
const nothing: ShownMessages = {
  messages: [],
  summary: undefined,
  label: () => undefined,
  issue: windowTooSmall,
};

const showIn =
  (options: WindowOptions, costOf: (message: Message) => number) =>
  ({ messages, summary, dropped, positionOf }: WindowInput): ShownMessages => {
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

/** Made on first use: mostly nobody needs the labels. */
function lookUp(omitted: readonly Omission[]): ShownMessages["label"] {
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

/** The window that remains for the messages beside a summary of this cost; `undefined`: there is no room. */
function lessened(options: WindowOptions, cost: number): WindowOptions | undefined {
  const limit = limitOf(options) - cost;
  if (limit < 1) return undefined;
  const low = options.trimTo === undefined ? limit : Math.max(1, options.trimTo - cost);
  const steps = { trimTo: low < limit ? low : undefined };
  return "maxTokens" in options
    ? { ...options, ...steps, maxTokens: limit }
    : { ...steps, maxMessages: limit };
}
