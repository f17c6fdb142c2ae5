import { describe, expect, it, onTestFinished } from "vitest";
import {
  approve,
  createRunState,
  type Interruption,
  type ModelUsage,
  type RunConfig,
  type RunResult,
  run,
  runStream,
  type Tool,
  type TraceEvent,
} from "../../packages/core/src/index.ts";
import {
  createInMemoryProvider,
  type MemoryProvider,
  type RichMessage,
} from "../../packages/memory/src/index.ts";
import { type JsonObject, startService } from "../fakes/service.ts";
import type { AnyProvider } from "../models/model-api.ts";
import { WAYS, type Way } from "../models/run.ts";
import type { Json, RecordedReply, Recording } from "./recording.ts";

/** An API whose recordings are replayed. */
export interface RecordedApi {
  readonly provider: (baseURL: string, options: Json & { readonly model: string }) => AnyProvider;
  /** A reply with this text alone, which answers the second turn. */
  readonly plain: (text: string) => RecordedReply;
  /** Checks whether a request asks for a stream. */
  readonly isStreamed: (path: string, body: Json) => boolean;
  /** Returns the messages of a request in the API's own terms, without instructions. */
  readonly messagesIn: (body: Json) => readonly Json[];
  /** Checks whether a message of a request is what a user said, and not the result of a tool. */
  readonly isUsers: (message: Json) => boolean;
}

export interface Replayed {
  readonly first: RunResult<unknown>;
  /** The first turn after all waiting calls were answered. Equals `first` if none waited. */
  readonly answered: RunResult<unknown>;
  readonly second: RunResult<unknown> | undefined;
  /** The bodies of all requests. */
  readonly requests: readonly Json[];
  /** The calls of the agent's tools. */
  readonly ran: readonly (readonly [string, unknown])[];
  readonly events: readonly TraceEvent[];
  /** The stored messages after the first turn, and after the second. */
  readonly stored: readonly (readonly RichMessage[])[];
}

export interface ReplayOptions {
  readonly way: Way;
  /** Opens the store, again for each turn. Default: one in-memory provider. */
  readonly openStore?: () => Promise<MemoryProvider>;
}

const LAST = "And now?";

/** Replays both turns of a recording. */
export async function replay(
  api: RecordedApi,
  recording: Recording,
  { way, openStore }: ReplayOptions,
): Promise<Replayed> {
  const { replies, agent = {}, options = {}, model } = recording;
  const waiting = [...replies];
  const service = await startService({
    answer: ({ path, body }) => {
      const { whole, events } = waiting.shift() ?? api.plain("Done.");
      return api.isStreamed(path, body)
        ? { kind: "stream", events: [], end: events.map(sseOf).join("") }
        : { kind: "json", body: whole as JsonObject };
    },
    errorBody: ({ message }) => ({ error: { message } }),
  });
  onTestFinished(service.close);
  const inMemory = createInMemoryProvider();
  const open = openStore ?? (async () => inMemory);
  const ran: (readonly [string, unknown])[] = [];
  const events: TraceEvent[] = [];
  const stored: (readonly RichMessage[])[] = [];
  const conversationId = `recording-${crypto.randomUUID()}`;
  const tools = (agent.tools ?? []).map((tool) => watched(tool, ran));
  const configFor = async (): Promise<RunConfig<unknown>> => ({
    agentRegistry: new Map([["helper", { name: "helper", instructions: "You help.", ...agent, tools }]]),
    modelProvider: api.provider(service.url, { ...options, model }),
    modelRetry: { maxAttempts: 1 },
    memory: { provider: await open(), autoStore: true, durability: "step" },
    conversationId,
    onEvent: (event) => events.push(event),
  });
  const runTurn = async (said: readonly string[], resume?: RunConfig<unknown>["resume"]) => {
    const messages = said.map((content) => ({ role: "user", content }) as const);
    const state = createRunState<unknown>({ agentName: "helper", context: {}, messages });
    const config = { ...(await configFor()), ...(resume === undefined ? {} : { resume }) };
    return way === "whole"
      ? run<unknown, unknown>(state, config)
      : runStream<unknown, unknown>(state, config).result;
  };
  const readStored = async (): Promise<void> => {
    const found = await (await open()).getConversation(conversationId);
    stored.push(found.success ? (found.data?.messages ?? []) : []);
  };
  const first = await runTurn(["Hi"]);
  let answered = first;
  for (let { outcome } = first; outcome.status === "interrupted"; { outcome } = answered)
    answered = await runTurn([], decisionsFor(outcome.interruptions, recording));
  await readStored();
  const second = recording.sentBack === undefined ? undefined : await runTurn([LAST]);
  if (second !== undefined) await readStored();
  return { first, answered, second, requests: service.requests.map(({ body }) => body), ran, events, stored };
}

const sseOf = (event: Json | string): string =>
  `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;

const decisionsFor = (interruptions: readonly Interruption[], { clientResult = "done" }: Recording) => ({
  approvals: interruptions.flatMap((each) => (each.type === "approval" ? [approve(each)] : [])),
  toolResults: interruptions.flatMap(({ type, toolCallId }) =>
    type === "client_tool" ? [{ toolCallId, result: clientResult }] : [],
  ),
});

/** Records the calls of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
const watched = (tool: Tool<any, any>, ran: (readonly [string, unknown])[]): Tool<any, any> =>
  tool.execute === undefined
    ? tool
    : {
        ...tool,
        execute: (args, ...rest) => {
          ran.push([tool.schema.name, args]);
          return tool.execute(args, ...rest);
        },
      };

/** The usages of the model calls, in order. */
export const usagesIn = (events: readonly TraceEvent[]): readonly (ModelUsage | undefined)[] =>
  events.flatMap((event) => (event.type === "llm_call_end" ? [event.data.usage] : []));

/** What the request sends between the first and the second message of the user. */
function betweenTurns(api: RecordedApi, body: Json): readonly Json[] {
  const messages = api.messagesIn(body);
  const begin = messages.findIndex(api.isUsers);
  const end = messages.findLastIndex(api.isUsers);
  return messages.slice(begin + 1, end);
}

/** Compares what a replay led to with what the recording says. */
export function expectRecorded(api: RecordedApi, recording: Recording, replayed: Replayed): void {
  const { outcome, requested, kept, sentBack, sentBeside, usage, ran = [] } = recording;
  const { first, answered, second, requests, events, stored } = replayed;
  switch (outcome.status) {
    case "completed":
      expect(first.outcome).toEqual(outcome);
      break;
    case "interrupted":
      expect(first.outcome).toMatchObject({
        status: "interrupted",
        interruptions: outcome.waitsFor.map((toolName) => ({ toolName })),
      });
      expect(answered.outcome).toMatchObject({ status: "completed" });
      break;
    case "error":
      expect(first.outcome).toMatchObject({ status: "error", error: outcome.error });
      if (outcome.says !== undefined) expect(JSON.stringify(first.outcome)).toContain(outcome.says);
  }
  if (requested !== undefined) expect(requests[0]).toMatchObject(requested);
  expect(replayed.ran).toEqual(ran);
  if (kept !== undefined) expect(stored[0]?.slice(1)).toMatchObject(kept);
  if (usage !== undefined) expect(usagesIn(events).slice(0, usage.length)).toEqual(usage);
  if (sentBack === undefined) return;
  expect(second?.outcome).toEqual({ status: "completed", output: "Done." });
  const last = requests.at(-1) ?? {};
  expect(betweenTurns(api, last)).toEqual(sentBack);
  if (sentBeside !== undefined) expect(last).toMatchObject(sentBeside);
}

/** Replays each recording in one piece and streamed, in memory. */
export function describeRecordings(api: RecordedApi, recordings: readonly Recording[]): void {
  describe.each(WAYS)("a recorded reply that is %s", (way) => {
    it.each(recordings.map((each) => [`${each.feature}: ${each.name}`, each] as const))(
      "%s",
      async (_, recording) => {
        expectRecorded(api, recording, await replay(api, recording, { way }));
      },
    );
  });
}
