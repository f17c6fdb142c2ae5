import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@jaf/memory";
import type { TurnEvent } from "@jaf/server";
import type { Process, World } from "./process.ts";
import { eventsOf, latestTurn, type User } from "./user.ts";

/** More than any program needs: a few leases, and the search that looks again after 5 and 10 s. */
const LONGEST_MS = 60_000;
const LOOK_MS = 20;

interface RestOptions {
  readonly user: User;
  readonly process: Process;
  readonly world: World;
  readonly conversationId: string;
  readonly userId: string;
  readonly repeats: boolean;
}

/** Waits until nothing runs, waits, is due or is left in the inbox. Resolves with what prevented it, if it took too long. */
export async function comeToRest(options: RestOptions): Promise<string | undefined> {
  const { user, process, world, conversationId, userId, repeats } = options;
  const deadline = performance.now() + LONGEST_MS;
  let isRepeated = !repeats;
  let state: string | undefined;
  let left = 0;
  while (performance.now() < deadline) {
    // In the order in which messages move: a timer's message goes to the inbox, and from there into a turn.
    const timers = await world.timers.find({ userId });
    const entries = await world.inbox.read({ conversationId });
    const turn = await latestTurn(world, conversationId);
    state = turn?.state;
    left = entries.success && timers.success ? entries.data.length + timers.data.length : -1;
    if (state === "waiting") await user.decide(process, true);
    else if (state !== "running" && left === 0) {
      if (isRepeated) return undefined;
      isRepeated = true;
      await user.repeat(process);
    }
    await sleep(LOOK_MS);
  }
  return `no rest: the latest turn is ${state}, ${left} entries and timers are left`;
}

export interface SurveyedTurn {
  readonly turnId: string;
  readonly state: string;
  readonly events: readonly TurnEvent[];
}

/** What the stores hold at the end. */
export interface Survey {
  readonly messages: readonly Message[];
  /** The turn that began first comes first. */
  readonly turns: readonly SurveyedTurn[];
  readonly problems: readonly string[];
}

export async function survey(world: World, conversationId: string): Promise<Survey> {
  const read = await world.provider.getConversation(conversationId);
  const logged = await world.log.turnsOf(conversationId, 1_000);
  if (!read.success || !logged.success) throw new Error("the stores can't be read");
  const turns: SurveyedTurn[] = [];
  for (const { turnId, state } of logged.data.toReversed())
    turns.push({ turnId, state, events: await eventsOf(world, { conversationId, turnId }) });
  return { messages: read.data?.messages ?? [], turns, problems: [] };
}
