import { createInMemoryProvider, type MemoryProvider } from "../../src/index.ts";

export const openIntact = (): MemoryProvider =>
  createInMemoryProvider({ maxMessagesPerConversation: 10_000 });

export type Overrides = (intact: MemoryProvider) => Partial<MemoryProvider>;

export interface BrokenProvider {
  readonly open: () => MemoryProvider;
  /** One rule of the kit that it breaks, as `subject: title`. */
  readonly caughtBy: string;
}

export const broken = (caughtBy: string, overrides: Overrides): BrokenProvider => ({
  caughtBy,
  open: () => {
    const intact = openIntact();
    return { ...intact, ...overrides(intact) };
  },
});
