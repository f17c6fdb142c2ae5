import type { AnyConversationStore } from "@jaf/memory";
import { lazy } from "@jaf/memory/engine";
import { isProviderConversationStore } from "@jaf/memory/turns";
import * as z from "zod";

/** The one thread of a user with an agent. */
export interface ThreadOwner {
  readonly userId: string;
  /** Keeps the threads of one user apart. */
  readonly agent: string;
}

/**
 * The thread's conversation id. Where the store can't say it, the newest conversation that the store lists for both, or
 * what `create` makes: a store that lists no agents gets a new one each time. Rejects with what the store throws.
 */
export async function threadOf(
  store: AnyConversationStore,
  owner: ThreadOwner,
  create: () => Promise<string>,
): Promise<string> {
  if (isProviderConversationStore(store)) return store.threadFor(owner.userId, owner.agent);
  return inLine(store, owner, async () => (await findThread(store, owner)) ?? create());
}

/** The last that was asked for, by owner. */
const lines = new WeakMap<AnyConversationStore, Map<string, Promise<unknown>>>();

/** Two that begin at once in this process must not both find nothing and make a thread each. */
function inLine<T>(
  store: AnyConversationStore,
  { userId, agent }: ThreadOwner,
  task: () => Promise<T>,
): Promise<T> {
  const line = lines.get(store) ?? new Map<string, Promise<unknown>>();
  lines.set(store, line);
  const key = JSON.stringify([userId, agent]);
  const done = (line.get(key) ?? Promise.resolve()).then(task, task);
  const settled = done.then(
    () => undefined,
    () => undefined,
  );
  line.set(key, settled);
  void settled.then(() => {
    if (line.get(key) === settled) line.delete(key);
  });
  return done;
}

const text = lazy(() => z.string().nullish());

// Databases give times as they like.
const milliseconds = lazy(() =>
  z
    .union([z.date(), z.string(), z.number()])
    .nullish()
    .transform((value) => (value == null ? 0 : new Date(value).getTime() || 0)),
);

const listingSchema = lazy(() =>
  z.array(
    z.object({
      id: z.string().min(1),
      userId: text(),
      agent: text(),
      createdAt: milliseconds(),
      updatedAt: milliseconds(),
    }),
  ),
);

async function findThread(
  store: AnyConversationStore,
  { userId, agent }: ThreadOwner,
): Promise<string | undefined> {
  const listing = listingSchema().safeParse(await store.list(userId));
  if (!listing.success) throw new Error("list() of the conversation store returned no listing");
  let newest: { readonly id: string; readonly at: number } | undefined;
  for (const entry of listing.data) {
    // Whatever the store makes of its argument: somebody else's thread is never this one.
    if (entry.agent !== agent || (entry.userId || userId) !== userId) continue;
    const at = Math.max(entry.createdAt, entry.updatedAt);
    if (newest === undefined || at > newest.at) newest = { id: entry.id, at };
  }
  return newest?.id;
}
