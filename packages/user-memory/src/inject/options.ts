import type { Tokenizer } from "@jaf/memory";
import * as z from "zod";
import { callback } from "../input/callback.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";

export interface MemoryInjectOptions {
  /** Default: the user memory of the process, see `setUserMemory`. Without either, nothing is injected. */
  readonly memory?: UserMemory | undefined;
  /** Counts what the spec's `injectTokenBudget` bounds. Default: `estimateTokens` of `@jaf/memory`. */
  readonly tokenizer?: Tokenizer | undefined;
  /** How long the run waits for the facts, in milliseconds; then it goes on without. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** Told which facts the prompt got, in their order; not called for none. What it throws is ignored. */
  readonly onInjected?: ((entries: readonly MemoryEntry[]) => void) | undefined;
  /** Called where no facts could be had, with the reason. Default: the hook rejects, which the engine reports as `middleware_failed`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const injectOptionsSchema = z.strictObject({
  memory: z.custom<UserMemory>().optional(),
  tokenizer: callback.optional(),
  timeoutMs: z.int().min(1).max(600_000).default(2_000),
  onInjected: callback.optional(),
  onError: callback.optional(),
});

/** The options with their defaults. */
export interface InjectSettings extends MemoryInjectOptions {
  readonly timeoutMs: number;
}
