import type { Message } from "@jaf/memory";
import { parseMessages } from "@jaf/memory/engine";
import { frozenCopy } from "./copy.ts";

export type StorableMessage =
  | { readonly ok: true; readonly message: Message }
  /** The field that no store can hold, e.g. `annotations[1].at`, and what is expected there; nothing of its content. */
  | { readonly ok: false; readonly problem: string };

/** A frozen copy of a message with whatever fields, if a store can hold it. */
export function storableMessage(message: object): StorableMessage {
  let copy: object;
  try {
    copy = frozenCopy(message);
  } catch {
    return { ok: false, problem: "it can't be read" };
  }
  const parsed = parseMessages([copy]);
  const [first] = parsed.success ? parsed.data : [];
  if (first !== undefined) return { ok: true, message: first };
  return { ok: false, problem: problemOf(parsed) };
}

function problemOf(parsed: ReturnType<typeof parseMessages>): string {
  const error = parsed.success ? undefined : parsed.error;
  const issue = error?._tag === "MemoryValidationError" ? error.issues[0] : undefined;
  if (issue === undefined) return "it is no message";
  const path = issue.path.replace(/^messages\[0\]\.?/, "");
  return path === "" ? `expected ${issue.expected}` : `${path}: expected ${issue.expected}`;
}
