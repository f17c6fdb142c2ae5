import { createInMemoryProvider, type MemoryProvider, type Message } from "@jaf/memory";
import { type MemoryConfig, run, type TraceEvent } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { assistant, eventsOfType, type Setup, says, setup, user } from "./setup.ts";

export type ContextData = Extract<TraceEvent, { readonly type: "context" }>["data"];

/** A question and its answer, repeated. */
export const talk = (turns: number, from = 0): readonly Message[] =>
  Array.from({ length: turns }, (_, turn) => [
    user(`question ${from + turn}`),
    assistant(`answer ${from + turn}`),
  ]).flat();

export async function storing(history: readonly Message[], id = "c") {
  const provider = createInMemoryProvider({ maxMessagesPerConversation: 20_000 });
  if (history.length > 0) {
    await provider.appendMessages(id, history, {}, { createIfMissing: "unowned" });
  }
  return provider;
}

export interface Conversing {
  readonly provider: MemoryProvider;
  readonly memory?: Partial<MemoryConfig>;
  readonly said?: readonly (string | Message)[];
  readonly steps?: readonly ScriptedStep<unknown>[];
  readonly tools?: NonNullable<Setup["tools"]>;
  readonly agent?: NonNullable<Setup["agent"]>;
  readonly config?: NonNullable<Setup["config"]>;
}

/** One run on the stored conversation "c", with the model's messages and the manifests. */
export async function converse(options: Conversing) {
  const {
    provider,
    memory = {},
    said = ["now"],
    steps = ["Done."],
    tools = [],
    agent = {},
    config = {},
  } = options;
  const model = createScriptedModel(steps);
  const { config: runConfig, events } = setup({
    model,
    tools,
    agent,
    config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c", ...config },
  });
  const ended = await run(says(...said), runConfig);
  const views = model.requests.map(({ state }) => state.messages);
  const contexts: readonly ContextData[] = eventsOfType(events, "context");
  return { ended, views, contexts, events, model };
}

export async function stored(provider: MemoryProvider, id = "c") {
  const loaded = await provider.getConversation(id);
  if (!loaded.success || loaded.data === null) throw new Error("there is no such conversation");
  return loaded.data;
}

/** The summary in the conversation's metadata. */
export const storedSummary = async (provider: MemoryProvider): Promise<Record<string, unknown> | undefined> =>
  (await stored(provider)).metadata?.["jafSummary"];

/** Stores a summary like the engine, but without digests, so it can't be compared. */
export async function writeSummary(
  provider: MemoryProvider,
  summary: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { metadata } = await stored(provider);
  const jafSummary = { format: 2, gaps: [], incarnation: metadata?.incarnation, ...summary };
  await provider.appendMessages("c", [], { jafSummary });
}

/** Ends the pause after a failed summary, so it is retried. */
export async function passPause(provider: MemoryProvider): Promise<void> {
  const pause = (await stored(provider)).metadata?.["jafSummaryPause"];
  await provider.appendMessages("c", [], { jafSummaryPause: { ...pause, retryAt: Date.now() - 1 } });
}

export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise(setImmediate);
}
