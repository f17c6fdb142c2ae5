import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";

/** A checkpoint whose channels all have the version of `step`, except `first`, which never changes. */
export const checkpointOf = (step: number, id: string = uuid6(step)): Checkpoint => ({
  ...emptyCheckpoint(),
  id,
  channel_values: { first: "unchanged", messages: [`m${step}`] },
  channel_versions: { first: 1, messages: step + 1 },
});

export const metadataOf = (step: number): CheckpointMetadata => ({ source: "loop", step, parents: {} });

export const configOf = (thread_id: string, checkpoint_ns = "", checkpoint_id?: string): RunnableConfig => ({
  configurable: { thread_id, checkpoint_ns, ...(checkpoint_id === undefined ? {} : { checkpoint_id }) },
});

/** Puts checkpoints as a run does, each with one write. Returns their ids. */
export async function putRun(
  saver: BaseCheckpointSaver,
  from: RunnableConfig,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let config = from;
  for (let step = 0; step < count; step++) {
    const checkpoint = checkpointOf(step);
    const versions = step === 0 ? checkpoint.channel_versions : { messages: step + 1 };
    config = await saver.put(config, checkpoint, metadataOf(step), versions);
    await saver.putWrites(config, [["messages", `w${step}`]], "task");
    ids.push(checkpoint.id);
  }
  return ids;
}

/** Returns all items of an async generator. */
export async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
