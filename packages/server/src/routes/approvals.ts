import type { Interruption } from "@jaf/core";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { onAbort } from "@jaf/memory/internal";
import * as z from "zod";
import { unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import { EVENT_STREAM_HEADERS, eventStream } from "../http/sse.ts";
import type { TurnRecord } from "../jobs/turn-record.ts";
import { pause } from "../pause.ts";
import type { ServerParts } from "../server-parts.ts";
import { titleIn } from "./own-conversation.ts";
import { interruption } from "./schemas.ts";
import { streamFailure } from "./turn-response.ts";

const listApprovals = operation("get", "/approvals/pending", {
  summary: "List the calls that wait for the user",
  answer: z.object({
    approvals: z.array(
      z.object({
        conversationId: z.string(),
        title: z.string().nullable(),
        turnId: z.string(),
        interruption,
      }),
    ),
  }),
});

const streamApprovals = operation("get", "/approvals/stream", {
  summary: "Stream the list of pending calls whenever it changes",
  streams: "always",
});

/** Adds the routes that list a user's pending calls: tool calls that wait for an approval or for the client. */
export function approvalRoutes(route: Route, parts: ServerParts): void {
  const { limits, closing, report } = parts;
  const createRead = (userId: string) => {
    const read = createPendingCallsReader(parts, userId);
    return async () => ({ approvals: await read() });
  };
  const feeds = createApprovalFeeds(createRead);

  route(listApprovals, ({ userId }) => createRead(userId)());

  route(streamApprovals, ({ context, userId }) => {
    const release = limits.stream(userId);
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, closing, context.req.raw.signal]);
    const onLeave = () => {
      release();
      left.abort();
    };
    const format = { textOf: (approvals: string) => `event: approvals\ndata: ${approvals}\n\n` };
    const changes = feeds.follow(userId, signal);
    const texts = eventStream(changes, format, { onLeave, ...streamFailure(context, report) });
    return context.newResponse(texts, { headers: EVENT_STREAM_HEADERS });
  });
}

interface PendingCall {
  readonly conversationId: string;
  readonly title: string | null;
  readonly turnId: string;
  readonly interruption: Interruption;
}

/** Maximum number of turns whose pending calls are listed, latest first. */
const MOST_TURNS = 1_000;
/** Maximum number of conversations that are loaded in parallel. */
const AT_ONCE = 50;
/** How long a turn's pending calls are cached, in ms. */
const KEPT_MS = 30_000;

interface ReadTurn {
  readonly conversationId: string;
  readonly calls: readonly PendingCall[];
  readonly readAt: number;
}

/**
 * Returns a function that lists the pending calls in all conversations of a user. It caches each turn's pending calls
 * for `KEPT_MS`.
 */
function createPendingCallsReader(
  { log, provider }: Pick<ServerParts, "log" | "provider">,
  userId: string,
): () => Promise<readonly PendingCall[]> {
  /** The cached turns by turn id. */
  let known: ReadonlyMap<string, ReadTurn> = new Map();

  async function callsOf({ conversationId, turnId, record = "{}" }: LoggedTurn) {
    const { interruptions = [] } = JSON.parse(record) as Partial<TurnRecord>;
    const { conversation } = unwrap(await provider.readConversation(conversationId, { messages: "none" }));
    // Deleted, and maybe created again by another user.
    if (conversation === null || conversation.userId !== userId) return [];
    const title = titleIn(conversation);
    return interruptions.map((interruption) => ({ conversationId, title, turnId, interruption }));
  }

  async function readTurn(turn: LoggedTurn): Promise<readonly [string, ReadTurn]> {
    const { conversationId, turnId } = turn;
    const before = known.get(turnId);
    const isKnown = before?.conversationId === conversationId && performance.now() - before.readAt < KEPT_MS;
    // The title may be old, and other code may have deleted the conversation.
    if (isKnown) return [turnId, before];
    return [turnId, { conversationId, calls: await callsOf(turn), readAt: performance.now() }];
  }

  return async () => {
    const turns = unwrap(await log.find({ userId, state: "waiting" }, MOST_TURNS));
    const read: (readonly [string, ReadTurn])[] = [];
    for (let start = 0; start < turns.length; start += AT_ONCE)
      read.push(...(await Promise.all(turns.slice(start, start + AT_ONCE).map(readTurn))));
    known = new Map(read);
    return read.flatMap(([, { calls }]) => calls);
  };
}

const LOOK_MS = 1_000;

interface ApprovalFeeds {
  /**
   * Yields the user's list of pending calls as JSON: first the current list, and a new list after each change. Ends
   * when `signal` is aborted.
   */
  readonly follow: (userId: string, signal: AbortSignal) => AsyncGenerator<string, void, undefined>;
}

interface Feed {
  readonly ending: AbortController;
  readonly waiting: Set<() => void>;
  readers: number;
  latest: string | undefined;
  failure: { readonly thrown: unknown } | undefined;
}

/**
 * Creates feeds of pending calls, one for all streams of a user. `createRead` returns the function that loads the
 * user's list.
 */
function createApprovalFeeds(createRead: (userId: string) => () => Promise<unknown>): ApprovalFeeds {
  const feeds = new Map<string, Feed>();

  function leave(userId: string, feed: Feed): void {
    if (feeds.get(userId) === feed) feeds.delete(userId);
  }

  async function run(userId: string, feed: Feed): Promise<void> {
    const { signal } = feed.ending;
    const read = createRead(userId);
    try {
      while (!signal.aborted) {
        const text = JSON.stringify(await read());
        if (text !== feed.latest) {
          feed.latest = text;
          wake(feed);
        }
        await pause(LOOK_MS, signal);
      }
    } catch (thrown) {
      feed.failure = { thrown };
      // The next client starts a new feed.
      leave(userId, feed);
      wake(feed);
    }
  }

  function start(userId: string): Feed {
    const feed: Feed = {
      ...{ ending: new AbortController(), waiting: new Set(), readers: 0 },
      ...{ latest: undefined, failure: undefined },
    };
    feeds.set(userId, feed);
    void run(userId, feed);
    return feed;
  }

  return {
    follow: async function* (userId, signal) {
      const feed = feeds.get(userId) ?? start(userId);
      feed.readers += 1;
      try {
        let sent: string | undefined;
        while (!signal.aborted) {
          if (feed.failure !== undefined) throw feed.failure.thrown;
          if (feed.latest === sent) await changed(feed, signal);
          else {
            sent = feed.latest;
            if (sent !== undefined) yield sent;
          }
        }
      } finally {
        feed.readers -= 1;
        if (feed.readers === 0) {
          leave(userId, feed);
          feed.ending.abort();
        }
      }
    },
  };
}

function wake({ waiting }: Feed): void {
  for (const done of [...waiting]) done();
}

/** Resolves when the feed's list has changed or failed to load, or when `signal` is aborted. */
const changed = ({ waiting }: Feed, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stopListening = onAbort(signal, () => done());
    function done(): void {
      waiting.delete(done);
      stopListening();
      resolve();
    }
    waiting.add(done);
  });
