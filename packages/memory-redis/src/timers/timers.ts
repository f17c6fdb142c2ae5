import type { Timer, Timers } from "@jaf/memory";
import { defineTimers } from "@jaf/memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { list, number, text } from "../lua.ts";
import { createCalls } from "../open-store.ts";
import { scripts } from "./scripts.ts";

/**
 * Creates timers in Redis that all processes share. They never close the client. Whether a timer is due is decided by the
 * clock of the server. No key expires: timers stay until they are removed. The server must not be configured to evict
 * keys.
 *
 * Each call is one atomic script, also on a Cluster, where all timers are in one slot and so on one server.
 *
 * @throws TypeError for an invalid client or option.
 *
 * @example
 * ```ts
 * import { createRedisTimers, type RedisClient } from "@jaf/memory-redis";
 *
 * declare const client: RedisClient;
 *
 * const timers = createRedisTimers({ keyPrefix: "app:" }, client);
 * const ids = { conversationId: "conv-123", timerId: "reminder", userId: "user-456" };
 * await timers.set({ ...ids, at: new Date(Date.now() + 3_600_000), content: '"Call the dentist."' });
 * ```
 */
export function createRedisTimers(
  config: Pick<RedisConfig, "keyPrefix" | "commandTimeoutMs">,
  client: RedisClient,
): Timers {
  const { keyPrefix, commandTimeoutMs } = parseConfig(config);
  const port = adaptClient(client);
  const { run } = createCalls({ port, minReplicas: 0, commandTimeoutMs }, scripts);
  // The hash tag puts all keys into one Cluster slot. Braces in a conversation id are escaped elsewhere, so no
  // conversation's key equals one of these.
  const due = `${keyPrefix}{timers}:due`;
  const conversations = `${keyPrefix}{timers}:conversation:`;
  const users = `${keyPrefix}{timers}:user:`;
  const conversation = (conversationId: string) => conversations + conversationId;
  const user = (userId: string) => users + userId;

  return defineTimers({
    name: "redis",
    set: async ({ conversationId, timerId, userId, at, content }) => {
      const keys = [conversation(conversationId), due, user(userId)] as const;
      const args = [conversationId, timerId, userId, at.getTime(), content, users];
      return text(await run("set", { keys, args })) === "full" ? "full" : "set";
    },
    due: async (limit) => toTimers(await run("due", { keys: [due], args: [limit, conversations] })),
    advance: async ({ conversationId, timerId, from, to }) => {
      const keys = [conversation(conversationId), due] as const;
      const args = [conversationId, timerId, from.getTime()];
      const reply =
        to === null
          ? await run("remove", { keys, args: [...args, users] })
          : await run("move", { keys, args: [...args, to.getTime(), users] });
      return number(reply) === 1;
    },
    find: async ({ userId, conversationId = "", limit }) =>
      toTimers(await run("find", { keys: [user(userId)], args: [conversationId, limit, conversations] })),
    remove: async ({ conversationId, timerId }) => {
      const keys = [conversation(conversationId), due] as const;
      return number(await run("remove", { keys, args: [conversationId, timerId, "", users] })) === 1;
    },
    deleteConversation: async (conversationId) => {
      const keys = [conversation(conversationId), due] as const;
      return number(await run("eraseConversation", { keys, args: [conversationId, users] }));
    },
    deleteUser: async (userId) =>
      number(await run("eraseUser", { keys: [user(userId), due], args: [conversations] })),
    close: async () => {},
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  });
}

const toTimers = (reply: unknown): readonly Timer[] =>
  list(reply).map((timer) => {
    const [conversationId = "", timerId = "", userId = "", at = "", content = ""] = list(timer).map(text);
    return { conversationId, timerId, userId, at: new Date(Number(at)), content };
  });
