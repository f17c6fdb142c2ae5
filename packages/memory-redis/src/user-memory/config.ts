import { parseOptions } from "@jaf/memory/adapter";
import type { UserMemoryOptions } from "@jaf/user-memory";
import { boundOptions, userMemoryOptionsSchema } from "@jaf/user-memory/adapter";
import * as z from "zod";
import { type RedisConfig, type RedisSettings, redisConfigSchema } from "../config.ts";

/** Where the server is and how keys begin, as for conversations but without `ttl`: facts are kept until they are forgotten. */
export interface RedisUserMemoryBackendConfig extends Omit<RedisConfig, "ttl"> {}

/** Where the facts are kept, and what every store of user memory can be given. */
export interface RedisUserMemoryConfig extends RedisUserMemoryBackendConfig, UserMemoryOptions {}

const WHAT = "Redis user memory configuration";

const backendSchema = z.strictObject(redisConfigSchema.omit({ ttl: true }).shape);
const configSchema = z.strictObject({ ...backendSchema.shape, ...userMemoryOptionsSchema.shape });

export type RedisUserMemoryBackendSettings = Omit<RedisSettings, "ttl">;

export interface RedisUserMemorySettings {
  readonly settings: RedisUserMemoryBackendSettings;
  /** Checked, and as they were given. */
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export function parseUserMemoryConfig(config: RedisUserMemoryConfig): RedisUserMemorySettings {
  const given = boundOptions(configSchema, config);
  const settings = parseOptions(configSchema, given, WHAT);
  const options = Object.entries(given).filter(([name]) => name in userMemoryOptionsSchema.shape);
  return { settings, options: Object.fromEntries(options) };
}

/** Throws as {@link parseUserMemoryConfig}. */
export const parseUserMemoryBackendConfig = (
  config: RedisUserMemoryBackendConfig,
): RedisUserMemoryBackendSettings => parseOptions(backendSchema, boundOptions(backendSchema, config), WHAT);
