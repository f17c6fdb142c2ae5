import type { RunScope } from "../engine/scope.ts";
import { plainCopy } from "../immutable/copy.ts";
import { abortable } from "../timing/abort.ts";
import { failureReason } from "./failure-reason.ts";
import type { Guardrail, ValidationResult } from "./guardrail.ts";

const passed: ValidationResult = { isValid: true };

/** The first verdict against `value`, in order. Stops at an abort; whether it was one is the caller's to ask. */
export async function checkGuardrails<I, Ctx>(
  scope: RunScope<Ctx>,
  guardrails: readonly Guardrail<I, Ctx>[] | undefined,
  judged: { readonly stage: "input" | "output"; readonly value: I; readonly context: Readonly<Ctx> },
): Promise<ValidationResult> {
  for (const guardrail of guardrails ?? []) {
    const verdict = await judge(scope, guardrail, judged);
    if (verdict.isValid) continue;
    if (scope.config.signal?.aborted !== true) {
      const data = { stage: judged.stage, reason: verdict.errorMessage };
      scope.emit?.({ type: "guardrail_tripped", data });
    }
    return verdict;
  }
  return passed;
}

async function judge<I, Ctx>(
  { config, mask }: RunScope<Ctx>,
  guardrail: Guardrail<I, Ctx>,
  { value, context }: { readonly value: I; readonly context: Readonly<Ctx> },
): Promise<ValidationResult> {
  try {
    const verdict: Partial<ValidationResult> | undefined = await abortable(
      (async () => guardrail(plainCopy(value), context as Parameters<Guardrail<I, Ctx>>[1]))(),
      config.signal,
    );
    if (verdict?.isValid === true) return passed;
    if (verdict?.isValid !== false) return blocked("a guardrail returned no verdict");
    return blocked(verdict.errorMessage ?? "a guardrail gave no reason");
  } catch (thrown) {
    return blocked(failureReason(thrown, value, mask));
  }
}

const blocked = (errorMessage: string): ValidationResult => ({ isValid: false, errorMessage });
