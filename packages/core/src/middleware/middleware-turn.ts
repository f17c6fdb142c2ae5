import type { Agent } from "../agent.ts";
import { overlay } from "../immutable/overlay.ts";
import type { CompletionRequest, MiddlewareTurn } from "../middleware.ts";
import type { ModelConfig } from "../model/model-config.ts";
import { askModel } from "../model-calls/ask-model.ts";
import type { RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import { frozenState, type RunState } from "../state.ts";
import { positionOfMessages, unansweredUserMessages } from "../stored/user-messages.ts";

/** The state and the agent that a turn begins with. */
export interface TurnStart<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
  /** Whether the state already ends with the turn's reply, which another run has stored. */
  readonly isReplied: boolean;
}

/** Makes the turn object that the hooks of middleware get. */
export function openTurn<Ctx>(
  scope: RunScope<Ctx>,
  { state: reached, agent, isReplied }: TurnStart<Ctx>,
): MiddlewareTurn<Ctx> {
  const { config, journal, isContinuation } = scope;
  const state = isReplied ? { ...reached, messages: reached.messages.slice(0, -1) } : reached;
  const userMessages = unansweredUserMessages(state.messages);
  return Object.freeze<MiddlewareTurn<Ctx>>({
    state: frozenState(state),
    userMessages: Object.freeze(userMessages),
    position: journal && positionOfMessages(journal, userMessages),
    isContinuation,
    agentName: state.currentAgentName,
    conversationId: config.conversationId,
    signal: config.signal,
    cache: config.cache ?? agent.cacheable,
    startedAt: (isReplied ? lastWritten(scope) : undefined) ?? scope.startedAt,
    complete: openCompletion(config, { ...state, messages: [] }, agent.modelConfig),
  });
}

/**
 * Returns the time of the conversation's last write, in milliseconds since 1970; `undefined` if the store doesn't
 * report it.
 */
function lastWritten<Ctx>({ journal }: RunScope<Ctx>): number | undefined {
  const at: unknown = journal?.history().stored?.metadata?.updatedAt;
  return at instanceof Date ? at.getTime() : undefined;
}

/** Returns the function `MiddlewareTurn.complete`, which doesn't use the run's messages or signal. */
function openCompletion<Ctx>(
  config: RunConfig<Ctx>,
  state: RunState<Ctx>,
  { maxTokens: _, ...settings }: ModelConfig = {},
): MiddlewareTurn<Ctx>["complete"] {
  return async ({ instructions, messages, model, signal }: CompletionRequest) => {
    const question = { state, name: "middleware", instructions, messages, signal };
    if (model === undefined) return askModel(config, { ...question, modelConfig: settings });
    // An agent's settings (e.g. a temperature) are meant for the agent's own model.
    return askModel(overlay(config, { modelOverride: undefined }), {
      ...question,
      modelConfig: { name: model },
    });
  };
}
