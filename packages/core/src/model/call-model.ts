import type { Message } from "@jaf/memory";
import type { View } from "../context/view.ts";
import type { RunScope } from "../engine/scope.ts";
import type { Turn } from "../engine/step.ts";
import type { JAFError } from "../errors.ts";
import { agentGivenOut, stateShown } from "../immutable/given-out.ts";
import { wrapping } from "../middleware/wrapping.ts";
import type { RunState } from "../state.ts";
import { isThenable } from "../thenable.ts";
import { callModels } from "./fallback.ts";
import { type Instructions, resolveInstructions } from "./instructions.ts";
import type { ReplyText } from "./reply-text.ts";
import { resolved } from "./resolved-agent.ts";
import { settingsShown } from "./settings.ts";
import { callWrapped } from "./wrapped-call.ts";

export type ModelReply =
  | {
      readonly ok: true;
      readonly message: Message;
      /** To be released or retracted, once it is known whether the reply counts. */
      readonly text: ReplyText;
    }
  | { readonly ok: false; readonly error: JAFError };

/**
 * Asks the model for its next message, by way of the middleware: it gets the view of the state, and `behind` it what is no part
 * of the conversation. It is asked again as the policy allows, and others in its place.
 */
export function callModel<Ctx>(
  scope: RunScope<Ctx>,
  turn: Turn<Ctx>,
  behind: readonly Message[] = [],
): ModelReply | Promise<ModelReply> {
  const viewing = scope.view(turn);
  return isThenable(viewing)
    ? viewing.then((view) => showView(scope, turn, { view, behind }))
    : showView(scope, turn, { view: viewing, behind });
}

interface Viewed<Ctx> {
  readonly view: View<Ctx>;
  readonly behind: readonly Message[];
}

function showView<Ctx>(
  scope: RunScope<Ctx>,
  turn: Turn<Ctx>,
  { view, behind }: Viewed<Ctx>,
): ModelReply | Promise<ModelReply> {
  if (!view.ok) return view;
  const messages = behind.length === 0 ? view.state.messages : [...view.state.messages, ...behind];
  const shown = stateShown(view.state, messages);
  const resolving = resolveInstructions(scope, turn.agent, shown);
  return isThenable(resolving)
    ? resolving.then((instructions) => instruct(scope, turn, { view, shown, instructions }))
    : instruct(scope, turn, { view, shown, instructions: resolving });
}

interface Shown<Ctx> {
  readonly view: View<Ctx> & { readonly ok: true };
  readonly shown: RunState<Ctx>;
  readonly instructions: Instructions;
}

function instruct<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: Turn<Ctx>,
  { view, shown, instructions }: Shown<Ctx>,
): ModelReply | Promise<ModelReply> {
  if (!instructions.ok) return instructions;
  const given = agentGivenOut(agent);
  const call = {
    state: shown,
    // What is behind the conversation says nothing of what the user said last.
    agent: resolved<Ctx>(given, instructions.text, settingsShown(given.modelConfig, view.state.messages)),
    tellContext: scope.emit && once(() => scope.emit?.({ type: "context", data: view.describe() })),
  };
  const hooks = wrapping(scope.config, agent, "wrapModelCall");
  return hooks === undefined
    ? callModels(scope, call)
    : callWrapped(scope, call, { hooks, state: stateShown(state) });
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
