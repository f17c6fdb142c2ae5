import type { Agent, ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { onTestFinished } from "vitest";
import { createTurnService } from "../../src/jobs/create-turn-service.ts";
import type { TurnServiceOptions } from "../../src/jobs/turn-options.ts";
import type {
  FollowQuery,
  NumberedEvent,
  StartedTurn,
  TurnRequest,
  TurnService,
} from "../../src/turns/turn-service.ts";
import { createWorld, type World } from "./worlds.ts";

export interface ServiceOptions extends Partial<Omit<TurnServiceOptions<unknown>, "config" | "agents">> {
  readonly agents?: readonly Agent<unknown, string>[];
  readonly config?: Partial<TurnServiceOptions<unknown>["config"]>;
}

export const clerk: Agent<unknown, string> = { name: "clerk", instructions: "Be brief." };

/** Creates a service with short times, as if in its own process. Closed at the end of the test. */
export function createTestService(
  { log, provider }: World,
  modelProvider: ModelProvider<unknown>,
  { agents = [clerk], config, ...options }: ServiceOptions = {},
): TurnService {
  const service = createTurnService<unknown>({
    log,
    agents,
    context: () => ({}),
    leaseSeconds: 5,
    heartbeatMs: 50,
    pollMs: 10,
    recoverMs: false,
    ...options,
    config: { modelProvider, memory: { provider, autoStore: true }, ...config },
  });
  onTestFinished(() => service.close());
  return service;
}

export const ask = (input: TurnRequest["input"], more: Partial<TurnRequest> = {}): TurnRequest => ({
  identity: { userId: "ada" },
  target: { newId: undefined },
  agentName: "clerk",
  input,
  ...more,
});

export type Begun = Extract<StartedTurn, { started: true }>;

export async function begin(service: TurnService, request: TurnRequest): Promise<Begun> {
  const started = await service.start(request);
  if (!started.started) throw new Error(`refused: ${JSON.stringify(started.refusal)}`);
  return started;
}

export async function eventsOf(
  service: TurnService,
  { conversationId, turnId, afterEnd = false }: Pick<FollowQuery, "conversationId" | "turnId" | "afterEnd">,
  from = 0,
): Promise<NumberedEvent[]> {
  const all: NumberedEvent[] = [];
  const { signal } = new AbortController();
  const query = { conversationId, turnId, from, afterEnd, signal };
  for await (const group of service.follow(query)) all.push(...group);
  return all;
}

export async function messagesOf({ provider }: World, conversationId: string) {
  const read = await provider.getConversation(conversationId);
  if (!read.success) throw new Error(read.error.message);
  return read.data?.messages ?? [];
}

export async function metadataOf({ provider }: World, conversationId: string) {
  const read = await provider.getConversation(conversationId);
  if (!read.success) throw new Error(read.error.message);
  return read.data?.metadata;
}

/** A model that says words, then waits until it may continue or its call is aborted. */
export function createPausingModel(before: readonly string[], after: readonly string[] = []) {
  let go: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let calls = 0;
  const model: ModelProvider<unknown> = {
    getCompletion: async () => ({ message: { content: [...before, ...after].join("") } }),
    getCompletionStream: async function* (_state, _agent, { signal }) {
      calls += 1;
      for (const text of before) yield { type: "text_delta", text };
      await new Promise<void>((resolve, reject) => {
        void gate.then(resolve);
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
      for (const text of after) yield { type: "text_delta", text };
      yield { type: "done" };
    },
  };
  return { model, go: () => go(), calls: () => calls };
}

export { createScriptedModel, createWorld, type World };
