import { optionFields, refuseOptions } from "../codec/checks.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { isVersionedProvider, type VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { isFields } from "../runtime/objects.ts";

/** The settings that all bridges have. */
export interface BridgeSettings {
  readonly provider: MemoryProvider;
  readonly conversationId?: string;
  readonly userId?: string;
}

type IdField = "conversationId" | "userId";

/**
 * Checks the settings that an application passes to the function `name`, and returns the provider. Pass the settings as
 * they came, not a copy: a field `userId` with the value `undefined` is refused, because without a user the owners of
 * conversations aren't checked. `required` names the ids that must not be absent. Default: none.
 *
 * Wrong settings are an error of the program, so it throws a `TypeError` that names the function, the fields and what was
 * expected, e.g. `Invalid settings of createSession: userId: expected a non-empty string.`
 */
export function checkedProvider(
  name: string,
  settings: BridgeSettings,
  required: readonly IdField[] = [],
): VersionedMemoryProvider {
  const what = `settings of ${name}`;
  const fields = optionFields(what, settings);
  const isUsable = isFields(fields["provider"]) && isVersionedProvider(settings.provider);
  const expected =
    "a provider with readConversation, as all providers of JAF and defineMemoryProvider have it";
  const issueOf = (field: IdField): MemoryIssue | undefined => {
    if (required.includes(field)) return idIssue(field, fields[field]);
    if (!(field in fields)) return undefined;
    return fields[field] === undefined
      ? {
          path: field,
          expected: "a string, not undefined (leave out the field if owners needn't be checked)",
        }
      : idIssue(field, fields[field]);
  };
  refuseOptions(what, [
    isUsable ? undefined : { path: "provider", expected },
    issueOf("conversationId"),
    issueOf("userId"),
  ]);
  return settings.provider as VersionedMemoryProvider;
}
