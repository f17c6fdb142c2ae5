import {
  type ConversationRecord,
  createInMemoryProvider,
  type Message,
  type ReadOptions,
  type Result,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createRedisProvider } from "../../src/index.ts";
import { openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** A small generator of numbers below `end`, the same for the same seed. */
function createRandom(seed: number) {
  let state = seed;
  return (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

type Random = ReturnType<typeof createRandom>;

/** What one provider returned for a conversation, by the name that both providers use. */
interface Memory {
  readonly provider: VersionedMemoryProvider;
  readonly tokens: string[];
}

type Step = (memory: Memory) => Promise<unknown>;

const CONVERSATIONS = ["c{1}", "d"];
const USERS = ["u", "v"];

const expectedTag = (result: Result<unknown>): unknown => {
  if (result.success) return result.data;
  const { error } = result;
  return error._tag === "MemoryConflictError" ? [error.reason, error.actualVersion] : error._tag;
};

/** Removes values that differ between any two stores. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, held: unknown) =>
      /^(incarnation|historyDigest|createdAt|updatedAt|lastActivity|readAt)$/.test(key) ? "-" : held,
    ),
  );

function randomMessages(random: Random): readonly Message[] {
  return Array.from({ length: random(4) }, (): Message => {
    const content = `said ${random(6)}`;
    return random(4) === 0 ? { role: "tool", content, tool_call_id: "t" } : { role: "user", content };
  });
}

function randomWrite(random: Random): Step {
  const id = CONVERSATIONS[random(2)] ?? "";
  const messages = randomMessages(random);
  const replaces = random(6) === 0;
  const userId = random(2) === 0 ? USERS[random(5) === 0 ? 1 : 0] : undefined;
  const odd = (one: number) => random(one) === 0;
  const metadata = {
    ...(userId === undefined ? {} : { userId }),
    ...(odd(4) ? { traceId: `t${random(3)}` } : {}),
    ...(odd(4) ? { [`f${random(3)}\0\ud800"\\`]: `\0 \udfff ${random(9)}` } : {}),
  };
  const tokenAt = odd(2) ? random(4) : undefined;
  const options = {
    ...(odd(4) ? { expectedVersion: random(8) } : {}),
    ...(odd(6) ? { expectedMetadataVersion: random(4) } : {}),
    ...(odd(3) ? { idempotencyKey: `k${random(6)}` } : {}),
    ...(odd(3) ? { maxMessages: 1 + random(9) } : {}),
    ...(odd(2) ? { messageIds: messages.map(() => (odd(2) ? `m${random(8)}` : null)) } : {}),
    ...(replaces ? {} : { createIfMissing: odd(3) ? ("unowned" as const) : userId !== undefined }),
    ...(odd(3) && !replaces ? { dropLast: random(4) } : {}),
  };
  return async ({ provider, tokens }) => {
    const token = tokenAt === undefined ? undefined : tokens.at(-1 - tokenAt);
    const said = { ...options, ...(token === undefined ? {} : { expectedIncarnation: token }) };
    return expectedTag(
      replaces
        ? await provider.storeMessages(id, messages, metadata, said)
        : await provider.appendMessages(id, messages, metadata, said),
    );
  };
}

function randomRead(random: Random): Step {
  const id = CONVERSATIONS[random(2)] ?? "";
  const some = (end: number) => (random(3) === 0 ? undefined : random(end));
  const range = { after: some(12), before: some(20), limit: some(6) };
  const selection = (): NonNullable<ReadOptions["messages"]> => {
    const kind = random(5);
    if (kind === 0) return "none";
    if (kind === 1) return { messageId: `m${random(8)}` };
    return kind === 2
      ? "all"
      : Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
  };
  const options: ReadOptions = {
    messages: selection(),
    receiptFor: `k${random(6)}`,
    ...(random(2) === 0 ? { userId: USERS[random(2)] ?? "" } : {}),
  };
  return async ({ provider, tokens }) => {
    const read = await provider.readConversation(id, options);
    if (read.success) tokens.push(read.data.incarnation);
    return expectedTag(read);
  };
}

function randomMove(random: Random): Step {
  const [from = "", to = ""] = random(2) === 0 ? CONVERSATIONS : [...CONVERSATIONS].reverse();
  return async ({ provider }) => {
    const exported = await provider.exportConversation(from);
    if (!exported.success || exported.data === null) return expectedTag(exported);
    const { data } = exported;
    const record: ConversationRecord = { ...data, conversationId: to, traceIds: [...data.traceIds].sort() };
    const imported = await provider.importConversation(record, { idempotencyKey: "moved" });
    return [record, expectedTag(imported)];
  };
}

function randomStep(random: Random): Step {
  const kind = random(20);
  const id = CONVERSATIONS[random(2)] ?? "";
  const userId = USERS[random(2)] ?? "";
  if (kind === 0) return async ({ provider }) => expectedTag(await provider.deleteConversation(id));
  if (kind === 1) return async ({ provider }) => expectedTag(await provider.clearUserConversations(userId));
  if (kind === 2) return randomMove(random);
  if (kind === 3) {
    return async ({ provider }) => {
      const found = await provider.findConversations({ traceId: `t${random(3)}` });
      return found.success ? found.data.map(({ conversationId }) => conversationId).sort() : found.error;
    };
  }
  return kind < 12 ? randomWrite(random) : randomRead(random);
}

/** Runs random programs on clients of one kind and on the in-memory provider. */
export const describeModelPrograms = (kind: keyof typeof openers, seeds: readonly number[]) =>
  describe(kind, () => {
    it("does and returns the same as the in-memory provider, for any input", async () => {
      const { client, end } = await openers[kind]();
      for (const seed of seeds) {
        const redis = await createRedisProvider({ keyPrefix: freshPrefix() }, client);
        const memories = [createInMemoryProvider(), redis].map((provider) => ({ provider, tokens: [] }));
        const randoms = memories.map(() => createRandom(seed));
        for (let at = 0; at < 120; at++) {
          const said: unknown[] = [];
          for (const [which, memory] of memories.entries()) {
            const random = randoms[which] ?? expect.fail();
            said.push(plain(await randomStep(random)(memory)));
          }
          expect(said[1], `seed ${seed}, step ${at}`).toEqual(said[0]);
        }
      }
      await end();
    });
  });
