// A primary on Redis that is cut off, and a fallback on Postgres.
import {
  type DeadLetterEvent,
  findDeadLetters,
  type MemoryProvider,
  type VersionedMemoryProvider,
  withFallback,
} from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { expect, inject, it, onTestFinished } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../test/fault-proxy.ts";
import { dropSharedStore } from "./support/programs/shared-store.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const CREATE = { createIfMissing: true } as const;
const ALICE = { userId: "alice" } as const;
const MALLORY = { userId: "mallory" } as const;

const said = (content: string) => [{ role: "user", content }] as const;

async function textsOf(
  provider: MemoryProvider,
  conversationId: string,
): Promise<readonly string[] | string> {
  const found = await provider.getConversation(conversationId);
  return found.success ? (found.data?.messages ?? []).map(({ content }) => content) : found.error.message;
}

async function expectDone(result: Promise<{ readonly success: boolean }>): Promise<void> {
  expect(await result).toMatchObject({ success: true });
}

interface Opened {
  readonly provider: VersionedMemoryProvider;
  readonly fallback: VersionedMemoryProvider;
}

/** As a process opens them. */
async function open(proxy: FaultProxy, namespace: string, deadLetters: DeadLetterEvent[]): Promise<Opened> {
  const url = new URL(inject("redisUrl"));
  url.port = String(proxy.port);
  const primary = await createRedisProvider({
    url: url.href,
    keyPrefix: `${namespace}:`,
    commandTimeoutMs: 500,
  });
  const fallback = await createPostgresProvider({ connectionString: inject("pgUrl"), schema: namespace });
  const provider = withFallback(primary, fallback, {
    writes: "fallback",
    cooldownMs: 0,
    onDeadLetter: (event) => deadLetters.push(event),
  });
  return { provider, fallback };
}

it("replays on Redis what an outage sent to Postgres, after a restart, and keeps another user's as a dead letter", async () => {
  const namespace = `fallback_${crypto.randomUUID().replaceAll("-", "")}`;
  const proxy = await startFaultProxy(Number(new URL(inject("redisUrl")).port));
  const deadLetters: DeadLetterEvent[] = [];
  const first = await open(proxy, namespace, deadLetters);
  onTestFinished(async () => {
    await dropSharedStore({ backend: "postgres", urls: [inject("pgUrl")], namespace });
    await proxy.stop();
  });

  for (const id of ["hers", "taken"]) {
    await expectDone(first.provider.appendMessages(id, said("1"), ALICE, CREATE));
  }
  proxy.set("refuse");
  await expectDone(first.provider.appendMessages("hers", said("2"), ALICE, CREATE));
  await expectDone(first.provider.appendMessages("hers", said("3"), ALICE));
  await expectDone(first.provider.appendMessages("taken", said("mallory's"), MALLORY, CREATE));
  expect(await textsOf(first.provider, "hers")).toEqual(["2", "3"]);
  await first.provider.close();

  proxy.set("pass");
  const second = await open(proxy, namespace, deadLetters);
  expect(await textsOf(second.provider, "taken")).toEqual(["1"]);
  expect(await textsOf(second.provider, "hers")).toEqual(["1", "2", "3"]);
  await expectDone(second.provider.appendMessages("taken", said("2"), ALICE));
  expect(await textsOf(second.provider, "taken")).toEqual(["1", "2"]);
  expect(deadLetters).toMatchObject([
    { conversationId: "taken", userId: "mallory", reason: "owner", writes: 1 },
  ]);
  expect(await findDeadLetters(second.fallback)).toMatchObject({
    data: [{ conversationId: "taken", messages: said("mallory's") }],
  });
  expect(await second.fallback.getConversation("hers")).toMatchObject({ data: null });
  await second.provider.clearUserConversations("alice");
  await second.provider.close();
});
