import type { CheckpointLog, Page, Standing } from "./log.ts";
import type { Place } from "./place.ts";
import { type CheckpointRecord, recordId, type StoredCheckpoint } from "./record.ts";

/** A checkpoint with its records. */
export interface FoundCheckpoint {
  readonly id: string;
  readonly put: StoredCheckpoint;
  readonly records: readonly CheckpointRecord[];
}

/** What a search for one checkpoint found. */
export interface Search {
  readonly standing: Standing;
  readonly found: FoundCheckpoint | undefined;
  /** The number of the checkpoint's next record. */
  readonly nextNumber: number;
}

/** Returns the checkpoint of these records. The last `put` counts. `undefined`: only writes are stored. */
function checkpointOf(id: string, records: readonly CheckpointRecord[]): FoundCheckpoint | undefined {
  const put = records.findLast((record) => record.put !== undefined)?.put;
  return put && { id, put, records };
}

const nextNumberOf = (records: readonly CheckpointRecord[]): number =>
  records.reduce((next, { number }) => Math.max(next, number + 1), 0);

/** Finds a checkpoint by its id. The cost doesn't depend on the length of the thread. */
export async function findById(log: CheckpointLog, place: Place, id: string): Promise<Search> {
  const { standing, records } = await log.readCheckpoint(place, id);
  return { standing, found: checkpointOf(id, records), nextNumber: nextNumberOf(records) };
}

/** Collects records from the end of a conversation, until all records of a checkpoint are there. */
interface Collected {
  readonly records: Map<string, CheckpointRecord[]>;
  /** The checkpoints whose first record was read. As all others stand behind it, they are complete. */
  readonly complete: Set<string>;
}

function collect({ records, complete }: Collected, page: readonly CheckpointRecord[]): void {
  const older = new Map<string, CheckpointRecord[]>();
  for (const record of page) {
    const own = older.get(record.checkpoint) ?? [];
    own.push(record);
    older.set(record.checkpoint, own);
    if (record.number === 0) complete.add(record.checkpoint);
  }
  for (const [id, own] of older) records.set(id, [...own, ...(records.get(id) ?? [])]);
}

/** Reads a conversation from its end, in growing pages. */
async function* pagesFromEnd(log: CheckpointLog, place: Place, first: number): AsyncGenerator<Page> {
  let before: number | undefined;
  for (let limit = first; ; limit = Math.min(4 * limit, MAX_PAGE)) {
    const page = await log.read(place, before === undefined ? { limit } : { limit, before });
    yield page;
    if (page.isFirst) return;
    before = page.firstPosition;
  }
}

/** A finished run ends with a checkpoint, and an interrupted one with a few writes. */
const FIRST_PAGE = 4;
const MAX_PAGE = 256;

/** Finds the checkpoint with the largest id. Reads only the end of the conversation. */
export async function findNewest(log: CheckpointLog, place: Place): Promise<Search> {
  const collected: Collected = { records: new Map(), complete: new Set() };
  const { records, complete } = collected;
  let last: Page | undefined;
  for await (const page of pagesFromEnd(log, place, FIRST_PAGE)) {
    last = page;
    collect(collected, page.records);
    for (const id of [...records.keys(), page.standing.newest ?? ""].sort().reverse()) {
      const own = records.get(id);
      if (id !== "" && own === undefined) return findById(log, place, id);
      // Its first record stands further back.
      if (own === undefined || !(complete.has(id) || page.isFirst)) break;
      const found = checkpointOf(id, own);
      if (found !== undefined) return { standing: page.standing, found, nextNumber: nextNumberOf(own) };
    }
  }
  return { standing: (last as Page).standing, found: undefined, nextNumber: 0 };
}

const byIdFromNewest = (a: FoundCheckpoint, b: FoundCheckpoint): number =>
  a.id < b.id ? 1 : a.id > b.id ? -1 : 0;

/** Returns the checkpoints of a namespace, the largest id first. Reads as far as the caller goes on. */
export async function* historyOf(log: CheckpointLog, place: Place): AsyncGenerator<FoundCheckpoint> {
  const collected: Collected = { records: new Map(), complete: new Set() };
  const { records, complete } = collected;
  for await (const page of pagesFromEnd(log, place, 5 * FIRST_PAGE)) {
    collect(collected, page.records);
    // Checkpoints that were put out of order can only be ordered when all are there.
    if (page.standing.newest !== undefined && !page.isFirst) continue;
    const done = page.isFirst ? [...records.keys()] : [...complete];
    const found = done.flatMap((id) => checkpointOf(id, records.get(id) ?? []) ?? []);
    yield* found.sort(byIdFromNewest);
    for (const id of done) records.delete(id);
    complete.clear();
  }
}

/** Returns the record in which a value stands, or `undefined` if the store has trimmed it. */
export async function findRecord(
  log: CheckpointLog,
  place: Place,
  id: string,
): Promise<CheckpointRecord | undefined> {
  const { records } = await log.read(place, { messageId: id });
  return records.find(({ checkpoint, number }) => recordId(checkpoint, number) === id);
}
