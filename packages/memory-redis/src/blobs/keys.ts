import { createKeys } from "../keys.ts";

/**
 * How keys of blobs are named: in the slot of their conversation, but for the list of what is due. No conversation's key
 * is one of these, since there braces are escaped.
 */
export function createBlobKeys(prefix: string) {
  const keys = createKeys(prefix);
  return {
    inOneSlot: keys.inOneSlot,
    records: (conversationId: string): string => `${prefix}blobs:{${keys.of(conversationId).conversation}}`,
    bytes: (conversationId: string, sha256: string): string =>
      `${prefix}blob:{${keys.of(conversationId).conversation}}:${sha256}`,
    due: `${prefix}{blobs}:due`,
  };
}
