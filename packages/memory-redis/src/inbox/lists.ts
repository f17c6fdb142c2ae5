import type { WaitingInbox } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { list, number, type RunScript, text } from "../lua.ts";
import type { InboxKeys } from "./keys.ts";
import type { scripts } from "./scripts.ts";

/** The number of inboxes of a list that are read in one step. */
const PAGE = 100;
/** The age in microseconds after which an empty inbox is removed from a list. */
// The entry of a younger one may still be written: on a Cluster, the list is written first.
const RESERVED_US = 60_000_000;

interface ListParts {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: InboxKeys;
  readonly deadlines: Deadlines;
}

interface InboxState {
  /** The owner. `""`: there is no inbox. */
  readonly userId: string;
  readonly entries: number;
  /** The number of the oldest entry. Absent: the inbox is empty. */
  readonly oldest?: number;
  /** The server's time at the read, in microseconds since 1970. */
  readonly now: number;
}

interface Listed {
  readonly conversationId: string;
  readonly score: number;
}

/**
 * Returns functions that read and correct the lists of inboxes. If the lists may be on other servers than the inboxes, a
 * listed inbox may be empty, and its score may be lower than the number of its oldest entry.
 */
export function createInboxLists({ port, run, keys, deadlines }: ListParts) {
  async function stateOf(conversationId: string): Promise<InboxState> {
    const [hash, entries] = keys.of(conversationId);
    const reply = list(await run("state", { keys: [hash, entries], args: [] }));
    const [userId, count, oldest, now] = reply.map(text);
    return {
      userId: userId ?? "",
      entries: Number(count),
      ...(oldest === undefined || oldest === "" ? {} : { oldest: Number(oldest) }),
      now: Number(now),
    };
  }

  const both = (userId: string): readonly string[] => [keys.waiting, keys.ofUser(userId)];

  /** Adds an inbox to both lists. `oldest`: the number of its oldest entry, or `""` if that is about to be put. */
  async function add(conversationId: string, userId: string, oldest: number | ""): Promise<void> {
    const args = [conversationId, oldest];
    await Promise.all(both(userId).map((index) => run("list", { keys: [index], args })));
  }

  /** Corrects the lists after an inbox became empty (`"empty"`) or was erased (`"removed"`). */
  async function settle(conversationId: string, userId: string, now: "empty" | "removed"): Promise<void> {
    const [waiting = "", ofUser = ""] = both(userId);
    await Promise.all([
      run("relist", { keys: [waiting], args: [conversationId, "removed"] }),
      run("relist", { keys: [ofUser], args: [conversationId, now] }),
    ]);
    // An entry may have been put meanwhile. If it was put after this read, its put adds the inbox again.
    const state = await stateOf(conversationId);
    if (state.oldest !== undefined) await add(conversationId, state.userId, state.oldest);
  }

  /** Removes an inbox from the list of the user whose inbox it was before. */
  async function removeFormer(conversationId: string, former: string): Promise<void> {
    await run("relist", { keys: [keys.ofUser(former)], args: [conversationId, "removed"] });
    // This user may have put meanwhile. If that was after this read, that put adds the inbox again.
    const { userId, oldest } = await stateOf(conversationId);
    if (userId === former && oldest !== undefined) await add(conversationId, userId, oldest);
  }

  /** Corrects the place of an inbox in a list, if it is wrong. `of`: the user of the list, if it is one of a user. */
  async function correct(
    index: string,
    { conversationId, score }: Listed,
    { state, of }: { readonly state: InboxState; readonly of: string | undefined },
  ): Promise<void> {
    const isReserved = score >= state.now - RESERVED_US;
    if (of !== undefined && state.userId !== "" && state.userId !== of) {
      if (!isReserved) await removeFormer(conversationId, of);
    } else if (state.oldest !== undefined && state.oldest > score)
      // The oldest entry can only become newer, so this score isn't too high even if it did meanwhile.
      await run("relist", { keys: [index], args: [conversationId, state.oldest] });
    else if (state.oldest === undefined && !isReserved && state.userId !== "")
      await settle(conversationId, state.userId, "empty");
    else if (state.userId === "" && !isReserved)
      await run("relist", { keys: [index], args: [conversationId, "removed"] });
  }

  /** Returns inboxes that aren't empty, the one that has waited longest first. `userId`: only those of this user. */
  async function waiting(userId: string | undefined, limit: number): Promise<readonly WaitingInbox[]> {
    const index = userId === undefined ? keys.waiting : keys.ofUser(userId);
    const found = new Map<string, WaitingInbox & { readonly oldest: number }>();
    const seen: (readonly [Listed, InboxState])[] = [];
    for (let from = 0; ; from += PAGE) {
      const range = ["ZRANGEBYSCORE", index, "0", "+inf", "WITHSCORES", "LIMIT", String(from), String(PAGE)];
      const page = listedIn(await deadlines(port.send(range, index)));
      const states = await Promise.all(page.map(({ conversationId }) => stateOf(conversationId)));
      for (const [at, listed] of page.entries()) {
        const state = states[at];
        if (state === undefined) continue;
        seen.push([listed, state]);
        const { oldest, entries } = state;
        if (oldest === undefined || (userId !== undefined && state.userId !== userId)) continue;
        const { conversationId } = listed;
        const since = new Date(Math.floor(oldest / 1_000));
        found.set(conversationId, { conversationId, userId: state.userId, entries, since, oldest });
      }
      // The inboxes on later pages have waited for less time than the score of the last one says.
      const last = page.at(-1)?.score ?? 0;
      const certain = [...found.values()].filter(({ oldest }) => oldest <= last);
      if (page.length < PAGE || certain.length >= limit) break;
    }
    for (const [listed, state] of seen) await correct(index, listed, { state, of: userId });
    return [...found.values()]
      .sort((a, b) => a.oldest - b.oldest)
      .slice(0, limit)
      .map(({ oldest: _, ...inbox }) => inbox);
  }

  /** Returns the ids of the conversations in the list of a user's inboxes. */
  async function conversationsOf(userId: string): Promise<readonly string[]> {
    const index = keys.ofUser(userId);
    return list(await deadlines(port.send(["ZRANGE", index, "0", "-1"], index))).map(text);
  }

  return { add, removeFormer, settle, waiting, conversationsOf };
}

/** Converts a reply with members and scores. */
function listedIn(reply: unknown): readonly Listed[] {
  // Depending on the client, the reply holds pairs of a member and a score, or one flat list.
  const flat = list(reply).flat();
  return Array.from({ length: flat.length / 2 }, (_, at) => ({
    ...{ conversationId: text(flat[2 * at]), score: number(flat[2 * at + 1]) },
  }));
}
