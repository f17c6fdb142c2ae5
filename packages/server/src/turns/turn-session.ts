import type { MemoryErrorUnion, TurnEnding, TurnWriter } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/adapter";
import { type BaseReading, readBase } from "./conversation-base.ts";
import { isUrgent } from "./event-flow.ts";
import { createEventWriter, type EventWriter } from "./event-writer.ts";
import type { TurnSettings } from "./options.ts";
import { saidMessages } from "./said-messages.ts";
import { createStoredEvents, type StoredEvents } from "./stored-events.ts";
import { type ConversationBase, encodeRequest, type StoredRequest } from "./stored-request.ts";
import { refusal, storeRefusal } from "./turn-errors.ts";
import type { TurnEvent } from "./turn-event.ts";
import type { TurnRefusal } from "./turn-service.ts";

export interface TurnIds {
  readonly conversationId: string;
  readonly turnId: string;
}

export interface SessionOptions<Ctx> extends TurnIds {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the context is
  readonly settings: TurnSettings<Ctx> | TurnSettings<any>;
  readonly request: Omit<StoredRequest, "base">;
  readonly isDraining: () => boolean;
  readonly gatherMs: () => number;
  readonly onStop: () => void;
  readonly onLost: () => void;
}

/** Why a turn couldn't begin. */
export interface Unbegun {
  readonly refusal: TurnRefusal;
  readonly error: MemoryErrorUnion;
  /** The turn is in the log, and its writer isn't known: the answer got lost. */
  readonly isOrphaned?: true;
}

export interface HeldTurn {
  readonly writer: TurnWriter;
  /** How many events it has. */
  readonly first: number;
  readonly base: ConversationBase;
}

/** A turn in the log, from before it begins there. */
export interface TurnSession {
  /** Where its events are read that this process stores. `undefined`: it hasn't begun. */
  readonly stored: () => StoredEvents | undefined;
  readonly base: () => ConversationBase | undefined;
  /**
   * Begins the turn, unless it has begun. `expectedVersion`: what the run knows of the conversation. `undefined`: it has begun.
   * A failure that may pass isn't final: call it again.
   */
  readonly begin: (expectedVersion?: number) => Promise<Unbegun | undefined>;
  /** Why the turn can't begin, once that is final. */
  readonly refused: () => Unbegun | undefined;
  /** Takes the place of a writer that is gone. */
  readonly hold: (turn: HeldTurn) => void;
  /** Before the turn begins, events wait. */
  readonly push: (event: TurnEvent) => void;
  readonly flush: () => Promise<boolean>;
  readonly end: (last: TurnEvent, ending: TurnEnding) => Promise<boolean>;
  /** Stores nothing more, and lets another process take over. */
  readonly release: () => Promise<void>;
  /** Stores nothing more. */
  readonly close: () => void;
}

const conflict = () => createMemoryConflictError("turn", { operation: "begin" });

export function openTurnSession<Ctx>(options: SessionOptions<Ctx>): TurnSession {
  const { settings, request, conversationId, turnId } = options;
  const { log } = settings;
  let events: EventWriter | undefined;
  let stored: StoredEvents | undefined;
  let base: ConversationBase | undefined;
  let writer: TurnWriter | undefined;
  let waiting: TurnEvent[] = [];
  let final: Unbegun | undefined;
  let beginning: Promise<Unbegun | undefined> | undefined;

  function hold(turn: HeldTurn): void {
    const ring = createStoredEvents(turn.first);
    base = turn.base;
    writer = turn.writer;
    stored = ring;
    events = createEventWriter({
      ...{ log, writer, first: turn.first },
      gatherMs: options.gatherMs,
      heartbeatMs: settings.heartbeatMs,
      leaseMs: settings.leaseSeconds * 1_000,
      onStored: ring.add,
      onStop: options.onStop,
      onLost: () => {
        ring.close();
        options.onLost();
      },
    });
    const early = waiting;
    waiting = [];
    for (const event of early) events.push(event, isUrgent(event));
  }

  async function currentBase(expectedVersion: number | undefined): Promise<BaseReading> {
    const read = await readBase(settings.provider, conversationId, request.edit);
    if (!("base" in read) || expectedVersion === undefined) return read;
    if (read.base.version === expectedVersion) return read;
    const changed = createMemoryConflictError("version", { operation: "begin" });
    return { refusal: refusal("changed"), error: changed };
  }

  async function attempt(expectedVersion: number | undefined): Promise<Unbegun | undefined> {
    if (options.isDraining()) {
      final = { refusal: refusal("draining"), error: conflict() };
      return final;
    }
    const read = await currentBase(expectedVersion);
    if (!("base" in read)) return read;
    const { userId } = request.identity;
    const begun = await log.begin({
      ...{ conversationId, userId, turnId },
      request: encodeRequest({ ...request, base: read.base }),
      leaseSeconds: settings.leaseSeconds,
      keepSeconds: settings.keepSeconds,
    });
    if (!begun.success) return { refusal: storeRefusal(begun.error), error: begun.error };
    if (begun.data.begun) {
      const position = read.base.position + (saidMessages(request.input)?.length ?? 0);
      waiting.unshift({
        ...{ type: "turn_start", turnId, conversationId, position },
        agentName: request.agentName,
      });
      hold({ writer: begun.data.writer, first: 0, base: read.base });
      return undefined;
    }
    const { turnId: running } = begun.data.running;
    final = { refusal: refusal("running", { turnId: running }), error: conflict() };
    // A begin whose answer got lost: its token isn't known.
    if (running === turnId) final = { ...final, isOrphaned: true };
    return final;
  }

  return {
    stored: () => stored,
    base: () => base,
    begin: async (expectedVersion) => {
      if (events !== undefined || final !== undefined) return final;
      beginning ??= attempt(expectedVersion).finally(() => {
        beginning = undefined;
      });
      return beginning;
    },
    refused: () => final,
    hold,
    push: (event) => {
      if (events === undefined) waiting.push(event);
      else events.push(event, isUrgent(event));
    },
    flush: async () => (await events?.flush()) ?? false,
    end: async (last, ending) => {
      const ended = (await events?.end(last, ending)) ?? false;
      stored?.close();
      return ended;
    },
    release: async () => {
      await events?.flush();
      events?.close();
      stored?.close();
      if (writer !== undefined) await log.release(writer);
    },
    close: () => {
      events?.close();
      stored?.close();
    },
  };
}
