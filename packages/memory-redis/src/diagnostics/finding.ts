/** A setting of a client because of which it doesn't recover, or doesn't fail in time, when a connection dies. */
export interface RedisClientFinding {
  /** From the options that the client was created with, e.g. `socket.socketTimeout`. */
  readonly setting: string;
  /** `"unreadable"`: the client doesn't expose it. Pass the options that it was created with, too. */
  readonly problem: "missing" | "unsuitable" | "unreadable";
  /** What happens with the current setting. */
  readonly why: string;
  /** What to set. */
  readonly remedy: string;
}

/** What is wrong with a value. */
export type Verdict = Pick<RedisClientFinding, "problem" | "why">;

/** What one setting should be. */
export interface Rule {
  /** Within the options of one connection. */
  readonly setting: string;
  readonly remedy: string;
  /** `connection`: all options of one connection. `undefined`: it is right. */
  readonly judge: (value: unknown, connection: unknown) => Verdict | undefined;
}

export const missing = (why: string): Verdict => ({ problem: "missing", why });

export const unsuitable = (why: string): Verdict => ({ problem: "unsuitable", why });

/** By a path, e.g. `socket.socketTimeout`. */
export function settingOf(options: unknown, path: string): unknown {
  let value = options;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

export const isPositive = (value: unknown): value is number => typeof value === "number" && value > 0;
