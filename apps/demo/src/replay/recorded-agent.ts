import { type Agent, createTool, type Message, type ModelProvider } from "@jaf/core";
import * as z from "zod";
import { Failure } from "../exit.ts";
import type { GuardedStore } from "./guarded-store.ts";
import type { Ledger } from "./ledger.ts";
import type { Recording } from "./recording.ts";

export interface RecordedAgentOptions {
  readonly ledger: Ledger;
  readonly store: Pick<GuardedStore, "stored" | "reached">;
  /** Ends the run because the recording has ended, or with the error that was thrown. */
  readonly end: (thrown?: unknown) => void;
}

/**
 * Creates an agent from a recording: the model returns the recorded replies, the tools return the recorded results, in the
 * recorded order. Both find their position by the number of stored messages.
 */
export function recordedAgent(recording: Recording, { ledger, store, end }: RecordedAgentOptions) {
  const { conversationId, messages } = recording;

  function leave(thrown?: unknown): never {
    end(thrown); // First, because an error of a tool would become its result.
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

  /** `undefined` if the recording ends with these open calls, which is valid. */
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

/** The range of results of the last stored calls. Earlier results may have the same ids. */
function openResults(messages: readonly Message[], stored: number): { start: number; end: number } {
  let start = stored;
  while (start > 0 && messages[start - 1]?.role === "tool") start -= 1;
  let end = stored;
  while (messages[end]?.role === "tool") end += 1;
  return { start, end };
}
