import {
  createFailure,
  createMemoryConnectionError,
  type Inbox,
  type Result,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import type { ModelProvider } from "../../src/index.ts";

/** What happens at one external call of a process. */
export const CRASHES = [
  /** The process dies before the call is sent. */
  "killed before",
  /** The process dies after the call has taken effect. */
  "killed after",
  /** The call fails once, and the process lives. */
  "fails",
  /** The call takes effect, its answer is lost once, and the process lives. */
  "fails after",
] as const;

type Crash = (typeof CRASHES)[number];

export interface Strike {
  /** The number of the call, from 1. */
  readonly at: number;
  readonly crash: Crash;
}

interface Ports {
  readonly provider: VersionedMemoryProvider;
  readonly inbox: Inbox;
  readonly model: ModelProvider<unknown>;
}

interface ProcessOptions {
  readonly strike?: Strike | undefined;
  /** Awaited before the calls with these numbers, e.g. to let the user say something. */
  readonly before?: ReadonlyMap<number, () => Promise<void>>;
}

/** A process, whose calls of the store, the inbox, the model and the tools are counted and can crash. */
export function openProcess(ports: Ports, { strike, before }: ProcessOptions = {}) {
  const controller = new AbortController();
  let calls = 0;
  let isDead = false;

  async function call<T>(action: () => Promise<T>, failed: () => T): Promise<T> {
    if (isDead) throw new Error("the process is gone");
    calls += 1;
    const number = calls;
    await before?.get(number)?.();
    if (isDead) throw new Error("the process is gone");
    const crash = number === strike?.at ? strike.crash : undefined;
    if (crash === "fails") return failed();
    if (crash === "killed before") return die();
    const value = await action();
    if (crash === "killed after" || isDead) return die();
    return crash === "fails after" ? failed() : value;
  }
  function die(): never {
    isDead = true;
    controller.abort();
    throw new Error("the process is gone");
  }
  const stored = <T>(action: () => Promise<Result<T>>): Promise<Result<T>> =>
    call(action, () => createFailure(createMemoryConnectionError("test")));
  const thrown = (): never => {
    throw new Error("the call failed");
  };

  const provider: VersionedMemoryProvider = {
    ...ports.provider,
    readConversation: (...args) => stored(() => ports.provider.readConversation(...args)),
    appendMessages: (...args) => stored(() => ports.provider.appendMessages(...args)),
  };
  const inbox: Inbox = {
    ...ports.inbox,
    put: (...args) => stored(() => ports.inbox.put(...args)),
    read: (...args) => stored(() => ports.inbox.read(...args)),
    remove: (...args) => stored(() => ports.inbox.remove(...args)),
  };
  const modelProvider: ModelProvider<unknown> = {
    getCompletion: (...args) => call(() => ports.model.getCompletion(...args), thrown),
  };
  return {
    ...{ provider, inbox, modelProvider },
    signal: controller.signal,
    /** Counts the execution of a tool as a call. */
    tool: <T>(action: () => Promise<T>): Promise<T> => call(action, thrown),
    calls: () => calls,
  };
}
