import type { World } from "../worlds.ts";

/** The calls whose number decides when a process dies: those that change something, and the reads of a run. */
const COUNTED: ReadonlySet<string | symbol> = new Set([
  "appendMessages",
  "readConversation",
  "append",
  "begin",
]);

/** A server's process that can die. */
export interface Process {
  /** The stores as the process reaches them. After its death, no call reaches them and none returns. */
  readonly world: World;
  /** Called by what isn't a store, e.g. a tool. Never resolves once the process is dead. */
  readonly alive: () => Promise<void>;
  readonly isDead: () => boolean;
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
  readonly calls: () => number;
  /** Ends the calls that never return. */
  readonly end: () => void;
}

export interface Death {
  /** The process dies at this call, counted from 1. */
  readonly at: number;
  /** Whether the call takes effect. */
  readonly isDone: boolean;
}

export function openProcess({ log, provider }: World, death: Death | undefined): Process {
  let calls = 0;
  let isDead = false;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const ends: (() => void)[] = [];
  const never = () =>
    new Promise<never>((_, reject) => ends.push(() => reject(new Error("the process is gone"))));

  /** Counts a call, and lets the process die at it if it is due. */
  async function counted<T>(action: () => Promise<T>): Promise<T> {
    calls += 1;
    if (calls !== death?.at) {
      const value = await action();
      return isDead ? never() : value;
    }
    if (death.isDone) await action();
    die();
    return never();
  }

  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (isDead) return never();
          return COUNTED.has(key) ? counted(() => value.apply(of, args)) : value.apply(of, args);
        };
      },
    });

  return {
    world: { log: mortal({ ...log }), provider: mortal({ ...provider }) },
    alive: () => (isDead ? never() : counted(async () => {})),
    isDead: () => isDead,
    died,
    calls: () => calls,
    end: () => {
      for (const end of ends) end();
    },
  };
}
