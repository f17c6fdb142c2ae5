import type { Message } from "@jaf/memory";
import { checkGuardrails } from "../guardrails/check.ts";
import { saidText } from "../guardrails/said-text.ts";
import type { RunState } from "../state.ts";
import { fail, type Step } from "../step.ts";
import { abortError } from "../timing/abort.ts";
import type { RunScope } from "./scope.ts";

/** Lets the input guardrails judge what users said in these messages; how the run ends if they don't let it pass. */
export async function judgeInput<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  messages: readonly Message[],
): Promise<Step<Ctx> | undefined> {
  const { initialInputGuardrails, signal } = scope.config;
  if (initialInputGuardrails === undefined) return undefined;
  const said = messages.filter(({ role }) => role === "user");
  if (said.length === 0) return undefined;
  const verdict = await checkGuardrails(scope, initialInputGuardrails, {
    stage: "input",
    value: said.map(saidText).join("\n"),
    context: state.context,
  });
  const aborted = abortError(signal);
  if (aborted !== undefined) return fail(state, aborted);
  if (verdict.isValid) return undefined;
  return fail(state, { _tag: "InputGuardrailTripwire", reason: verdict.errorMessage });
}
