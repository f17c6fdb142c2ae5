// A primary store on Redis that loses its connection, and a fallback on Postgres.
import { type MemoryProvider, withFallback } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { startFaultProxy } from "../../test/fault-proxy.ts";
import { dropSharedStore } from "./support/programs/shared-store.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const CREATE = { createIfMissing: true } as const;
const ALICE = { userId: "alice" } as const;

const said = (content: string) => [{ role: "user", content }] as const;

async function textsOf(provider: MemoryProvider): Promise<readonly string[] | string> {
  const found = await provider.getConversation("c");
  return found.success ? (found.data?.messages ?? []).map(({ content }) => content) : found.error.message;
}

async function expectDone(result: Promise<{ readonly success: boolean }>): Promise<void> {
  expect(await result).toMatchObject({ success: true });
}

it("reads from Postgres while Redis can't be reached, and writes only to Redis", async () => {
  const namespace = `fallback_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = new URL(inject("redisUrl"));
  const proxy = await startFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  const primary = await createRedisProvider({
    url: url.href,
    keyPrefix: `${namespace}:`,
    commandTimeoutMs: 500,
  });
  const fallback = await createPostgresProvider({ connectionString: inject("pgUrl"), schema: namespace });
  const provider = withFallback(primary, fallback, { cooldownMs: 0 });
  onTestFinished(async () => {
    await provider.close();
    await dropSharedStore({ backend: "postgres", urls: [inject("pgUrl")], namespace });
    await proxy.stop();
  });

  await expectDone(provider.appendMessages("c", said("1"), ALICE, CREATE));
  await expectDone(fallback.appendMessages("c", said("1"), ALICE, CREATE));
  await expectDone(provider.appendMessages("c", said("2"), ALICE));
  proxy.set("refuse");
  expect(await textsOf(provider)).toEqual(["1"]);
  const refused = { success: false, error: { _tag: "MemoryConnectionError", retryable: true } };
  expect(await provider.appendMessages("c", said("3"), ALICE)).toMatchObject(refused);
  proxy.set("pass");
  await vi.waitFor(
    async () => expect(await primary.healthCheck()).toMatchObject({ data: { healthy: true } }),
    10_000,
  );
  const stale = await provider.appendMessages("c", said("3"), ALICE);
  expect(stale).toMatchObject(refused);
  expect(await textsOf(provider)).toEqual(["1", "2"]);
  await expectDone(provider.appendMessages("c", said("3"), ALICE));
  expect(await textsOf(provider)).toEqual(["1", "2", "3"]);
  expect(await textsOf(fallback)).toEqual(["1"]);
  await provider.clearUserConversations("alice");
});
