import type { LoggedTurn } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { list, number, type RunScript, text } from "../lua.ts";
import { type createTurnKeys, nameOf, parseName, type TurnName } from "./keys.ts";
import { type scripts, toTurn } from "./scripts.ts";

/** Entries of an index that are looked at together. */
const PAGE = 100;
/**
 * An entry is made before its turn where they may lie on different servers. Of one that is younger the turn may be about to be
 * written.
 */
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
  /** By the server's clock, as all times in microseconds since 1970. */
  readonly now: number;
}

/** What finds turns in the indexes. An index may name turns that are gone or have ended: those are taken out when they are met. */
export function createTurnIndexes({ port, run, keys, deadlines }: IndexParts) {
  const remove = (index: string, name: string): Promise<unknown> =>
    deadlines(port.send(["ZREM", index, name], index));

  async function read(name: string): Promise<LeasedTurn> {
    const { conversationId, turnId } = parseName(name);
    const call = { keys: [`${keys.turn(conversationId)}${turnId}`], args: [] } as const;
    const [head, lease, now] = list(await run("leases", call));
    return { turn: toTurn(head), leaseEndsAt: lease == null ? 0 : number(lease), now: number(now) };
  }

  /** The user's turns of a state, the latest first. */
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

  /** Running turns whose lease has ended, the longest first. */
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
        // Later ones hadn't ended when they were last looked at, and no lease gets shorter but by its release.
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

  /** The conversations in which a user has turns, and the turns' names. */
  async function turnsOfUser(userId: string): Promise<readonly TurnName[]> {
    const index = keys.userTurns(userId);
    return list(await deadlines(port.send(["ZRANGE", index, "0", "-1"], index))).map((name) =>
      parseName(text(name)),
    );
  }

  /** Takes turns out of all indexes. */
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

/** Clients give members and scores as pairs, or one after the other. */
function entriesIn(reply: unknown): readonly IndexEntry[] {
  const flat = list(reply).flat();
  return Array.from({ length: flat.length / 2 }, (_, at) => ({
    ...{ name: text(flat[2 * at]), score: number(flat[2 * at + 1]) },
  }));
}
