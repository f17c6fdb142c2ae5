import { beforeDeadline } from "../background-work.ts";
import { reportError } from "../errors.ts";
import type { UserMemorySettings } from "../options.ts";

const MAX_DIMENSIONS = 16_000;

/** Returns the vector of a text, or `null` if `embed` isn't set or fails. */
export type VectorOf = (text: string) => Promise<readonly number[] | null>;

export function openEmbedding(settings: UserMemorySettings, operation: string): VectorOf {
  const { embed, embedTimeoutMs } = settings;
  if (embed === undefined) return async () => null;
  return async (text) => {
    try {
      const vectors: unknown = await beforeDeadline(embedTimeoutMs, () => embed([text]));
      if (isVectors(vectors)) return Array.from(vectors[0]);
      throw new TypeError("embed must return a list with one vector of finite numbers");
    } catch (cause) {
      const message =
        "embed failed, so this fact or query is matched by words only. Check the embedding service.";
      reportError(settings, { code: "embedding", operation, message, retryable: true, cause });
      return null;
    }
  };
}

const isVectors = (value: unknown): value is readonly [readonly number[]] =>
  Array.isArray(value) && value.length === 1 && isVector(value[0]);

const isVector = (value: unknown): boolean =>
  (Array.isArray(value) || ArrayBuffer.isView(value)) &&
  Array.from(value as ArrayLike<unknown>).every(Number.isFinite) &&
  (value as ArrayLike<unknown>).length > 0 &&
  (value as ArrayLike<unknown>).length <= MAX_DIMENSIONS;
