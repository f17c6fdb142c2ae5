import { type Agent, createTool, type Message, type ModelProvider } from "@jaf/core";
import * as z from "zod";
import { Failure } from "../exit.ts";
import type { GuardedStore } from "./guarded-store.ts";
import type { Ledger } from "./ledger.ts";
import type { Recording } from "./recording.ts";

export interface RecordedAgentOptions {
  readonly ledger: Ledger;
  readonly store: Pick<GuardedStore, "stored" | "reached">;
  /** Ends the run: the recording doesn't have what it asks for, or, with what was thrown, something went wrong. */
  readonly end: (thrown?: unknown) => void;
}

/**
 * A recording as an agent: the model says the recorded assistant steps, the tools answer with the recorded results, in
 * the recorded order. Both find their place by the number of messages that are stored.
 */
export function recordedAgent(recording: Recording, { ledger, store, end }: RecordedAgentOptions) {
  const { conversationId, messages } = recording;

  function leave(thrown?: unknown): never {
    end(thrown); // First: what a tool throws in a run that goes on becomes its result.
    throw new Error("The recording has nothing more for this run.");
  }

  const modelProvider: ModelProvider<unknown> = {
    getCompletion: async () => {
      const next = messages[store.stored()];
      if (next?.role === "assistant") return { message: next };
      return leave();
    },
  };

  async function answer(callId: string | undefined): Promise<string> {
    const { start, end: resultsEnd } = openResults(messages, store.stored());
    const offset = messages.slice(start, resultsEnd).findIndex(({ tool_call_id }) => tool_call_id === callId);
    const index = start + offset;
    const result = messages[index];
    if (offset === -1 || result === undefined) {
      await store.reached(resultsEnd);
      return leave(missingResult(resultsEnd));
    }
    try {
      ledger.started(conversationId, index);
    } catch (thrown) {
      return leave(thrown);
    }
    await store.reached(index);
    return result.content;
  }

  /** Nothing is wrong where the recording ends with the open calls. */
  const missingResult = (resultsEnd: number): Failure | undefined =>
    resultsEnd === messages.length
      ? undefined
      : new Failure(`${conversationId}, message ${resultsEnd + 1}: a tool call before it has no result.`);

  const names = new Set(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name)),
  );
  const tools = [...names].map((name) =>
    createTool({
      name,
      description: "Answers with the recorded result.",
      parameters: z.record(z.string(), z.unknown()),
      execute: (_args, _context, call) => answer(call?.toolCallId),
    }),
  );

  const agent: Agent<unknown, string> = { name: "recorded", instructions: () => "", tools };
  return { agent, modelProvider };
}

/** Where the results of the last stored calls stand: ids are reused, so the others don't count. */
function openResults(messages: readonly Message[], stored: number): { start: number; end: number } {
  let start = stored;
  while (start > 0 && messages[start - 1]?.role === "tool") start -= 1;
  let end = stored;
  while (messages[end]?.role === "tool") end += 1;
  return { start, end };
}
