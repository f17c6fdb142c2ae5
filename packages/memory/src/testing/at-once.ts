import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import type { Scenario } from "./spec.ts";

const CONNECTIONS = 4;

const connectSome = async ({
  provider,
  connect,
}: Scenario): Promise<readonly [VersionedMemoryProvider, ...VersionedMemoryProvider[]]> => [
  provider,
  ...(await Promise.all(Array.from({ length: CONNECTIONS - 1 }, () => connect()))),
];

/** Runs `task` `count` times at once, spread over several connections. */
export async function atOnce<T>(
  scenario: Scenario,
  count: number,
  task: (provider: VersionedMemoryProvider, index: number) => Promise<T>,
): Promise<T[]> {
  const connections = await connectSome(scenario);
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      task(connections[index % connections.length] ?? connections[0], index),
    ),
  );
}
