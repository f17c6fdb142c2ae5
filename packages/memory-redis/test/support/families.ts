import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import { expect } from "vitest";
import { createRedisProvider, type NodeRedisClient, type NodeRedisCluster } from "../../src/index.ts";
import { createKeys } from "../../src/keys.ts";
import { creating } from "./creating.ts";
import { freshPrefix } from "./stores.ts";

export type Client = NodeRedisClient | NodeRedisCluster;

export const hello: readonly Message[] = [{ role: "user", content: "Hello" }];
export const owned = { userId: "u", traceId: "t" };

/** Opens a provider whose appends create missing conversations. */
export const open = async (client: Client, keyPrefix: string): Promise<VersionedMemoryProvider> =>
  creating(await createRedisProvider({ keyPrefix }, client));

/** Opens a provider under its own prefix. `at` opens another one under this prefix. */
export async function start(client: Client) {
  const keyPrefix = freshPrefix();
  const at = (by: Client) => open(by, keyPrefix);
  return { provider: await at(client), keys: createKeys(keyPrefix), at };
}

export async function exists(provider: VersionedMemoryProvider, id: string): Promise<boolean> {
  const read = await provider.getConversation(id);
  return read.success ? read.data !== null : expect.fail(read.error.message);
}

export async function found(provider: VersionedMemoryProvider, query: object): Promise<readonly string[]> {
  const result = await provider.findConversations(query);
  return result.success
    ? result.data.map(({ conversationId }) => conversationId)
    : expect.fail(result.error.message);
}

export async function parentOf(provider: VersionedMemoryProvider, conversationId: string) {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  const { incarnation } = read.success ? read.data : expect.fail(read.error.message);
  return { conversationId, incarnation };
}

/** Stores a conversation, as a child of `under` if this is given. */
export async function store(
  provider: VersionedMemoryProvider,
  id: string,
  under?: string,
  options: object = {},
) {
  const childOf = under === undefined ? {} : { childOf: await parentOf(provider, under) };
  const stored = await provider.appendMessages(id, hello, owned, { ...options, ...childOf });
  if (!stored.success) expect.fail(stored.error.message);
}

/** The conversations of `storeFamily`, each with its parent. */
export const FAMILY = { p: undefined, c1: "p", c2: "p", g: "c1" } as const;

export async function storeFamily(provider: VersionedMemoryProvider): Promise<void> {
  for (const [id, under] of Object.entries(FAMILY)) await store(provider, id, under);
}

/** Expects that each conversation of the family has its parent, and is listed by it. */
export async function expectWhole(
  provider: VersionedMemoryProvider,
  family: Readonly<Record<string, string | undefined>>,
) {
  for (const [id, parent] of Object.entries(family)) {
    if (parent === undefined || !(await exists(provider, id))) continue;
    expect(await exists(provider, parent), `${parent} of ${id}`).toBe(true);
    expect(await found(provider, { childrenOf: parent }), `children of ${parent}`).toContain(id);
  }
}

/** Expects that these conversations and their children don't exist, and that nothing is listed. */
export async function expectGone(provider: VersionedMemoryProvider, ids: readonly string[], how: string) {
  for (const id of ids) {
    expect(await exists(provider, id), `${id}, ${how}`).toBe(false);
    expect(await found(provider, { childrenOf: id }), `children of ${id}, ${how}`).toEqual([]);
  }
  expect(await found(provider, {}), how).toEqual([]);
}
