import { setTimeout as sleep } from "node:timers/promises";
import { type CacheableConfig, createTool, run, runStream } from "@jaf/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { startElsewhere, startServer } from "../../../../test/models/redirects.ts";
import { type CacheAdapter, GoogleCacheRegistry } from "../../src/index.ts";
import { asking, configOf, gemini, MODEL, providerOf, says } from "../support/setup.ts";

const tool = createTool({
  name: "look_up",
  description: "Looks it up",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => `${id} found`,
});

/** A store that workers share, with a log of its calls. */
function sharedStore() {
  const values = new Map<string, { value: string; ttlSeconds: number }>();
  const log: string[] = [];
  const store: CacheAdapter = {
    get: async (key) => values.get(key)?.value,
    set: async (key, value, { ttlSeconds }) => {
      log.push(`set ${value.split("/")[0]} ${ttlSeconds}`);
      values.set(key, { value, ttlSeconds });
    },
    delete: async (key) => {
      log.push("delete");
      values.delete(key);
    },
    setIfAbsent: async (key, value, { ttlSeconds }) => {
      log.push(`claim ${!values.has(key)}`);
      if (values.has(key)) return false;
      values.set(key, { value, ttlSeconds });
      return true;
    },
  };
  return { store, values, log };
}

const agentOf = (cacheable: CacheableConfig | undefined, more = {}) => ({
  tools: [tool],
  ...(cacheable === undefined ? {} : { cacheable }),
  ...more,
});

const ALL: CacheableConfig = { instructions: true, tools: true };

const talk = (length: number) =>
  asking(
    Array.from(
      { length },
      (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `m${at}` }) as const,
    ),
  );

describe("the cacheable part of a prompt", () => {
  it("is created once, and then named in place of instructions and tools", async () => {
    const server = await gemini(["Hello."]);
    const { store, log } = sharedStore();
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const { config, events } = configOf(
      providerOf(server, { cacheRegistry }),
      agentOf({ ...ALL, ttl: "6h" }),
    );
    for (const ask of [run, runStream]) {
      const asked = ask<unknown, unknown>(says("Hi"), config);
      expect((await ("result" in asked ? asked.result : asked)).outcome.status).toBe("completed");
    }
    expect(server.refusals).toEqual([]);
    expect(server.cache.made.map(({ body }) => body)).toEqual([
      {
        model: `models/${MODEL}`,
        systemInstruction: { parts: [{ text: "You help." }] },
        tools: [
          {
            functionDeclarations: [
              {
                name: "look_up",
                description: "Looks it up",
                parametersJsonSchema: {
                  type: "object",
                  properties: { id: { type: "string" } },
                  required: ["id"],
                },
              },
            ],
          },
        ],
        ttl: "21600s",
        displayName: expect.stringMatching(/^jaf [0-9a-f]{16}$/),
      },
    ]);
    const cachedContent = server.cache.made[0]?.name;
    expect(server.bodies).toEqual([
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }], cachedContent },
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }], cachedContent },
    ]);
    expect(log).toEqual(["claim true", "set cachedContents 21540"]);
    expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { usage: { cachedInputTokens: server.cache.made[0]?.tokens } },
    });
  });

  it.each<[string, CacheableConfig | undefined, object]>([
    ["nothing", undefined, {}],
    ["instructions that it doesn't declare", { tools: true }, {}],
    ["messages alone, beside instructions", { messages: 2 }, {}],
    ["neither instructions nor tools", ALL, { instructions: "", tools: [] }],
  ])("isn't cached if the agent has %s", async (_, cacheable, more) => {
    const server = await gemini(["Hello."]);
    const { config } = configOf(providerOf(server), agentOf(cacheable, more));
    await run<unknown, unknown>(talk(5), config);
    expect(server.refusals).toEqual([]);
    expect(server.cache.made).toEqual([]);
    expect(server.bodies[0]).not.toHaveProperty("cachedContent");
  });

  it("isn't cached on a page without HTTPS, which has no hash", async () => {
    const { crypto: real } = globalThis;
    vi.stubGlobal("crypto", {
      getRandomValues: real.getRandomValues.bind(real),
      randomUUID: real.randomUUID.bind(real),
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const server = await gemini(["Hello."]);
    const { config } = configOf(providerOf(server), agentOf(ALL));
    expect((await run<unknown, unknown>(says("Hi"), config)).outcome.status).toBe("completed");
    expect(server.cache.made).toEqual([]);
  });

  it("isn't cached if the call sets `false`", async () => {
    const server = await gemini(["Hello."]);
    const { config } = configOf(providerOf(server), agentOf(ALL), { cache: false });
    await run<unknown, unknown>(says("Hi"), config);
    expect(server.cache.made).toEqual([]);
  });

  it.each<[number, CacheableConfig["messages"], number]>([
    [3, 4, 0],
    [5, 4, 4],
    [7, 4, 4],
    [7, 3, 2],
    [7, 1, 0],
    [7, "all", 0],
  ])(
    "includes, of %d messages with the setting %s, the first ones up to a user message: %d",
    async (length, messages, kept) => {
      const server = await gemini(["Hello."]);
      const { store } = sharedStore();
      const cacheRegistry = new GoogleCacheRegistry({ store });
      const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf({ ...ALL, messages }));
      await run<unknown, unknown>(talk(length), config);
      expect(server.refusals).toEqual([]);
      const contents = server.cache.made[0]?.body["contents"] ?? [];
      expect(contents).toHaveLength(kept);
      expect(server.bodies[0]?.["contents"]).toHaveLength(length - kept);
    },
  );

  it("includes the first messages' calls with results and Gemini's signatures", async () => {
    const call = { id: "c1", name: "look_up", args: { id: "7" } };
    const server = await gemini([
      { parts: [{ functionCall: call, thoughtSignature: "s" }] },
      "Found.",
      "You are welcome.",
    ]);
    const { store } = sharedStore();
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf({ ...ALL, messages: 5 }));
    const first = await run<unknown, unknown>(says("Hi"), config);
    const messages = [...first.finalState.messages, { role: "user", content: "Thanks" } as const];
    await run<unknown, unknown>(asking([...messages, { role: "user", content: "Bye" }]), config);
    expect(server.refusals).toEqual([]);
    expect(server.cache.made[1]?.body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ functionCall: call, thoughtSignature: "s" }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "look_up", response: { output: "7 found" } } }],
      },
      { role: "model", parts: [{ text: "Found." }] },
      { role: "user", parts: [{ text: "Thanks" }] },
    ]);
    expect(server.bodies[2]?.["contents"]).toEqual([{ role: "user", parts: [{ text: "Bye" }] }]);
  });

  it("is another resource if the model, instructions, tools, tool choice or key differ", async () => {
    const server = await gemini(["Hello."]);
    const { store } = sharedStore();
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const provider = providerOf(server, { cacheRegistry });
    const other = createTool({ ...tool.schema, name: "other", execute: async () => "" });
    const changes = [
      {},
      {},
      { modelConfig: { name: "gemini-3-flash-preview" } },
      { instructions: "Be brief." },
      { tools: [tool, other] },
      { modelConfig: { toolChoice: "none" as const } },
    ];
    for (const change of changes) {
      const { config } = configOf(provider, agentOf(ALL, change));
      await run<unknown, unknown>(says("Hi"), config);
    }
    const proxied = providerOf(server, { cacheRegistry, headers: { "x-goog-api-key": "AIza-test" } });
    await run<unknown, unknown>(says("Hi"), configOf(proxied, agentOf(ALL)).config);
    expect(server.refusals).toEqual([]);
    expect(server.cache.made).toHaveLength(5);
    expect(server.bodies.every((body) => "cachedContent" in body)).toBe(true);
  });

  it("can be the application's own resource, without instructions and tools in the request", async () => {
    const server = await gemini(["Hello."]);
    const made = server.cache.create({ model: `models/${MODEL}`, ttl: "60s" });
    const providerOptions = { google: { cachedContent: made["name"] } };
    const { config } = configOf(providerOf(server), agentOf(ALL, { modelConfig: { providerOptions } }));
    await run<unknown, unknown>(says("Hi"), config);
    expect(server.refusals).toEqual([]);
    expect(server.bodies).toEqual([
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }], cachedContent: made["name"] },
    ]);
  });
});

describe("a cached prompt that", () => {
  it("is missing is created again once, and the request is repeated", async () => {
    const server = await gemini(["Hello."]);
    const { store, log } = sharedStore();
    const { config } = configOf(
      providerOf(server, { cacheRegistry: new GoogleCacheRegistry({ store }) }),
      agentOf(ALL),
      { modelRetry: { maxAttempts: 1 } },
    );
    await run<unknown, unknown>(says("Hi"), config);
    server.cache.end();
    const { outcome } = await run<unknown, unknown>(says("Hi"), config);
    expect(outcome.status).toBe("completed");
    expect(server.refusals).toEqual(["CachedContent not found (or permission denied)"]);
    expect(server.bodies.map((body) => body["cachedContent"])).toEqual(
      [0, 0, 1].map((at) => server.cache.made[at]?.name),
    );
    expect(log).toEqual([
      ...["claim true", "set cachedContents 3540"],
      ...["claim true", "delete", "claim true", "set cachedContents 3540"],
    ]);
  });

  it("is always missing is given up, and the run continues without the cache", async () => {
    const server = await gemini(["Hello."]);
    const { store, log } = sharedStore();
    const gone: typeof fetch = async (url, init) => {
      if (!String(url).endsWith("/cachedContents")) server.cache.end();
      return fetch(url, init);
    };
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const { config } = configOf(providerOf(server, { cacheRegistry, fetch: gone }), agentOf(ALL));
    for (const _ of [1, 2]) {
      const { outcome } = await run<unknown, unknown>(says("Hi"), config);
      expect(outcome.status).toBe("completed");
    }
    expect(server.bodies.map((body) => "cachedContent" in body)).toEqual([true, true, false, false]);
    expect(server.cache.made).toHaveLength(2);
    expect(log.at(-1)).toBe("set unusable 600");
  });

  it("is too small isn't requested again, and the run continues without the cache", async () => {
    const server = await gemini(["Hello."], { minCacheTokens: 1_024 });
    const { store, log } = sharedStore();
    const errors: unknown[] = [];
    const cacheRegistry = new GoogleCacheRegistry({ store, onError: (error) => errors.push(error) });
    const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf(ALL));
    for (const _ of [1, 2]) {
      const { outcome } = await run<unknown, unknown>(says("Hi"), config);
      expect(outcome.status).toBe("completed");
    }
    expect(server.refusals).toEqual([expect.stringContaining("too small")]);
    expect(server.bodies.map((body) => "cachedContent" in body)).toEqual([false, false]);
    expect(log).toEqual(["claim true", "set unusable 600"]);
    expect(errors).toMatchObject([{ name: "GoogleError", status: 400 }]);
  });

  it("would be created behind a redirect is sent nowhere else, and neither is the request", async () => {
    const elsewhere = await startElsewhere();
    const asked: unknown[] = [];
    const url = await startServer(({ url = "" }, response) => {
      asked.push(url);
      response.writeHead(307, { location: `${elsewhere.url}${url}` }).end();
    });
    const errors: unknown[] = [];
    const cacheRegistry = new GoogleCacheRegistry({ onError: (error) => errors.push(error) });
    const { config } = configOf(providerOf({ baseURL: url }, { cacheRegistry }), agentOf(ALL));
    const { outcome } = await run<unknown, unknown>(says("Hi"), config);
    expect(elsewhere.received).toEqual([]);
    expect(asked).toEqual(["/cachedContents", `/models/${MODEL}:generateContent`]);
    const error = { name: "GoogleError", message: expect.stringContaining(`307; ${url} redirects`) };
    expect(errors).toMatchObject([error]);
    expect(outcome).toMatchObject({ error: { status: 307, cause: error } });
  });

  it("stays usable after a request that is refused either way", async () => {
    const refused = { error: { code: 400, message: "?", status: "INVALID_ARGUMENT" } };
    const server = await gemini([{ kind: "raw", status: 400, body: JSON.stringify(refused) }]);
    const { store, log } = sharedStore();
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf(ALL));
    const { outcome } = await run<unknown, unknown>(says("Hi"), config);
    expect(outcome).toMatchObject({ error: { status: 400 } });
    expect(server.bodies.map((body) => "cachedContent" in body)).toEqual([true, false]);
    expect(log).toEqual(["claim true", "set cachedContents 3540"]);
  });
});

describe("concurrently", () => {
  it("runs of one process create one resource, and all use it", async () => {
    const server = await gemini(["Hello."]);
    const { store } = sharedStore();
    const cacheRegistry = new GoogleCacheRegistry({ store });
    const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf(ALL));
    const runs = Array.from({ length: 8 }, () => run<unknown, unknown>(says("Hi"), config));
    expect((await Promise.all(runs)).every(({ outcome }) => outcome.status === "completed")).toBe(true);
    expect(server.cache.made).toHaveLength(1);
    expect(new Set(server.bodies.map((body) => body["cachedContent"])).size).toBe(1);
  });

  it("workers with one store create one resource; the others send requests without it", async () => {
    const server = await gemini(["Hello."]);
    const { store } = sharedStore();
    let reads = 0;
    let go = (): void => {};
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    // Both read before either claims.
    const get: CacheAdapter["get"] = async (key) => {
      const value = await store.get(key);
      reads += 1;
      if (reads === 2) go();
      await both;
      return value;
    };
    const worker = () => {
      const cacheRegistry = new GoogleCacheRegistry({ store: { ...store, get } });
      return configOf(providerOf(server, { cacheRegistry }), agentOf(ALL)).config;
    };
    const [first, second] = [worker(), worker()];
    await Promise.all([first, second].map((config) => run<unknown, unknown>(says("Hi"), config)));
    expect(server.cache.made).toHaveLength(1);
    expect(server.bodies.filter((body) => "cachedContent" in body)).toHaveLength(1);
    await Promise.all([first, second].map((config) => run<unknown, unknown>(says("Hi"), config)));
    expect(server.cache.made).toHaveLength(1);
    expect(server.bodies.filter((body) => "cachedContent" in body)).toHaveLength(3);
    expect(server.refusals).toEqual([]);
  });
});

describe("a cached prompt that two workers find missing at the same time", () => {
  it("is created again once: the second worker keeps the first one's name", async () => {
    const server = await gemini(["Hello."]);
    const { store, log } = sharedStore();
    let deletions = 0;
    // Both read the name before either deletes it. The second would delete while the first creates a resource.
    const slow: CacheAdapter = {
      ...store,
      delete: async (key) => {
        deletions++;
        await sleep(deletions * 100);
        await store.delete(key);
      },
    };
    const slowFetch: typeof fetch = async (url, init) => {
      if (String(url).endsWith("/cachedContents")) await sleep(300);
      return fetch(url, init);
    };
    const worker = () => {
      const cacheRegistry = new GoogleCacheRegistry({ store: slow });
      const provider = providerOf(server, { cacheRegistry, fetch: slowFetch });
      return configOf(provider, agentOf(ALL), { modelRetry: { maxAttempts: 1 } }).config;
    };
    const workers = [worker(), worker()];
    await run<unknown, unknown>(says("Hi"), workers[0] as (typeof workers)[0]);
    server.cache.end();
    const runs = await Promise.all(workers.map((config) => run<unknown, unknown>(says("Hi"), config)));
    expect(runs.map(({ outcome }) => outcome.status)).toEqual(["completed", "completed"]);
    expect(server.cache.made).toHaveLength(2);
    expect(log.filter((line) => line.startsWith("set "))).toEqual(Array(2).fill("set cachedContents 3540"));
    expect(server.bodies.map((body) => body["cachedContent"])).toContain(server.cache.made[1]?.name);
  });
});

describe("a store that", () => {
  const failing = (change: Partial<CacheAdapter>) => ({ ...sharedStore().store, ...change });
  const fails = async () => {
    throw new Error("the store is down");
  };

  it.each<[string, Partial<CacheAdapter>, { readonly isNamed: boolean; readonly maxWaitMs?: number }]>([
    ["can't be read", { get: fails }, { isNamed: false }],
    ["can't be claimed", { setIfAbsent: fails }, { isNamed: false }],
    ["can't be written", { set: fails }, { isNamed: true }],
    ["never answers", { get: () => new Promise(() => {}) }, { isNamed: false, maxWaitMs: 200 }],
  ])("%s fails no run, and is reported", async (_, change, { isNamed, maxWaitMs }) => {
    const server = await gemini(["Hello."]);
    const errors: unknown[] = [];
    const cacheRegistry = new GoogleCacheRegistry({
      store: failing(change),
      maxWaitMs,
      onError: (error) => {
        errors.push(error);
        throw new Error("and so does who is told");
      },
    });
    const { config } = configOf(providerOf(server, { cacheRegistry }), agentOf(ALL));
    const { outcome } = await run<unknown, unknown>(says("Hi"), config);
    expect(outcome.status).toBe("completed");
    expect("cachedContent" in (server.bodies[0] ?? {})).toBe(isNamed);
    expect(errors).toHaveLength(1);
  });

  it("is in memory warns once, and forgets expired entries", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    vi.resetModules();
    const { createInProcessStore } = await import("../../src/cache-registry.ts");
    let now = 0;
    const [store, other] = [createInProcessStore(() => now), createInProcessStore(() => now)];
    expect(warn).not.toHaveBeenCalled();
    expect(await store.setIfAbsent("a", "1", { ttlSeconds: 10 })).toBe(true);
    expect(await other.get("a")).toBeUndefined();
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining("store"),
        { type: "JAFGoogleCacheWarning", code: "JAF_GOOGLE_CACHE_IN_PROCESS" },
      ],
    ]);
    expect(await store.setIfAbsent("a", "2", { ttlSeconds: 10 })).toBe(false);
    now = 9_999;
    expect(await store.get("a")).toBe("1");
    now = 10_000;
    expect(await store.get("a")).toBeUndefined();
    expect(await store.setIfAbsent("a", "3", { ttlSeconds: 10 })).toBe(true);
    await store.delete("a");
    expect(await store.get("a")).toBeUndefined();
    for (let at = 0; at < 1_100; at++) await store.set(`k${at}`, "v", { ttlSeconds: 10 });
    expect(await store.get("k99")).toBeUndefined();
    expect(await store.get("k100")).toBe("v");
  });
});
