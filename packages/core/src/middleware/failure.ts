import type { RunScope } from "../engine/run-scope.ts";

/** Which hook of which middleware. */
export interface HookName {
  readonly name: string;
  readonly hook: "onStart" | "onFinish";
}

/** Emits that a hook has failed, unless the run was aborted. */
export function emitFailure<Ctx>(
  { emit, config }: RunScope<Ctx>,
  { name, hook }: HookName,
  reason: string,
): void {
  if (config.signal?.aborted !== true) emit?.({ type: "middleware_failed", data: { name, hook, reason } });
}
