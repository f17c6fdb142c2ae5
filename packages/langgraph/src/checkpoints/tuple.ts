import { createMemoryStorageError, MemoryCallError } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { type FoundCheckpoint, findRecord } from "./history.ts";
import type { CheckpointLog } from "./log.ts";
import type { Place } from "./place.ts";
import { type CheckpointRecord, type Dumped, load } from "./record.ts";

/** What the values of a checkpoint are read with. */
export interface TupleReader {
  readonly log: CheckpointLog;
  readonly place: Place;
  readonly saver: Pick<BaseCheckpointSaver, "serde" | "getNextVersion">;
}

/** Converts a stored checkpoint into the form of LangGraph. Reads values that stand in earlier records. */
export async function tupleOf(reader: TupleReader, found: FoundCheckpoint): Promise<CheckpointTuple> {
  const { saver, place } = reader;
  const { parent } = found.put;
  const [stored, metadata, values, pendingWrites] = await Promise.all([
    load(saver.serde, found.put.checkpoint) as Promise<Omit<Checkpoint, "channel_values">>,
    load(saver.serde, found.put.metadata) as Promise<CheckpointMetadata>,
    channelValues(reader, found),
    pendingWritesOf(reader, found.records),
  ]);
  const checkpoint: Checkpoint = { ...stored, channel_values: values };
  const config = (id: string) => ({
    configurable: { thread_id: place.thread, checkpoint_ns: place.namespace, checkpoint_id: id },
  });
  return {
    config: config(found.id),
    checkpoint:
      checkpoint.v < 4 && parent !== undefined ? await withSends(reader, checkpoint, parent) : checkpoint,
    metadata,
    pendingWrites,
    ...present({ parentConfig: parent === undefined ? undefined : config(parent) }),
  };
}

async function channelValues(
  { log, place, saver }: TupleReader,
  { put }: FoundCheckpoint,
): Promise<Record<string, unknown>> {
  const records = new Map<string, Promise<CheckpointRecord | undefined>>();
  const read = (id: string) => {
    const record = records.get(id) ?? findRecord(log, place, id);
    records.set(id, record);
    return record;
  };
  const values = put.values.map(async ({ channel, value, at }) => {
    const held = value ?? (await read(at ?? ""))?.put?.values.find((own) => own.channel === channel)?.value;
    if (held !== undefined) return [channel, await load(saver.serde, held)] as const;
    const reason =
      "the store dropped the record of a value, because its conversations keep too few messages.";
    throw new MemoryCallError(createMemoryStorageError("readConversation", reason));
  });
  return Object.fromEntries(await Promise.all(values));
}

/** A write with the key by which LangGraph orders the writes of a step. */
interface KeyedWrite {
  readonly key: ReturnType<typeof writesSortKey>;
  readonly task: string;
  readonly channel: string;
  readonly value: Dumped;
}

/**
 * Returns the writes of a checkpoint in LangGraph's order. A repeated write of a task changes nothing, except for
 * special writes (e.g. of an error or an interrupt), which have a negative index: the last one counts.
 */
function orderedWrites(records: readonly CheckpointRecord[]): readonly KeyedWrite[] {
  const byTask = new Map<string, KeyedWrite>();
  for (const { writes } of records) {
    for (const { index, channel, value } of writes?.rows ?? []) {
      const { task, path } = writes as Required<CheckpointRecord>["writes"];
      const key = JSON.stringify([task, index]);
      if (index >= 0 && byTask.has(key)) continue;
      byTask.set(key, { key: writesSortKey(path, task, index), task, channel, value });
    }
  }
  return [...byTask.values()].sort((a, b) => compareWritesSortKeys(a.key, b.key));
}

const pendingWritesOf = (
  { saver }: TupleReader,
  records: readonly CheckpointRecord[],
): Promise<CheckpointPendingWrite[]> =>
  Promise.all(
    orderedWrites(records).map(
      async ({ task, channel, value }): Promise<CheckpointPendingWrite> => [
        task,
        channel,
        await load(saver.serde, value),
      ],
    ),
  );

/** Checkpoints of formats before version 4 have their sends among the writes of the parent. */
async function withSends(reader: TupleReader, checkpoint: Checkpoint, parent: string): Promise<Checkpoint> {
  const { records } = await reader.log.readCheckpoint(reader.place, parent);
  const sends = orderedWrites(records).filter(({ channel }) => channel === TASKS);
  const versions = Object.values(checkpoint.channel_versions);
  const version =
    versions.length > 0 ? maxChannelVersion(...versions) : reader.saver.getNextVersion(undefined);
  return {
    ...checkpoint,
    channel_values: {
      ...checkpoint.channel_values,
      [TASKS]: await Promise.all(sends.map(({ value }) => load(reader.saver.serde, value))),
    },
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
  };
}

/** The index of a write among the writes of its call. Special writes have negative indexes of their own. */
export const writeIndex = (channel: string, position: number): number => WRITES_IDX_MAP[channel] ?? position;
