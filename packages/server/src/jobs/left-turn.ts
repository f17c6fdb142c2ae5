import type { MemoryErrorUnion } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { createMemoryStorageError } from "@jaf/memory/internal";
import { failedEnd, LOST } from "../turns/turn-ends.ts";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { TurnSettings } from "./turn-options.ts";

/** A turn that a process of another release must continue, e.g. because a newer release began it. */
export interface LeftTurn {
  /** Why this process can't continue the turn. */
  readonly leftBecause: MemoryErrorUnion;
}

export const NEWER_REQUEST: MemoryErrorUnion = createMemoryStorageError(
  "takeOver",
  "a newer release began the turn, in a format that this process can't read; upgrade this process",
  { retryable: false },
);

export const unknownAgent = (name: string): MemoryErrorUnion =>
  createMemoryStorageError(
    "takeOver",
    `the turn needs the agent "${name}", which this process doesn't have; upgrade this process, or add the agent`,
    { retryable: false },
  );

/**
 * Returns how a turn ends that this process can't continue: as stopped if a stop was requested, and as lost once it is
 * older than `keepSeconds`. Returns `undefined` if the turn is left to another process.
 */
export function endOfLeftTurn<Ctx>(turn: LoggedTurn, settings: TurnSettings<Ctx>): TurnEnd | undefined {
  if (turn.stopRequested) return { type: "turn_end", status: "stopped" };
  return isTooOld(turn, settings) ? failedEnd(LOST) : undefined;
}

/** Returns whether a turn is older than `keepSeconds`, so that no process waits any longer for what the turn needs. */
export const isTooOld = <Ctx>(
  { startedAt }: { readonly startedAt: Date },
  { keepSeconds }: TurnSettings<Ctx>,
): boolean =>
  // Not from the turn's last lease, because each attempt of this process takes the lease.
  Date.now() - startedAt.getTime() >= keepSeconds * 1_000;

/**
 * Returns the name of an agent that a turn needs and this process lacks. Returns `undefined` if it lacks none. `begun`:
 * the agent of the turn's request. `current`: the agent after the turn's handoffs.
 */
export function missingAgent<Ctx>(
  { agents, config }: TurnSettings<Ctx>,
  { begun, current }: { readonly begun: string; readonly current: string },
): string | undefined {
  if (!agents.has(begun)) return begun;
  return agents.has(current) || config.agentRegistry?.has(current) === true ? undefined : current;
}
