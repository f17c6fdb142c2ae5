import { MemoryCallError } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { findById, findNewest, type Search } from "./history.ts";
import type { KnownCheckpoint, KnownCheckpoints } from "./known.ts";
import type { CheckpointLog } from "./log.ts";
import type { Place } from "./place.ts";
import { located } from "./record.ts";

/** What a write says of the run it belongs to. */
export interface Following {
  readonly place: Place;
  /** The checkpoint that the write follows. `""`: it is the first one of its namespace. */
  readonly checkpoint: string;
  /** The checkpoint of the graph from which the subgraph was started, if LangGraph names one. */
  readonly started: string | undefined;
}

/**
 * What writes follow. Each write is only made to the conversation that its run has seen: nothing that was erased while
 * the run goes on is stored again.
 */
export interface Followed {
  /** `checkpoint`: `""` for the newest one. */
  readonly search: (place: Place, checkpoint: string) => Promise<Search>;
  /** Returns what a new checkpoint follows. Rejects if the checkpoint before it isn't stored, or no longer. */
  readonly forPut: (following: Following) => Promise<KnownCheckpoint>;
  /** Returns what writes to a checkpoint follow. Rejects if the thread was erased since the run began. */
  readonly forWrites: (following: Following) => Promise<KnownCheckpoint>;
}

const erased = (): MemoryCallError => new MemoryCallError(createMemoryConflictError("incarnation"));

export function createFollowed(log: CheckpointLog, known: KnownCheckpoints): Followed {
  async function search(place: Place, checkpoint: string): Promise<Search> {
    const search = await (checkpoint === "" ? findNewest(log, place) : findById(log, place, checkpoint));
    const { standing, found, nextNumber } = search;
    const id = found?.id ?? checkpoint;
    // A checkpoint that is gone stays known as it was: what follows from it is refused.
    if (found !== undefined || known.get(place, id)?.values === undefined) {
      known.set(place, id, { standing, nextNumber, values: found && located(found.records) });
    }
    if (checkpoint === "") known.sawNewest(place, found?.id ?? "");
    return search;
  }

  /** Reads what this process doesn't know of a checkpoint. */
  async function look(place: Place, checkpoint: string): Promise<KnownCheckpoint> {
    if (known.newestOf(place) === undefined) await search(place, "");
    if (checkpoint !== "") await search(place, checkpoint);
    const found = known.get(place, checkpoint);
    if (found !== undefined) return found;
    // Other checkpoints exist, but this one follows from none of them.
    const { standing } = await log.read(place, "none");
    return { standing, nextNumber: 0, values: undefined };
  }

  /** For the first write of a subgraph: the thread as the graph's run has seen it, because it may be erased since. */
  function ofRun({ place, started }: Following, found: KnownCheckpoint): KnownCheckpoint {
    const { standing } = found;
    if (started === undefined || standing.exists || standing.root === undefined) return found;
    const graph = { ...place, namespace: "" };
    // With the durability "async", the put of `started` may not have begun.
    const newest = known.newestOf(graph) ?? "";
    const root = (known.get(graph, started) ?? known.get(graph, newest))?.standing;
    if (root === undefined && !standing.root.exists) throw erased();
    return { ...found, standing: { ...standing, root: root ?? standing.root } };
  }

  async function forPut(following: Following): Promise<KnownCheckpoint> {
    const { place, checkpoint } = following;
    const seen = known.get(place, checkpoint);
    if (checkpoint === "") return ofRun(following, seen ?? (await look(place, "")));
    if (seen?.values !== undefined) return seen;
    const found = await look(place, checkpoint);
    // LangGraph puts a checkpoint after the one before it is stored.
    if (found.values === undefined) throw erased();
    return found;
  }

  async function forWrites(following: Following): Promise<KnownCheckpoint> {
    const { place, checkpoint } = following;
    const seen = known.get(place, checkpoint);
    if (seen?.standing.exists === true) return seen;
    const start = known.get(place, "");
    const found = await look(place, checkpoint);
    if (found.standing.exists) return found;
    // The checkpoint's own put may come later, but its run began with a read of the missing thread.
    if (start === undefined || start.standing.exists) throw erased();
    return ofRun(following, { ...found, standing: start.standing });
  }

  return { search, forPut, forWrites };
}
