/** Bytes that were read lately, by conversation and hash. */
export interface BlobCache {
  readonly get: (conversationId: string, sha256: string) => Uint8Array | undefined;
  readonly set: (conversationId: string, sha256: string, data: Uint8Array) => void;
  readonly delete: (conversationId: string, sha256: string) => void;
}

/** What another process has erased is given for no longer than this. */
const KEPT_MS = 60_000;

interface Kept {
  readonly data: Uint8Array;
  readonly until: number;
}

// No id holds NUL.
const keyOf = (conversationId: string, sha256: string): string => `${sha256}\0${conversationId}`;

/** Holds `maxBytes` at most; what was read longest ago makes room. */
export function createBlobCache(maxBytes: number): BlobCache {
  /** Read longest ago first. */
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.data.byteLength ?? 0;
    kept.delete(key);
  }

  return {
    get: (conversationId, sha256) => {
      const key = keyOf(conversationId, sha256);
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (entry.until <= Date.now()) {
        drop(key);
        return undefined;
      }
      kept.delete(key);
      kept.set(key, entry);
      return entry.data;
    },
    set: (conversationId, sha256, data) => {
      const key = keyOf(conversationId, sha256);
      drop(key);
      if (data.byteLength > maxBytes) return;
      kept.set(key, { data, until: Date.now() + KEPT_MS });
      bytes += data.byteLength;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) return;
        drop(oldest);
      }
    },
    delete: (conversationId, sha256) => drop(keyOf(conversationId, sha256)),
  };
}
