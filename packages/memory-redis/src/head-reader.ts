import { type Head, list, number, parseHead } from "./decoding.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";

/** How many conversations one call reads, so that no call blocks the server for long; metadata may be large. */
const AT_ONCE = { counts: 50, all: 20 };

export interface FoundHead {
  readonly id: string;
  /** `undefined`: there is no such conversation, or the trace has not written to it. */
  readonly head: Head | undefined;
  /** The server's time when it was read. */
  readonly seenAtMs: number;
}

export interface HeadSelection {
  readonly traceId?: string | undefined;
  /** Only the owner, the creation time and the number of messages. */
  readonly counts?: boolean;
}

/** Reads many heads at once. `atomic`: all keys are on one server. */
export function createHeadReader(run: RunScript, keys: Keys, atomic: boolean) {
  async function readSome(ids: readonly string[], select: HeadSelection): Promise<readonly FoundHead[]> {
    const all = ids.map(keys.of).flatMap(({ conversation, traces }) => [conversation, traces]);
    const [first, ...rest] = all;
    if (first === undefined) return [];
    const args = [select.traceId ?? "", select.counts === true ? 1 : ""];
    const [time, ...found] = list(await run("heads", { keys: [first, ...rest], args }));
    const seenAtMs = number(time);
    return ids.map((id, at) => {
      const flat = found[at];
      return { id, head: flat == null ? undefined : parseHead(id, flat), seenAtMs };
    });
  }

  return async (ids: readonly string[], select: HeadSelection = {}): Promise<readonly FoundHead[]> => {
    const size = atomic ? AT_ONCE[select.counts === true ? "counts" : "all"] : 1;
    const parts: Promise<readonly FoundHead[]>[] = [];
    for (let from = 0; from < ids.length; from += size) {
      parts.push(readSome(ids.slice(from, from + size), select));
    }
    return (await Promise.all(parts)).flat();
  };
}

export type ReadHeads = ReturnType<typeof createHeadReader>;
