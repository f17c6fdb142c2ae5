import { sha256 } from "#digest";
import { guarded, integerIssue, pushIssue } from "../codec/checks.ts";
import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import { isUint8Array } from "../runtime/bytes.ts";
import { isPlainObject } from "../runtime/objects.ts";
import {
  type BlobBackend,
  type BlobHold,
  type BlobStore,
  type ListedBlob,
  sha256Schema,
} from "./blob-store.ts";

const sha256Of = (data: Uint8Array): string => sha256(data, "hex");

const hashIssue = (path: string, value: unknown): MemoryIssue | undefined =>
  sha256Schema.safeParse(value).success
    ? undefined
    : { path, expected: "a SHA-256 of 64 hexadecimal digits in lower case" };

const hashIssues = (hashes: readonly unknown[]): readonly (MemoryIssue | undefined)[] =>
  Array.isArray(hashes)
    ? Array.from(hashes, (value, index) => hashIssue(`hashes[${index}]`, value))
    : [{ path: "hashes", expected: "an array" }];

function holdIssues(hold: BlobHold): readonly (MemoryIssue | undefined)[] {
  if (!isPlainObject(hold)) return [{ path: "hold", expected: "a plain object" }];
  // `null` in place of `undefined`, because `integerIssue` accepts `undefined`, but the seconds are required.
  return [idIssue("hold.id", hold.id), integerIssue("hold.seconds", hold.seconds ?? null, 1)];
}

const listedIssues = (blobs: readonly ListedBlob[]): readonly (MemoryIssue | undefined)[] =>
  Array.isArray(blobs)
    ? blobs.map(({ sha256 }, index) => hashIssue(`blobs[${index}].sha256`, sha256))
    : [{ path: "blobs", expected: "an array" }];

class WrongBytes extends Error {
  override readonly name = "WrongBytes";
}

type Check = () => readonly (MemoryIssue | undefined)[];

/**
 * Makes a {@link BlobStore} from a backend. The blob store checks the arguments of each call. It checks that bytes from
 * the backend have the requested hash. It converts errors that the backend throws into tagged errors.
 *
 * @example
 * ```ts
 * import { type BlobBackend, defineBlobStore } from "@jaf/memory/adapter";
 *
 * declare function openMyBlobBackend(folder: string): BlobBackend;
 *
 * export const createMyBlobStore = (folder: string) => defineBlobStore(openMyBlobBackend(folder));
 * ```
 */
export function defineBlobStore(backend: BlobBackend): BlobStore {
  const provider = backend.name;
  let closing: Promise<Result<void>> | undefined;

  function toError(operation: string, thrown: unknown): MemoryErrorUnion {
    if (thrown instanceof WrongBytes) {
      const reason = "the hash of the stored bytes has changed; restore them.";
      return createMemoryStorageError(operation, reason, { provider });
    }
    if (backend.toMemoryError !== undefined) return backend.toMemoryError(operation, thrown);
    // Only the name of the error's class is kept, because the driver's message may quote a key that contains an id.
    const { name } = describeCause(thrown);
    const reason = `the blob store threw ${name}.`;
    return createMemoryStorageError(operation, reason, { provider, retryable: true });
  }

  async function attempt<T>(operation: string, check: Check, action: () => Promise<T>): Promise<Result<T>> {
    const checked = guarded("arguments", () => {
      const issues: MemoryIssue[] = [];
      for (const issue of check()) pushIssue(issues, issue);
      return issues.length === 0 ? { ok: true, value: undefined } : { ok: false, issues };
    });
    if (!checked.ok) {
      return createFailure(createMemoryValidationError(checked.issues, { provider, operation }));
    }
    if (closing !== undefined) {
      const hint = "this blob store was closed; create a new one";
      return createFailure(createMemoryConnectionError(provider, hint, { operation, retryable: false }));
    }
    try {
      return createSuccess(await action());
    } catch (thrown) {
      return createFailure(toError(operation, thrown));
    }
  }

  const ofConversation = (conversationId: string) => idIssue("conversationId", conversationId);

  return {
    name: provider,

    put: (conversationId, data, hold) =>
      attempt(
        "putBlob",
        () => [
          ofConversation(conversationId),
          isUint8Array(data) ? undefined : { path: "data", expected: "a Uint8Array" },
          ...holdIssues(hold),
        ],
        async () => {
          const sha256 = sha256Of(data);
          const size = data.byteLength;
          await backend.put({ conversationId, sha256, data }, hold);
          return { sha256, size };
        },
      ),

    keep: (conversationId, hashes, hold) =>
      attempt(
        "keepBlobs",
        () => [ofConversation(conversationId), ...hashIssues(hashes), ...holdIssues(hold)],
        async () => (hashes.length === 0 ? [] : backend.keep(conversationId, hashes, hold)),
      ),

    release: (conversationId, hashes, holdId) =>
      attempt(
        "releaseBlobs",
        () => [ofConversation(conversationId), ...hashIssues(hashes), idIssue("holdId", holdId)],
        async () => {
          if (hashes.length > 0) await backend.release(conversationId, hashes, holdId);
        },
      ),

    get: (conversationId, sha256) =>
      attempt(
        "getBlob",
        () => [ofConversation(conversationId), hashIssue("sha256", sha256)],
        async () => {
          const data = await backend.get(conversationId, sha256);
          if (data === null) return null;
          if (sha256Of(data) !== sha256) throw new WrongBytes("another hash");
          // Copy a Buffer, because small Buffers share their memory with other Buffers.
          return Object.getPrototypeOf(data) === Uint8Array.prototype ? data : new Uint8Array(data);
        },
      ),

    list: (conversationId) =>
      attempt(
        "listBlobs",
        () => [ofConversation(conversationId)],
        () => backend.list(conversationId),
      ),

    remove: (conversationId, blobs) =>
      attempt(
        "removeBlobs",
        () => [ofConversation(conversationId), ...listedIssues(blobs)],
        async () => (blobs.length === 0 ? 0 : backend.remove(conversationId, blobs)),
      ),

    due: (limit, idleSeconds) =>
      attempt(
        "dueBlobs",
        () => [integerIssue("limit", limit ?? null, 1), integerIssue("idleSeconds", idleSeconds ?? null, 0)],
        () => backend.due(limit, idleSeconds),
      ),

    close: () => {
      closing ??= (async () => {
        try {
          return createSuccess(await backend.close());
        } catch (thrown) {
          return createFailure(toError("closeBlobs", thrown));
        }
      })();
      return closing;
    },
  };
}
