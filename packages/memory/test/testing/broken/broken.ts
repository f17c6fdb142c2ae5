import { createInMemoryProvider, type VersionedMemoryProvider } from "../../../src/index.ts";

export const openIntact = (): VersionedMemoryProvider =>
  createInMemoryProvider({ maxMessagesPerConversation: 10_000 });

export type Overrides = (intact: VersionedMemoryProvider) => Partial<VersionedMemoryProvider>;

export interface BrokenProvider {
  readonly open: () => VersionedMemoryProvider;
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
