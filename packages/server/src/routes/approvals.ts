import type { Interruption } from "@jaf/core";
import type { Hono } from "hono";
import { EVENT_STREAM_HEADERS, eventStream } from "../encoders/event-stream.ts";
import { answer } from "../http/answer.ts";
import type { ServerEnvironment } from "../http/environment.ts";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import { pause } from "../turns/pause.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { titleIn } from "./own-conversation.ts";

const LOOK_MS = 1_000;

interface WaitingCall {
  readonly conversationId: string;
  readonly title: string | null;
  readonly turnId: string;
  readonly interruption: Interruption;
}

/** What waits for the user in all of their conversations. */
export function approvalRoutes(app: Hono<ServerEnvironment>, parts: ServerParts): void {
  const { log, provider, limits, closing } = parts;

  async function pendingOf(userId: string): Promise<readonly WaitingCall[]> {
    const turns = unwrap(await log.find({ userId, state: "waiting" }));
    const waiting = await Promise.all(
      turns.map(async ({ conversationId, turnId, record = "{}" }) => {
        const { interruptions = [] } = JSON.parse(record) as Partial<TurnRecord>;
        const { conversation } = unwrap(
          await provider.readConversation(conversationId, { messages: "none" }),
        );
        // Its conversation may be gone without the server's doing.
        if (conversation === null) return [];
        const title = titleIn(conversation);
        return interruptions.map((interruption) => ({ conversationId, title, turnId, interruption }));
      }),
    );
    return waiting.flat();
  }

  app.get("/approvals/pending", async (context) =>
    answer(context, { approvals: await pendingOf(context.get("identity").userId) }),
  );

  app.get("/approvals/stream", async (context) => {
    const { userId } = context.get("identity");
    const release = limits.stream(userId);
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, closing, context.req.raw.signal]);
    async function* changes(): AsyncGenerator<string> {
      let told: string | undefined;
      try {
        while (!signal.aborted) {
          const approvals = JSON.stringify({ approvals: await pendingOf(userId) });
          if (approvals !== told) yield `event: approvals\ndata: ${approvals}\n\n`;
          told = approvals;
          await pause(LOOK_MS, signal);
        }
      } finally {
        release();
      }
    }
    const onLeave = () => {
      release();
      left.abort();
    };
    return context.newResponse(eventStream(changes(), { onLeave }), { headers: EVENT_STREAM_HEADERS });
  });
}
