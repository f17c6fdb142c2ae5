import type { LoggedTurn } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { notFound, unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import { encodeServerSentEvents } from "../http/sse.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/encoded-event.ts";
import { ownConversation } from "./own-conversation.ts";
import { anything, count, id, number, time, turnState } from "./schemas.ts";
import { answerEvents } from "./turn-response.ts";

export const stopping = z.object({ stopping: z.boolean() });

const stopTurn = operation("post", "/conversations/{conversationId}/stop", {
  summary: "Stop a turn and keep its text so far",
  body: z.strictObject({ turnId: id.optional() }),
  isBodyOptional: true,
  answer: stopping,
});

const readEvents = operation("get", "/conversations/{conversationId}/events", {
  summary: "Get or stream the events of a turn from a number on",
  query: z.object({
    turnId: id.optional(),
    from: number.optional(),
    limit: count(1_000).default(1_000),
  }),
  answer: z.object({
    turnId: z.string(),
    state: turnState,
    events: z.array(z.object({ number: z.int(), event: z.looseObject({ type: z.string() }) })),
  }),
  streams: "asked",
  nothing: "The turn has ended, and there are no events from that number on.",
});

const listTurns = operation("get", "/conversations/{conversationId}/turns", {
  summary: "List turns and what the model saw in each",
  query: z.object({ limit: count(100).default(20) }),
  answer: z.object({
    turns: z.array(
      z.object({ turnId: z.string(), state: turnState, startedAt: time, record: anything.optional() }),
    ),
  }),
});

const listOpenTurns = operation("get", "/turns/open", {
  summary: "List the user's turns that run or wait for the user, latest first",
  query: z.object({ state: z.enum(["running", "waiting"]).optional(), limit: count(100).default(20) }),
  answer: z.object({
    turns: z.array(
      z.object({
        ...{ conversationId: z.string(), turnId: z.string(), startedAt: time },
        state: z.enum(["running", "waiting"]),
      }),
    ),
  }),
});

/** Adds the routes that list turns, return a turn's events, and stop a turn. */
export function turnRoutes(route: Route, parts: ServerParts): void {
  const { log, service } = parts;

  route(readEvents, async ({ context, userId, conversationId, query }) => {
    const last = lastEvent(context.req.header("last-event-id"));
    const asked = query.turnId ?? last?.turnId;
    // The last event id is only valid for its own turn.
    const from = query.from ?? (last?.turnId === asked ? last?.next : undefined) ?? 0;
    await ownConversation(parts, { conversationId, userId });
    const turnId = present({ turnId: asked });
    const page = unwrap(await log.read({ conversationId, ...turnId, from, limit: query.limit }));
    // An earlier conversation with this id may have been another user's.
    if (page?.turn.userId !== userId) throw notFound();
    const { turn, events } = page;
    if (context.req.header("accept")?.includes("text/event-stream") !== true) {
      const numbered = events.map((text, index) => ({ number: from + index, event: decodeEvent(text) }));
      return { turnId: turn.turnId, state: turn.state, events: numbered };
    }
    // No events are left. Status 204 stops automatic reconnects of EventSource.
    if (turn.state !== "running" && events.length === 0) return context.body(null, 204);
    return answerEvents(
      parts,
      context,
      { conversationId, turnId: turn.turnId, from },
      encodeServerSentEvents,
    );
  });

  route(listTurns, async ({ userId, conversationId, query: { limit } }) => {
    await ownConversation(parts, { conversationId, userId });
    const turns = unwrap(await log.turnsOf(conversationId, limit));
    return { turns: turns.filter((turn) => turn.userId === userId).map(summaryOf) };
  });

  route(listOpenTurns, async ({ userId, query: { state, limit } }) => {
    const states = state === undefined ? OPEN_STATES : [state];
    const found = await Promise.all(states.map((each) => log.find({ userId, state: each }, limit)));
    const turns = found
      .flatMap(unwrap)
      .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime());
    return {
      turns: turns.slice(0, limit).map(({ conversationId, turnId, state, startedAt }) => ({
        ...{ conversationId, turnId, state, startedAt },
      })),
    };
  });

  route(stopTurn, async ({ userId, conversationId, body: { turnId } }) => {
    await ownConversation(parts, { conversationId, userId });
    const turn = unwrap(await log.read({ conversationId, ...present({ turnId }), limit: 1 }))?.turn;
    const stopping = turn?.userId === userId && (await service.stop(turn));
    return { stopping };
  });
}

const OPEN_STATES = ["running", "waiting"] as const;

const summaryOf = ({ turnId, state, startedAt, record }: LoggedTurn) => ({
  ...{ turnId, state, startedAt },
  ...(record === undefined ? {} : { record: JSON.parse(record) as unknown }),
});

const LAST_EVENT = /^(.{1,255}):(\d{1,15})$/;

/**
 * Parses the `Last-Event-ID` header, `<turnId>:<number>`, and returns the turn id and the number of the next event.
 * Returns `undefined` if the header is absent or invalid.
 */
function lastEvent(header: string | undefined) {
  const [, turnId, number] = LAST_EVENT.exec(header ?? "") ?? [];
  return turnId === undefined ? undefined : { turnId, next: Number(number) + 1 };
}
