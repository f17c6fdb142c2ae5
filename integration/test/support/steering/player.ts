import { setTimeout as sleep } from "node:timers/promises";
import { createSaboteur, type Strike } from "../crash/saboteur.ts";
import type { Script } from "./agent.ts";
import { createNotes, type Notes } from "./notes.ts";
import { type Process, startProcess, type World } from "./process.ts";
import type { Operation, Program, Slot } from "./program.ts";
import { comeToRest, type Survey, survey } from "./rest.ts";
import { createUser } from "./user.ts";
import { watchedWorld } from "./watched-world.ts";

/** A program that was played, and what is stored at its end. */
export interface Played extends Survey {
  readonly program: Program;
  readonly notes: Notes;
}

/** Plays a program in a conversation of its own, and lets it come to rest. */
export async function playProgram(program: Program, opened: World): Promise<Played> {
  const { seed, durability, operations, repeats } = program;
  const conversationId = `c-${seed}-${crypto.randomUUID()}`;
  const userId = `u-${conversationId}`;
  await opened.provider.appendMessages(conversationId, [], { userId }, { createIfMissing: true });

  const notes = createNotes();
  let last = 0;
  const script: Script = { notes, durability, next: () => ++last };
  const world = watchedWorld(opened, notes);
  const strikes: Strike[] = [];
  const saboteur = createSaboteur(strikes);
  const slots = new Map<Slot, Promise<Process>>();
  const started: Promise<Process>[] = [];
  const start = (): Promise<Process> => {
    const process = startProcess(world, script, saboteur.open());
    started.push(process);
    return process;
  };

  /** Returns the process of a slot. Another one replaces it if it has died. */
  async function processAt(slot: Slot): Promise<Process> {
    const process = await slots.get(slot);
    if (process !== undefined && !process.isDead()) return process;
    const next = start();
    slots.set(slot, next);
    return next;
  }

  const user = createUser({ conversationId, userId, world, notes });
  const background: Promise<unknown>[] = [];

  async function play({ kind, slot, approves }: Operation): Promise<unknown> {
    if (kind === "wait") return undefined;
    const process = await processAt(slot);
    if (kind === "close") {
      slots.delete(slot);
      return process.close().catch(() => {});
    }
    if (kind !== "send to both") return user[kind](process, approves);
    return user[kind](process, await processAt(slot === 0 ? 1 : 0));
  }

  for (const operation of operations) {
    const { fault, awaited, pauseMs, kind } = operation;
    if (fault !== undefined) strikes.push({ ...fault, at: saboteur.calls() + fault.after });
    const played = play(operation);
    background.push(played);
    if (awaited) await played;
    await sleep(kind === "wait" ? pauseMs * 10 : pauseMs);
  }
  await Promise.all(background);
  await saboteur.end();
  // Each process that still runs hands over, as in a deployment.
  const ended = started.map(async (process) => (await process).close().catch(() => {}));
  const latest = await startProcess(world, script, saboteur.open());
  const problem = await comeToRest({ user, process: latest, world, conversationId, userId, repeats });
  await Promise.all([...ended, latest.close()]);
  const found = await survey(opened, conversationId);
  return { program, notes, ...found, problems: [...(problem ? [problem] : []), ...found.problems] };
}
