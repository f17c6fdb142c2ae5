import type { TurnEnding, TurnWriter } from "@jaf/memory/adapter";
import { encodeEvent } from "../turns/encoded-event.ts";
import { createEventWriter, type EventWriter } from "../turns/event-writer.ts";
import { createRecentEvents, type RecentEvents } from "../turns/recent-events.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import { type BegunTurn, openTurnStart, type TurnStart, type TurnStartOptions } from "./begin-turn.ts";
import { type ConversationBase, userMessagesOf } from "./stored-request.ts";

export interface JobLeaseOptions<Ctx> extends TurnStartOptions<Ctx> {
  readonly onStop: () => void;
  readonly onLost: () => void;
}

export interface HeldLease extends BegunTurn {
  /** Number of the first event that this process writes. */
  readonly first: number;
}

/** A job's lease of its turn in the log. The lease is held once the turn has begun, or once `hold` was called. */
export interface JobLease extends TurnStart {
  /** Returns the latest events that this process has stored, or `undefined` if the lease isn't held yet. */
  readonly recentEvents: () => RecentEvents | undefined;
  readonly base: () => ConversationBase | undefined;
  /** Uses the lease of a turn that this process has taken over. */
  readonly hold: (held: HeldLease) => void;
  /** Adds an event to the turn. Until the lease is held, the event stays in memory. */
  readonly push: (event: TurnEvent) => void;
  readonly flush: () => Promise<boolean>;
  readonly end: (last: TurnEvent, ending: TurnEnding) => Promise<boolean>;
  /** Stores all added events, then releases the lease, so that another process can take over the turn. */
  readonly release: () => Promise<void>;
  /** Stops storing events, and makes every later `begin` fail. */
  readonly close: () => void;
}

export function openJobLease<Ctx>(options: JobLeaseOptions<Ctx>): JobLease {
  const { settings, request, conversationId, turnId } = options;
  const { log } = settings;
  let events: EventWriter | undefined;
  let recent: RecentEvents | undefined;
  let base: ConversationBase | undefined;
  let writer: TurnWriter | undefined;
  let waiting: TurnEvent[] = [];

  function hold(held: HeldLease): void {
    const ring = createRecentEvents(held.first, () => stored.storeEarly());
    base = held.base;
    writer = held.writer;
    recent = ring;
    const stored = createEventWriter({
      ...{ log, writer, first: held.first },
      gatherMs: settings.gatherMs,
      heartbeatMs: settings.heartbeatMs,
      leaseMs: settings.leaseSeconds * 1_000,
      onStored: ring.add,
      onStop: options.onStop,
      onLost: () => {
        ring.close();
        options.onLost();
      },
    });
    events = stored;
    const early = waiting;
    waiting = [];
    for (const event of early) stored.push(event);
  }

  function onBegun(turn: BegunTurn): void {
    const position = turn.base.position + (userMessagesOf(request.input)?.length ?? 0);
    const { agentName } = request;
    const start: TurnEvent = { type: "turn_start", turnId, conversationId, position, agentName };
    waiting.unshift(start);
    hold({ ...turn, first: 0 });
    // Follows from the stored request: a process that takes over stores the same event, so readers needn't wait.
    recent?.add(0, [encodeEvent(start)]);
  }
  const start = openTurnStart(options, { isHeld: () => events !== undefined, onBegun });

  return {
    ...start,
    recentEvents: () => recent,
    base: () => base,
    hold: (held) => {
      hold(held);
      // Readers in any process may wait for the events.
      events?.storeEarly();
    },
    push: (event) => {
      if (events === undefined) waiting.push(event);
      else events.push(event);
    },
    flush: async () => (await events?.flush()) ?? false,
    end: async (last, ending) => {
      const ended = (await events?.end(last, ending)) ?? false;
      recent?.close();
      return ended;
    },
    release: async () => {
      await events?.flush();
      events?.close();
      recent?.close();
      if (writer !== undefined) await log.release(writer);
    },
    close: () => {
      start.close();
      events?.close();
      recent?.close();
    },
  };
}
