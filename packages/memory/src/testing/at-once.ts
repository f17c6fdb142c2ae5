import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import type { Scenario } from "./spec.ts";

const CONNECTIONS = 4;

type Connections = readonly [VersionedMemoryProvider, ...VersionedMemoryProvider[]];

const opened = new WeakMap<Scenario, Promise<Connections>>();

async function connectSome({ provider, connect }: Scenario): Promise<Connections> {
  const others = await Promise.all(Array.from({ length: CONNECTIONS - 1 }, () => connect()));
  return [provider, ...others];
}

/** Runs `task` `count` times at once, spread over several connections, which are the same for all calls in a scenario. */
export async function atOnce<T>(
  scenario: Scenario,
  count: number,
  task: (provider: VersionedMemoryProvider, index: number) => Promise<T>,
): Promise<T[]> {
  const connecting = opened.get(scenario) ?? connectSome(scenario);
  opened.set(scenario, connecting);
  const connections = await connecting;
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      task(connections[index % connections.length] ?? connections[0], index),
    ),
  );
}
