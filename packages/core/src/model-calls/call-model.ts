import type { Message } from "@jaf/memory";
import type { JAFError } from "../errors.ts";
import { middlewareWith, type PromptAddition } from "../middleware.ts";
import { settingsForCall } from "../model/model-config.ts";
import type { PreparedContext, RunScope, StepStart } from "../run-scope.ts";
import { frozenState, type RunState } from "../state.ts";
import { callModels } from "./call-with-fallback.ts";
import { addToPrompt, instructed, resolveInstructions } from "./instructions.ts";
import { frozenAgent } from "./provider-request.ts";
import type { StreamedReply } from "./streamed-reply.ts";
import { callThroughMiddleware } from "./wrap-model-call.ts";

export type ModelReply =
  | {
      readonly ok: true;
      readonly message: Message;
      /** The streamed reply. Call `release` when the reply is accepted, and `retract` when it is refused. */
      readonly text: StreamedReply;
    }
  | { readonly ok: false; readonly error: JAFError };

/** What a prompt has in addition to the conversation. */
export interface PromptExtras {
  readonly additions: readonly PromptAddition[];
  /** Messages after the conversation that aren't part of it (e.g. a request to correct the reply). */
  readonly trailing: readonly Message[];
}

/**
 * Prepares the prompt of a step and calls the model through the `wrapModelCall` hooks, with retries and fallback
 * models.
 */
export async function callModel<Ctx>(
  scope: RunScope<Ctx>,
  step: StepStart<Ctx>,
  { additions = [], trailing = [] }: Partial<PromptExtras> = {},
): Promise<ModelReply> {
  const context = await scope.prepareContext(step);
  if (!context.ok) return context;
  const seen = context.state.messages;
  const added = addToPrompt(seen, additions, additions.length > 0 && step.state.messages.some(isUsers));
  const promptWith = (messages: readonly Message[]) =>
    frozenState(context.state, trailing.length === 0 ? messages : [...messages, ...trailing]);
  const prompt = promptWith(added.messages);
  // The application's `instructions` function gets the user's messages without the texts that middleware adds.
  const read = added.messages === seen ? prompt : promptWith(seen);
  const instructions = await resolveInstructions(scope, instructed(step.agent, added.instructions), read);
  if (!instructions.ok) return instructions;
  return callPrepared(scope, step, { context, added, prompt, instructions: instructions.text });
}

interface PreparedCall<Ctx> {
  readonly context: PreparedContext<Ctx> & { readonly ok: true };
  readonly added: ReturnType<typeof addToPrompt>;
  readonly prompt: RunState<Ctx>;
  readonly instructions: string;
}

function callPrepared<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: StepStart<Ctx>,
  { context, added, prompt, instructions }: PreparedCall<Ctx>,
): Promise<ModelReply> {
  // Computed without the trailing messages, because one of them can be the last user message.
  const modelConfig = settingsForCall(agent.modelConfig, context.state.messages);
  const call = {
    state: prompt,
    agent: frozenAgent(agent, instructions, modelConfig),
    emitContext:
      scope.emit && once(() => scope.emit?.({ type: "context", data: context.toManifest(added.placed) })),
  };
  const hooks = middlewareWith(scope.config, agent, "wrapModelCall");
  return hooks === undefined
    ? callModels(scope, call)
    : callThroughMiddleware(scope, call, { hooks, state: frozenState(state) });
}

const isUsers = ({ role }: Message): boolean => role === "user";

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
