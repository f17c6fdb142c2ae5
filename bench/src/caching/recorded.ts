import { readFileSync } from "node:fs";
import type { Message } from "@jaf/memory";

/** What the model says in one call. */
export interface Step {
  readonly text: string;
  readonly calls: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What the user says, and what comes of it. */
export interface RecordedTurn {
  readonly said: string;
  readonly steps: readonly Step[];
}

export interface RecordedConversation {
  readonly id: string;
  readonly turns: readonly RecordedTurn[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, string>;
}

/** Of a file with `{ conversationId, messages }` in each line. */
export const readRecorded = (path: string): readonly RecordedConversation[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => conversationIn(JSON.parse(line)));

/** A turn that the recording breaks off ends with a word of the model's, so that the run does. It counts for nothing. */
export const LAST: Step = { text: "Goodbye.", calls: [] };

function conversationIn(recorded: {
  readonly conversationId: string;
  readonly messages: readonly Message[];
}): RecordedConversation {
  const turns: { readonly said: string; readonly steps: Step[] }[] = [];
  const results = new Map<string, string>();
  /** By the recorded id, that of the call here: some recordings use one again. */
  const own = new Map<string, string>();
  recorded.messages.forEach(({ role, content, tool_calls, tool_call_id }, index) => {
    if (role === "user") turns.push({ said: content, steps: [] });
    else if (role === "tool") results.set(own.get(tool_call_id ?? "") ?? "", content);
    else {
      const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: input } }, at) => {
        own.set(id, `toolu_${index}_${at}`);
        return { id: `toolu_${index}_${at}`, name, input: JSON.parse(input) as unknown };
      });
      turns.at(-1)?.steps.push({ text: content, calls });
    }
  });
  // The last words of most users have no reply: no model was called for them.
  const answered = turns.filter(({ steps }) => steps.length > 0);
  for (const { steps } of answered) if (steps.at(-1)?.calls.length !== 0) steps.push(LAST);
  return { id: recorded.conversationId, turns: answered, results };
}
