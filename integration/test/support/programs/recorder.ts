import { createFailure, createMemoryConnectionError, type MemoryErrorUnion, type Result } from "@jaf/memory";
import { type Mortal, type Point, StoreUnreachable } from "../crash/saboteur.ts";
import { type Call, type CallEnd, type HistoryEvent, now, type Reading } from "./history.ts";

/** Receives each event before it has any effect. */
export type Tell = (event: HistoryEvent) => void;

export interface Recording<T> {
  readonly call: Call;
  readonly point: Point;
  readonly action: () => Promise<Result<T>>;
  /** The reading, if the call was a read. */
  readonly readings?: (data: T) => readonly Reading[];
}

/** Makes a process's call to a store, and reports it. Rejects once the process is dead. */
export type Record = <T>(recording: Recording<T>) => Promise<Result<T>>;

export interface RecorderOptions {
  readonly tell: Tell;
  readonly mortal: Mortal;
  /** The time that a call and its answer take. */
  readonly travel: () => Promise<void>;
}

export const createRecorder =
  ({ tell, mortal, travel }: RecorderOptions): Record =>
  async ({ call, point, action, readings }) => {
    const id = crypto.randomUUID();
    let sent = false;
    if (mortal.signal.aborted) throw new Error("the process is gone");
    tell({ type: "call", id, call });
    try {
      return await mortal.call(point, async () => {
        sent = true;
        await travel();
        const result = await action();
        const read = result.success ? readings?.(result.data) : undefined;
        tell({
          type: "ended",
          id,
          ended: { ...endOf(result), ...(read === undefined ? {} : { readings: read }) },
        });
        await travel();
        return result;
      });
    } catch (thrown) {
      const isUnreachable = thrown instanceof StoreUnreachable;
      // A dying process's write may still arrive.
      if (!sent && (isUnreachable || point.on !== "write"))
        tell({ type: "ended", id, ended: { outcome: "unsent" } });
      if (isUnreachable) return createFailure(createMemoryConnectionError("test"));
      throw thrown;
    }
  };

function endOf(result: Result<unknown>): CallEnd {
  if (result.success) return { outcome: "done", end: now() };
  const reason = reasonOf(result.error);
  return reason === undefined ? { outcome: "unknown" } : { outcome: "refused", end: now(), reason };
}

/** Why nothing was written; `undefined` if that isn't certain. */
function reasonOf(error: MemoryErrorUnion): CallEnd["reason"] {
  switch (error._tag) {
    case "MemoryConflictError":
      return error.reason;
    case "MemoryNotFoundError":
      return "missing";
    case "MemoryValidationError":
      return "invalid";
    default:
      return undefined;
  }
}
