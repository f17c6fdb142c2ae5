import { createKeyedQueue, present, unwrap } from "@jaf/memory/internal";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  getCheckpointId,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { checkedMemory, type LangGraphSettings, type Memory } from "../settings.ts";
import { createFollowed, type Following } from "./followed.ts";
import { createKnownCheckpoints, type KnownCheckpoint } from "./known.ts";
import { listCheckpoints } from "./list.ts";
import { createCheckpointLog, type Standing } from "./log.ts";
import { type Place, rootOf } from "./place.ts";
import { type ChannelValue, type CheckpointRecord, dump, recordId } from "./record.ts";
import { tupleOf, writeIndex } from "./tuple.ts";

/**
 * Creates a checkpointer for `graph.compile({ checkpointer })`.
 *
 * - A thread is a conversation, and a subgraph's namespace is a child of it. Their messages are of no use to other
 *   engines; to share messages, see `createChatHistory`.
 * - A put is one append. The newest checkpoint, and one of which the id is given, are read at the same cost however
 *   long the thread is.
 * - If a user or a thread is erased while a run goes on, the run's later writes are refused with a `MemoryCallError`
 *   (`MemoryConflictError` with reason `"incarnation"`).
 *
 * Throws a `TypeError` if the settings are invalid. The methods reject with `MemoryCallError`.
 *
 * @example
 * ```ts
 * import { createCheckpointSaver } from "@jaf/langgraph";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * const checkpointer = createCheckpointSaver({ provider: createInMemoryProvider(), userId: "ada" });
 * ```
 */
export const createCheckpointSaver = (settings: LangGraphSettings): BaseCheckpointSaver =>
  new MemoryCheckpointSaver(checkedMemory("createCheckpointSaver", settings));

const placeOf = ({ configurable = {} }: RunnableConfig): Place | undefined => {
  const { thread_id: thread, checkpoint_ns: namespace } = configurable;
  return thread === undefined ? undefined : { thread: String(thread), namespace: String(namespace ?? "") };
};

function requiredPlace(method: string, config: RunnableConfig): Place {
  const place = placeOf(config);
  if (place === undefined)
    throw new TypeError(`${method}: expected configurable.thread_id, the id of the thread.`);
  return place;
}

const followingOf = ({ configurable = {} }: RunnableConfig, place: Place, checkpoint: string): Following => ({
  place,
  checkpoint,
  started: place.namespace === "" ? undefined : configurable["checkpoint_map"]?.[""],
});

/** What a put stores, apart from the ids. */
interface Putting {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly newVersions: ChannelVersions;
}

class MemoryCheckpointSaver extends BaseCheckpointSaver {
  readonly #memory: Memory;
  readonly #log;
  readonly #known = createKnownCheckpoints();
  readonly #followed;
  readonly #queue = createKeyedQueue();

  constructor(memory: Memory) {
    super();
    this.#memory = memory;
    this.#log = createCheckpointLog(memory);
    this.#followed = createFollowed(this.#log, this.#known);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const place = placeOf(config);
    if (place === undefined) return undefined;
    const { found } = await this.#followed.search(place, getCheckpointId(config));
    return found && tupleOf({ log: this.#log, place, saver: this }, found);
  }

  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: namespace } = config.configurable ?? {};
    const place = { thread, namespace, checkpoint: getCheckpointId(config) || undefined };
    yield* listCheckpoints({ log: this.#log, memory: this.#memory, saver: this }, place, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = {},
  ): Promise<RunnableConfig> {
    const place = requiredPlace("put", config);
    const parent: string = config.configurable?.["checkpoint_id"] ?? "";
    // In the checkpoint's queue, so that its writes come after it.
    await this.#queue.run(keyOf(place, checkpoint.id), async () => {
      const from = await this.#followed.forPut(followingOf(config, place, parent));
      const values = await this.#valuesOf({ checkpoint, metadata, newVersions }, from.values);
      const { channel_values: _, ...rest } = copyCheckpoint(checkpoint);
      const put = {
        checkpoint: await dump(this.serde, rest),
        metadata: await dump(this.serde, metadata),
        values,
        ...present({ parent: parent === "" ? undefined : parent }),
      };
      const { number } = await this.#append(place, checkpoint.id, {
        from: { ...from, nextNumber: 0 },
        body: { put },
      });
      const known = this.#known.get(place, checkpoint.id) as KnownCheckpoint;
      const at = recordId(checkpoint.id, number);
      const located = values.map(({ channel, version, ...held }) => ({
        channel,
        version,
        at: held.at ?? at,
      }));
      this.#known.set(place, checkpoint.id, { ...known, values: located });
    });
    return {
      configurable: {
        thread_id: place.thread,
        checkpoint_ns: place.namespace,
        checkpoint_id: checkpoint.id,
      },
    };
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const place = requiredPlace("putWrites", config);
    const checkpoint: string | undefined = config.configurable?.["checkpoint_id"];
    if (checkpoint === undefined) throw new TypeError("putWrites: expected configurable.checkpoint_id.");
    const rows = await Promise.all(
      writes.map(async ([channel, value], position) => ({
        index: writeIndex(channel, position),
        channel,
        value: await dump(this.serde, value),
      })),
    );
    await this.#queue.run(keyOf(place, checkpoint), async () => {
      const from = await this.#followed.forWrites(followingOf(config, place, checkpoint));
      await this.#append(place, checkpoint, {
        from,
        body: { writes: { task: taskId, path: taskPath, rows } },
      });
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    const { provider, userId } = this.#memory;
    const thread = String(threadId);
    const root = { thread, namespace: "" };
    this.#known.forgetStarts(thread);
    if (userId !== undefined && !(await this.#log.read(root, "none")).standing.exists) return;
    await unwrap("deleteConversation", () => provider.deleteConversation(rootOf(root)));
  }

  /** Appends a record under the next free number, and remembers the checkpoint. Returns the number. */
  async #append(
    place: Place,
    checkpoint: string,
    {
      from,
      body,
    }: { readonly from: KnownCheckpoint; readonly body: Pick<CheckpointRecord, "put" | "writes"> },
  ): Promise<{ readonly number: number }> {
    const newest = this.#known.newestOf(place) ?? "";
    // A put that is older than what was put before it would hide the newest checkpoint.
    const hidden = body.put !== undefined && newest > checkpoint ? newest : undefined;
    if (body.put !== undefined) {
      // Until it is stored, a subgraph follows what it follows.
      this.#known.set(place, checkpoint, { ...from, values: undefined });
      this.#known.sawNewest(place, checkpoint);
    }
    for (let number = from.nextNumber; ; number++) {
      const record = { checkpoint, number, call: crypto.randomUUID(), ...body };
      const options = { standing: from.standing, ...present({ newest: hidden }) };
      const standing: Standing | "taken" = await this.#log.append(place, record, options);
      if (standing === "taken") continue;
      this.#known.set(place, checkpoint, { ...from, standing, nextNumber: number + 1 });
      return { number };
    }
  }

  /**
   * Returns the values of a put. A value that the parent has under the same version isn't stored again, only the id of
   * its record.
   */
  #valuesOf(
    { checkpoint, metadata, newVersions }: Putting,
    parents: readonly ChannelValue[] | undefined,
  ): Promise<readonly ChannelValue[]> {
    const inParent = new Map(parents?.map((held) => [held.channel, held]));
    // The versions of a copy are those of the checkpoint that was copied, which isn't its parent.
    const isCopy = metadata.source === "fork";
    const kept = Object.entries(checkpoint.channel_values).flatMap(([channel, value]) => {
      const version = checkpoint.channel_versions[channel] ?? newVersions[channel] ?? 0;
      const held = inParent.get(channel);
      if (!isCopy && !Object.hasOwn(newVersions, channel)) {
        if (held?.version === version) return [Promise.resolve(held)];
        if (parents === undefined) return [];
      }
      return [dump(this.serde, value).then((dumped) => ({ channel, version, value: dumped }))];
    });
    return Promise.all(kept);
  }
}

const keyOf = (place: Place, checkpoint: string): string =>
  JSON.stringify([place.thread, place.namespace, checkpoint]);
