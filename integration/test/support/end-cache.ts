import {
  type Agent,
  createRunState,
  createTool,
  type Durability,
  type MemoryConfig,
  type RunConfig,
  run,
} from "@jaf/core";
import { createInMemoryProvider, type Message, type VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { below, pick, type Random, randomNumbers } from "./random.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const talk = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `said ${at}`,
  }));

const tool = createTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: z.object({}),
  execute: async () => "found",
});
const agent: Agent<object, string> = { name: "helper", instructions: () => "Help.", tools: [tool] };

/** Calls the tool, and fails, where it is told to. */
function createModel(seen: unknown[], callIds: { last: number }): RunConfig<object>["modelProvider"] {
  return {
    getCompletion: async ({ messages }) => {
      seen.push(messages);
      const last = messages.at(-1);
      if (last?.role === "user" && last.content === "fail") throw new Error("no model");
      if (last?.role !== "user" || last.content !== "tool")
        return { message: { content: `reply to ${last?.content}` } };
      callIds.last += 1;
      const called = { name: "look_up", arguments: "{}" };
      const call = { id: `call ${callIds.last}`, type: "function", function: called } as const;
      return { message: { content: "", tool_calls: [call] } };
    },
  };
}

const CONFIGS = [
  { window: { maxMessages: 6 } },
  { window: { maxMessages: 8, trimTo: 4 } },
  { compressionThreshold: 6, summarize: async () => "Much was said." },
  { window: { maxMessages: 10 }, maxMessages: 12 },
  {},
] as const satisfies readonly Partial<MemoryConfig>[];

interface Turn {
  readonly text: string;
  /** Which of two processes. */
  readonly process: number;
  readonly memory: Partial<MemoryConfig>;
}

/** What somebody else does to the conversation. */
const CHANGES = {
  append: (store, id) => store.appendMessages(id, talk(2)),
  replace: (store, id) => store.storeMessages(id, talk(4), { userId: "ada" }),
  dropLast: (store, id) => store.appendMessages(id, talk(1), {}, { dropLast: 1 }),
  trim: (store, id) => store.appendMessages(id, [], {}, { maxMessages: 5 }),
  rename: (store, id) => store.appendMessages(id, [], { title: "Orders" }),
  erase: (store, id) => store.deleteConversation(id),
} as const satisfies Record<string, (store: VersionedMemoryProvider, id: string) => Promise<unknown>>;

type Step = Turn | keyof typeof CHANGES;

function randomTurn(random: Random): Turn {
  return {
    text: pick(random, ["hello", "yes", "tool", "fail"]),
    process: below(random, 2),
    memory: {
      durability: pick<Durability>(random, ["turn", "turn", "step", "completed"]),
      concurrency: pick(random, ["reject", "queue"] as const),
      ...pick<Partial<MemoryConfig>>(random, CONFIGS),
    },
  };
}

/** Mostly turns of one process in one manner: else nothing would be kept for long. */
function randomProgram(random: Random): readonly Step[] {
  const usual = randomTurn(random);
  const changes = Object.keys(CHANGES) as (keyof typeof CHANGES)[];
  return Array.from({ length: 4 + below(random, 20) }, (): Step => {
    const kind = below(random, 10);
    if (kind < 7) return { ...usual, text: pick(random, ["hello", "yes", "tool", "hello", "fail"]) };
    return kind < 8 ? randomTurn(random) : pick(random, changes);
  });
}

interface Played {
  /** What each run was told, said and left. */
  readonly told: readonly unknown[];
  /** How often messages were read. */
  readonly reads: number;
}

async function play(
  store: VersionedMemoryProvider,
  id: string,
  { steps, endCache }: { readonly steps: readonly Step[]; readonly endCache?: false },
): Promise<Played> {
  let reads = 0;
  const provider = (): VersionedMemoryProvider => ({
    ...store,
    readConversation: (conversationId, options) => {
      if (options?.messages !== "none") reads += 1;
      return store.readConversation(conversationId, options);
    },
  });
  const processes = [provider(), provider()];
  const told: unknown[] = [];
  const callIds = { last: 0 };
  for (const step of steps) {
    if (typeof step === "string") {
      await CHANGES[step](store, id);
      continue;
    }
    const seen: unknown[] = [];
    const events: unknown[] = [];
    const state = createRunState({
      agentName: "helper",
      context: {},
      messages: [{ role: "user", content: step.text }],
    });
    const { outcome, finalState, historyFrom } = await run(state, {
      agentRegistry: new Map([["helper", agent]]),
      modelProvider: createModel(seen, callIds),
      conversationId: id,
      onEvent: ({ type, data }) => {
        if (type === "context") events.push(data.counts, data.ranges);
        if (type === "memory_loaded") events.push(data.messageCount);
      },
      memory: {
        provider: processes[step.process] as VersionedMemoryProvider,
        autoStore: true,
        userId: "ada",
        ...step.memory,
        ...(endCache === undefined ? {} : { endCache }),
      },
    });
    const stored = await store.getConversation(id);
    told.push({
      text: step.text,
      status: outcome,
      seen,
      events,
      historyFrom,
      final: finalState.messages,
      stored: stored.success ? stored.data?.messages : stored.error,
    });
  }
  return { told, reads };
}

const namespace = `ends_${crypto.randomUUID().replaceAll("-", "")}`;

const stores = {
  "in memory": async () => createInMemoryProvider(),
  "in memory, with a limit of messages": async () =>
    createInMemoryProvider({ maxMessagesPerConversation: 9 }),
  Redis: () => createRedisProvider({ url: inject("redisUrl"), keyPrefix: `${namespace}:` }),
  Postgres: () =>
    createPostgresProvider({ connectionString: inject("pgUrl"), schema: namespace, maxConnections: 4 }),
} as const satisfies Readonly<Record<string, () => Promise<VersionedMemoryProvider>>>;

/** Random programs of seeds from the first up to the end, by the side of ones that read each time. */
export interface Programs {
  readonly store: keyof typeof stores;
  readonly firstSeed: number;
  readonly endSeed: number;
}

export function describeKeptEnds({ store: name, firstSeed, endSeed }: Programs): void {
  const open = stores[name];
  describe(`processes that keep the ends of conversations, ${name}`, () => {
    let store: VersionedMemoryProvider;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => void (await store.close()));

    it(`are told, say and store what others do that read each time, in ${endSeed - firstSeed} random programs`, async () => {
      let [kept, all] = [0, 0];
      for (let seed = firstSeed; seed < endSeed; seed++) {
        const steps = randomProgram(randomNumbers(seed));
        const keeping = await play(store, `${name} ${seed} keeping`, { steps });
        const reading = await play(store, `${name} ${seed} reading`, { steps, endCache: false });
        expect(keeping.told, `seed ${seed}: ${JSON.stringify(steps)}`).toEqual(reading.told);
        kept += keeping.reads;
        all += reading.reads;
      }
      expect(kept).toBeLessThan(all * 0.75);
    });

    it("leave nothing behind of what was erased, by whichever process", async () => {
      for (const erase of [
        (id: string) => store.deleteConversation(id),
        (_: string) => store.clearUserConversations("ada"),
      ]) {
        for (const durability of ["turn", "step", "completed"] as const) {
          const id = crypto.randomUUID();
          const secret: Turn = {
            text: "a secret",
            process: 0,
            memory: { durability, window: { maxMessages: 6 } },
          };
          const provider = { ...store };
          const say = (text: string, seen: unknown[] = []) =>
            run(
              createRunState({
                agentName: "helper",
                context: {},
                messages: [{ role: "user", content: text }],
              }),
              {
                agentRegistry: new Map([["helper", agent]]),
                modelProvider: createModel(seen, { last: 0 }),
                conversationId: id,
                memory: { provider, autoStore: true, userId: "ada", ...secret.memory },
              },
            );
          for (let turn = 0; turn < 3; turn++) await say(secret.text);
          await erase(id);
          const seen: unknown[] = [];
          const ended = await say("hello", seen);
          expect(ended.outcome.status).toBe("completed");
          const left = await store.exportConversation(id);
          expect(left.success && left.data?.messages).toHaveLength(2);
          expect(JSON.stringify([seen, ended, left])).not.toContain("secret");
        }
      }
    });
  });
}
