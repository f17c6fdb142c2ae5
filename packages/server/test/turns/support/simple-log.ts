import type { LoggedTurn, TurnLog, TurnWriter, WriterAnswer } from "@jaf/memory";
import { createFailure, createMemoryConflictError, createSuccess } from "@jaf/memory/adapter";

interface Turn {
  conversationId: string;
  userId: string;
  turnId: string;
  state: LoggedTurn["state"];
  startedAt: Date;
  events: string[];
  stop: boolean;
  record?: string;
  request: string;
  token: string;
  lastToken: string;
  leaseSeconds: number;
  until: number;
}

const logged = (turn: Turn): LoggedTurn => ({
  conversationId: turn.conversationId,
  userId: turn.userId,
  turnId: turn.turnId,
  state: turn.state,
  startedAt: turn.startedAt,
  events: turn.events.length,
  stopRequested: turn.stop,
  ...(turn.record === undefined ? {} : { record: turn.record }),
});

/** A turn log in memory, until the one of `@jaf/memory` is there. */
export function createSimpleTurnLog(): TurnLog {
  const all = new Map<string, Turn[]>();
  const find = (c: string, t?: string) => {
    const turns = all.get(c) ?? [];
    return t === undefined ? turns.at(-1) : turns.find(({ turnId }) => turnId === t);
  };
  const held = (w: TurnWriter): Turn | undefined => {
    const turn = find(w.conversationId, w.turnId);
    return turn?.token === w.token && turn.state === "running" ? turn : undefined;
  };
  const answer = (turn: Turn): WriterAnswer => {
    turn.until = Date.now() + turn.leaseSeconds * 1_000;
    return { held: true, stopRequested: turn.stop };
  };
  const log: TurnLog = {
    begin: async (t) => {
      const last = find(t.conversationId);
      if (last?.state === "running") return createSuccess({ begun: false, running: logged(last) });
      if (last?.state === "waiting") last.state = "ended";
      const token = crypto.randomUUID();
      const turn: Turn = {
        ...t,
        state: "running",
        startedAt: new Date(),
        events: [],
        stop: false,
        token,
        lastToken: token,
        until: Date.now() + t.leaseSeconds * 1_000,
      };
      all.set(t.conversationId, [...(all.get(t.conversationId) ?? []), turn]);
      const { conversationId, turnId } = t;
      return createSuccess({ begun: true, writer: { conversationId, turnId, token } });
    },
    append: async ({ writer, first, events, end }) => {
      const turn = find(writer.conversationId, writer.turnId);
      if (turn === undefined) return createSuccess({ held: false });
      if (turn.token !== writer.token) return createSuccess({ held: false });
      if (turn.state !== "running") return createSuccess({ held: true, stopRequested: turn.stop });
      if (first > turn.events.length) return createFailure(createMemoryConflictError("length"));
      turn.events.push(...events.slice(turn.events.length - first));
      const answered = answer(turn);
      if (end !== undefined) {
        turn.state = end.state;
        turn.record = end.record;
      }
      return createSuccess(answered);
    },
    renew: async (w) => {
      const turn = held(w);
      return createSuccess(turn === undefined ? { held: false } : answer(turn));
    },
    takeOver: async ({ conversationId, turnId }) => {
      const turn = find(conversationId, turnId);
      if (turn?.state !== "running" || turn.until > Date.now()) return createSuccess(null);
      turn.token = crypto.randomUUID();
      turn.until = Date.now() + turn.leaseSeconds * 1_000;
      const writer = { conversationId, turnId, token: turn.token };
      return createSuccess({ writer, turn: logged(turn), request: turn.request });
    },
    release: async (w) => {
      const turn = held(w);
      if (turn !== undefined) {
        turn.until = 0;
        turn.token = "";
      }
      return createSuccess(undefined);
    },
    read: async (q) => {
      const turn = find(q.conversationId, q.turnId);
      if (turn === undefined) return createSuccess(null);
      const from = q.from ?? 0;
      return createSuccess({ turn: logged(turn), events: turn.events.slice(from, from + (q.limit ?? 1_000)) });
    },
    readAll: async (queries) => {
      const pages = [];
      for (const query of queries) {
        const page = await log.read(query);
        if (!page.success) return page;
        pages.push(page.data);
      }
      return createSuccess(pages);
    },
    turnsOf: async (c) => createSuccess([...(all.get(c) ?? [])].reverse().map(logged)),
    find: async ({ userId, state }) =>
      createSuccess(
        [...all.values()]
          .flat()
          .filter((t) => t.userId === userId && t.state === state)
          .map(logged),
      ),
    requestStop: async ({ conversationId, turnId }) => {
      const turn = find(conversationId, turnId);
      if (turn?.state !== "running") return createSuccess(false);
      turn.stop = true;
      return createSuccess(true);
    },
    abandoned: async (limit) =>
      createSuccess(
        [...all.values()]
          .flat()
          .filter((t) => t.state === "running" && t.until <= Date.now())
          .slice(0, limit)
          .map(logged),
      ),
    deleteConversation: async (c) => {
      const count = all.get(c)?.length ?? 0;
      all.delete(c);
      return createSuccess(count);
    },
    deleteUser: async () => createSuccess(0),
    close: async () => createSuccess(undefined),
  };
  return log;
}
