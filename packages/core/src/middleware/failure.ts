import { describeCause } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";

/** Which hook of which middleware. */
export interface HookName {
  readonly name: string;
  readonly hook: "onStart" | "onFinish";
}

/** What a name or a code of an error looks like; anything else may quote what somebody said. */
const IDENTIFIER = /^[\w$.:-]{1,80}$/;

/** Emits that a hook has failed, unless the run was aborted. */
export function emitFailure<Ctx>(
  { emit, config }: RunScope<Ctx>,
  { name, hook }: HookName,
  reason: string,
): void {
  if (config.signal?.aborted !== true) emit?.({ type: "middleware_failed", data: { name, hook, reason } });
}

/** The name of what was thrown, and its code if it has one. Never its message, which may quote the conversation. */
export function reasonOf(thrown: unknown): string {
  try {
    const tag: unknown = (thrown as { readonly _tag?: unknown } | null | undefined)?._tag;
    const { name, code } = describeCause(thrown);
    const shown = [tag, name].find(isIdentifier) ?? "Error";
    return isIdentifier(code) ? `${shown} (${code})` : shown;
  } catch {
    return "Error";
  }
}

const isIdentifier = (value: unknown): value is string => typeof value === "string" && IDENTIFIER.test(value);
