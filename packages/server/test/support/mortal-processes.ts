import type { ModelProvider } from "@jaf/core";
import type { TurnWriter } from "@jaf/memory/adapter";
import { onTestFinished } from "vitest";
import type { TurnIds } from "../../src/turns/turn-service.ts";
import {
  createScriptedModel,
  createTestService,
  eventsOf,
  type ServiceOptions,
  type World,
} from "./turn-fixtures.ts";

const MOST_PROCESSES = 12;

export interface MortalProcess {
  readonly world: World;
  /** Ends the process. The promise never resolves, like a call in whose middle the process dies. */
  readonly die: () => Promise<never>;
  /** Resolves once the process is dead and its lease is over. */
  readonly died: Promise<void>;
}

/** Returns the stores of a process that can die: after its death, none of its calls reach them. */
export function createMortalProcess({ log, provider }: World): MortalProcess {
  const hanging: (() => void)[] = [];
  let writer: TurnWriter | undefined;
  let isDead = false;
  let tellDead = (): void => {};
  const died = new Promise<void>((resolve) => {
    tellDead = resolve;
  });
  let isOver = false;
  const never = () =>
    new Promise<never>((_, reject) => {
      const end = () => reject(new Error("dead"));
      if (isOver) end();
      else hanging.push(end);
    });
  const dying = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => (isDead ? never() : value.apply(of, args));
      },
    });
  const append: World["log"]["append"] = async (events) => {
    // A write takes a while. The process can die before it is sent.
    await new Promise((resolve) => setTimeout(resolve, 30));
    return isDead ? never() : log.append(events);
  };
  const takeOver: World["log"]["takeOver"] = async (turn) => {
    const taken = await log.takeOver(turn);
    if (taken.success && taken.data !== null) writer = taken.data.writer;
    return taken;
  };
  const die = (): Promise<never> => {
    if (isDead) return never();
    isDead = true;
    // Before the service is closed, which waits for its calls.
    onTestFinished(() => {
      isOver = true;
      for (const end of hanging) end();
    });
    void (writer === undefined ? Promise.resolve() : log.release(writer)).then(tellDead);
    return never();
  };
  return { world: { provider: dying({ ...provider }), log: dying({ ...log, append, takeOver }) }, die, died };
}

export interface DeadlyOptions extends Omit<ServiceOptions, "config"> {
  readonly model: ModelProvider<unknown>;
}

/**
 * Starts processes that take the turn over, each after the death of the one before. Resolves with their number once the turn
 * has ended, and with `Infinity` if it goes on and on.
 */
export async function killUntilEnd(
  world: World,
  turn: TurnIds,
  {
    durability,
    open,
  }: {
    readonly durability: "step" | "turn" | "completed";
    readonly open: (process: MortalProcess) => DeadlyOptions;
  },
): Promise<number> {
  const reader = createTestService(world, createScriptedModel([]));
  const ended = eventsOf(reader, turn).then(() => true);
  for (let processes = 1; processes <= MOST_PROCESSES; processes++) {
    const process = createMortalProcess(world);
    const { model, ...options } = open(process);
    const memory = { provider: process.world.provider, autoStore: true, durability };
    const config = { modelProvider: model, memory };
    createTestService(process.world, model, { recoverMs: 20, ...options, config });
    if (await Promise.race([process.died.then(() => false), ended])) return processes;
  }
  return Number.POSITIVE_INFINITY;
}
