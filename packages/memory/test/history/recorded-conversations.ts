import { existsSync, readFileSync } from "node:fs";
import type { Message } from "@jaf/memory";

const file = new URL("../../../../../shared/data/tau-airline-50.jsonl", import.meta.url);

/** Why the tests on recorded conversations are skipped; `undefined` if they run. */
export const recordedMissing = existsSync(file)
  ? undefined
  : "the recorded conversations (../shared/data) are not here";

export function recordedConversations(): readonly (readonly Message[])[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { messages: Message[] }).messages);
}
