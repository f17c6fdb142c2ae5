import { createInMemoryProvider, type MemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  createAgentClient,
  createRunState,
  createTool,
  type Middleware,
  type ModelCompletion,
  type ModelProvider,
  type RunConfig,
  type RunState,
  run,
  runStream,
} from "../../src/index.ts";
import { assistant, calling, result, user } from "../support/setup.ts";

/** Tries to change everything at every depth, except functions, schemas and the context. */
function vandalise(value: unknown, context?: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || value === context || seen.has(value)) return;
  if (value instanceof z.ZodType || value instanceof AbortSignal || "getCompletion" in value) return;
  if ("appendMessages" in value) return;
  seen.add(value);
  for (const key of Object.keys(value)) {
    const part: unknown = Reflect.get(value, key);
    vandalise(part, context, seen);
    if (typeof part !== "function") Reflect.set(value, key, "vandalised");
  }
  if (value instanceof Map) {
    for (const part of value.values()) vandalise(part, context, seen);
    value.clear();
  }
  if (Array.isArray(value)) {
    Reflect.set(value, "length", 0);
    Reflect.set(value, value.length, "vandalised");
  }
  Reflect.set(value, "more", "vandalised");
}

const everything = [
  "provider",
  "tool",
  "guardrail",
  "middleware",
  "observer",
  "window",
  "validator",
  "summarizer",
  "store",
] as const;
type Party = (typeof everything)[number];

const MOMENTS = ["before", "during", "after"] as const;

/** A party that attacks its arguments: immediately, after a delay, or when the run has ended. */
function attacker(moment: (typeof MOMENTS)[number], context: unknown) {
  const later: unknown[] = [];
  return {
    now: (given: unknown) => {
      if (moment === "before") vandalise(given, context);
      later.push(given);
    },
    awaited: async (given: unknown) => {
      await new Promise(setImmediate);
      if (moment === "during") vandalise(given, context);
    },
    over: () => {
      if (moment === "after") vandalise(later, context);
    },
  };
}

const reply = (): ModelCompletion => ({
  message: {
    content: "",
    tool_calls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"of":{"n":[1]}}' } }],
  },
  usage: { inputTokens: 1 },
});

function world(party: Party | undefined, moment: (typeof MOMENTS)[number]) {
  const context = { list: [1] };
  const attack = attacker(moment, context);
  const is = (one: Party) => party === one;
  const attackAs = (one: Party) => async (given: unknown) => {
    if (!is(one)) return;
    attack.now(given);
    await attack.awaited(given);
  };
  const seen: unknown[] = [];
  let calls = 0;
  const modelProvider: ModelProvider<typeof context> = {
    getCompletion: async (state, agent, config) => {
      calls += 1;
      seen.push(JSON.stringify([state, agent, config.maxTurns, [...config.agentRegistry.keys()]]));
      await attackAs("provider")([state, agent, config]);
      const completion = calls === 1 ? reply() : { message: { content: '{"sum":[1]}' } };
      if (is("provider")) setImmediate(() => vandalise(completion));
      return completion;
    },
  };
  const look = createTool({
    name: "look",
    description: "",
    parameters: z.object({ of: z.object({ n: z.array(z.number()) }) }),
    needsApproval: (args) => {
      if (is("tool")) vandalise(args);
      return false;
    },
    execute: async (args, _context, call) => {
      seen.push(JSON.stringify(args));
      await attackAs("tool")([args, call]);
      return "seen";
    },
  });
  const middleware: Middleware<typeof context> = {
    name: "m",
    onStart: async (turn) => {
      seen.push(JSON.stringify([turn.state, turn.userMessages]));
      await attackAs("middleware")(turn);
      return undefined;
    },
    onFinish: async (turn, last) => {
      seen.push(JSON.stringify([turn.userMessages, last]));
      await attackAs("middleware")([turn, last]);
    },
  };
  const agent: Agent<typeof context, { sum: number[] }> = {
    name: "helper",
    instructions: () => "",
    tools: [look],
    outputCodec: z.object({ sum: z.array(z.number()) }),
    handoffs: ["other"],
    modelConfig: { name: "m" },
  };
  const judge = async (value: unknown) => {
    seen.push(JSON.stringify(value));
    await attackAs("guardrail")(value);
    return { isValid: true } as const;
  };
  const config: RunConfig<typeof context> = {
    agentRegistry: new Map([["helper", agent]]),
    modelProvider,
    maxTurns: 5,
    middleware: [middleware],
    finalOutputGuardrails: [judge, judge],
    initialInputGuardrails: [judge],
    onEvent: (event) => void (is("observer") && attackAs("observer")(event)),
    resume: { approvals: [] },
    timeouts: { modelMs: 60_000 },
    prices: { m: { input: 1, output: 1 } },
    budget: { run: { maxTokens: 1_000 } },
  };
  return { config, agent, context, seen, attackAs, is, over: attack.over };
}

const history = (): Message[] => [
  user("Hi"),
  calling(["a", "look", '{"of":{"n":[]}}']),
  result("a", "x"),
  assistant("Hello."),
];

/** A provider in plain JavaScript that keeps and returns the same objects without copies. */
function careless(attack: ((given: unknown) => Promise<void>) | undefined): MemoryProvider {
  const inner = createInMemoryProvider();
  const { readConversation: _r, exportConversation: _e, importConversation: _i, ...ten } = inner;
  return {
    ...ten,
    getConversation: async (id) => {
      const found = await inner.getConversation(id);
      return structuredClone(found);
    },
    appendMessages: async (...args) => {
      const written = await inner.appendMessages(...args);
      await attack?.(args);
      return written;
    },
  };
}

const isAnythingFrozen = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof z.ZodType) &&
  (Object.isFrozen(value) || Object.values(value).some(isAnythingFrozen));

async function outcomeOf(
  way: "run" | "runStream" | "client" | "stored",
  party: Party | undefined,
  moment: (typeof MOMENTS)[number],
) {
  const { config, agent, context, seen, attackAs, is, over } = world(party, moment);
  const given = [...history(), user("And now?")];
  const state: RunState<typeof context> = createRunState({
    agentName: "helper",
    context,
    messages: given,
    runId: "r" as never,
    traceId: "t" as never,
  });
  const provider = careless(is("store") ? attackAs("store") : undefined);
  const memory = {
    ...(is("summarizer")
      ? {
          compressionThreshold: 2,
          summary: {
            summarize: async (input: unknown) => {
              await attackAs("summarizer")(input);
              return "summary";
            },
          },
        }
      : {}),
    ...(is("window")
      ? {
          window: (messages: readonly Message[]) => {
            const all = [...messages]; // The list itself is the function's own.
            void attackAs("window")(messages);
            return all;
          },
        }
      : {}),
  };
  const validate = async (continuation: unknown) => {
    await attackAs("validator")(continuation);
  };
  const { maxTurns, timeouts, prices, budget } = config;
  const ours = () =>
    JSON.stringify([state, context, [...config.agentRegistry], maxTurns, timeouts, prices, budget]);
  const before = ours();
  let ended: { readonly finalState: RunState<unknown>; readonly outcome: unknown };
  if (way === "run" || way === "runStream") {
    const own = { ...config, ...("window" in memory ? { memory: { provider, ...memory } } : {}) };
    ended = way === "run" ? await run(state, own) : await runStream(state, own).result;
  } else if (way === "stored") {
    await provider.storeMessages("c", history());
    ended = await run(
      { ...state, messages: [] },
      {
        ...config,
        memory: { provider, autoStore: true, durability: "step", ...memory },
        conversationId: "c",
        resume: { messages: given },
        validate,
      },
    );
  } else {
    const { agentRegistry: _, resume: _r, ...rest } = config;
    await provider.storeMessages("c", history(), { userId: "u" });
    const client = createAgentClient(agent, { ...rest, context, store: provider, memory, validate });
    ended = await client.forUser("u").continue("c").prompt("", { messages: given });
  }
  over();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const stored = await provider.getConversation("c");
  expect(ours()).toBe(before);
  const mine = [state, given, context, config, agent, agent.tools, agent.handoffs, agent.modelConfig];
  expect(mine.some(isAnythingFrozen)).toBe(false);
  return {
    messages: ended.finalState.messages,
    outcome: ended.outcome,
    seen: is("summarizer")
      ? []
      : seen.map((text) => String(text).replace(/"(runId|traceId)":"[^"]*",?/g, "")),
    stored: stored.success ? stored.data?.messages : stored,
  };
}

describe.each(["run", "runStream", "client", "stored"] as const)("in %s", (way) => {
  describe.each(everything)("a %s that changes all its arguments", (party) => {
    it.each(MOMENTS)("changes nothing: %s it waits", async (moment) => {
      const untouched = await outcomeOf(way, undefined, moment);
      expect(untouched.outcome).toEqual({ status: "completed", output: { sum: [1] } });
      const attacked = await outcomeOf(way, party, moment);
      if (party === "summarizer") untouched.seen.length = 0;
      expect(attacked).toEqual(untouched);
    });
  });
});

describe("the engine's results", () => {
  it("are frozen even if a message was repaired", async () => {
    const half = calling(["a", "look", "{}"], ["b", "look", "{}"]);
    const none = { ...calling(["c", "look", "{}"]), content: "Let me look." };
    const { config, context } = world(undefined, "before");
    const messages = [user("Hi"), half, result("a", "x"), none, user("And now?")];
    const given: (readonly Message[])[] = [];
    const window = (all: readonly Message[]) => {
      given.push(all);
      return all;
    };
    const memory = { provider: createInMemoryProvider(), window };
    const state = createRunState({ agentName: "helper", context, messages });
    const { finalState } = await run(state, { ...config, memory });
    for (const list of [finalState.messages, ...given]) {
      expect(list[1]?.tool_calls).toEqual(half.tool_calls?.slice(0, 1));
      expect(list[3]).toEqual(assistant("Let me look."));
      expect(list.every(Object.isFrozen)).toBe(true);
      expect(Object.isFrozen(list[1]?.tool_calls)).toBe(true);
    }
    expect(isAnythingFrozen(messages)).toBe(false);
  });

  it("are frozen, except for the context", async () => {
    const { config, context } = world(undefined, "before");
    const state = createRunState({ agentName: "helper", context, messages: history() });
    const { finalState, outcome } = await run(state, config);
    expect(Object.isFrozen(finalState)).toBe(true);
    expect(Object.isFrozen(finalState.messages)).toBe(true);
    expect(finalState.messages.every(Object.isFrozen)).toBe(true);
    expect(finalState.messages[1]?.tool_calls?.every((call) => Object.isFrozen(call.function))).toBe(true);
    expect(Object.isFrozen(outcome)).toBe(true);
    expect(finalState.context).toBe(context);
    expect(Object.isFrozen(context)).toBe(false);
  });
});
