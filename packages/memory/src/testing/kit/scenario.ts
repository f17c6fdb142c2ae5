import { setMaxListeners } from "node:events";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import { withDeadline } from "../../runtime/abort.ts";
import type { CallRecord } from "./calls.ts";
import type { MemoryProviderHarness, TestStore } from "./harness.ts";
import { secondProcessOf } from "./second-process.ts";
import type { Scenario } from "./spec.ts";
import { watchProvider } from "./watched-provider.ts";

interface OpenScenario {
  readonly scenario: Scenario;
  readonly store: TestStore;
  readonly cleanUp: () => Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export const timeoutOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: MemoryProviderHarness): number => timeoutMs;

const callTimeoutOf = (harness: MemoryProviderHarness): number =>
  harness.callTimeoutMs ?? Math.ceil(timeoutOf(harness) / 3);

/**
 * Creates an object for the time until the next crash of the store: the providers that were opened in this time
 * (`connections`), and `end`, which aborts the signal of all their calls.
 */
function createLife(
  watchOne: (provider: VersionedMemoryProvider, signal: AbortSignal) => VersionedMemoryProvider,
) {
  const ended = new AbortController();
  setMaxListeners(0, ended.signal); // One listener for each call in progress.
  const connections = new Set<VersionedMemoryProvider>();
  return {
    connections,
    end: () => ended.abort(),
    watch: (provider: VersionedMemoryProvider) => watchOne(provider, ended.signal),
  };
}

interface ScenarioOptions {
  /** Whether `connect` opens the first, the third and every further odd provider in another process. */
  readonly inTwoProcesses?: boolean;
  /** Records the calls of the rule for the report. */
  readonly calls?: CallRecord | undefined;
  /** Called for each call that needs an unwritten function of the backend, with the name of the function. */
  readonly onUnwritten?: (what: string) => void;
}

/** Creates a store, and returns a scenario on it together with the function that removes it. */
export async function openScenario(
  harness: MemoryProviderHarness,
  { inTwoProcesses = false, calls, onUnwritten = () => {} }: ScenarioOptions = {},
): Promise<OpenScenario> {
  const timeoutMs = callTimeoutOf(harness);
  const store = await harness.createStore();
  const others: OpenScenario[] = [];
  const multiple = harness.capabilities?.multipleConnections ?? true;
  let over = false;
  const isOver = () => over;
  const watchOne = (opened: VersionedMemoryProvider, signal: AbortSignal): VersionedMemoryProvider => {
    const watched = watchProvider(opened, { timeoutMs, signal, isOver, onUnwritten });
    return calls === undefined ? watched : calls.of(watched);
  };
  let life = createLife(watchOne);
  const provider = life.watch(store.provider);

  /** Throws if the rule has ended. Calls `close` before it throws. */
  async function refuseWhenOver(close: () => Promise<unknown> = async () => {}): Promise<void> {
    // `close` closes a resource that was opened too late.
    if (!over) return;
    await close();
    throw new Error("the rule is over");
  }

  const adopt = async (opened: VersionedMemoryProvider): Promise<VersionedMemoryProvider> => {
    await refuseWhenOver(() => opened.close());
    const connection = life.watch(opened);
    life.connections.add(connection);
    return connection;
  };

  // The other process starts with the first store, so that it is ready for the first rule that needs it.
  const other = store.process && multiple === true ? secondProcessOf(harness, store.process) : undefined;
  let connected = 0;

  const connect = async () => {
    await refuseWhenOver();
    const isRemote = inTwoProcesses && connected % 2 === 0;
    connected += 1;
    if (isRemote && other !== undefined) return adopt(await other.open(store.process?.argument));
    return multiple !== true || store.connect === undefined ? provider : adopt(await store.connect());
  };

  const stop = async () => {
    if (store.stop === undefined) throw new Error("this rule needs TestStore.stop");
    await store.stop();
  };

  const tamper: Scenario["tamper"] = async (conversationId, tampering) => {
    if (store.tamper === undefined) throw new Error("this rule needs TestStore.tamper");
    await store.tamper(conversationId, tampering);
  };

  const crash = async () => {
    await refuseWhenOver();
    if (store.crash === undefined) throw new Error("this rule needs TestStore.crash");
    life.end();
    life = createLife(watchOne);
    return adopt(await store.crash());
  };

  const disconnect = async (connection: VersionedMemoryProvider) => {
    if (life.connections.delete(connection)) await connection.close();
  };

  const open = async () => {
    await refuseWhenOver();
    const opened = await openScenario(harness, { inTwoProcesses, calls, onUnwritten });
    await refuseWhenOver(opened.cleanUp);
    others.push(opened);
    return opened.scenario;
  };

  async function cleanUp(): Promise<void> {
    over = true;
    for (const other of others.splice(0)) await other.cleanUp();
    await Promise.all([...life.connections].map(disconnect));
    const timeoutError = () => new Error(`dispose() of the harness never settled within ${timeoutMs} ms`);
    await withDeadline(store.dispose(), { timeoutMs, timeoutError });
  }
  return { scenario: { provider, connect, disconnect, crash, stop, tamper, open }, store, cleanUp };
}
