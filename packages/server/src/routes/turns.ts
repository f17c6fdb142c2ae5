import type { LoggedTurn } from "@jaf/memory";
import type { Hono } from "hono";
import { eventsQuery, stopBody, turnsQuery } from "../api/requests.ts";
import { encodeServerSentEvents } from "../encoders/server-sent-events.ts";
import { answer } from "../http/answer.ts";
import type { ServerEnvironment } from "../http/environment.ts";
import { notFound, unwrap } from "../http/failure.ts";
import { parseInput, readJson } from "../http/request-body.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/event-text.ts";
import { ownConversation } from "./own-conversation.ts";
import { answerEvents } from "./turn-answer.ts";

/** What happens in a conversation's turns. */
export function turnRoutes(app: Hono<ServerEnvironment>, parts: ServerParts): void {
  const { log, service, settings } = parts;

  app.get("/conversations/:conversationId/events", async (context) => {
    const { userId } = context.get("identity");
    const conversationId = context.req.param("conversationId");
    const query = parseInput(eventsQuery, context.req.query(), "query");
    const last = lastEvent(context.req.header("last-event-id"));
    const asked = query.turnId ?? last?.turnId;
    // What it had last says nothing of another turn.
    const from = query.from ?? (last?.turnId === asked ? last?.next : undefined) ?? 0;
    await ownConversation(parts, { conversationId, userId });
    const turnId = asked === undefined ? {} : { turnId: asked };
    const page = unwrap(await log.read({ conversationId, ...turnId, from, limit: query.limit }));
    if (page === null) throw notFound();
    const { turn, events } = page;
    if (context.req.header("accept")?.includes("text/event-stream") !== true) {
      const numbered = events.map((text, index) => ({ number: from + index, event: decodeEvent(text) }));
      return answer(context, { turnId: turn.turnId, state: turn.state, events: numbered });
    }
    // Nothing is left to tell: a client that would come back by itself stays away.
    if (turn.state !== "running" && events.length === 0) return context.body(null, 204);
    return answerEvents(
      parts,
      context,
      { conversationId, turnId: turn.turnId, from },
      encodeServerSentEvents,
    );
  });

  app.get("/conversations/:conversationId/turns", async (context) => {
    const { userId } = context.get("identity");
    const conversationId = context.req.param("conversationId");
    const { limit } = parseInput(turnsQuery, context.req.query(), "query");
    await ownConversation(parts, { conversationId, userId });
    const turns = unwrap(await log.turnsOf(conversationId, limit));
    return answer(context, { turns: turns.map(summaryOf) });
  });

  app.post("/conversations/:conversationId/stop", async (context) => {
    const { userId } = context.get("identity");
    const conversationId = context.req.param("conversationId");
    const { turnId } = parseInput(stopBody, await readJson(context, settings.limits), "body");
    await ownConversation(parts, { conversationId, userId });
    const stopped = turnId ?? unwrap(await log.read({ conversationId, limit: 1 }))?.turn.turnId;
    const stopping = stopped !== undefined && (await service.stop({ conversationId, turnId: stopped }));
    return answer(context, { stopping });
  });
}

const summaryOf = ({ turnId, state, startedAt, record }: LoggedTurn) => ({
  ...{ turnId, state, startedAt },
  ...(record === undefined ? {} : { record: JSON.parse(record) as unknown }),
});

const LAST_EVENT = /^(.{1,255}):(\d{1,15})$/;

/** Which event a client had last, as it says when it comes back. */
function lastEvent(header: string | undefined) {
  const [, turnId, number] = LAST_EVENT.exec(header ?? "") ?? [];
  return turnId === undefined ? undefined : { turnId, next: Number(number) + 1 };
}
