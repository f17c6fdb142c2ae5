import { PGlite } from "@electric-sql/pglite";
import { createRunState, type RunConfig, run } from "@jaf/core";
import { createGoogleProvider, GoogleCacheRegistry } from "@jaf/google";
import type { CacheAdapter } from "@jaf/memory";
import { createPostgresCacheAdapter } from "@jaf/memory-postgres";
import { createRedisCacheAdapter } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { openGeminiCache } from "../../../test/fakes/gemini-cache.ts";
import { type JsonObject, Refusal } from "../../../test/fakes/service.ts";

const MODEL = "gemini-3-pro-preview";
const WORKERS = 6;

let pglite: Promise<PGlite> | undefined;

/** Connects a cache for each worker. All use the same storage, each with its own connection if there are several. */
const stores = {
  redis: async () => {
    const keyPrefix = `test:${crypto.randomUUID()}:`;
    return async () => {
      const client = await createClient({ url: inject("redisUrl") }).connect();
      onTestFinished(async () => void (await client.close()));
      return createRedisCacheAdapter({ keyPrefix }, client);
    };
  },
  postgres: async () => {
    const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    const admin = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
    onTestFinished(async () => {
      await admin.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await admin.end();
    });
    return async () => {
      const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 2 });
      onTestFinished(() => pool.end());
      return createPostgresCacheAdapter({ schema }, pool);
    };
  },
  pglite: async () => {
    pglite ??= PGlite.create();
    const client = await pglite;
    const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    return () => createPostgresCacheAdapter({ schema }, client);
  },
} as const satisfies Readonly<Record<string, () => Promise<() => Promise<CacheAdapter>>>>;

/** A fake of Gemini's cached prompts. Each answer takes a moment, so the workers' requests overlap. */
function service() {
  const cache = openGeminiCache();
  const refused: number[] = [];
  const named: unknown[] = [];
  const answer = (path: string, body: JsonObject): JsonObject => {
    if (path.endsWith("/cachedContents")) return cache.create(body);
    cache.named(body, MODEL);
    named.push(body["cachedContent"]);
    return {
      candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
      modelVersion: MODEL,
    };
  };
  const asked: typeof fetch = async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
    try {
      return Response.json(answer(new URL(String(url)).pathname, JSON.parse(String(init?.body))));
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      refused.push(thrown.status);
      return Response.json(
        { error: { code: thrown.status, message: thrown.message } },
        { status: thrown.status },
      );
    }
  };
  return { cache, refused, named, fetch: asked };
}

/** Returns a worker that does one run per call. */
function worker(store: CacheAdapter, fetch: typeof globalThis.fetch, errors: unknown[], ttl: string) {
  const cacheRegistry = new GoogleCacheRegistry({ store, onError: (error) => errors.push(error) });
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([
      ["support", { name: "support", instructions: "You help.", cacheable: { instructions: true, ttl } }],
    ]),
    modelProvider: createGoogleProvider({ apiKey: "key", model: MODEL, cacheRegistry, fetch }),
    modelRetry: { maxAttempts: 1 },
  };
  return async () => {
    const messages = [{ role: "user", content: "Hi" }] as const;
    const { outcome } = await run(createRunState({ agentName: "support", context: {}, messages }), config);
    expect(outcome.status).toBe("completed");
  };
}

export const describeCachedPrompts = (name: keyof typeof stores): unknown =>
  describe(`workers that share a cache in ${name}`, () => {
    afterAll(async () => {
      await (await pglite)?.close();
      pglite = undefined;
    });

    async function open(ttl = "1h") {
      const connect = await stores[name]();
      const google = service();
      const errors: unknown[] = [];
      const workers: (() => Promise<void>)[] = [];
      for (let at = 0; at < WORKERS; at++) workers.push(worker(await connect(), google.fetch, errors, ttl));
      const askAll = async () => {
        google.named.length = 0;
        await Promise.all(workers.map((ask) => ask()));
      };
      return { ...google, errors, askAll };
    }

    it("create one resource for all of them, and use it from then on", async () => {
      const { cache, named, refused, errors, askAll } = await open();
      await askAll();
      expect(cache.made).toHaveLength(1);
      await askAll();
      expect(cache.made).toHaveLength(1);
      expect(named).toEqual(Array(WORKERS).fill(cache.made[0]?.name));
      expect([refused, errors]).toEqual([[], []]);
    });

    it("create a missing resource again only once, even if all of them find it missing at the same time", async () => {
      const { cache, named, errors, askAll } = await open();
      await askAll();
      for (let gone = 1; gone <= 5; gone++) {
        cache.end();
        await askAll();
        expect(cache.made).toHaveLength(1 + gone);
        await askAll();
        expect(cache.made).toHaveLength(1 + gone);
        expect(named).toEqual(Array(WORKERS).fill(cache.made[gone]?.name));
      }
      expect(errors).toEqual([]);
    });

    it("create a new resource before the old one expires", async () => {
      // Three seconds: a resource is used for less time than it exists.
      const { cache, named, refused, askAll } = await open("4s");
      await askAll();
      expect(cache.made).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 3_100));
      await askAll();
      expect(cache.made).toHaveLength(2);
      await askAll();
      expect(cache.made).toHaveLength(2);
      expect(named).toEqual(Array(WORKERS).fill(cache.made[1]?.name));
      expect(refused).toEqual([]);
    });
  });
