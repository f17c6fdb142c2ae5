import type { MemoryProvider } from "../provider.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";

/** What the stores of this project have beyond the ten methods. */
export type VersionedMethods = Omit<VersionedMemoryProvider, keyof MemoryProvider>;

const NAMES: Readonly<Record<keyof VersionedMethods, true>> = {
  readConversation: true,
  exportConversation: true,
  importConversation: true,
  verifyConversation: true,
};

/** Those that the provider has, bound to it. */
export function versionedMethods(provider: MemoryProvider): Partial<VersionedMethods> {
  const methods = Object.keys(NAMES).flatMap((name) => {
    const method: unknown = Reflect.get(provider, name);
    return typeof method === "function" ? [[name, method.bind(provider)] as const] : [];
  });
  return Object.fromEntries(methods) as Partial<VersionedMethods>;
}
