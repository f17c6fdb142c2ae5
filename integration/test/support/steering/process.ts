import { runInbox } from "@jaf/core";
import {
  createFailure,
  createMemoryConnectionError,
  type Inbox,
  type Result,
  type Timers,
  type TurnLog,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { createServerApp, type ServerApp } from "@jaf/server";
import { type Mortal, type Point, StoreUnreachable } from "../crash/saboteur.ts";
import { type Script, scriptedAgent, scriptedModel } from "./agent.ts";

/** The stores that all processes share. */
export interface World {
  readonly provider: VersionedMemoryProvider;
  readonly log: TurnLog;
  readonly inbox: Inbox;
  readonly timers: Timers;
}

/** A process with a server, which can die at any call. */
export interface Process extends Pick<ServerApp, "service" | "close"> {
  readonly isDead: () => boolean;
  /** Resolves with what the call returned. Resolves with `undefined` if the process died, or if the call failed. */
  readonly ask: <T>(call: () => Promise<T>) => Promise<T | undefined>;
}

/** The calls at which a process can die. The others are the searches and heartbeats, whose number depends on the clock. */
const COUNTED: Readonly<Record<string, Point["on"]>> = {
  ...{ readConversation: "read", read: "read" },
  ...{ appendMessages: "write", begin: "write", append: "write", takeOver: "write", release: "write" },
  ...{ requestStop: "write", put: "write", remove: "write", set: "write", advance: "write" },
};

/** Calls that ask nothing of the store. */
const LOCAL: ReadonlySet<string> = new Set(["beginning", "canBegin"]);

/** Returns a store whose calls go through the process. */
function mortalStore<T extends object>(store: T, mortal: Mortal): T {
  return new Proxy(
    { ...store },
    {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        // Called as the store itself: a provider lets no copy of itself begin turns.
        const call = (...args: readonly unknown[]) => Reflect.apply(value, store, args);
        if (typeof name === "symbol" || LOCAL.has(name)) return call;
        const on = COUNTED[name];
        return (...args: readonly unknown[]) =>
          settled(() => {
            const action = (): Promise<Result<unknown>> => call(...args);
            return on === undefined ? mortal.callUncounted(action) : mortal.call({ label: name, on }, action);
          });
      },
    },
  );
}

async function settled(call: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof StoreUnreachable)) throw thrown;
    return createFailure(createMemoryConnectionError("test"));
  }
}

export const LEASE_SECONDS = 2;

/** Starts a process on the stores. */
export async function startProcess(world: World, script: Script, mortal: Mortal): Promise<Process> {
  const app = await createServerApp(
    [scriptedAgent(script, mortal)],
    {
      modelProvider: scriptedModel(script, mortal),
      modelRetry: { baseDelayMs: 1 },
      memory: { durability: script.durability, inbox: runInbox(mortalStore(world.inbox, mortal)) },
    },
    {
      defaultMemoryProvider: mortalStore(world.provider, mortal),
      turnLog: mortalStore(world.log, mortal),
      timers: mortalStore(world.timers, mortal),
      turns: { leaseSeconds: LEASE_SECONDS, heartbeatMs: 200, recoverMs: 150, pollMs: 20, gatherMs: 1 },
      shutdownMs: 10,
      onError: () => {}, // The calls that a fault cut off.
    },
  );
  const { signal } = mortal;
  const died = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return {
    service: app.service,
    close: app.close,
    isDead: () => signal.aborted,
    ask: (call) => Promise.race([call().catch(() => undefined), died]),
  };
}
