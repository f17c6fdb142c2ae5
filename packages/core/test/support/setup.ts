import type { Message } from "@jaf/memory";
import {
  type Agent,
  createRunState,
  type JAFError,
  type ModelProvider,
  type RunConfig,
  type RunResult,
  type RunState,
  type Tool,
  type TraceEvent,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";

export const user = (content: string): Message => ({ role: "user", content });
export const assistant = (content: string): Message => ({ role: "assistant", content });
export const result = (id: string, content: string): Message => ({
  role: "tool",
  content,
  tool_call_id: id,
});
export const calling = (
  ...calls: readonly (readonly [id: string, name: string, args?: string])[]
): Message => ({
  role: "assistant",
  content: "",
  tool_calls: calls.map(([id, name, args = "{}"]) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  })),
});

export interface Setup {
  readonly model: readonly ScriptedStep<unknown>[] | ModelProvider<unknown>;
  readonly agent?: Partial<Agent<unknown, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tools?: readonly Tool<any, unknown>[];
  readonly otherAgents?: readonly Agent<unknown, unknown>[];
  readonly config?: Partial<RunConfig<unknown>>;
}

/** A config with one agent, "helper", whose model follows a script; retries don't wait. */
export function setup({ model, agent = {}, tools = [], otherAgents = [], config = {} }: Setup) {
  const helper: Agent<unknown, unknown> = { name: "helper", instructions: () => "Help.", tools, ...agent };
  const events: TraceEvent[] = [];
  const runConfig: RunConfig<unknown> = {
    agentRegistry: new Map([helper, ...otherAgents].map((each) => [each.name, each])),
    modelProvider: isProvider(model) ? model : createScriptedModel(model),
    modelRetry: { baseDelayMs: 0 },
    onEvent: (event) => events.push(event),
    ...config,
  };
  return { config: runConfig, events };
}

const isProvider = (model: Setup["model"]): model is ModelProvider<unknown> => !Array.isArray(model);

export const says = (...messages: readonly (string | Message)[]): RunState<unknown> =>
  createRunState<unknown>({
    agentName: "helper",
    context: {},
    messages: messages.map((message) => (typeof message === "string" ? user(message) : message)),
  });

/** Fails the test unless the run ended with an error. */
export function errorOf({ outcome }: RunResult<unknown>): JAFError {
  if (outcome.status !== "error") throw new Error(`the run ended so: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

export const eventsOfType = <Type extends TraceEvent["type"]>(
  events: readonly TraceEvent[],
  type: Type,
): Extract<TraceEvent, { readonly type: Type }>["data"][] =>
  events.flatMap((event) => (event.type === type ? [event.data as never] : []));

/** An event's type and data, without run, number and time. */
export const told = ({ type, data }: TraceEvent | undefined = {} as never) => ({ type, data });

/** A promise that the test settles. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  let reject!: (thrown: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
