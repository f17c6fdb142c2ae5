import {
  type Agent,
  createRunState,
  type JAFError,
  type RunConfig,
  type RunResult,
  run,
  runStream,
  type TraceEvent,
} from "../../packages/core/src/index.ts";
import type { RichMessage } from "../../packages/memory/src/index.ts";

/** Runs of one agent with a model provider, for the tests of all model packages. */

// biome-ignore lint/suspicious/noExplicitAny: an agent of any context and output
export type AnyAgent = Agent<any, any>;

/** A reply in one piece, and a streamed one. */
export const WAYS = ["whole", "streamed"] as const;
export type Way = (typeof WAYS)[number];

/** The configuration of one agent, without stored messages and without delays between attempts. */
export function configOf(
  modelProvider: RunConfig<unknown>["modelProvider"],
  agent: Partial<AnyAgent> = {},
  config: Partial<RunConfig<unknown>> = {},
) {
  const events: TraceEvent[] = [];
  const full: RunConfig<unknown> = {
    agentRegistry: new Map([["helper", { name: "helper", instructions: () => "You help.", ...agent }]]),
    modelProvider,
    modelRetry: { maxAttempts: 2, baseDelayMs: 0 },
    onEvent: (event) => events.push(event),
    ...config,
  };
  return { config: full, events };
}

export const asking = (messages: readonly RichMessage[]) =>
  createRunState<unknown>({ agentName: "helper", context: {}, messages: messages as never });

export const says = (content: string) => asking([{ role: "user", content }]);

export const runBy = (
  way: Way,
  state: ReturnType<typeof says>,
  config: RunConfig<unknown>,
): Promise<RunResult<unknown>> =>
  way === "whole" ? run<unknown, unknown>(state, config) : runStream<unknown, unknown>(state, config).result;

export const rich = ({ finalState }: RunResult<unknown>): readonly RichMessage[] => finalState.messages;

export function errorOf({ outcome }: RunResult<unknown>): JAFError {
  if (outcome.status !== "error") throw new Error(`The run ended as ${outcome.status}.`);
  return outcome.error;
}

/** The streamed text. */
export const told = (events: readonly TraceEvent[]): string =>
  events.map((event) => (event.type === "llm_delta" ? event.data.text : "")).join("");
