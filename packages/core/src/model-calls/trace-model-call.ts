import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import { frozenCopy } from "../immutable/copy.ts";
import type { ModelUsage } from "../limits/cost.ts";
import type { RunScope } from "../run-scope.ts";
import type { Attempt, ModelRequest } from "./call-once.ts";

/** Returns the name of the model that a run calls for an agent. `"default"`: the model provider chooses the model. */
export const modelNameOf = <Ctx>(
  { config }: RunScope<Ctx>,
  { agent }: { readonly agent: Pick<Agent<Ctx, unknown>, "modelConfig"> },
): string =>
  config.modelOverride ?? agent.modelConfig?.name ?? config.modelProvider.defaultModel ?? "default";

/**
 * Emits `llm_call_start`, and returns an object whose `end` emits `llm_call_end`. Without an observer, returns
 * `undefined`.
 */
export function traceModelCall<Ctx>(scope: RunScope<Ctx>, request: ModelRequest<Ctx>) {
  const { emit } = scope;
  if (emit === undefined) return undefined;
  const call = { agentName: request.state.currentAgentName, model: modelNameOf(scope, request) };
  const start = performance.now();
  emit({ type: "llm_call_start", data: call });
  return {
    end: (last: Attempt, usage: ModelUsage | undefined): void => {
      const durationMs = performance.now() - start;
      const status = last.ok ? "success" : "error";
      emit({
        type: "llm_call_end",
        data: {
          ...call,
          status,
          attempts: last.attempts,
          durationMs,
          ...replyData(scope, { last, usage, name: call.model }),
        },
      });
    },
  };
}

interface Ended {
  readonly last: Attempt;
  readonly usage: ModelUsage | undefined;
  readonly name: string;
}

function replyData<Ctx>({ spending }: RunScope<Ctx>, { last, usage, name }: Ended) {
  const origin = originOf(last);
  const cost = usage && spending.costOf(usage, { name, origin });
  const spent = {
    ...(usage === undefined ? {} : { usage: frozenCopy(usage) }),
    ...present({ cost }),
  };
  if (!last.ok) return spent;
  const { finish_reason: finishReason } = last.completion;
  return {
    ...spent,
    ...present({ finishReason: finishReason ?? undefined, origin }),
  };
}

/** Returns which model gave the reply; `undefined` if the attempt failed or the model provider doesn't say. */
export const originOf = (tried: Attempt): ModelOrigin | undefined => {
  if (!tried.ok) return undefined;
  const { origin }: RichMessage = tried.message;
  return origin;
};
