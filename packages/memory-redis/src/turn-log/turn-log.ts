import type { TurnLog } from "@jaf/memory";
import {
  type AppendedEvents,
  type BegunTurn,
  defineTurnLog,
  type NewTurn,
  TurnConflict,
  type TurnEnding,
  type TurnLogBackend,
  type TurnWriter,
  type WriterAnswer,
} from "@jaf/memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { slotOf } from "../keys.ts";
import { list, number, type ScriptCall, text } from "../lua.ts";
import { createCalls } from "../open-store.ts";
import { createTurnIndexes } from "./indexes.ts";
import { createTurnKeys, nameOf, type TurnName } from "./keys.ts";
import { TurnLogPlace } from "./place.ts";
import { scripts, toTurn, toTurns } from "./scripts.ts";

/**
 * Creates a turn log in Redis that all processes share. The log never closes the client. All times are those of the
 * server. Expired turns are removed by the server. On one server, each call that writes is one atomic script.
 *
 * The keys of a conversation's turns are in the Cluster slot of the conversation. On a Cluster, the list of running
 * turns and the lists of each user are in other slots.
 *
 * @throws TypeError for an invalid client or option.
 *
 * @example
 * ```ts
 * import { createRedisTurnLog, type RedisClient } from "@jaf/memory-redis";
 *
 * declare const client: RedisClient;
 *
 * const log = createRedisTurnLog({ keyPrefix: "app:" }, client);
 * const page = await log.read({ conversationId: "conv-123", from: 0 });
 * if (page.success) console.log(page.data?.turn.state, page.data?.events);
 * ```
 */
export function createRedisTurnLog(
  config: Pick<RedisConfig, "keyPrefix" | "commandTimeoutMs">,
  client: RedisClient,
): TurnLog {
  const { keyPrefix, commandTimeoutMs } = parseConfig(config);
  const port = adaptClient(client);
  const { deadlines, run } = createCalls({ port, minReplicas: 0, commandTimeoutMs }, scripts);
  const keys = createTurnKeys(keyPrefix);
  const indexes = createTurnIndexes({ port, run, keys, deadlines });
  const atomic = !port.isCluster || keys.inOneSlot;

  const hashOf = ({ conversationId, turnId }: TurnName): string => `${keys.turn(conversationId)}${turnId}`;
  const eventsOf = ({ conversationId, turnId }: TurnName): string =>
    `${keys.events(conversationId)}${turnId}`;
  const indexesOf = (userId: string): readonly [string, string] => [
    keys.userTurns(userId),
    keys.openTurns(userId),
  ];

  /**
   * Adds a running turn to the list of running turns, the list of its user's turns, and the list of its user's open
   * turns.
   */
  async function indexTurnEntries(
    turn: TurnName,
    userId: string,
    { leaseMs, keepMs }: { leaseMs: number; keepMs: number },
  ) {
    // On a Cluster, the lists may be on other servers than the turn.
    const name = nameOf(turn);
    await Promise.all([
      run("indexUserTurn", { keys: [...indexesOf(userId)], args: [name, keepMs, 1] }),
      run("indexRunningTurn", { keys: [keys.running], args: [name, leaseMs] }),
    ]);
  }

  const timesOf = ({ leaseSeconds, keepSeconds }: NewTurn) => ({
    leaseMs: Math.ceil(1_000 * leaseSeconds),
    keepMs: 1_000 * keepSeconds,
  });

  function beginCall(turn: NewTurn, token: string): ScriptCall {
    const { conversationId, userId, turnId, request } = turn;
    const { leaseMs, keepMs } = timesOf(turn);
    const near = [keys.turns(conversationId), hashOf(turn)] as const;
    const base = keys.turn(conversationId);
    return {
      keys: atomic ? [...near, keys.running, ...indexesOf(userId)] : near,
      args: [conversationId, userId, turnId, token, request, leaseMs, keepMs, nameOf(turn), base],
    };
  }

  async function begin(turn: NewTurn): Promise<BegunTurn> {
    const { conversationId, userId, turnId } = turn;
    const token = crypto.randomUUID();
    const times = timesOf(turn);
    // An entry in the lists is written before its turn, and again after it: a concurrent erasure may have removed the
    // first one. So no turn lacks its entry. A read removes entries without a turn.
    if (!atomic) await indexTurnEntries(turn, userId, times);
    const reply = await run("begin", beginCall(turn, token));
    const [outcome, details] = list(reply);
    const isBegun = number(outcome) === 1;
    if (!atomic && isBegun) await indexTurnEntries(turn, userId, times);
    if (isBegun) return { begun: true, writer: { conversationId, turnId, token } };
    const running = number(outcome) === 0 ? toTurn(details) : undefined;
    // A resent call finds its own turn, and must keep its entries.
    if (!atomic && running !== undefined && running.turnId !== turnId) await indexes.forget([turn]);
    if (running === undefined) throw new TurnConflict("the id is taken");
    return { begun: false, running };
  }

  /** Updates the lists of turns after a turn's state has become `ended` or `waiting`. */
  async function indexTurnEnd(writer: TurnWriter, { state, recordSeconds }: TurnEnding): Promise<void> {
    // On a Cluster, the script `append` can't reach these lists.
    const name = nameOf(writer);
    const userId = await ownerOf(writer);
    if (userId === undefined) return;
    await Promise.all([
      run("indexTurnEnd", { keys: [...indexesOf(userId)], args: [name, state, 1_000 * recordSeconds] }),
      deadlines(port.send(["ZREM", keys.running, name], keys.running)),
    ]);
  }

  /** Extends a running turn's entries in its user's lists, so the entries outlive the turn. */
  async function prolongEntries(writer: TurnWriter, keepMs: number): Promise<void> {
    const userId = await ownerOf(writer);
    if (userId === undefined) return;
    await run("indexUserTurn", { keys: [...indexesOf(userId)], args: [nameOf(writer), keepMs, 0] });
    // If the process crashes before this, the next write to the turn extends the entries again.
    await run("confirmIndexed", { keys: [hashOf(writer)], args: [writer.token] });
  }

  async function write({
    writer,
    first,
    events = [],
    end,
  }: Partial<AppendedEvents> & { readonly writer: TurnWriter }): Promise<WriterAnswer> {
    const ending =
      end === undefined
        ? []
        : [end.state, end.record, 1_000 * end.eventSeconds, 1_000 * end.recordSeconds, nameOf(writer)];
    const near = [hashOf(writer), eventsOf(writer), keys.turns(writer.conversationId)] as const;
    const userId = end === undefined || !atomic ? undefined : await ownerOf(writer);
    const reply = await run("append", {
      keys: userId === undefined ? near : [...near, keys.running, ...indexesOf(userId)],
      args: [writer.token, first ?? "", events.length, ...events, ...ending],
    });
    const [outcome, stop, lateMs = 0] = list(reply).map(number);
    if (outcome === 2) throw new TurnConflict("events are missing");
    if (outcome !== 1) return { held: false };
    if (end !== undefined && !atomic) await indexTurnEnd(writer, end);
    if (lateMs > 0) await prolongEntries(writer, lateMs);
    return { held: true, stopRequested: stop === 1 };
  }

  async function ownerOf(turn: TurnName): Promise<string | undefined> {
    const hash = hashOf(turn);
    const user = await deadlines(port.send(["HGET", hash, "user"], hash));
    return user == null ? undefined : text(user);
  }

  const read: TurnLogBackend["read"] = async ({ conversationId, turnId = "", from, limit }) => {
    const reply = await run("read", {
      keys: [keys.turns(conversationId)],
      args: [turnId, keys.turn(conversationId), keys.events(conversationId), from, limit],
    });
    const [head, events] = list(reply);
    const turn = head === undefined ? undefined : toTurn(head);
    return turn === undefined ? null : { turn, events: list(events).map(text) };
  };

  /** Erases the turns of a conversation, or only those of the user `userId`. Returns the number of erased turns. */
  async function erase(conversationId: string, userId = ""): Promise<number> {
    const reply = await run("erase", {
      keys: [keys.turns(conversationId)],
      args: [keys.turn(conversationId), keys.events(conversationId), userId],
    });
    const flat = list(reply).map(text);
    const erased = Array.from({ length: flat.length / 2 }, (_, at) => ({
      ...{ conversationId, turnId: flat[2 * at] ?? "", userId: flat[2 * at + 1] ?? "" },
    }));
    await indexes.forget(erased);
    return erased.length;
  }

  return defineTurnLog({
    name: "redis",
    ...(atomic
      ? {
          place: new TurnLogPlace(client, slotOf(keyPrefix), ({ turn, writer }) =>
            beginCall(turn, writer.token),
          ),
        }
      : {}),
    begin,
    append: write,
    renew: (writer) => write({ writer }),
    takeOver: async (turn) => {
      const { conversationId, turnId } = turn;
      const token = crypto.randomUUID();
      const [head, request] = list(await run("takeOver", { keys: [hashOf(turn)], args: [token] }));
      const taken = head === undefined ? undefined : toTurn(head);
      if (taken === undefined) return null;
      return { writer: { conversationId, turnId, token }, turn: taken, request: text(request) };
    },
    release: async (writer) => {
      const name = nameOf(writer);
      const hash = hashOf(writer);
      const near = atomic ? ([hash, keys.running] as const) : ([hash] as const);
      const released = number(await run("release", { keys: near, args: [writer.token, name] }));
      if (!atomic && released === 1) {
        await run("indexRunningTurn", { keys: [keys.running], args: [name, 0] });
      }
    },
    read,
    // The clients send concurrent calls together.
    readAll: (queries) => Promise.all(queries.map(read)),
    turnsOf: async (conversationId, limit) => {
      const call = { keys: [keys.turns(conversationId)], args: [keys.turn(conversationId), limit] } as const;
      return toTurns(await run("listTurns", call));
    },
    find: ({ userId, state }, limit) => indexes.find(userId, state, limit),
    requestStop: async (turn) => number(await run("requestStop", { keys: [hashOf(turn)], args: [] })) === 1,
    abandoned: indexes.abandoned,
    deleteConversation: (conversationId) => erase(conversationId),
    deleteUser: async (userId) => {
      const turns = await indexes.turnsOfUser(userId);
      let erased = 0;
      for (const conversationId of new Set(turns.map((turn) => turn.conversationId)))
        erased += await erase(conversationId, userId);
      // Also removes the entries of expired turns.
      await indexes.forget(turns.map((turn) => ({ ...turn, userId })));
      return erased;
    },
    close: async () => {},
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  });
}
