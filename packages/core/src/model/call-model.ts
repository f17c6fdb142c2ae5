import type { Message } from "@jaf/memory";
import { sleep } from "../engine/abort.ts";
import type { RunScope } from "../engine/scope.ts";
import type { Turn } from "../engine/step.ts";
import { JAFErrorHandler } from "../error-handler.ts";
import type { JAFError } from "../errors.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { agentGivenOut, stateShown } from "../immutable/given-out.ts";
import { isThenable } from "../thenable.ts";
import { type Attempt, attemptCall, type ModelRequest } from "./attempt.ts";
import { resolveInstructions, withInstructions } from "./instructions.ts";
import type { ReplyText } from "./reply-text.ts";
import { retryDelayMs } from "./retry.ts";

export type ModelReply =
  | {
      readonly ok: true;
      readonly message: Message;
      /** To be released or retracted, once it is known whether the reply counts. */
      readonly text: ReplyText;
    }
  | { readonly ok: false; readonly error: JAFError };

/** Asks the model for its next message, and asks again as the policy allows. It gets the view of the state. */
export async function callModel<Ctx>(scope: RunScope<Ctx>, { state, agent }: Turn<Ctx>): Promise<ModelReply> {
  const { modelRetry, signal } = scope.config;
  const view = await scope.view({ state, agent });
  if (!view.ok) return view;
  const shown = stateShown(view.state);
  const resolving = resolveInstructions(scope, agent, shown);
  const instructions = isThenable(resolving) ? await resolving : resolving;
  if (!instructions.ok) return instructions;
  const request = { state: shown, agent: withInstructions<Ctx>(agentGivenOut(agent), instructions.text) };
  const trace = traceCall(scope, request);
  scope.emit?.({ type: "context", data: view.describe() });
  for (let attempt = 1; ; attempt++) {
    const tried = await attemptCall(scope, request, attempt);
    const delayMs = tried.ok ? undefined : retryDelayMs(modelRetry, { ...tried, attempt });
    if (tried.ok || delayMs === undefined) {
      trace?.end(tried, attempt);
      return tried;
    }
    const { error, discardText } = tried;
    scope.emit?.({
      type: "llm_retry",
      data: {
        agentName: request.state.currentAgentName,
        attempt,
        delayMs,
        reason: JAFErrorHandler.format(error),
        discardText,
      },
    });
    await sleep(delayMs, signal);
  }
}

/** Tells of the beginning and the end of a call; nothing where nobody listens. */
function traceCall<Ctx>({ emit, config }: RunScope<Ctx>, { state, agent }: ModelRequest<Ctx>) {
  if (emit === undefined) return undefined;
  const model = config.modelOverride ?? agent.modelConfig?.name ?? "default";
  const call = { agentName: state.currentAgentName, model };
  const start = performance.now();
  emit({ type: "llm_call_start", data: call });
  return {
    end: (last: Attempt, attempts: number): void => {
      const completion = last.ok ? last.completion : undefined;
      emit({
        type: "llm_call_end",
        data: {
          ...call,
          status: last.ok ? "success" : "error",
          attempts,
          durationMs: performance.now() - start,
          ...(completion?.usage === undefined ? {} : { usage: frozenCopy(completion.usage) }),
          ...(completion?.finish_reason == null ? {} : { finishReason: completion.finish_reason }),
        },
      });
    },
  };
}
