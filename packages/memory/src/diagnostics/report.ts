import type { MemoryErrorUnion } from "../errors.ts";

export type DiagnosisStepName =
  | "health"
  | "stats"
  | "store"
  | "read"
  | "append"
  | "read-back"
  | "delete"
  | "gone";

export interface DiagnosisStep {
  readonly name: DiagnosisStepName;
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Why it is not ok. */
  readonly error?: MemoryErrorUnion;
}

/** The result of `diagnoseMemoryProvider`. */
export interface MemoryDiagnosis {
  /** Whether every step is ok. */
  readonly ok: boolean;
  readonly steps: readonly DiagnosisStep[];
  /**
   * The id of the test conversation, if it may still be stored. A store that keeps `ttlSeconds` removes it within five
   * minutes.
   */
  readonly leftoverConversationId?: string;
}

function formatStep({ name, ok, latencyMs, error }: DiagnosisStep): string {
  const outcome = ok ? "ok" : `failed, ${error?._tag}: ${error?.message}`;
  return `${name} (${latencyMs.toFixed(1)} ms): ${outcome}`;
}

/** The diagnosis as text for people. Contains no stored content. */
export function formatMemoryDiagnosis({ ok, steps, leftoverConversationId }: MemoryDiagnosis): string {
  return [
    ...steps.map(formatStep),
    ...(leftoverConversationId === undefined
      ? []
      : [
          `The test conversation ${leftoverConversationId} may be left. It expires in 5 minutes, if the store keeps ttlSeconds.`,
        ]),
    ok ? "The memory provider works." : "The memory provider does not work as it should.",
  ].join("\n");
}
