import type { Message } from "@jaf/memory";
import type { JAFError } from "../errors.ts";
import { type NamedAddition, wrapping } from "../middleware.ts";
import { settingsShown } from "../model/model-config.ts";
import type { ModelTurn, RunScope, View } from "../run-scope.ts";
import { frozenState, type RunState } from "../state.ts";
import { callModels } from "./call-with-fallback.ts";
import { addTo, instructed, resolveInstructions } from "./instructions.ts";
import { frozenAgent } from "./provider-request.ts";
import type { ReplyText } from "./streamed-reply.ts";
import { callThroughMiddleware } from "./wrap-model-call.ts";

export type ModelReply =
  | {
      readonly ok: true;
      readonly message: Message;
      /** To be released or retracted once it is known whether the reply counts. */
      readonly text: ReplyText;
    }
  | { readonly ok: false; readonly error: JAFError };

/** What the model gets in addition to the conversation. */
export interface PromptExtras {
  readonly additions: readonly NamedAddition[];
  /** Messages after the conversation that aren't part of it, e.g. a request to correct the reply. */
  readonly behind: readonly Message[];
}

/**
 * Calls the model for its next message, through the middleware, with the view of the state and with additions. Includes retries
 * and fallback models.
 */
export async function callModel<Ctx>(
  scope: RunScope<Ctx>,
  turn: ModelTurn<Ctx>,
  { additions = [], behind = [] }: Partial<PromptExtras> = {},
): Promise<ModelReply> {
  const view = await scope.view(turn);
  if (!view.ok) return view;
  const seen = view.state.messages;
  const added = addTo(seen, additions, additions.length > 0 && turn.state.messages.some(isUsers));
  const shownWith = (messages: readonly Message[]) =>
    frozenState(view.state, behind.length === 0 ? messages : [...messages, ...behind]);
  const shown = shownWith(added.messages);
  // The application's instructions get the user's messages without additions.
  const read = added.messages === seen ? shown : shownWith(seen);
  const instructions = await resolveInstructions(scope, instructed(turn.agent, added.instructions), read);
  if (!instructions.ok) return instructions;
  return askShown(scope, turn, { view, added, shown, instructions: instructions.text });
}

interface Shown<Ctx> {
  readonly view: View<Ctx> & { readonly ok: true };
  readonly added: ReturnType<typeof addTo>;
  readonly shown: RunState<Ctx>;
  readonly instructions: string;
}

function askShown<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: ModelTurn<Ctx>,
  { view, added, shown, instructions }: Shown<Ctx>,
): Promise<ModelReply> {
  // Without the messages after the conversation, of which one may be the last user message.
  const modelConfig = settingsShown(agent.modelConfig, view.state.messages);
  const call = {
    state: shown,
    agent: frozenAgent(agent, instructions, modelConfig),
    emitContext:
      scope.emit && once(() => scope.emit?.({ type: "context", data: view.describe(added.placed) })),
  };
  const hooks = wrapping(scope.config, agent, "wrapModelCall");
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
