import { drainWork } from "../../src/background-work.ts";
import type { MemoryExtractOptions } from "../../src/extraction/options.ts";
import { withMemoryExtract } from "../../src/middleware/extract.ts";
import type { UserMemory } from "../../src/user-memory.ts";
import { type AskedTurn, assistant, type TurnFields, turnOf } from "./turn.ts";

export const spec = { user: "alice" };
export const tea = { fact: "The user likes tea", evidence: "I like tea", score: 0.9 };
export const reply = (...facts: readonly unknown[]): string => JSON.stringify({ facts });

/** Runs a turn and waits for its extraction. */
export async function turn(
  options: Omit<MemoryExtractOptions, "memory"> & { readonly memory: UserMemory },
  said: readonly string[],
  {
    declared = spec,
    ...fields
  }: TurnFields & { readonly declared?: Parameters<typeof withMemoryExtract>[0] } = {},
): Promise<AskedTurn> {
  const { memory } = options;
  const middleware = withMemoryExtract(declared, options);
  const begun = turnOf(said, fields);
  await middleware.onStart?.(begun);
  await middleware.onFinish?.(begun, assistant("The assistant says the user likes cake."));
  await drainWork(memory);
  return begun;
}

export const factsOf = async (memory: UserMemory): Promise<readonly string[]> =>
  (await memory.list("alice")).map(({ fact }) => fact);
