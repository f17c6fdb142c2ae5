import { existsSync, readFileSync } from "node:fs";
import type { Message } from "@jaf/memory";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { callKey } from "./plan.ts";
import type { Spoken, SpokenStep } from "./spoken.ts";

const file = new URL("../../../../../shared/data/tau-airline-50.jsonl", import.meta.url);

/** Why the recorded conversations can't be used; `undefined` if they can. */
export const recordedMissing = existsSync(file)
  ? undefined
  : "the recorded conversations (../shared/data) are not here";

interface Recorded {
  readonly conversationId: string;
  readonly messages: readonly Message[];
}

export function recordedConversations(): readonly Spoken[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => spokenIn(JSON.parse(line) as Recorded));
}

/** Adds answers to messages without one in the recording, mostly the last ones. */
function spokenIn({ conversationId, messages }: Recorded): Spoken {
  const turns: { said: string; steps: SpokenStep[] }[] = [];
  const results = new Map<string, string[]>();
  const tools = new Set<string>();
  const keys = new Map<string, string>();
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    if (role === "user") turns.push({ said: content, steps: [] });
    if (role === "tool") {
      const key = keys.get(tool_call_id ?? "") ?? "";
      results.set(key, [...(results.get(key) ?? []), content]);
    }
    if (role !== "assistant") continue;
    const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => {
      const input = JSON.parse(text) as JsonObject;
      keys.set(id, callKey(name, input));
      tools.add(name);
      return { name, input };
    });
    turns.at(-1)?.steps.push({ ...(content === "" ? {} : { text: content }), calls });
  }
  for (const { steps } of turns) {
    if (steps.at(-1)?.calls.length !== 0) steps.push({ text: "Goodbye.", calls: [] });
  }
  return { name: conversationId, turns, tools: [...tools], approvals: [], results };
}
