import { expect } from "vitest";
import type { BlobEntry, BlobHold, BlobStore } from "../../blobs/blob-store.ts";
import { expectOk } from "../fixtures/expectations.ts";

/** What a rule about blob stores gets for its test. */
export interface BlobScenario {
  readonly store: BlobStore;
  /** Another store on the same storage. It is the same object as `store` if the storage only exists in one process. */
  readonly other: BlobStore;
  readonly largestBytes: number;
}

/** Rules by title. A rule rejects if the store breaks it. */
export type BlobRules = Readonly<Record<string, (scenario: BlobScenario) => Promise<void>>>;

/** A hash under which no blob is stored. */
export const NO_HASH: string = "0".repeat(64);

export const newHold = (seconds = 600): BlobHold => ({ id: crypto.randomUUID(), seconds });

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Stores a text as a blob and returns the blob's hash. The blob keeps the hold `held`. Without `held`, it has no hold
 * afterwards.
 */
export async function putText(
  store: BlobStore,
  conversationId: string,
  text: string,
  held?: BlobHold,
): Promise<string> {
  const hold = held ?? newHold();
  const { sha256 } = expectOk(await store.put(conversationId, bytesOf(text), hold));
  if (held === undefined) expectOk(await store.release(conversationId, [sha256], hold.id));
  return sha256;
}

export function expectBytes(read: Uint8Array | null, expected: Uint8Array): void {
  if (read !== null && Buffer.compare(read, expected) === 0) return;
  const different = expected.findIndex((byte, index) => byte !== read?.[index]);
  const at = different < 0 ? expected.length : different;
  const got = read === null ? "null" : `${read.length}, which differ from byte ${at} on`;
  expect.fail(`expected ${expected.length} bytes, got ${got}`);
}

export async function readText(
  store: BlobStore,
  conversationId: string,
  sha256: string,
): Promise<string | null> {
  const data = expectOk(await store.get(conversationId, sha256));
  return data === null ? null : new TextDecoder().decode(data);
}

/** Returns all entries in the result of `list` that have this hash: one for each copy that the store keeps. */
export async function listedAs(
  store: BlobStore,
  conversationId: string,
  sha256: string,
): Promise<readonly BlobEntry[]> {
  return expectOk(await store.list(conversationId)).filter((entry) => entry.sha256 === sha256);
}

export const isHeld = async (store: BlobStore, conversationId: string, sha256: string): Promise<boolean> =>
  (await listedAs(store, conversationId, sha256)).some(({ held }) => held);

export async function expectNothing(store: BlobStore, conversationId: string): Promise<void> {
  expect(expectOk(await store.list(conversationId))).toEqual([]);
  expect(expectOk(await store.due(1_000, 0))).not.toContain(conversationId);
}
