import { allConversations, present, sameJson } from "@jaf/memory/internal";
import type {
  BaseCheckpointSaver,
  CheckpointListOptions,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import type { Memory } from "../settings.ts";
import { type FoundCheckpoint, historyOf } from "./history.ts";
import type { CheckpointLog } from "./log.ts";
import { namespaceIn, type Place, rootOf, threadIn } from "./place.ts";
import { load } from "./record.ts";
import { tupleOf } from "./tuple.ts";

/** What a list reads from. */
export interface ListSource {
  readonly log: CheckpointLog;
  readonly memory: Memory;
  readonly saver: BaseCheckpointSaver;
}

/** Which checkpoints are listed. An absent field selects all. */
export interface ListedPlace {
  readonly thread: string | undefined;
  readonly namespace: string | undefined;
  readonly checkpoint: string | undefined;
}

/** Lists checkpoints: thread by thread, and in a thread the largest id first, of all namespaces. */
export async function* listCheckpoints(
  source: ListSource,
  { thread, namespace, checkpoint }: ListedPlace,
  { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions,
): AsyncGenerator<CheckpointTuple> {
  const beforeId: string | undefined = before?.configurable?.["checkpoint_id"];
  const { serde } = source.saver;
  let left = limit;
  for await (const place of threads(source, thread)) {
    for await (const { found, at } of merged(source, await namespaces(source, place, namespace))) {
      if (left <= 0) return;
      if (checkpoint !== undefined && found.id !== checkpoint) continue;
      if (beforeId !== undefined && found.id >= beforeId) continue;
      const metadata = Object(await load(serde, found.put.metadata)) as Record<string, unknown>;
      if (!Object.entries(filter).every(([field, value]) => sameJson(metadata[field], value))) continue;
      left -= 1;
      yield await tupleOf({ log: source.log, place: at, saver: source.saver }, found);
    }
  }
}

async function* threads(
  { memory: { provider, userId } }: ListSource,
  thread: string | undefined,
): AsyncGenerator<string> {
  if (thread !== undefined) yield String(thread);
  else {
    const query = { ...present({ userId }), includeMessages: false };
    for await (const { conversationId } of allConversations(provider, query)) {
      const found = threadIn(conversationId);
      if (found !== undefined) yield found;
    }
  }
}

async function namespaces(
  { log, memory: { provider, userId } }: ListSource,
  thread: string,
  namespace: string | undefined,
): Promise<readonly Place[]> {
  if (namespace !== undefined) return [{ thread, namespace }];
  const root = { thread, namespace: "" };
  // Of another user's thread, not even the names of its subgraphs are read.
  if (!(await log.read(root, "none")).standing.exists) return [];
  const places: Place[] = [root];
  const query = { ...present({ userId }), childrenOf: rootOf(root), includeMessages: false };
  for await (const { metadata } of allConversations(provider, query)) {
    const child = namespaceIn(metadata);
    if (child !== undefined) places.push({ thread, namespace: child });
  }
  return places;
}

interface Listed {
  readonly found: FoundCheckpoint;
  readonly at: Place;
}

/** Merges the histories of namespaces into one, the largest id first. */
async function* merged({ log }: ListSource, places: readonly Place[]): AsyncGenerator<Listed> {
  const open: {
    readonly at: Place;
    readonly rest: AsyncGenerator<FoundCheckpoint>;
    found: FoundCheckpoint;
  }[] = [];
  for (const at of places) {
    const rest = historyOf(log, at);
    const { value, done } = await rest.next();
    if (done !== true) open.push({ at, rest, found: value });
  }
  while (open.length > 0) {
    const next = open.reduce((newest, one) => (one.found.id > newest.found.id ? one : newest));
    yield { found: next.found, at: next.at };
    const { value, done } = await next.rest.next();
    if (done === true) open.splice(open.indexOf(next), 1);
    else next.found = value;
  }
}
