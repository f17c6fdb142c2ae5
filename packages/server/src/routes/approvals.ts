import { listApprovals, streamApprovals } from "../api/turns.ts";
import { EVENT_STREAM_HEADERS, eventStream } from "../encoders/event-stream.ts";
import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { createApprovalFeeds } from "./approval-feeds.ts";
import { failing } from "./turn-answer.ts";
import { createWaitingCalls } from "./waiting-calls.ts";

/** What waits for the user in all of their conversations. */
export function approvalRoutes(route: Route, parts: ServerParts): void {
  const { limits, closing, report } = parts;
  const createRead = (userId: string) => {
    const read = createWaitingCalls(parts, userId);
    return async () => ({ approvals: await read() });
  };
  const feeds = createApprovalFeeds(createRead);

  route(listApprovals, ({ userId }) => createRead(userId)());

  route(streamApprovals, ({ context, userId }) => {
    const release = limits.stream(userId);
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, closing, context.req.raw.signal]);
    async function* changes(): AsyncGenerator<string> {
      try {
        for await (const approvals of feeds.follow(userId, signal))
          yield `event: approvals\ndata: ${approvals}\n\n`;
      } finally {
        release();
      }
    }
    const onLeave = () => {
      release();
      left.abort();
    };
    const texts = eventStream(changes(), { onLeave, ...failing(context, report) });
    return context.newResponse(texts, { headers: EVENT_STREAM_HEADERS });
  });
}
