import { isDeepStrictEqual } from "node:util";
import { generateRunId, generateTraceId, JAFErrorHandler, type Message, run } from "@jaf/core";
import type { MemoryProvider } from "@jaf/memory";
import { Failure } from "../exit.ts";
import { afterCrash } from "../storage/open-store.ts";
import { guardStore } from "./guarded-store.ts";
import type { Ledger } from "./ledger.ts";
import { recordedAgent } from "./recorded-agent.ts";
import { checkRecordings, type Recording, readRecordings } from "./recording.ts";

export interface ReplayOptions {
  readonly file: string;
  readonly provider: MemoryProvider;
  readonly ledger: Ledger;
  /** Aborted by Ctrl-C. The replay stops after the current write. */
  readonly signal: AbortSignal;
}

export interface Replayed {
  readonly conversations: number;
  readonly messages: number;
  /** The number of messages from an earlier replay. */
  readonly alreadyStored: number;
  readonly finished: boolean;
}

/** Runs recorded conversations through the engine, turn by turn. Each step is durable before the next. */
export async function replay({ file, provider, ledger, signal }: ReplayOptions): Promise<Replayed> {
  const total = await checkRecordings(file);
  const progress = createProgress(total);
  let conversations = 0;
  let messages = 0;
  let fresh = 0;
  const onFound = (count: number) => {
    messages += count;
  };
  const onStored = (count: number) => {
    messages += count;
    fresh += count;
    progress.update({ conversations, messages }, fresh);
  };
  try {
    for await (const recording of readRecordings(file)) {
      if (signal.aborted) break;
      await replayConversation(recording, { provider, ledger, signal, onFound, onStored });
      conversations += signal.aborted ? 0 : 1;
      progress.update({ conversations, messages }, fresh);
    }
  } catch (thrown) {
    progress.interrupt();
    throw thrown;
  }
  progress.finish({ conversations, messages }, fresh);
  return { conversations, messages, alreadyStored: messages - fresh, finished: !signal.aborted };
}

type Conversation = Pick<ReplayOptions, "provider" | "ledger" | "signal"> & {
  /** Receives the number of messages that were already stored. */
  readonly onFound: (count: number) => void;
  /** Receives the number of newly stored messages. */
  readonly onStored: (count: number) => void;
};

/** Replays the messages that aren't stored yet. */
async function replayConversation(recording: Recording, options: Conversation): Promise<void> {
  const { conversationId, messages } = recording;
  let stored = await storedBefore(recording, options.provider);
  options.onFound(stored);
  options.ledger.durable(conversationId, stored);
  while (stored < messages.length && !options.signal.aborted) {
    await replayTurn(recording, stored, options);
    const now = await countStored(conversationId, options.provider);
    if (now === stored && !options.signal.aborted) {
      throw new Failure(
        `${conversationId}, message ${stored + 1}: a run of an agent can't continue like this, so it can't be replayed.`,
      );
    }
    options.onStored(now - stored);
    stored = now;
    options.ledger.durable(conversationId, stored);
  }
}

/** Runs the engine once: for the next user messages, or for the rest of an interrupted turn. */
async function replayTurn(
  recording: Recording,
  stored: number,
  { provider, ledger, signal }: Conversation,
): Promise<void> {
  const ended = new AbortController();
  let failure: unknown;
  const end = (thrown?: unknown) => {
    failure = thrown;
    ended.abort();
  };
  const store = guardStore(recording, provider, stored);
  const { agent, modelProvider } = recordedAgent(recording, { ledger, store, end });
  const state = {
    runId: generateRunId(),
    traceId: generateTraceId(),
    messages: userMessagesFrom(recording.messages, stored),
    currentAgentName: agent.name,
    context: {},
    turnCount: 0,
  };
  const { userId } = recording;
  const { outcome } = await run<unknown, string>(state, {
    agentRegistry: new Map([[agent.name, agent]]),
    modelProvider,
    maxTurns: Number.POSITIVE_INFINITY,
    conversationId: recording.conversationId,
    signal: AbortSignal.any([signal, ended.signal]),
    memory: {
      provider: store.provider,
      autoStore: true,
      durability: "step",
      ...afterCrash,
      ...(userId === undefined ? {} : { userId }),
    },
  });
  failure ??= store.failure();
  if (failure !== undefined) throw failure;
  if (outcome.status === "completed" || outcome.error._tag === "RunAborted") return;
  throw new Failure(
    `${recording.conversationId}: ${JAFErrorHandler.format(outcome.error)}\nStored messages are kept. Run the replay again to continue.`,
  );
}

function userMessagesFrom(messages: readonly Message[], start: number): readonly Message[] {
  const end = messages.findIndex(({ role }, index) => index >= start && role !== "user");
  return messages.slice(start, end === -1 ? undefined : end);
}

async function countStored(conversationId: string, provider: MemoryProvider): Promise<number> {
  const found = await provider.findConversations({ conversationId, includeMessages: false });
  if (!found.success) throw new Failure(found.error.message);
  return found.data[0]?.metadata?.totalMessages ?? 0;
}

/** The number of stored messages. Throws a {@link Failure} if the id has other messages or another user. */
async function storedBefore(recording: Recording, provider: MemoryProvider): Promise<number> {
  const { conversationId, userId, messages } = recording;
  const loaded = await provider.getConversation(conversationId);
  if (!loaded.success) throw new Failure(`${conversationId}: ${loaded.error.message}`);
  const stored = loaded.data?.messages ?? [];
  const different = stored.findIndex((message, index) => !isDeepStrictEqual(message, messages[index]));
  if (different !== -1) {
    throw new Failure(
      `${conversationId}: the stored conversation differs from the recording at message ${different + 1}. Replay into another folder (--data).`,
    );
  }
  const owner = loaded.data?.userId;
  if (owner !== undefined && owner !== userId) {
    throw new Failure(
      `${conversationId}: it is stored for another user. Replay into another folder (--data).`,
    );
  }
  // A run stores messages only, so an empty conversation or an owner may still be missing.
  const isBare = loaded.data === null || owner !== userId;
  if (isBare && stored.length === messages.length) await storeEmpty(recording, provider);
  return stored.length;
}

/** Stores the conversation without messages, and its owner. */
async function storeEmpty({ conversationId, userId }: Recording, provider: MemoryProvider): Promise<void> {
  const written = await (userId === undefined
    ? provider.appendMessages(conversationId, [], {}, { createIfMissing: "unowned" })
    : provider.appendMessages(conversationId, [], { userId }, { createIfMissing: true }));
  if (!written.success) throw new Failure(`${conversationId}: ${written.error.message}`);
}

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const LINE_MS = 2_000;

export interface ProgressState {
  readonly conversations: number;
  readonly messages: number;
}

/**
 * Creates a progress bar with messages per second. On a terminal it is redrawn in place, otherwise printed as a line from time
 * to time. `done` counts all finished messages, `fresh` those of this run, which determine the rate.
 */
export function createProgress(total: ProgressState, out: NodeJS.WriteStream = process.stderr) {
  const start = performance.now();
  const interval = out.isTTY ? REDRAW_MS : LINE_MS;
  let drawnAt = start;

  function text(done: ProgressState, fresh: number): string {
    const share = total.messages === 0 ? 1 : Math.min(1, done.messages / total.messages);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const seconds = (performance.now() - start) / 1_000;
    const rate = Math.round(fresh / Math.max(seconds, 0.001));
    return `${bar} ${done.messages}/${total.messages} messages, ${done.conversations}/${total.conversations} conversations, ${rate} messages/s`;
  }

  function draw(done: ProgressState, fresh: number): void {
    out.write(out.isTTY ? `\r\x1b[2K${text(done, fresh)}` : `${text(done, fresh)}\n`);
    drawnAt = performance.now();
  }

  return {
    update: (done: ProgressState, fresh: number): void => {
      if (performance.now() - drawnAt >= interval) draw(done, fresh);
    },
    finish: (done: ProgressState, fresh: number): void => {
      draw(done, fresh);
      if (out.isTTY) out.write("\n");
    },
    /** Ends the bar's line, so an error starts on a new line. */
    interrupt: (): void => {
      if (out.isTTY) out.write("\n");
    },
  };
}
