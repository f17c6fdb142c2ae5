import { refuseOptions } from "../codec/checks.ts";
import { idIssue } from "../contract/ids.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { isVersionedProvider, type VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { isFields } from "../runtime/objects.ts";

/**
 * Checks the provider and the ids that an application passes to the function `name`, and returns the provider. All ids
 * are required: leave out an optional one that is absent. Wrong settings are an error of the program, so it throws a
 * `TypeError` that names the function, the fields and what was expected, e.g. `Invalid settings of createSession: userId:
 * expected a non-empty string.`
 */
export function checkedProvider(
  name: string,
  provider: MemoryProvider,
  ids: Readonly<Record<string, string | undefined>> = {},
): VersionedMemoryProvider {
  const isUsable = isFields(provider) && isVersionedProvider(provider);
  const expected =
    "a provider with readConversation, as all providers of JAF and defineMemoryProvider have it";
  refuseOptions(`settings of ${name}`, [
    isUsable ? undefined : { path: "provider", expected },
    ...Object.entries(ids).map(([field, id]) => idIssue(field, id)),
  ]);
  return provider as VersionedMemoryProvider;
}
