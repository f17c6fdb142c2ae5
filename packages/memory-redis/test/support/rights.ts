import { readFileSync } from "node:fs";
import { type RedisReply, redisCommand } from "../../../../test/redis-command.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

export type LimitedUser = "conversations" | "facts" | "inboxes" | "ledger" | "media" | "timers" | "turns";

const words = (user: LimitedUser): readonly string[] =>
  new RegExp(`^ACL SETUSER ${user} (.+)$`, "m").exec(readme)?.[1]?.split(" ") ?? [];

/** The commands that the README allows a user, in capitals. */
export const allowedCommands = (user: LimitedUser): readonly string[] =>
  words(user)
    .filter((word) => word.startsWith("+"))
    .map((word) => word.slice(1).toUpperCase());

/** Creates the user of the README for a prefix, with some rights more or less, e.g. `-zadd`. */
export const setUser = (
  port: number,
  user: LimitedUser,
  { keyPrefix, rights = [] }: { readonly keyPrefix: string; readonly rights?: readonly string[] },
): Promise<RedisReply> => {
  const given = words(user).map((word) => word.replace("jaf:memory:", keyPrefix));
  return redisCommand(port, "ACL", "SETUSER", user, "reset", ...given, ...rights);
};
