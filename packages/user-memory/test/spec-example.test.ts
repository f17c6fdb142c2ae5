import { type RunConfig, run, setRunUserMemory as setEngineMemory } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createRunId, createTraceId } from "@jaf/memory/internal";
import { afterEach, expect, test } from "vitest";
import { type MemoryEntry, MemoryUserMemory, setUserMemory, type UserMemory } from "../src/index.ts";

afterEach(() => setUserMemory(undefined));

/** A minimal store: five methods over an array. */
class OwnUserMemory implements UserMemory {
  readonly #entries: MemoryEntry[] = [];
  async remember(
    userId: string,
    fact: string,
    opts?: { tags?: string[]; score?: number },
  ): Promise<MemoryEntry> {
    const entry = { id: String(this.#entries.length), userId, fact, createdAt: new Date(), ...opts };
    this.#entries.push(entry);
    return entry;
  }
  async recall(userId: string, query: string, opts?: { limit?: number }): Promise<MemoryEntry[]> {
    const words = query.toLowerCase().split(/\W+/);
    const found = (await this.list(userId)).filter(({ fact }) =>
      fact
        .toLowerCase()
        .split(/\W+/)
        .some((word) => word.length >= 3 && words.includes(word)),
    );
    return found.slice(0, opts?.limit);
  }
  async forget(userId: string, factId: string): Promise<void> {
    const at = this.#entries.findIndex((entry) => entry.userId === userId && entry.id === factId);
    if (at >= 0) this.#entries.splice(at, 1);
  }
  async list(userId: string): Promise<MemoryEntry[]> {
    return this.#entries.filter((entry) => entry.userId === userId);
  }
}

const block =
  "You are a support agent.\n\n<user-memory>\n- Project Foo deploys to fly.io us-east\n</user-memory>";

test.each([
  ["a store of one's own", () => new OwnUserMemory()],
  ["the in-memory store", () => new MemoryUserMemory()],
])(
  "with %s registered, remembers puts the matching facts into the instructions as documented",
  async (_, make) => {
    const memory: UserMemory = make();
    setUserMemory(memory);
    await memory.remember("ada", "Project Foo deploys to fly.io us-east", { tags: ["support"] });
    await memory.remember("bob", "Project Foo is secret", { tags: ["support"] });
    const seen: string[] = [];
    const model = createScriptedModel([{ text: "fly.io" }]);
    const config: RunConfig<object> = {
      agentRegistry: new Map([
        [
          "support",
          {
            name: "support",
            instructions: () => "You are a support agent.",
            remembers: {
              user: "ada",
              inject: "auto",
              tags: ["support"],
              injectLimit: 5,
              injectTokenBudget: 400,
            },
          },
        ],
      ]),
      modelProvider: {
        getCompletion: (state, agent, runConfig) => {
          seen.push(agent.instructions(state));
          return model.getCompletion(state, agent, runConfig);
        },
      },
    };
    const state = {
      runId: createRunId("r"),
      traceId: createTraceId("t"),
      messages: [{ role: "user" as const, content: "Where does project Foo deploy to?" }],
      currentAgentName: "support",
      context: {},
      turnCount: 0,
    };
    expect((await run(state, config)).outcome).toMatchObject({ status: "completed" });
    expect(seen).toEqual([block]);
    // Both packages have the same default.
    setEngineMemory(undefined);
    await run(state, { ...config, modelProvider: createScriptedModel([{ text: "?" }]) });
  },
);
