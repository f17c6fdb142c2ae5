import {
  createMemoryProviderFromEnv,
  type MemoryProvider,
  registerMemoryAdapter,
  withRetry,
} from "@jaf/memory";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenStore {
  readonly provider: MemoryProvider;
  /** Where the conversations are, for the person at the terminal. */
  readonly notice: string;
}

/** Loaded when they are asked for: the demo has to start fast without them. */
const ADAPTERS: Readonly<Record<string, () => Promise<unknown>>> = {
  redis: async () => registerMemoryAdapter((await import("@jaf/memory-redis")).adapter),
  postgres: async () => registerMemoryAdapter((await import("@jaf/memory-postgres")).adapter),
};

/**
 * Where conversations are kept, as `JAF_MEMORY_TYPE` and the variables of its adapter say; `undefined`: it isn't set. Rejects
 * with a `MemorySetupError` where it can't be opened.
 */
export async function chooseStore(environment: Environment): Promise<ChosenStore | undefined> {
  const type = environment["JAF_MEMORY_TYPE"]?.trim() ?? "";
  if (type === "") return undefined;
  await ADAPTERS[type]?.();
  const provider = withRetry(await createMemoryProviderFromEnv({}, environment));
  const kept = type === "memory" ? "are gone when you leave" : `are in ${type}`;
  return { provider, notice: `Conversations ${kept} (JAF_MEMORY_TYPE); notes and facts stay in the folder.` };
}
