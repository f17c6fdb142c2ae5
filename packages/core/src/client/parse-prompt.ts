import type { AnyConversationStore, Message, RichMessage } from "@jaf/memory";
import { assertValidContinuation, parseMessages, present } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import { frozenInput, frozenMessages, ownMessages } from "../immutable/messages.ts";
import { abortable } from "../limits/abort.ts";
import type { Resume } from "../run-config.ts";
import { createRunState, type RunState } from "../state.ts";
import type { ClientSettings } from "./config.ts";
import {
  type ConversationChoice,
  chooseConversation,
  declaredBy,
  type ExplicitIds,
  type ParsedConversational,
  type StoredChoice,
  UNOWNED,
} from "./conversation.ts";
import { storeOf } from "./conversation-store.ts";
import {
  checkOptions,
  conversationOptionOf,
  forbiddenRole,
  hasClientFields,
  inputMessages,
  noMessages,
  nothingSent,
  type PromptInput,
  type PromptOptions,
  parseDecisions,
} from "./options.ts";

/** The arguments of a call of `prompt` or `stream`. */
export interface PromptCall<Ctx> {
  readonly explicit: ExplicitIds;
  readonly input: PromptInput;
  readonly options: PromptOptions<Ctx>;
}

/** A prompt whose input and options are parsed. No store has been called yet. */
export interface ParsedPrompt<Ctx> {
  /**
   * The state that the run begins with. Its messages are the new messages, after the passed history if the prompt is
   * stateless.
   */
  readonly state: RunState<Ctx>;
  /** The messages in `state.messages` that aren't new. Empty unless the prompt is stateless. */
  readonly history: readonly Message[];
  /** The store and the conversation. Absent if nothing is stored. */
  readonly stored: StoredPrompt | undefined;
  /**
   * What the client sent: its copy of the history or its history token, decisions, and tool results. `undefined`: the
   * client sent nothing.
   */
  readonly resume: Resume | undefined;
  /** The maximum number of messages that the model sees: the newest ones. `undefined`: no limit. */
  readonly historyLimit: number | undefined;
}

interface StoredPrompt {
  readonly store: AnyConversationStore;
  readonly choice: StoredChoice;
}

/**
 * Parses a prompt. Rejects with:
 *
 * - `TypeError`: an argument is invalid.
 * - `ContinuationValidationError`: the client's input isn't a list of messages or decisions.
 * - the error that `AgentClientConfig.context` or `Agent.conversational` threw.
 * - the reason of the abort, if the signal is aborted while one of these functions runs.
 */
export async function parsePrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  { explicit, input, options }: PromptCall<Ctx>,
  signal: AbortSignal | undefined,
): Promise<ParsedPrompt<Ctx>> {
  checkOptions(options);
  const newMessages = inputMessages(input, options);
  const decisions = parseDecisions(options);
  const context = await abortable(contextOf(settings, options), signal);
  const { agent } = settings;
  const declared = await abortable(conversationalFor(agent, context, options), signal);
  const choice = chooseConversation(explicit, declared, agent.name);
  const history = choice.kind === "stateless" ? historyOf(options) : [];
  const messages = frozenMessages([...history, ...newMessages]);
  checkHasInput(choice, messages, options);
  const stored = choice.kind === "stateless" ? undefined : { store: storeOf(settings), choice };
  const state = stateOf(agent.name, { context, messages, options });
  if (stored === undefined) refuseToken(options);
  const resume = stored === undefined ? decisions : { ...decisions, ...sentBack(options) };
  const isEmpty = Object.keys(resume).length === 0;
  return {
    state,
    history,
    stored,
    resume: isEmpty ? undefined : resume,
    historyLimit: declared?.historyLimit,
  };
}

function sentBack<Ctx>({ messages, historyToken }: PromptOptions<Ctx>): Resume {
  const sent = frozenInput(messages);
  if (historyToken !== undefined) return { historyToken, messages: sent ?? [] };
  return present({ messages: sent });
}

/** Throws an error if the options have a history token. */
function refuseToken<Ctx>({ historyToken, messages = [] }: PromptOptions<Ctx>): void {
  if (historyToken === undefined) return;
  assertValidContinuation([], messages, { historyToken: { sent: historyToken, expected: undefined } });
}

/** Returns the final state of a prompt that was aborted while it was parsed. */
export function unparsedState<Ctx, Out>(
  { agent, context }: ClientSettings<Ctx, Out>,
  { input, options }: PromptCall<Ctx>,
): RunState<Ctx> {
  const own = options.context ?? (typeof context === "function" ? undefined : context);
  const messages = inputMessages(input, options);
  return stateOf(agent.name, { context: own as Readonly<Ctx>, messages, options });
}

interface Beginning<Ctx> {
  readonly context: Readonly<Ctx>;
  readonly messages: readonly Message[];
  readonly options: PromptOptions<Ctx>;
}

function stateOf<Ctx>(agentName: string, { context, messages, options }: Beginning<Ctx>): RunState<Ctx> {
  const { traceId, runId } = options;
  return createRunState<Ctx>({
    agentName,
    context,
    messages,
    ...present({ traceId, runId }),
  });
}

/** Returns the context of a run: the option `context`, or else that of the configuration. */
export async function contextOf<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  options: Pick<PromptOptions<Ctx>, "context">,
): Promise<Readonly<Ctx>> {
  if (options.context !== undefined) return options.context;
  return typeof settings.context === "function"
    ? (settings.context as () => Ctx | Promise<Ctx>)()
    : (settings.context as Readonly<Ctx>);
}

/**
 * Returns the option `conversation`, or else the agent's `conversational`. Returns `undefined` if both are absent, and
 * {@link UNOWNED} if one is present with the value `undefined`.
 */
export async function conversationalFor<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  context: Readonly<Ctx>,
  options: Pick<PromptOptions<Ctx>, "conversation">,
): Promise<ParsedConversational | undefined> {
  const own = conversationOptionOf(options);
  if (own !== undefined) return own;
  if ("conversational" in agent) return declaredBy(agent, context);
  return "conversation" in options ? UNOWNED : undefined;
}

/**
 * Returns the history of a stateless prompt: the option `messages`. Throws a `ContinuationValidationError` if it isn't
 * a list of messages or has a `system` or `developer` message.
 */
function historyOf<Ctx>({ messages = [] }: PromptOptions<Ctx>): readonly Message[] {
  const parsed = parseMessages(messages);
  if (!parsed.success) throw noMessages();
  const forbidden = parsed.data.findIndex(isOfTheApplication);
  if (forbidden !== -1) throw forbiddenRole(forbidden);
  return ownMessages(parsed.data);
}

/** Returns whether only the application may send this message, and not a client. */
const isOfTheApplication = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

function checkHasInput<Ctx>(
  { kind }: ConversationChoice,
  messages: readonly Message[],
  options: PromptOptions<Ctx>,
): void {
  if (messages.length > 0 || (kind !== "stateless" && kind !== "new")) return;
  const sent: readonly unknown[] = [options.messages, options.approvals, options.toolResults];
  const isNothing = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0);
  if (!sent.every(isNothing)) return;
  if (hasClientFields(options)) throw nothingSent();
  throw new TypeError(
    "Invalid prompt input: expected a message, because there is no conversation to continue.",
  );
}
