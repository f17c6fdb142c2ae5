import { describeCause } from "@jaf/memory/engine";

/** The words of whatever was thrown, or was given as a reason. Never throws, also where that can't be written as text. */
export function textOfThrown(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a ${typeof thrown} that can't be written as text`;
  }
}

/** What a name or a code of an error looks like; anything else may quote what somebody said. */
const IDENTIFIER = /^[\w$.:-]{1,80}$/;

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
