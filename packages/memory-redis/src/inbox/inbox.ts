import type { Inbox, InboxEntry } from "@jaf/memory";
import { defineInbox, type InboxBackend, parseInboxCursor, toInboxCursor } from "@jaf/memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { list, text } from "../lua.ts";
import { createCalls } from "../open-store.ts";
import { createInboxKeys } from "./keys.ts";
import { createInboxLists } from "./lists.ts";
import { scripts } from "./scripts.ts";

/**
 * Creates an inbox in Redis that all processes share. The inbox never closes the client. All times are those of the
 * server. The keys of an empty inbox expire after 24 hours. The server must not be configured to evict keys. On one
 * server, each call that changes one inbox is one atomic script.
 *
 * The keys of an inbox are in the Cluster slot of its conversation. On a Cluster, the list of all inboxes that aren't
 * empty and the lists of each user are in other slots.
 *
 * @throws TypeError for an invalid client or option.
 *
 * @example
 * ```ts
 * import { createRedisInbox, type RedisClient } from "@jaf/memory-redis";
 *
 * declare const client: RedisClient;
 *
 * const inbox = createRedisInbox({ keyPrefix: "app:" }, client);
 * const ids = { conversationId: "conv-123", userId: "user-456" };
 * await inbox.put({ ...ids, key: crypto.randomUUID(), content: '"And make it short."' });
 * ```
 */
export function createRedisInbox(
  config: Pick<RedisConfig, "keyPrefix" | "commandTimeoutMs">,
  client: RedisClient,
): Inbox {
  const { keyPrefix, commandTimeoutMs } = parseConfig(config);
  const port = adaptClient(client);
  const { deadlines, run } = createCalls({ port, minReplicas: 0, commandTimeoutMs }, scripts);
  const keys = createInboxKeys(keyPrefix);
  const lists = createInboxLists({ port, run, keys, deadlines });
  const atomic = !port.isCluster || keys.inOneSlot;

  /** Erases the inbox of a conversation, or only one of the user `only`. Returns the number of erased entries. */
  async function erase(conversationId: string, only = ""): Promise<number> {
    const near = keys.of(conversationId);
    const far = only === "" ? [keys.waiting] : [keys.waiting, keys.ofUser(only)];
    const reply = await run("erase", {
      keys: atomic ? [...near, ...far] : near,
      args: [conversationId, only],
    });
    const [erased, owner = ""] = list(reply).map(text);
    const listedUnder = owner === "" ? only : owner;
    if (!atomic && listedUnder !== "") await lists.settle(conversationId, listedUnder, "removed");
    return Number(erased);
  }

  const put: InboxBackend["put"] = async ({ conversationId, userId, key, content }) => {
    const near = keys.of(conversationId);
    const ofUser = keys.ofUser(userId);
    // An inbox is listed before its entry is put, and again after it: a concurrent erasure or removal may have removed it
    // from a list. So none that waits is missing, unless this process dies between both at such a moment. Then the call
    // didn't succeed, and its repetition lists the inbox.
    if (!atomic) await lists.add(conversationId, userId, "");
    const reply = await run("put", {
      keys: atomic ? [...near, keys.waiting, ofUser] : near,
      args: [conversationId, userId, key, JSON.stringify([key, content]), crypto.randomUUID(), ofUser],
    });
    const [outcome, epoch = "", number, oldest, former = ""] = list(reply).map(text);
    if (outcome === "full") return "full";
    if (!atomic && oldest === "") await lists.settle(conversationId, userId, "empty");
    else if (!atomic) await lists.add(conversationId, userId, Number(oldest));
    if (!atomic && former !== "") await lists.removeFormer(conversationId, former);
    return { cursor: toInboxCursor({ epoch, number: Number(number) }), isNew: outcome === "new" };
  };

  return defineInbox({
    name: "redis",
    put,
    read: async ({ conversationId, after, limit }) => {
      const [hash, entries] = keys.of(conversationId);
      const { epoch, number } = parseInboxCursor(after);
      const reply = await run("read", { keys: [hash, entries], args: [epoch, number, limit] });
      const [ofInbox, userId, found] = list(reply);
      if (ofInbox === undefined) return [];
      const inbox = { conversationId, userId: text(userId) };
      return list(found).map((entry) => ({ ...inbox, ...toEntry(text(ofInbox), text(entry)) }));
    },
    remove: async ({ conversationId, upTo }) => {
      const [hash, entries] = keys.of(conversationId);
      const { epoch, number } = parseInboxCursor(upTo);
      const reply = await run("remove", {
        keys: atomic ? [hash, entries, keys.waiting] : [hash, entries],
        args: [conversationId, epoch, number],
      });
      const [removed, owner = "", oldest] = list(reply).map(text);
      if (!atomic && owner !== "" && oldest === "") await lists.settle(conversationId, owner, "empty");
      return Number(removed);
    },
    waiting: ({ userId, limit }) => lists.waiting(userId, limit),
    deleteConversation: (conversationId) => erase(conversationId),
    deleteUser: async (userId) => {
      let erased = 0;
      for (const conversationId of await lists.conversationsOf(userId))
        erased += await erase(conversationId, userId);
      return erased;
    },
    close: async () => {},
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  });
}

/** Converts a stored entry: its number, and its key and content as JSON. */
function toEntry(epoch: string, stored: string): Omit<InboxEntry, "conversationId" | "userId"> {
  const space = stored.indexOf(" ");
  const number = Number(stored.slice(0, space));
  const [key = "", content = ""]: string[] = JSON.parse(stored.slice(space + 1));
  return {
    key,
    content,
    cursor: toInboxCursor({ epoch, number }),
    receivedAt: new Date(Math.floor(number / 1_000)),
  };
}
