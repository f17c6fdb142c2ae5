import type { LoggedTurn } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { list, number, type RunScript, text } from "../lua.ts";
import { type createTurnKeys, nameOf, parseName, type TurnName } from "./keys.ts";
import { type scripts, toTurn } from "./scripts.ts";

/** The number of index entries that are read in one step. */
const PAGE = 100;
/** The age in microseconds after which an index entry without a turn is removed. */
// The turn of a younger entry may still be written: on a Cluster, the entry is written first.
const RESERVED_US = 60_000_000;

export interface IndexParts {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: ReturnType<typeof createTurnKeys>;
  readonly deadlines: Deadlines;
}

interface LeasedTurn {
  readonly turn: LoggedTurn | undefined;
  readonly leaseEndsAt: number;
  /** The server's time at the read, in microseconds since 1970, like `leaseEndsAt`. */
  readonly now: number;
}

/** Returns functions that find turns in the indexes. Entries of expired or ended turns are removed. */
export function createTurnIndexes({ port, run, keys, deadlines }: IndexParts) {
  const remove = (index: string, name: string): Promise<unknown> =>
    deadlines(port.send(["ZREM", index, name], index));

  async function read(name: string): Promise<LeasedTurn> {
    const { conversationId, turnId } = parseName(name);
    const call = { keys: [`${keys.turn(conversationId)}${turnId}`], args: [] } as const;
    const [head, lease, now] = list(await run("leases", call));
    return { turn: toTurn(head), leaseEndsAt: lease == null ? 0 : number(lease), now: number(now) };
  }

  /** Returns the turns of a user that have the state `state`, the newest first. */
  async function find(
    userId: string,
    state: LoggedTurn["state"],
    limit: number,
  ): Promise<readonly LoggedTurn[]> {
    const index = keys.openTurns(userId);
    const found: LoggedTurn[] = [];
    for (let from = 0; found.length < limit; ) {
      const range = ["ZREVRANGE", index, String(from), String(from + PAGE - 1), "WITHSCORES"];
      const entries = entriesIn(await deadlines(port.send(range, index)));
      if (entries.length === 0) break;
      const turns = await Promise.all(entries.map(({ name }) => read(name)));
      let removed = 0;
      for (const [at, { name, score }] of entries.entries()) {
        const { turn, now = 0 } = turns[at] ?? {};
        if (turn !== undefined && turn.userId === userId && turn.state !== "ended") {
          if (turn.state === state) found.push(turn);
        } else if (turn !== undefined || score < now - RESERVED_US) {
          await remove(index, name);
          removed += 1;
        }
      }
      from += entries.length - removed;
    }
    return found.slice(0, limit);
  }

  /** Returns running turns whose lease has expired, the longest expired first. */
  async function abandoned(limit: number): Promise<readonly LoggedTurn[]> {
    const found: { readonly turn: LoggedTurn; readonly leaseEndsAt: number }[] = [];
    for (let from = 0; found.length < limit; ) {
      const range = ["ZRANGE", keys.running, String(from), String(from + PAGE - 1), "WITHSCORES"];
      const entries = entriesIn(await deadlines(port.send(range, keys.running)));
      const turns = await Promise.all(entries.map(({ name }) => read(name)));
      let kept = 0;
      let isDue = entries.length > 0;
      for (const [at, { name, score }] of entries.entries()) {
        const { turn, leaseEndsAt, now } = turns[at] ?? { turn: undefined, leaseEndsAt: 0, now: 0 };
        // The leases of the entries after this one hadn't expired when they were last read, and only a release shortens
        // a lease.
        if (score > now) isDue = false;
        if (turn?.state === "running") {
          kept += 1;
          if (leaseEndsAt <= now) found.push({ turn, leaseEndsAt });
          else if (leaseEndsAt > score) {
            const update = ["ZADD", keys.running, "XX", String(leaseEndsAt), name];
            await deadlines(port.send(update, keys.running));
            kept -= 1;
          }
        } else if (turn !== undefined || score < now - RESERVED_US) await remove(keys.running, name);
        else kept += 1;
      }
      if (!isDue || entries.length < PAGE) break;
      from += kept;
    }
    const longest = found.sort((a, b) => a.leaseEndsAt - b.leaseEndsAt);
    return longest.slice(0, limit).map(({ turn }) => turn);
  }

  /** Returns the conversation id and the turn id of each turn of a user. */
  async function turnsOfUser(userId: string): Promise<readonly TurnName[]> {
    const index = keys.userTurns(userId);
    return list(await deadlines(port.send(["ZRANGE", index, "0", "-1"], index))).map((name) =>
      parseName(text(name)),
    );
  }

  /** Removes the entries of turns from all indexes. */
  async function forget(turns: readonly (TurnName & { readonly userId: string })[]): Promise<void> {
    await Promise.all(
      turns.flatMap((turn) =>
        [keys.userTurns(turn.userId), keys.openTurns(turn.userId), keys.running].map((index) =>
          remove(index, nameOf(turn)),
        ),
      ),
    );
  }

  return { find, abandoned, turnsOfUser, forget };
}

interface IndexEntry {
  readonly name: string;
  readonly score: number;
}

/** Converts a reply with members and scores into index entries. */
function entriesIn(reply: unknown): readonly IndexEntry[] {
  // Depending on the client, the reply holds pairs of a member and a score, or one flat list.
  const flat = list(reply).flat();
  return Array.from({ length: flat.length / 2 }, (_, at) => ({
    ...{ name: text(flat[2 * at]), score: number(flat[2 * at + 1]) },
  }));
}
