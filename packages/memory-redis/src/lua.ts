import { createHash } from "node:crypto";
import type { RedisPort } from "./client/clients.ts";
import type { Deadlines } from "./client/command-deadlines.ts";
import { namedDenial } from "./errors.ts";

/**
 * A template tag for Lua source text. Its values are Lua fragments: texts that are inserted into a script and define
 * functions or constants for it.
 */
export const lua = (parts: TemplateStringsArray, ...fragments: readonly string[]): string =>
  String.raw(parts, ...fragments);

/** A Lua fragment. `clock()` returns the server's time in whole milliseconds since 1970. */
export const clockMs = lua`
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * A Lua fragment. `clock()` returns the server's time in microseconds since 1970. `digits(number)` returns a whole
 * number as text, with all its digits.
 */
export const clockMicros = lua`
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
-- Returns a number as text with all its digits. Lua's own conversion would round it.
local function digits(number) return string.format('%.0f', number) end
`;

export interface ScriptCall {
  readonly keys: readonly [string, ...string[]];
  readonly args: readonly (string | number)[];
}

/** How many replicas a write waits for, and for how long. */
export interface ReplicaWait {
  readonly replicas: number;
  readonly timeoutMs: number;
}

export type RunScript<Name extends string> = (
  name: Name,
  call: ScriptCall,
  wait?: ReplicaWait,
) => Promise<unknown>;

/** The script has completed its write, but fewer replicas than required have the write yet. */
export class TooFewReplicas extends Error {
  override readonly name = "TooFewReplicas";
}

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

const isUnknownScript = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith("NOSCRIPT");

async function runAndWait(port: RedisPort, command: readonly string[], key: string, wait: ReplicaWait) {
  const waiting = ["WAIT", String(wait.replicas), String(wait.timeoutMs)];
  const [reply, reached] = await port.sendPipeline([command, waiting], key);
  if (Number(reached) < wait.replicas) throw new TooFewReplicas("too few replicas have the write");
  return reply;
}

/** Returns a function that runs a script by its name in `sources`. */
export function createScriptRunner<Name extends string>(
  port: RedisPort,
  deadlines: Deadlines,
  sources: Readonly<Record<Name, string>>,
): RunScript<Name> {
  const digests = new Map(Object.keys(sources).map((name) => [name, sha1(sources[name as Name])]));
  return (name, { keys, args }, wait) => {
    const [key] = keys;
    const send = (command: string, script: string): Promise<unknown> => {
      const full = [command, script, String(keys.length)].concat(keys, args.map(String));
      return wait === undefined ? port.send(full, key) : runAndWait(port, full, key, wait);
    };
    const source = sources[name];
    const nameDenial = (thrown: unknown): Promise<never> | undefined => {
      const denial = namedDenial(thrown, source);
      return denial === undefined ? undefined : Promise.reject(denial);
    };
    // Sends only the SHA-1 of the script. If the server doesn't know it, e.g. after a restart, sends the source text.
    return deadlines(send("EVALSHA", digests.get(name) ?? ""), (thrown) =>
      isUnknownScript(thrown)
        ? send("EVAL", source).catch((again: unknown) => nameDenial(again) ?? Promise.reject(again))
        : nameDenial(thrown),
    );
  };
}

/** A reply of the Redis server has an unexpected form. */
export class UnexpectedReply extends TypeError {
  override readonly name = "UnexpectedReply";
}

// Converts a value of a reply into text. A client may be configured to return Buffers.
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value.toString();
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new UnexpectedReply("expected text in the reply of a script");
}

export const number = (value: unknown): number => Number(text(value));

export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnexpectedReply("expected a list in the reply of a script");
}
