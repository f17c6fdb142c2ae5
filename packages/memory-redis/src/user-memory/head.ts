import type { UserHead } from "@jaf/user-memory/adapter";
import { text } from "../decoding.ts";

/** Of the three values that scripts return; `null` where there is none. */
export function parseHead(version: unknown, epoch: unknown, state: unknown): UserHead | null {
  if (text(version) === "") return null;
  return { version: Number(text(version)), epoch: Number(text(epoch)), state: text(state) };
}
