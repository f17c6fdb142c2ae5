import { parseOptions } from "@jaf/memory";
import { type UserMemoryOptions, userMemoryOptionsSchema } from "@jaf/user-memory";
import * as z from "zod";
import { type RedisConfig, type RedisSettings, redisConfigSchema } from "../config.ts";

/** Where the server is and how keys begin, as for conversations but without `ttl`: facts are kept until they are forgotten. */
export interface RedisUserMemoryConfig extends Omit<RedisConfig, "ttl">, UserMemoryOptions {}

const configSchema = z.strictObject({
  ...redisConfigSchema.omit({ ttl: true }).shape,
  ...userMemoryOptionsSchema.shape,
});

export interface RedisUserMemorySettings {
  readonly settings: Omit<RedisSettings, "ttl">;
  /** Checked, and as they were given. */
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export function parseUserMemoryConfig(config: RedisUserMemoryConfig): RedisUserMemorySettings {
  const settings = parseOptions(configSchema, config, "Redis user memory configuration");
  const given = Object.entries(config).filter(([name]) => name in userMemoryOptionsSchema.shape);
  return { settings, options: Object.fromEntries(given) };
}
