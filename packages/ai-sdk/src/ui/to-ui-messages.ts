import type { Interruption } from "@jaf/core";
import type { ContentPart, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, jsonIn, messageText } from "@jaf/memory/internal";
import { isProviderExecuted, textField } from "@jaf/model-http";
import { isCallWithin, waitingState } from "./inner-calls.ts";
import { metadataOf, type UIOptions, uiPart } from "./parts.ts";
import { answeredState, CUSTOM_CALL, callPart, decidedState, isToolPart, withState } from "./tool-parts.ts";
import type { AiSdkToolPart, AiSdkUIMessage, AiSdkUIPart, ToolState } from "./ui-message.ts";

/** Options of {@link toUIMessages}. */
export interface ToUIMessagesOptions {
  /**
   * The pending calls from the run's `outcome.interruptions`. Calls that wait for an approval get the state `approval-requested`.
   * Calls of agents that run as tools (see `asTool` of `@jaf/core`) become parts of the step that called the agent. The agent's
   * own call then has the output `{ type: "waiting" }`, so that the AI SDK sees only the user's answers as missing. Default: none.
   */
  readonly interruptions?: readonly Interruption[];
  /** Whether reasoning parts contain their text. Default `true`. With `false`, their text is `""`. */
  readonly reasoning?: boolean;
  /** Whether to include system and developer messages, which are usually not meant for users. Default `false`. */
  readonly system?: boolean;
  /**
   * Which tools' calls become `dynamic-tool` parts instead of `tool-<name>` parts: all (`true`), none (`false`), or those
   * for which a function returns `true`. Default `false`.
   */
  readonly dynamicTools?: boolean | ((toolName: string) => boolean);
  /**
   * Whether to include provider metadata, such as signatures. For servers that pass the messages to the AI SDK; browsers don't
   * need it. Default `false`.
   */
  readonly providerMetadata?: boolean;
  /**
   * Returns the id of a UI message. Gets the first message in it, and that message's index. Default: `message.id`, or
   * `message-<index>` if the message has no id.
   */
  readonly id?: (message: RichMessage, index: number) => string;
}

/**
 * Converts a conversation into UI messages of the AI SDK. All replies between two user messages become one UI message, and
 * each reply becomes a step. `validateUIMessages` and `convertToModelMessages` accept the result, unless the result is
 * empty. Leaves out results without a call, parts that the AI SDK can't express, and media without data. Load the data of
 * blobs first (`resolveMedia`).
 *
 * @example
 * ```ts
 * import { toUIMessages } from "@jaf/ai-sdk";
 * import type { Interruption } from "@jaf/core";
 * import type { MemoryProvider } from "@jaf/memory";
 * import type { UIMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 * declare const interruptions: readonly Interruption[];
 *
 * const found = await provider.getConversation("conversation-1");
 * const messages = found.success ? (found.data?.messages ?? []) : [];
 * export const shown: UIMessage[] = toUIMessages(messages, { interruptions });
 * ```
 */
export function toUIMessages(
  messages: readonly RichMessage[],
  options: ToUIMessagesOptions = {},
): AiSdkUIMessage[] {
  const uiOptions = uiOptionsOf(options);
  const ids = uniqueIds(options.id);
  const ui: AiSdkUIMessage[] = [];
  let turn: Turn | undefined;
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "user":
        ui.push({ id: ids(message, index), role: "user", parts: userUIParts(message, uiOptions) });
        turn = undefined;
        break;
      case "assistant":
        if (turn === undefined) {
          turn = { parts: [], calls: new Map() };
          ui.push({ id: ids(message, index), role: "assistant", parts: turn.parts });
        }
        addReply(turn, message, uiOptions);
        break;
      case "tool":
        if (turn !== undefined) answer(turn, message);
        break;
      case "system":
      case "developer": {
        if (options.system !== true) break;
        const text = messageText(message);
        const parts: AiSdkUIPart[] = [
          { type: "text", text, ...metadataOf(message.providerMetadata, uiOptions) },
        ];
        ui.push({ id: ids(message, index), role: "system", parts });
        turn = undefined;
      }
    }
  }
  return withWaiting(ui, options.interruptions ?? [], uiOptions);
}

function userUIParts({ content }: RichMessage, options: UIOptions): AiSdkUIPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const parts = content ?? [];
  const ui = parts.flatMap((part) => uiPart(part, options) ?? []);
  // The AI SDK refuses a user message without parts.
  return ui.length === 0 ? [{ type: "text", text: "" }] : ui;
}

function uiOptionsOf({
  reasoning = true,
  providerMetadata = false,
  dynamicTools = false,
}: ToUIMessagesOptions): UIOptions {
  const isDynamic = typeof dynamicTools === "function" ? dynamicTools : () => dynamicTools;
  return { reasoning, providerMetadata, isDynamic };
}

function uniqueIds(given: ToUIMessagesOptions["id"]): (message: RichMessage, index: number) => string {
  const taken = new Set<string>();
  return (message, index) => {
    if (given !== undefined) return given(message, index);
    const own = typeof message.id === "string" && message.id !== "" ? message.id : `message-${index}`;
    // Providers may repeat ids, and one may look like a default id.
    let id = own;
    for (let copy = 2; taken.has(id); copy++) id = `${own}-${copy}`;
    taken.add(id);
    return id;
  };
}

/** The parts of the assistant since the last user message. */
interface Turn {
  readonly parts: AiSdkUIPart[];
  /** The places of the calls among the parts, by their ids. Several calls may have the same id. */
  readonly calls: Map<string, number[]>;
}

function addCall({ parts, calls }: Turn, call: AiSdkToolPart): void {
  const places = calls.get(call.toolCallId);
  if (places === undefined) calls.set(call.toolCallId, [parts.length]);
  else places.push(parts.length);
  parts.push(call);
}

/** Gives the latest call that has the id and waits its answer. Earlier calls may have the same id. */
function answerLatest(
  { parts, calls }: Turn,
  id: unknown,
  answered: (call: AiSdkToolPart) => AiSdkToolPart | undefined,
): void {
  const places = typeof id === "string" ? (calls.get(id) ?? []) : [];
  for (let place = places.length - 1; place >= 0; place--) {
    const index = places[place] ?? 0;
    const call = parts[index];
    const next = call !== undefined && isToolPart(call) ? answered(call) : undefined;
    if (next === undefined) continue;
    parts[index] = next;
    return;
  }
}

/** Adds a tool result to the latest call that has its id and no result yet. */
const answer = (turn: Turn, message: RichMessage): void =>
  answerLatest(turn, message.tool_call_id, (call) => {
    if (!isAsked(call)) return undefined;
    const state =
      call.providerExecuted === true ? decidedState(call, message) : answeredState(call, message.content);
    return withState(call, state);
  });

/** Checks whether JAF answers the call, and hasn't yet. A call that the provider runs is answered by a decision. */
const isAsked = ({ state, providerExecuted }: AiSdkToolPart): boolean =>
  state === (providerExecuted === true ? "approval-requested" : "input-available");

function withWaiting(
  ui: AiSdkUIMessage[],
  interruptions: readonly Interruption[],
  options: UIOptions,
): AiSdkUIMessage[] {
  const parts = ui.at(-1)?.parts ?? [];
  for (const interruption of interruptions) {
    addInnerCall(parts, interruption, options);
    if (interruption.type !== "approval") continue;
    const { toolCallId, approvalId } = interruption;
    const index = parts.findLastIndex((part) => isToolPart(part) && part.toolCallId === toolCallId);
    const call = parts[index];
    if (call === undefined || !isToolPart(call) || !isAsked(call)) continue;
    const { input } = call;
    parts[index] = withState(call, { state: "approval-requested", input, approval: { id: approvalId } });
  }
  return ui;
}

/** Adds a part for a call of an agent that runs as a tool, at the end of the step that called the agent. */
function addInnerCall(parts: AiSdkUIPart[], waiting: Interruption, options: UIOptions): void {
  const { toolCallId: id, toolName: name, arguments: text } = waiting;
  const outerAt = parts.findLastIndex((part) => isToolPart(part) && isCallWithin(part.toolCallId, id));
  const outer = parts[outerAt];
  if (outer === undefined || !isToolPart(outer)) return;
  const next = parts.findIndex(({ type }, at) => at > outerAt && type === "step-start");
  parts.splice(next === -1 ? parts.length : next, 0, callPart({ id, name, input: uiInput(text) }, options));
  if (isAsked(outer)) parts[outerAt] = withState(outer, waitingState(outer));
}

/** Adds the parts of a reply to the parts of the turn. */
function addReply(turn: Turn, message: RichMessage, options: UIOptions): void {
  const { parts } = turn;
  parts.push({ type: "step-start" });
  const { content } = message;
  if (typeof content === "string" && content !== "") parts.push({ type: "text", text: content });
  const calls = [...(message.tool_calls ?? [])];
  for (const part of contentParts(message)) {
    switch (part.type) {
      case "tool-call": {
        const index = calls.findIndex(({ id }) => id === part["id"]);
        for (const call of index < 0 ? [] : calls.splice(index, 1)) addCall(turn, ownCall(call, options));
        break;
      }
      case "provider-tool-call":
        addCall(turn, providerCall(part, options));
        break;
      case "provider-tool-result":
        answerProvider(turn, part);
        break;
      default: {
        const ui = uiPart(part, options);
        if (ui !== undefined) parts.push(ui);
      }
    }
  }
  for (const call of calls) addCall(turn, ownCall(call, options));
}

function contentParts({ content, refusal }: RichMessage): readonly ContentPart[] {
  const parts = typeof content === "string" ? [] : (content ?? []);
  return typeof refusal === "string" ? [...parts, { type: "refusal", refusal, field: true }] : parts;
}

function ownCall(call: RichToolCall, options: UIOptions): AiSdkToolPart {
  const { name, input } = calledTool(call);
  const { providerMetadata: callProviderMetadata } = metadataOf(call.providerMetadata, options);
  const common = { id: call.id, name, callProviderMetadata, isDynamic: call["dynamic"] === true };
  if (isProviderExecuted(call)) {
    const part = callPart({ ...common, input: uiInput(input), providerExecuted: true }, options);
    return withState(part, { state: "approval-requested", input: part.input, approval: { id: call.id } });
  }
  return call.type === "custom"
    ? callPart({ ...common, input, toolMetadata: CUSTOM_CALL }, options)
    : callPart({ ...common, input: uiInput(input) }, options);
}

/** Parses the input of a call. Invalid JSON, `null` and JSON strings stay as the model wrote them. */
function uiInput(text: string): unknown {
  if (text.trim() === "") return {};
  const parsed = jsonIn(text);
  return parsed === undefined || parsed === null || typeof parsed === "string" ? text : parsed;
}

function providerCall(part: ContentPart, options: UIOptions): AiSdkToolPart {
  const { providerMetadata: callProviderMetadata } = metadataOf(part["providerMetadata"], options);
  return callPart(
    {
      id: textField(part, "id") ?? "",
      name: textField(part, "name") ?? "",
      input: part["input"] ?? {},
      isDynamic: part["dynamic"] === true,
      providerExecuted: true,
      callProviderMetadata,
    },
    options,
  );
}

/** Adds the result of a call that the provider ran. The result may be in a later step than the call. */
function answerProvider(turn: Turn, { id, output, isError }: ContentPart): void {
  answerLatest(turn, id, (call) => {
    if (call.providerExecuted !== true || call.state !== "input-available") return undefined;
    const { input } = call;
    const errorText = typeof output === "string" ? output : JSON.stringify(output ?? null);
    const state: ToolState =
      isError === true
        ? { state: "output-error", input, errorText }
        : { state: "output-available", input, output: output ?? null };
    return withState(call, state);
  });
}
